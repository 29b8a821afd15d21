#pragma once
/// The loops of a step over faces and cells, in addition to the kernels over tiles: functors for parallel_for and reduce.
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/flow/cuda/tile_launch.hpp"
#include "weft/flow/physics/boundary.hpp"
#include "weft/flow/physics/convert.hpp"
#include "weft/flow/physics/step_length.hpp"
#include "weft/flow/scheme/kernels.hpp"

namespace weft::flow::detail {

struct SumOfTile {
  const double* partial;
  WEFT_HD Sums operator()(std::int32_t tile) const {
    Sums s;
    for (int k = 0; k < kVars; ++k) s.sum[k] = partial[static_cast<std::int64_t>(tile) * kVars + k];
    return s;
  }
};

/// Sets the length of a step, or halts it, from the result of the step before.
struct BeginStep {
  const DeviceCommand* command;  ///< page-locked memory of the host
  const double* stable_dt;       ///< one per rank; negative where a state became unphysical
  int ranks;
  StepClock* clock;
  StepStatus* status;
  WEFT_HD void operator()(int) const {
    const DeviceCommand o = *command;
    StepClock c = *clock;
    if (c.number != o.number) c = {.number = o.number, .time = o.time};
    c.stable_dt = stable_dt[0];
    for (int rank = 1; rank < ranks; ++rank) c.stable_dt = lesser(c.stable_dt, stable_dt[rank]);
    if (o.dt > 0) {
      c.dt = o.dt;
      c.local_cfl = o.local_cfl;
    } else {
      const bool local = o.local_cfl > 0;
      const double stable = o.cfl * c.stable_dt;
      c.halted = c.halted || !(c.stable_dt > 0) || reached(c.time, o.until);
      c.dt = step_length(step_limit(o.until - c.time, stable, local), stable, local);
      c.local_cfl = o.local_cfl;
      c.advance = lesser(c.dt, stable);
    }
    *clock = c;
    if (!c.halted) *status = {0x7ff0000000000000ULL, 0};  // infinity
  }
};

/// Stores the result of a step, and the stable length of the next one on this rank.
struct EndStep {
  StepClock* clock;
  const StepStatus* status;
  const Sums* rate_squared;  ///< null: not computed
  StepEntry* entries;
  double* stable_dt;
  __device__ void operator()(int) const {
    if (clock->halted) return;
    StepEntry& entry = entries[clock->done];
    entry.clock = *clock;
    entry.status = *status;
    for (int k = 0; k < kVars; ++k) entry.rate_squared[k] = rate_squared == nullptr ? 0 : rate_squared->sum[k];
    clock->time += clock->advance;
    ++clock->done;
    *stable_dt = status->bad != 0 ? -1 : __longlong_as_double(static_cast<long long>(status->stable_dt));
  }
};

/// Threads that extrapolate to one boundary row: they read the rows of its list, 50 at a wall of tetrahedra, together.
inline constexpr int kBoundaryLanes = 8;

/// Returns the sum over the kBoundaryLanes consecutive threads that share a boundary row, in a fixed order.
__device__ inline double sum_of_lanes(double x, unsigned lanes) {
  for (int apart = kBoundaryLanes / 2; apart > 0; apart /= 2) x += __shfl_xor_sync(lanes, x, apart);
  return x;
}

/// Sets the boundary rows, as on the host, of the faces BoundaryArgs::order[first], ..., with kBoundaryLanes threads for each.
template <class Real>
struct BoundaryGhosts {
  BoundaryArgs b;
  Real* values;
  IdealGas gas;
  std::int32_t cells, first;
  __device__ void operator()(std::int64_t thread) const {
    const std::int32_t face = b.order[first + thread / kBoundaryLanes];
    const int lane = static_cast<int>(thread % kBoundaryLanes);
    const Primitive state = ghost_state(face, lane);
    if (lane == 0) store(values + static_cast<std::int64_t>(cells + face) * kVars, as<Real>(state));
  }
  [[nodiscard]] __device__ Primitive ghost_state(std::int32_t face, int lane) const {
    const ZoneArgs& zone = b.zones[b.zone[face]];
    const Primitive& outside = b.outside[face];
    if (zone.prescribed) return outside;
    const Primitive inside = as<double>(load(values + static_cast<std::int64_t>(b.left[face]) * kVars));
    Increments<double> sums = increments(b.boundary_extrapolation, face, inside, values, lane, kBoundaryLanes);
    const unsigned lanes = ((1U << kBoundaryLanes) - 1) << (threadIdx.x % 32 / kBoundaryLanes * kBoundaryLanes);
    for (int k = 0; k < kVars; ++k) sums.state[k] = sum_of_lanes(sums.state[k], lanes);
    sums.pressure_along_normal = sum_of_lanes(sums.pressure_along_normal, lanes);
    return boundary_ghost_state(gas, zone.params, outside, inside,
                                extrapolated(b.boundary_extrapolation, face, gas, inside, sums), b.normal[face]);
  }
};

/// Computes the primitive values and the stable time step of the conserved state, as HostStepper::recompute_primitives().
template <class Real, class State>
struct RecomputePrimitives {
  const State* conserved;
  Real* values;
  double* local_dt;
  const double* inverse_volume;
  const Vec3* projected_area;
  StepStatus* status;
  std::int32_t* bad;
  IdealGas gas;
  StateLimits limits;
  __device__ void operator()(std::int32_t c) const {
    BasicConserved<State> u;
    for (int k = 0; k < kVars; ++k) u[k] = conserved[static_cast<std::int64_t>(c) * kVars + k];
    const BasicIdealGas<State> in_state = as<State>(gas);
    const BasicPrimitive<State> w = in_state.primitive(u);
    store(values + static_cast<std::int64_t>(c) * kVars, as<Real>(w));
    if (!as<State>(limits).hold(w)) {
      status->bad = 1;
      bad[c] = in_state.physical(w) ? -1 : 1;
      return;
    }
    const double own = stable_dt_of_cell(in_state, w, as<State>(projected_area[c]), static_cast<State>(inverse_volume[c]));
    if (local_dt != nullptr) local_dt[c] = own;
    atomicMin(&status->stable_dt, static_cast<unsigned long long>(__double_as_longlong(own)));
  }
};

}  // namespace weft::flow::detail
