#pragma once
/// The boundary rows of groups of faces: one block per group (see boundary_groups.hpp).
#include <cstdint>

#include "weft/device/cuda.cuh"
#include "weft/flow/cuda/tile_launch.hpp"
#include "weft/flow/physics/convert.hpp"
#include "weft/flow/scheme/kernels.hpp"

namespace weft::flow::detail {

/// Returns the sum over the kBoundaryLanes consecutive threads that share a boundary row, in a fixed order.
__device__ inline double sum_of_lanes(double x, unsigned lanes) {
  for (int apart = kBoundaryLanes / 2; apart > 0; apart /= 2) x += __shfl_xor_sync(lanes, x, apart);
  return x;
}

/// Returns the state of the boundary row of a face, as on the host, with kBoundaryLanes threads.
/// @param around  the group's rows x kVars.
template <class Real>
[[nodiscard]] __device__ Primitive boundary_row(const BoundaryArgs& b, const IdealGas& gas, std::int32_t face, int lane,
                                                const Real* values, const Real* around) {
  const ZoneArgs& zone = b.zones[b.zone[face]];
  const Primitive& outside = b.outside[face];
  if (zone.prescribed) return outside;
  const Primitive inside = as<double>(load(values + static_cast<std::int64_t>(b.left[face]) * kVars));
  Increments sums = increments(b.boundary_extrapolation, b.entry, face, inside, around, lane, kBoundaryLanes);
  const unsigned lanes = ((1U << kBoundaryLanes) - 1) << (threadIdx.x % 32 / kBoundaryLanes * kBoundaryLanes);
  for (int k = 0; k < kVars; ++k) sums.state[k] = sum_of_lanes(sums.state[k], lanes);
  sums.pressure_along_normal = sum_of_lanes(sums.pressure_along_normal, lanes);
  return boundary_ghost_state(gas, zone.params, outside, inside, extrapolated(b.boundary_extrapolation, face, gas, inside, sums),
                              b.normal[face]);
}

/// @param values  all rows x kVars.  @param cells  owned and ghost: the row of face 0.
template <class Real>
__global__ void __launch_bounds__(kBoundaryThreads)
    boundary_row_kernel(const BoundaryArgs b, const IdealGas gas, std::int32_t first_group, std::int32_t cells, Real* values) {
  extern __shared__ double shared_memory[];
  Real* const around = reinterpret_cast<Real*>(shared_memory);
  trigger_dependent_launch();
  const BoundaryGroup group = b.group[first_group + static_cast<std::int32_t>(blockIdx.x)];
  const std::int32_t* const row = b.group_row + group.first_row;
  const auto thread = static_cast<int>(threadIdx.x);
  grid_dependency_sync();
  for (int i = thread; i < group.rows * kVars; i += kBoundaryThreads) {
    around[i] = values[static_cast<std::int64_t>(row[i / kVars]) * kVars + i % kVars];
  }
  __syncthreads();
  if (thread / kBoundaryLanes >= group.faces) return;
  const std::int32_t face = b.order[group.first_face + thread / kBoundaryLanes];
  const Primitive state = boundary_row(b, gas, face, thread % kBoundaryLanes, values, around);
  if (thread % kBoundaryLanes == 0) store(values + static_cast<std::int64_t>(cells + face) * kVars, as<Real>(state));
}

/// Sets the boundary rows of the groups first <= g < last.
/// @throws DeviceError where the rows of a group do not fit into shared memory.
template <class Real>
void launch_boundary_rows(Stream& stream, const BoundaryArgs& boundary, const IdealGas& gas, std::int32_t first,
                          std::int32_t last, std::int32_t cells, Real* values) {
  if (last <= first) return;
  const auto kernel = boundary_row_kernel<Real>;
  const std::size_t memory = static_cast<std::size_t>(boundary.most_rows) * kVars * sizeof(Real);
  set_max_dynamic_shared_memory(kernel, memory, "boundary rows");
  request_dynamic_shared_memory(kernel);
  launch(stream, "boundary rows", {.blocks = last - first, .threads = kBoundaryThreads, .shared_memory = memory}, kernel,
         boundary, gas, first, cells, values);
}

}  // namespace weft::flow::detail
