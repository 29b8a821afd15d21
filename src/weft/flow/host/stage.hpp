#pragma once
/// The stage of a step that the tasks of a HostStepper compute, and the data of their graphs.
#include <initializer_list>
#include <vector>

#include "weft/flow/physics/runge_kutta.hpp"
#include "weft/flow/scheme/stepper.hpp"
#include "weft/task/access.hpp"

namespace weft::flow::detail {

/// The arguments of a Runge-Kutta stage. Evaluations outside of steps use the time alone.
struct Stage {
  int number = 0;
  bool first = false, last = false;  ///< stage of its step
  double time = 0;                   ///< s
  double start_weight = 0;           ///< SSP coefficient, as in RungeKuttaStage
  double dt = 0;                     ///< s
  double local_cfl = 0;              ///< above 0: the step of a cell is at most local_cfl * its own stable step
};

/// Returns stage `number` of a step of `stages`.
[[nodiscard]] inline Stage stage_of(const StepCommand& command, int stages, int number) {
  const RungeKuttaStage coefficients = runge_kutta_stage(stages, number);
  return {.number = number,
          .first = number == 0,
          .last = number + 1 == stages,
          .time = command.time + coefficients.time * command.advance,
          .start_weight = coefficients.start_weight,
          .dt = command.dt,
          .local_cfl = command.local_cfl};
}

/// The data of a graph. Those that the scheme does not have are invalid.
struct StageData {
  task::DataId stage;                  ///< the number Stage::time, which stands for all members
  task::DataId values;                 ///< primitive values; boundary rows with the prescribed states of Residual
  task::DataId gradients, sensors;     ///< rows of owned and ghost cells
  task::DataId residual, mass_fluxes;  ///< by owned cell; by face
  task::DataId conserved, start_of_step, local_dt;
  task::DataId scalars, scalar_slopes;         ///< phi; boundary rows with the values of BoundaryScalars
  task::DataId amounts, start_of_scalar_step;  ///< rho phi
};

/// Returns the accesses to data that the scheme has.
[[nodiscard]] inline std::vector<task::Access> existing(std::initializer_list<task::Access> accesses) {
  std::vector<task::Access> list;
  for (const task::Access& access : accesses) {
    if (access.data.valid()) list.push_back(access);
  }
  return list;
}

}  // namespace weft::flow::detail
