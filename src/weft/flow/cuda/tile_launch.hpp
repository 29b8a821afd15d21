#pragma once
/// The arguments of the kernels over tiles, and the functions that launch them.
#include <cstddef>
#include <cstdint>

#include "weft/base/vec3.hpp"
#include "weft/device/stream.hpp"
#include "weft/flow/cuda/tile.hpp"
#include "weft/flow/host/loops.hpp"
#include "weft/flow/physics/boundary.hpp"
#include "weft/flow/physics/state_limits.hpp"
#include "weft/flow/scheme/extrapolation.hpp"

namespace weft::flow::detail {

// Kernels compute gradients and fluxes in the scalar type Real, and the update of the conserved variables in State: double and
// double, float and double (mixed), or float and float. Boundary conditions are always in double.

/// Tiles and the parts of Discretization that kernels need: pointers to device memory. Passed by value.
template <class Real>
struct TileArrays {
  const Tile* tile;
  const std::int32_t* halo_row;
  const std::uint16_t* topology;
  const std::int32_t* opposite_slot;
  const Real *centroids, *cell_to_face, *areas;
  const std::int32_t* stencil_offset;
  const std::uint16_t* stencil_row;  ///< null: stencils are the rows on the other sides of the faces
  const Real* matrices;
  const double* inverse_volume;
  const Vec3* projected_area;
  const double* radius;  ///< radius of the centroids of owned cells, m; null: not axisymmetric
  std::int32_t cells;    ///< owned and ghost
};

/// Kinds of gradient weights: least squares over face neighbours or node neighbours, or Green-Gauss.
enum class GradientWeights { least_squares, least_squares_by_node, green_gauss };
[[nodiscard]] WEFT_HD constexpr bool by_node(GradientWeights gradient_weights) {
  return gradient_weights == GradientWeights::least_squares_by_node;
}
[[nodiscard]] inline GradientWeights gradient_weights_of(GradientKind kind, bool stencils_by_node) {
  switch (kind) {
    case GradientKind::green_gauss:
      return GradientWeights::green_gauss;
    case GradientKind::none:  // the kernel computes the states on faces
    case GradientKind::least_squares:
      break;
  }
  return stencils_by_node ? GradientWeights::least_squares_by_node : GradientWeights::least_squares;
}

/// A range of tiles, and the largest sizes of any of them.
struct TileRange {
  std::int32_t first, last;
  int cells, rows, faces, entries;
};

/// Columns of the states on both sides of faces, by slot and in blocks of faces: the variables on the left, then those on the
/// right. The density of a side whose cell has a ShockSensor above 0 is negative, which indicates that sensor_slot() holds its
/// value: faces outside shocks therefore cause no memory traffic for sensors.
inline constexpr int kStateColumns = 2 * kVars;
/// Returns the position of the density on a side of the face at `slot`.
[[nodiscard]] WEFT_HD constexpr std::int64_t state_slot(std::int32_t slot, bool right) {
  return static_cast<std::int64_t>(in_face_blocks(static_cast<std::uint64_t>(slot), kStateColumns)) +
         (right ? kVars * kFaceBlock : 0);
}

/// Returns the position of the ShockSensor of the cell on a side of the face at `slot`.
[[nodiscard]] WEFT_HD constexpr std::int64_t sensor_slot(std::int32_t slot, bool right) {
  return 2 * static_cast<std::int64_t>(slot) + (right ? 1 : 0);
}

template <class Real>
struct GradientArgs {
  TileArrays<Real> tiles;
  const Real* values;            ///< all rows x kVars
  Real* states;                  ///< see kStateColumns
  Real* gradients;               ///< owned + ghost rows x Dim x kVars; null: not stored
  Real* sensors;                 ///< owned + ghost rows, written with `gradients`; null: the flux takes none
  Real* side_sensors;            ///< see sensor_slot()
  bool first_order;              ///< states are cell means, and gradients zero
  const std::int32_t* fallback;  ///< owned + ghost: 1 in cells of the first-order fallback; null: nowhere
  IdealGas gas;
  Primitive scale;
  double reference_length, order, shock_threshold;  ///< as ResidualView's
  bool stabilized;                                  ///< as Discretization's
};

/// A zone as kernels read it.
struct ZoneArgs {
  BoundaryParams params;
  bool prescribed;
};

struct BoundaryArgs {
  const ZoneArgs* zones;
  const std::int32_t* zone;                  ///< zone of each boundary face
  const std::int32_t* left;                  ///< cell of each boundary face
  const Vec3 *normal, *to_face;              ///< to_face: cell-to-face vector
  const Primitive* outside;                  ///< outside_state() of each boundary face, or its prescribed state
  const std::int32_t* order;                 ///< boundary faces: those of inner cells, then those of border cells
  ExtrapolationView boundary_extrapolation;  ///< extrapolation to the row of each boundary face
  std::int32_t faces, inner_faces;
};

/// The command of the host for the steps that it launches, in page-locked memory.
struct DeviceCommand {
  std::uint64_t number = 0;    ///< number of this command: the first step of a new one starts at `time`
  double time = 0, until = 0;  ///< s; steps that begin at `until` do nothing
  double dt = 0;               ///< above 0: length of the step; otherwise at most cfl * the smallest stable step
  double local_cfl = 0;        ///< above 0: each cell steps min(dt, local_cfl * its own stable step)
  double cfl = 0;
};

/// Sums over the tiles, one for each variable.
struct Sums {
  double sum[kVars];

  WEFT_HD Sums& operator+=(const Sums& other) {
    for (int k = 0; k < kVars; ++k) sum[k] += other.sum[k];
    return *this;
  }
};

/// The progress of the steps of a command.
struct StepClock {
  std::uint64_t number = 0;      ///< number of the command
  std::int32_t done = 0;         ///< number of steps done
  bool halted = false;           ///< this step and those after it are halted: the end is reached, or a state became unphysical
  double time = 0;               ///< at the start of the step
  double dt = 0, local_cfl = 0;  ///< as in DeviceCommand
  double advance = 0;            ///< time by which the step advances the clock: dt, or less where local time steps make dt longer
  double stable_dt = 0;          ///< the smallest of all ranks at the start of the step
};

/// The status of a step, reduced over the cells of this rank.
struct StepStatus {
  unsigned long long stable_dt;  ///< bits of the smallest stable step
  std::int32_t bad;              ///< 1 if the state of any cell became unphysical
};

/// The result of a step that was done.
struct StepEntry {
  StepClock clock;
  StepStatus status;
  double rate_squared[kVars];
};

template <class Real, class State>
struct FluxArgs {
  TileArrays<Real> tiles;
  BoundaryArgs boundary;
  const Real* states;              ///< see kStateColumns
  const Real* side_sensors;        ///< see sensor_slot(); read if the flux takes sensors
  const Real *values, *gradients;  ///< arrays of all rows, read by launch_boundary_fluxes instead
  const State *start, *conserved;  ///< owned x kVars: at the start of the step; present
  const double* source;            ///< owned x kVars, of the whole cell: added to its rate; null: none
  State* new_conserved;            ///< owned rows; may be `conserved`
  Real* new_values;                ///< owned rows
  IdealGas gas;
  StateLimits limits;   ///< limits of physical states; a cell outside them is recorded in `bad`
  double jump_damping;  ///< as ResidualView's
  const StepClock* clock;
  double start_weight;  ///< SSP coefficient, as in RungeKuttaStage
  int stage;
  bool last;             ///< last stage of its step, which computes the stable step
  double* local_dt;      ///< owned cells, at CFL 1; read if local_cfl > 0, written in the last stage; null: no local time steps
  double* rate_squared;  ///< by tile, kVars each; null: not computed
  double* outflows;      ///< kg/s out of cells through their faces, as Discretization::cell_face; null: not stored
  const std::int32_t* cell_face_offset;  ///< as Discretization's; read with `outflows`
  StepStatus* status;                    ///< each tile reduces stable_dt to its minimum
  std::int32_t*
      bad;  ///< stage, from 1, in which the state of each owned cell became unphysical; negative if it diverged; 0: neither
};

/// Returns the bytes of shared memory that a block needs for the gradients and for the fluxes of tiles like these.
template <int Dim, class Real>
[[nodiscard]] std::size_t gradient_memory(const TileRange& range, GradientWeights gradient_weights);
template <int Dim, class Real>
[[nodiscard]] std::size_t flux_memory(const TileRange& range);

/// Computes the limited gradients of the cells of tiles, and from them the states on their sides of faces.
template <int Dim, class Real>
void launch_gradients(Stream& stream, const TileRange& range, GradientWeights gradient_weights, const LimiterChoice& limiter,
                      const GradientArgs<Real>& args);
/// Computes the fluxes through all boundary faces, per unit area, out of the domain, from values and gradients.
template <int Dim, class Real, class State>
void launch_boundary_fluxes(Stream& stream, const FluxChoice& flux, const FluxArgs<Real, State>& args, Conserved* fluxes);
template <int Dim, class Real, class State>
void launch_fluxes(Stream& stream, const TileRange& range, const FluxChoice& flux, const FluxArgs<Real, State>& args);

}  // namespace weft::flow::detail
