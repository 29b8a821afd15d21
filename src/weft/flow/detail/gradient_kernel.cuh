#pragma once
/// Limited gradients of the cells of each tile: one thread per cell.
#include <cstddef>
#include <cstdint>
#include <variant>

#include "weft/flow/detail/tile_view.cuh"

namespace weft::flow::detail {

/// Both sides of every face of a cell of lowered order see cell means only.
template <class View>
__device__ bool is_flat(const View& view, const std::int32_t* lowered, int c) {
  if (lowered == nullptr) return false;
  bool flat = lowered[view.tile.first_cell + c] != 0;
  for (std::int32_t s = view.face_begin(c); s < view.face_end(c); ++s) {
    const std::int32_t row = row_of(view.t, view.tile, view.row_behind(s));
    flat = flat || (row < view.t.cells && lowered[row] != 0);
  }
  return flat;
}

/// Arrays of gradient_kernel in shared memory.
template <int Dim, bool GreenGauss, class Real>
struct GradientMemory {
  static constexpr int kFaceColumns = GreenGauss ? face_columns(Dim) : 2 * Dim;
  Real *values, *centroids, *faces, *slopes;
  std::uint32_t* topology;

  __host__ __device__ GradientMemory(SharedMemory& memory, const TileRange& range)
      : values(memory.take<Real>(kVars * range.rows)),
        centroids(memory.take<Real>(Dim * whole_units(range.rows))),
        faces(memory.take<Real>(kFaceColumns * whole_units(range.faces))),
        slopes(memory.take<Real>(kVars * Dim * range.cells)),
        topology(memory.take<std::uint32_t>(range.cells + 1 + range.entries + range.faces)) {}
};

template <int Dim, bool GreenGauss, class Limiter, class Real>
__global__ void __launch_bounds__(kTileThreads)
    gradient_kernel(const __grid_constant__ TileRange range, const __grid_constant__ GradientArgs<Real> a,
                    const Limiter limiter) {
  extern __shared__ unsigned char memory[];
  const TileArrays<Real>& t = a.tiles;
  const Tile tile = t.tile[range.first + static_cast<std::int32_t>(blockIdx.x)];
  SharedMemory shared(memory);
  using Memory = GradientMemory<Dim, GreenGauss, Real>;
  const Memory m(shared, range);
  constexpr int kLanes = 8;
  static_assert(kVars <= kLanes);
  Column<Real> column;
  offer(column, static_cast<int>(threadIdx.x) % kLanes, 0, kVars, a.values, m.values);
  Fetch fetch;
  fetch.begin();
  fetch.run(a.values + static_cast<std::int64_t>(tile.first_cell) * kVars, m.values, tile.cells * kVars);
  if (t.stencil_row != nullptr) {
    fetch.run(t.centroids + std::int64_t{tile.first_row} * Dim, m.centroids, Dim * tile.row_stride());
  }
  fetch.run(t.geometry + std::int64_t{tile.first_face} * face_columns(Dim), m.faces, Memory::kFaceColumns * tile.face_stride());
  fetch.run(t.topology + tile.topology, m.topology, tile.topology_size());
  fetch.rows<kLanes>(t.halo_row + tile.halo, tile.rows - tile.cells, tile.cells, column);
  fetch.end();
  const TileView<Dim, Real, GreenGauss> view{.t = t,
                                             .tile = tile,
                                             .values = m.values,
                                             .gradients = nullptr,
                                             .centroids = m.centroids,
                                             .faces = m.faces,
                                             .topology = m.topology,
                                             .slopes = m.slopes,
                                             .gas = as<Real>(a.gas),
                                             .scale = as<Real>(a.scale),
                                             .reference_length = static_cast<Real>(a.reference_length),
                                             .order = static_cast<Real>(a.order),
                                             .axisymmetric = t.radius != nullptr};
  for (int c = static_cast<int>(threadIdx.x); c < tile.cells; c += static_cast<int>(blockDim.x)) {
    if (is_flat(view, a.lowered, c)) {
      for (int k = 0; k < kVars * Dim; ++k) m.slopes[c * (kVars * Dim) + k] = 0;
    } else {
      gradient_of_cell<Dim>(view, c, limiter);
    }
  }
  __syncthreads();
  put(m.slopes, a.gradients + static_cast<std::int64_t>(tile.first_cell) * (kVars * Dim), tile.cells * kVars * Dim);
}

template <int Dim, class Real>
std::size_t gradient_memory(const TileRange& range) {
  SharedMemory memory;
  (void)GradientMemory<Dim, true, Real>(memory, range);
  return memory.bytes();
}

/// A thread for each cell, in whole warps.
inline int threads_for(int cells) { return cells >= kTileThreads ? kTileThreads : (cells + 31) / 32 * 32; }

template <int Dim, bool GreenGauss, class Limiter, class Real>
void launch_gradients_with(Stream& stream, const TileRange& range, const Limiter& limiter, const GradientArgs<Real>& args) {
  SharedMemory memory;
  (void)GradientMemory<Dim, GreenGauss, Real>(memory, range);
  const int threads = threads_for(range.cells);
  launch_tiles(stream, range, threads, memory.bytes(), "gradients", gradient_kernel<Dim, GreenGauss, Limiter, Real>, args,
               limiter);
}

template <int Dim, class Real>
void launch_gradients(Stream& stream, const TileRange& range, GradientKind kind, const LimiterChoice& limiter,
                      const GradientArgs<Real>& args) {
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
