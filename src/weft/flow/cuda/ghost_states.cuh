#pragma once
/// States on the ghosts' sides of faces, as gradient_kernel computes them for own cells: one thread per side.
#include <cstdint>

#include "weft/device/cuda.cuh"
#include "weft/flow/cuda/tile_launch.hpp"
#include "weft/flow/physics/convert.hpp"
#include "weft/flow/scheme/kernels.hpp"

namespace weft::flow::detail {

inline constexpr int kGhostThreads = 128;

/// Loads rows number[0] ... number[count - 1] of `Width` numbers into shared memory, adjacent threads reading adjacent numbers.
template <int Width, class Real>
__device__ void fetch_ghosts(const std::int32_t* number, int count, const Real* from, Real* to) {
#pragma unroll
  for (int k = 0; k < Width; ++k) {
    const int i = k * kGhostThreads + static_cast<int>(threadIdx.x), row = i / Width;
    if (row < count) to[i] = from[std::int64_t{number[row]} * Width + i % Width];
  }
}

/// Computes the states. @param all_values, all_gradients, all_sensors  of all rows; all_sensors null: the flux takes none.
/// @param states, side_sensors  see kStateColumns.
template <int Dim, class Real>
__global__ void __launch_bounds__(kGhostThreads)
    ghost_state_kernel(std::int32_t count, const GhostSide* sides, const Real* all_values, const Real* all_gradients,
                       const Real* all_sensors, Real* states, Real* side_sensors) {
  __shared__ std::int32_t row[kGhostThreads];
  __shared__ Real values[kGhostThreads * kVars], gradients[kGhostThreads * kVars * Dim];
  const auto thread = static_cast<std::int32_t>(threadIdx.x), first = static_cast<std::int32_t>(blockIdx.x) * kGhostThreads;
  const std::int32_t here = count - first < kGhostThreads ? count - first : kGhostThreads;
  GhostSide side{};
  if (thread < here) {
    side = sides[first + thread];
    row[thread] = side.row;
  }
  trigger_dependent_launch();
  grid_dependency_sync();
  __syncthreads();
  fetch_ghosts<kVars>(row, here, all_values, values);
  fetch_ghosts<kVars * Dim>(row, here, all_gradients, gradients);
  __syncthreads();
  if (thread >= here) return;
  BasicPrimitive<Real> w = reconstruct<Dim>(RowView<Real, Real>{values, gradients}, thread, as<Real>(side.to_face));
  const Real sensor = all_sensors == nullptr ? Real(0) : all_sensors[side.row];
  if (sensor > 0) {
    w.density = -w.density;
    side_sensors[sensor_slot(side.slot, side.right)] = sensor;
  }
  Real* const to = states + state_slot(side.slot, side.right);
  for (int k = 0; k < kVars; ++k) to[k * kFaceBlock] = w[k];
}

template <int Dim, class Real>
void launch_ghost_states(Stream& stream, const DeviceVector<GhostSide>& sides, const Real* values, const Real* gradients,
                         const Real* sensors, Real* states, Real* side_sensors) {
  const auto count = static_cast<std::int32_t>(sides.size());
  if (count == 0) return;
  const auto kernel = ghost_state_kernel<Dim, Real>;
  request_dynamic_shared_memory(kernel);
  launch(stream, "states of ghosts", {.blocks = (count + kGhostThreads - 1) / kGhostThreads, .threads = kGhostThreads}, kernel,
         count, sides.data(), values, gradients, sensors, states, side_sensors);
}

}  // namespace weft::flow::detail
