#pragma once
/// The data of the task graphs of a DeviceStepper.
#include "weft/flow/host/stage.hpp"
#include "weft/task/graph.hpp"

namespace weft::flow::detail {

/// The data of a graph. Those that the scheme does not have are invalid. Inner and border tiles have memory of their own, so that
/// tasks of both can be executed at the same time; the boundary rows of `values` and `scalars` are part of it.
struct StepData {
  /// Memory of the tiles of one kind.
  struct OfTiles {
    task::DataId boundary_rows;  ///< rows of `values`
    task::DataId states;         ///< states on the cells' sides of faces, with sensors
    task::DataId update;         ///< conserved variables, local time steps, mass flows, what is added to StepStatus
    task::DataId rates;          ///< squared rates of the first stage
    task::DataId scalar_boundary_rows, amounts;
  };
  OfTiles inner, border;
  task::DataId clock;                           ///< StepClock, and StepStatus at the beginning of a step
  task::DataId stable_dt;                       ///< one row of this rank; the ghost rows are those of the others
  task::DataId rate_sums;                       ///< sums of the rates of all tiles
  task::DataId outside;                         ///< exterior states of boundary faces
  task::DataId boundary_fluxes;                 ///< computed by refresh()
  task::DataId source;                          ///< rates of the source
  task::DataId values, gradients, sensors;      ///< primitive values and what is computed of them
  task::DataId ghost_states;                    ///< states on ghosts' sides of faces
  task::DataId scalars, scalar_slopes, inflow;  ///< inflow: values of scalars that are prescribed at the boundary
};

}  // namespace weft::flow::detail
