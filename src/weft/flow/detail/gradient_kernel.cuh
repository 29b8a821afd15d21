#pragma once
/// Limited gradients of the cells of each tile: one thread per cell.
#include <cstddef>
#include <cstdint>
#include <variant>

#include "weft/flow/detail/tile_view.cuh"

namespace weft::flow::detail {

/// Both sides of every face of a cell of lowered order see cell means only.
template <int Dim>
__device__ bool is_flat(const TileView<Dim>& view, const std::int32_t* lowered, int c) {
  if (lowered == nullptr) return false;
  bool flat = lowered[view.tile.first_cell + c] != 0;
  for (std::int32_t s = view.face_begin(c); s < view.face_end(c); ++s) {
    const std::int32_t row = row_of(view.t, view.tile, view.row_behind(s));
    flat = flat || (row < view.t.cells && lowered[row] != 0);
  }
  return flat;
}

/// Arrays of gradient_kernel in shared memory.
template <int Dim, bool GreenGauss>
struct GradientMemory {
  static constexpr int kFaceColumns = GreenGauss ? face_columns(Dim) : Dim;
  double *values, *centroids, *faces, *slopes;
  std::uint32_t* topology;

  __host__ __device__ GradientMemory(SharedMemory& memory, const TileRange& range)
      : values(memory.take<double>(kVars * range.rows)),
        centroids(memory.take<double>(3 * range.rows)),
        faces(memory.take<double>(kFaceColumns * (range.faces + 1))),
        slopes(memory.take<double>(kVars * Dim * range.cells)),
        topology(memory.take<std::uint32_t>(range.cells + 1 + range.entries + range.faces)) {}
};

template <int Dim, bool GreenGauss, class Limiter>
__global__ void __launch_bounds__(kTileThreads)
    gradient_kernel(const __grid_constant__ TileRange range, const __grid_constant__ GradientArgs a, const Limiter limiter) {
  extern __shared__ unsigned char memory[];
  const TileArrays& t = a.tiles;
  const Tile tile = t.tile[range.first + static_cast<std::int32_t>(blockIdx.x)];
  SharedMemory shared(memory);
  using Memory = GradientMemory<Dim, GreenGauss>;
  const Memory m(shared, range);
  constexpr int kLanes = 8;
  static_assert(kVars + 3 <= kLanes);
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  Column column;
  offer(column, lane, 0, kVars, a.values, m.values);
  offer(column, lane, kVars, 3, &t.row_centroid->x, m.centroids);
  Fetch fetch;
  fetch.begin();
  fetch.run(a.values + static_cast<std::int64_t>(tile.first_cell) * kVars, m.values, tile.cells * kVars);
  fetch.run(&t.row_centroid[tile.first_cell].x, m.centroids, tile.cells * 3);
  fetch.run(t.geometry + std::int64_t{tile.first_face} * face_columns(Dim), m.faces, Memory::kFaceColumns * tile.face_stride());
  fetch.run(t.topology + tile.topology, m.topology, tile.topology_size());
  fetch.rows<kLanes>(t.halo_row + tile.halo, tile.rows - tile.cells, tile.cells, column);
  fetch.end();
  const TileView<Dim> view{.t = t,
                           .tile = tile,
                           .values = m.values,
                           .centroids = m.centroids,
                           .gradients = nullptr,
                           .faces = m.faces,
                           .topology = m.topology,
                           .slopes = m.slopes,
                           .gas = a.gas,
                           .scale = a.scale,
                           .reference_length = a.reference_length,
                           .order = a.order,
                           .axisymmetric = a.axisymmetric};
  for (int c = static_cast<int>(threadIdx.x); c < tile.cells; c += static_cast<int>(blockDim.x)) {
    if (is_flat(view, a.lowered, c)) {
      for (int k = 0; k < kVars * Dim; ++k) m.slopes[c * (kVars * Dim) + k] = 0;
    } else {
      gradient_of_cell<Dim, GreenGauss>(view, c, limiter);
    }
  }
  __syncthreads();
  put(m.slopes, a.gradients + static_cast<std::int64_t>(tile.first_cell) * (kVars * Dim), tile.cells * kVars * Dim);
}

template <int Dim>
std::size_t gradient_memory(const TileRange& range) {
  SharedMemory memory;
  (void)GradientMemory<Dim, true>(memory, range);
  return memory.bytes();
}

/// A thread for each cell, in whole warps.
inline int threads_for(int cells) { return cells >= kTileThreads ? kTileThreads : (cells + 31) / 32 * 32; }

template <int Dim, bool GreenGauss, class Limiter>
void launch_gradients_with(Stream& stream, const TileRange& range, const Limiter& limiter, const GradientArgs& args) {
  SharedMemory memory;
  (void)GradientMemory<Dim, GreenGauss>(memory, range);
  const int threads = threads_for(range.cells);
  launch_tiles(stream, range, threads, memory.bytes(), "gradients", gradient_kernel<Dim, GreenGauss, Limiter>, args, limiter);
}

template <int Dim>
void launch_gradients(Stream& stream, const TileRange& range, GradientKind kind, const LimiterChoice& limiter,
                      const GradientArgs& args) {
  std::visit(
      [&](const auto& chosen) {
        if (kind == GradientKind::green_gauss) {
          launch_gradients_with<Dim, true>(stream, range, chosen, args);
        } else {
          launch_gradients_with<Dim, false>(stream, range, chosen, args);
        }
      },
      limiter);
}

}  // namespace weft::flow::detail
