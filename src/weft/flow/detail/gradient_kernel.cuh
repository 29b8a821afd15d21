#pragma once
/// Limited gradients of the cells of each tile: one thread per cell.
#include <cstddef>
#include <cstdint>
#include <variant>

#include "weft/flow/detail/tile_view.cuh"

namespace weft::flow::detail {

/// Both sides of every face of a cell of lowered order see cell means only.
__device__ inline bool is_flat(const TileArrays& t, const Tile& tile, const std::int32_t* lowered, int c) {
  if (lowered == nullptr) return false;
  bool flat = lowered[tile.first_cell + c] != 0;
  for (std::int32_t s = t.cell_face_offset[tile.first_cell + c]; s < t.cell_face_offset[tile.first_cell + c + 1]; ++s) {
    const std::int32_t row = tile.row(t, static_cast<int>(t.cell_sides[s] >> 16U));
    flat = flat || (row < t.cells && lowered[row] != 0);
  }
  return flat;
}

/// Arrays of gradient_kernel in shared memory, for a tile that begins with cell `first`.
template <int Dim, bool GreenGauss>
struct GradientMemory {
  int face_stride;
  double *values, *centroids, *face_centroids, *face_normals, *face_areas, *slopes;
  std::int32_t* entry_offset;
  std::uint32_t *cell_sides, *sides;

  __host__ __device__ GradientMemory(SharedMemory& memory, const TileRange& range, std::int32_t first)
      : face_stride((range.faces + 1) / 2 * 2),
        values(memory.rows(range.rows, kVars, first)),
        centroids(memory.rows(range.rows, 3, first)),
        face_centroids(memory.take<double>(Dim * face_stride)),
        face_normals(memory.take<double>(GreenGauss ? Dim * face_stride : 0)),
        face_areas(memory.take<double>(GreenGauss ? face_stride : 0)),
        slopes(memory.take<double>(kVars * Dim * range.cells)),
        entry_offset(memory.take<std::int32_t>(range.cells + 1)),
        cell_sides(memory.take<std::uint32_t>(range.entries)),
        sides(memory.take<std::uint32_t>(GreenGauss ? face_stride : 0)) {}
};

template <int Dim, bool GreenGauss, class Limiter>
__global__ void __launch_bounds__(kTileThreads)
    gradient_kernel(const __grid_constant__ TileRange range, const __grid_constant__ GradientArgs a, const Limiter limiter) {
  extern __shared__ unsigned char memory[];
  const TileArrays& t = a.tiles;
  const Tile tile(t, range.first + static_cast<std::int32_t>(blockIdx.x));
  SharedMemory shared(memory);
  const GradientMemory<Dim, GreenGauss> m(shared, range, tile.first_cell);
  const int fs = m.face_stride;
  constexpr int kLanes = 8;
  static_assert(kVars + 3 <= kLanes);
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  Column column;
  offer(column, lane, 0, kVars, a.values, m.values);
  offer(column, lane, kVars, 3, &t.row_centroid->x, m.centroids);
  fetch_halo<kLanes>(t, tile, tile.rows - tile.cells, column);
  fetch(a.values + static_cast<std::int64_t>(tile.first_cell) * kVars, m.values, tile.cells * kVars);
  fetch(&t.row_centroid[tile.first_cell].x, m.centroids, tile.cells * 3);
  fetch_columns<Dim>(t.centroid_x, t.centroid_y, t.centroid_z, tile.first_face, tile.faces, m.face_centroids, fs);
  if constexpr (GreenGauss) {
    fetch_columns<Dim>(t.normal_x, t.normal_y, t.normal_z, tile.first_face, tile.faces, m.face_normals, fs);
    fetch(t.area + tile.first_face, m.face_areas, tile.faces);
    fetch(t.sides + tile.first_face, m.sides, tile.faces);
  }
  fetch(t.cell_face_offset + tile.first_cell, m.entry_offset, tile.cells + 1);
  fetch(t.cell_sides + tile.first_entry, m.cell_sides, tile.entries);
  fetched();
  const TileView<Dim> view{.t = t,
                           .tile = tile,
                           .face_stride = fs,
                           .values = m.values,
                           .centroids = m.centroids,
                           .gradients = nullptr,
                           .face_centroids = m.face_centroids,
                           .face_normals = m.face_normals,
                           .face_areas = m.face_areas,
                           .sides = m.sides,
                           .cell_sides = m.cell_sides,
                           .entry_offset = m.entry_offset,
                           .slopes = m.slopes,
                           .gas = a.gas,
                           .scale = a.scale,
                           .reference_length = a.reference_length};
  for (int c = static_cast<int>(threadIdx.x); c < tile.cells; c += static_cast<int>(blockDim.x)) {
    if (is_flat(t, tile, a.lowered, c)) {
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
  (void)GradientMemory<Dim, true>(memory, range, 1);
  return memory.bytes();
}

/// A thread for each cell, in whole warps.
inline int threads_for(int cells) { return cells >= kTileThreads ? kTileThreads : (cells + 31) / 32 * 32; }

template <int Dim, bool GreenGauss, class Limiter>
void launch_gradients_with(Stream& stream, const TileRange& range, const Limiter& limiter, const GradientArgs& args) {
  SharedMemory memory;
  (void)GradientMemory<Dim, GreenGauss>(memory, range, 1);
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
