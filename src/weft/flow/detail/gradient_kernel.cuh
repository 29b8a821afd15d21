#pragma once
/// Limited gradients of the cells of each tile, and what they make of the values at its faces: one thread per cell.
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

/// Arrays of gradient_kernel in shared memory. The state on a side of a face takes the place of the arm there.
template <int Dim, bool GreenGauss, class Real>
struct GradientMemory {
  Real *values, *centroids, *sides, *normals, *matrices;
  std::uint32_t* topology;

  __host__ __device__ GradientMemory(SharedMemory& memory, const TileRange& range, bool by_node)
      : values(memory.take<Real>(kVars * range.rows)),
        centroids(memory.take<Real>(by_node ? Dim * whole_units(range.rows) : 0)),
        sides(memory.take<Real>(kStateColumns * kFaceBlock * face_blocks(range.faces))),
        normals(memory.take<Real>(GreenGauss ? (Dim + 1) * kFaceBlock * face_blocks(range.faces) : 0)),
        matrices(memory.take<Real>(GreenGauss ? 0 : Dim * (Dim + 1) / 2 * range.cells)),
        topology(memory.take<std::uint32_t>(whole_units(range.cells + 1 + range.entries))) {}
};

template <int Dim, bool GreenGauss, class Limiter, class Real>
__global__ void __launch_bounds__(kTileThreads, 4)
    gradient_kernel(const __grid_constant__ TileRange range, const __grid_constant__ GradientArgs<Real> a,
                    const Limiter limiter) {
  extern __shared__ unsigned char memory[];
  const TileArrays<Real>& t = a.tiles;
  const Tile tile = t.tile[range.first + static_cast<std::int32_t>(blockIdx.x)];
  SharedMemory shared(memory);
  const GradientMemory<Dim, GreenGauss, Real> m(shared, range, t.stencil_row != nullptr);
  const int blocks = face_blocks(tile.faces);
  constexpr int kLanes = 8;
  static_assert(kVars <= kLanes);
  Column<Real> column;
  offer(column, static_cast<int>(threadIdx.x) % kLanes, 0, kVars, a.values, m.values);
  const Real* const arms = t.arms + std::int64_t{tile.first_face} * arm_columns(Dim);
  Fetch fetch;
  fetch.begin();
  fetch.run(a.values + static_cast<std::int64_t>(tile.first_cell) * kVars, m.values, tile.cells * kVars);
  if (t.stencil_row != nullptr) {
    fetch.run(t.centroids + std::int64_t{tile.first_row} * Dim, m.centroids, Dim * tile.row_stride());
  }
  constexpr int kArm = Dim * kFaceBlock, kStates = kStateColumns * kFaceBlock;
  fetch.runs<kArm>(2 * blocks, arms, kArm, m.sides, kStates / 2);
  if constexpr (GreenGauss) {
    constexpr int kColumns = normal_columns(Dim);
    fetch.run(t.normals + std::int64_t{tile.first_face} * kColumns, m.normals, blocks * kColumns * kFaceBlock);
  } else if (t.matrices != nullptr) {
    constexpr int kMatrix = Dim * (Dim + 1) / 2;
    fetch.run(t.matrices + std::int64_t{tile.first_cell} * kMatrix, m.matrices, tile.cells * kMatrix);
  }
  fetch.run(t.topology + tile.topology, m.topology, tile.topology_size());
  fetch.rows<kLanes>(t.halo_row + tile.halo, tile.rows - tile.cells, tile.cells, column);
  fetch.end();
  const TileView<Dim, Real, GreenGauss> view{.t = t,
                                             .tile = tile,
                                             .values = m.values,
                                             .centroids = m.centroids,
                                             .sides = m.sides,
                                             .normals = m.normals,
                                             .matrices = m.matrices,
                                             .topology = m.topology,
                                             .gas = as<Real>(a.gas),
                                             .scale = as<Real>(a.scale),
                                             .reference_length = static_cast<Real>(a.reference_length),
                                             .order = static_cast<Real>(a.order),
                                             .axisymmetric = t.radius != nullptr};
  const auto c = static_cast<std::int32_t>(threadIdx.x);
  Real g[kVars][Dim] = {};
  if (c < tile.cells) {
    if (!a.flat && !is_flat(view, a.lowered, c)) limited_gradient<Dim>(view, c, limiter, g);
    if (a.gradients != nullptr) {
      Real* const row = a.gradients + static_cast<std::int64_t>(tile.first_cell + c) * (kVars * Dim);
      for (int k = 0; k < kVars; ++k) {
        for (int d = 0; d < Dim; ++d) row[gradient_index(k, d)] = g[k][d];
      }
    }
  }
  __syncthreads();  // the arms of others are not needed any more
  if (c < tile.cells) {
    const BasicPrimitive<Real> mean = load(m.values + c * kVars);
    for (std::int32_t s = view.face_begin(c); s < view.face_end(c); ++s) {
      const BasicPrimitive<Real> state = reconstruct<Dim>(mean, g, view.template to_face<Dim>(c, s));
      Real* const to = m.sides + view.side(s);
      for (int k = 0; k < kVars; ++k) to[k * kFaceBlock] = state[k];
    }
  }
  __syncthreads();
  for (int f = static_cast<int>(threadIdx.x); f < tile.faces; f += static_cast<int>(blockDim.x)) {
    const auto at = in_face_blocks(static_cast<unsigned>(f), kStateColumns);
    const auto keep = [&](int side) {
      const Real* const from = m.sides + at + side * (kStates / 2);
      Real* const to = a.states + std::int64_t{tile.first_face} * kStateColumns + at + side * (kStates / 2);
      for (int k = 0; k < kVars; ++k) to[k * kFaceBlock] = from[k * kFaceBlock];
    };
    const bool cut = f >= tile.inner_faces, own_right = cut && (t.across[tile.first_face + f] & kOwnRight) != 0;
    if (!own_right) keep(0);
    if (!cut || own_right) keep(1);
  }
}

template <int Dim, class Real>
std::size_t gradient_memory(const TileRange& range, bool green_gauss, bool stencils_by_node) {
  SharedMemory memory;
  if (green_gauss) {
    (void)GradientMemory<Dim, true, Real>(memory, range, stencils_by_node);
  } else {
    (void)GradientMemory<Dim, false, Real>(memory, range, stencils_by_node);
  }
  return memory.bytes();
}

/// A thread for each cell, in whole warps.
inline int threads_for(int cells) { return cells >= kTileThreads ? kTileThreads : (cells + 31) / 32 * 32; }

template <int Dim, bool GreenGauss, class Limiter, class Real>
void launch_gradients_with(Stream& stream, const TileRange& range, const Limiter& limiter, const GradientArgs<Real>& args) {
  const std::size_t memory = gradient_memory<Dim, Real>(range, GreenGauss, args.tiles.stencil_row != nullptr);
  launch_tiles(stream, range, threads_for(range.cells), memory, "gradients", gradient_kernel<Dim, GreenGauss, Limiter, Real>,
               args, limiter);
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
