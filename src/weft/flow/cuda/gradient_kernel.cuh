#pragma once
/// Limited gradients of the cells of each tile, and the reconstructed states at its faces: one thread per cell.
#include <cstddef>
#include <cstdint>
#include <variant>

#include "weft/flow/cuda/tile_queue.cuh"
#include "weft/flow/cuda/tile_view.cuh"

namespace weft::flow::detail {

/// Returns whether a cell has no gradient because it is in or next to the first-order fallback: on both sides of every face of a
/// fallback cell the states are cell means.
template <class View>
__device__ bool in_fallback(const View& view, const std::int32_t* fallback, int c) {
  if (fallback == nullptr) return false;
  bool first_order = fallback[view.tile.first_cell + c] != 0;
  for (std::int32_t s = view.face_begin(c); s < view.face_end(c); ++s) {
    const std::int32_t row = row_of(view.t, view.tile, view.opposite_row(s));
    first_order = first_order || (row < view.t.cells && fallback[row] != 0);
  }
  return first_order;
}

template <int Dim, class Real>
__device__ void set_to_zero(Real (&g)[kVars][Dim]) {
  for (auto& slopes : g) {
    for (Real& slope : slopes) slope = 0;
  }
}

/// Arrays of gradient_kernel in shared memory. The state on a side of a face replaces the cell-to-face vector there, and the
/// gradient weight.
template <int Dim, GradientWeights kWeights, class Real>
struct GradientMemory {
  Real *values, *centroids, *sides;
  std::uint16_t* topology;
  std::int32_t* halo;

  __host__ __device__ GradientMemory(SharedArrays& memory, const TileRange& range)
      : values(memory.take<Real>(kVars * range.rows)),
        centroids(memory.take<Real>(by_node(kWeights) ? Dim * round_up_to_unit(range.rows) : 0)),
        sides(memory.take<Real>(kStateColumns * kFaceBlock * face_blocks(range.faces))),
        topology(
            memory.take<std::uint16_t>(round_up_to_eight(range.cells + 1 + range.entries) + round_up_to_eight(range.entries))),
        halo(memory.take<std::int32_t>(range.rows)) {}
};

/// Stores in the weight columns of each face the data of both cells' gradient weights: for least squares, the weight from the
/// left cell to the right one; for Green-Gauss, whose area vector is already there, the interpolation weight of the right cell.
template <int Dim, GradientWeights kWeights, class Real>
__device__ void compute_gradient_weights(const Tile& tile, bool stabilized, Real* sides) {
  for (int f = static_cast<int>(threadIdx.x); f < tile.faces; f += static_cast<int>(blockDim.x)) {
    Real* const face = sides + in_face_blocks(static_cast<unsigned>(f), kStateColumns);
    const auto part = [&](int i) -> Real& { return face[weight_column<Dim>(i) * kFaceBlock]; };
    const BasicVec3<Real> left = column_vector<Dim>(face), right = column_vector<Dim>(face + kVars * kFaceBlock);
    if constexpr (kWeights == GradientWeights::green_gauss) {
      part(Dim) = face_interpolation_weight(left, right);
    } else {
      const BasicVec3<Real> weight = unscaled_gradient_weight<Dim>(left - right, stabilized);
      for (int d = 0; d < Dim; ++d) part(d) = weight[d];
    }
  }
}

/// Starts fetching all data of a tile except values.
template <int Dim, GradientWeights kWeights, class Real>
__device__ void fetch_mesh(const TileArrays<Real>& t, const Tile& tile, const GradientMemory<Dim, kWeights, Real>& m,
                           BlockLoader& fetch) {
  const int blocks = face_blocks(tile.faces);
  const Real* const cell_to_face = t.cell_to_face + std::int64_t{tile.first_face} * cell_to_face_columns(Dim);
  if constexpr (by_node(kWeights)) {
    fetch.run(t.centroids + std::int64_t{tile.first_row} * Dim, m.centroids, Dim * tile.row_stride());
  }
  constexpr int kCellToFace = Dim * kFaceBlock, kStates = kStateColumns * kFaceBlock;
  fetch.runs<kCellToFace>(2 * blocks, cell_to_face, kCellToFace, m.sides, kStates / 2);
  if constexpr (kWeights == GradientWeights::green_gauss) {
    // To the columns of weight_column(): two columns after the left cell-to-face vector and, in 3-D, one after the right one.
    constexpr int kArea = area_columns(Dim) * kFaceBlock, kTwo = 2 * kFaceBlock;
    const Real* const areas = t.areas + std::int64_t{tile.first_face} * area_columns(Dim);
    fetch.runs<kTwo>(blocks, areas, kArea, m.sides + kCellToFace, kStates);
    if constexpr (Dim == 3) fetch.runs<kFaceBlock>(blocks, areas + kTwo, kArea, m.sides + kStates / 2 + kCellToFace, kStates);
  }
  fetch.run(t.topology + tile.first_topology(), m.topology, tile.topology_size());
}

/// Prefetches a tile's data into the second-level cache, except what stencils by node need.
template <int Dim, GradientWeights kWeights, class Real>
__device__ void prefetch_tile(const GradientArgs<Real>& a, const Tile& tile) {
  const TileArrays<Real>& t = a.tiles;
  const int faces = face_blocks(tile.faces) * kFaceBlock;
  BlockLoader::prefetch(a.values + std::int64_t{tile.first_cell} * kVars, tile.cells * kVars);
  BlockLoader::prefetch(t.cell_to_face + std::int64_t{tile.first_face} * cell_to_face_columns(Dim),
                        faces * cell_to_face_columns(Dim));
  BlockLoader::prefetch(t.topology + tile.first_topology(), tile.topology_size());
  if constexpr (kWeights == GradientWeights::green_gauss) {
    BlockLoader::prefetch(t.areas + std::int64_t{tile.first_face} * area_columns(Dim), faces * area_columns(Dim));
  } else if (t.matrices != nullptr) {
    constexpr int kMatrix = Dim * (Dim + 1) / 2;
    BlockLoader::prefetch(t.matrices + std::int64_t{tile.first_cell} * kMatrix, tile.cells * kMatrix);
  }
}

/// Reconstructs the states of cell c of the tile at its faces into `sides`, which then holds no weights any more. Where the
/// sensor of the cell is positive, it is stored for each side, and marked by the sign of the density.
template <int Dim, class View, class Real>
__device__ void reconstruct_sides(const View& view, std::int32_t c, const Real (&g)[kVars][Dim], Real sensor, Real* sides,
                                  Real* side_sensors) {
  const BasicPrimitive<Real> mean = load(view.values + c * kVars);
  for (std::int32_t s = view.face_begin(c); s < view.face_end(c); ++s) {
    const BasicPrimitive<Real> state = reconstruct<Dim>(mean, g, view.template to_face<Dim>(c, s));
    Real* const to = sides + view.side(s);
    for (int k = 0; k < kVars; ++k) to[k * kFaceBlock] = state[k];
  }
  if (sensor > 0) {
    for (std::int32_t s = view.face_begin(c); s < view.face_end(c); ++s) {
      const unsigned number = view.side_number(s);
      side_sensors[sensor_slot(view.tile.first_face + static_cast<std::int32_t>(number & (kRightSide - 1U)),
                               (number & kRightSide) != 0)] = sensor;
      Real& density = sides[view.side(s)];
      density = -density;
    }
  }
}

/// Writes the states on the own cells' sides of faces.
template <class Real>
__device__ void write_states(const Tile& tile, const Real* sides, Real* states) {
  constexpr int kSide = kVars * kFaceBlock;
  for (int f = static_cast<int>(threadIdx.x); f < tile.faces; f += static_cast<int>(blockDim.x)) {
    const auto at = in_face_blocks(static_cast<unsigned>(f), kStateColumns);
    const auto write = [&](int side) {
      const Real* const from = sides + at + side * kSide;
      Real* const to = states + std::int64_t{tile.first_face} * kStateColumns + at + side * kSide;
      for (int k = 0; k < kVars; ++k) to[k * kFaceBlock] = from[k * kFaceBlock];
    };
    const bool own_right = f >= tile.left_faces && f < tile.cell_faces;
    if (!own_right) write(0);
    if (own_right || f < tile.inner_faces) write(1);
  }
}

template <int Dim, GradientWeights kWeights, class Limiter, class Real>
__global__ void __launch_bounds__(kTileThreads, 4)
    gradient_kernel(const __grid_constant__ TileRange range, const __grid_constant__ TileRounds rounds,
                    const __grid_constant__ GradientArgs<Real> a, const Limiter limiter) {
  extern __shared__ unsigned char memory[];
  const TileArrays<Real>& t = a.tiles;
  SharedArrays shared(memory);
  const GradientMemory<Dim, kWeights, Real> m(shared, range);
  if constexpr (Dim == 2) trigger_dependent_launch();
  BlockLoader fetch;
  fetch.begin();
  const TileQueue queue(rounds, t, m.halo);
  queue.begin(fetch);
  for (std::int32_t i = 0;;) {
    const Tile& tile = queue.tile(i);
    fetch_mesh<Dim, kWeights>(a.tiles, tile, m, fetch);
    if (i == 0) grid_dependency_sync();
    fetch.rows<kVars>(queue.halo(), tile.rows - tile.cells, a.values, m.values + tile.cells * kVars);
    fetch.run(a.values + static_cast<std::int64_t>(tile.first_cell) * kVars, m.values, tile.cells * kVars);
    fetch.end();
    queue.fetch_next(fetch, i);
    if (i + 1 < queue.count() && threadIdx.x + 1 == blockDim.x) prefetch_tile<Dim, kWeights>(a, queue.tile(i + 1));
    if constexpr (!by_node(kWeights)) {
      compute_gradient_weights<Dim, kWeights>(tile, a.stabilized, m.sides);
      __syncthreads();
    }
    const TileView<Dim, Real, kWeights> view{.t = t,
                                             .tile = tile,
                                             .values = m.values,
                                             .centroids = m.centroids,
                                             .sides = m.sides,
                                             .topology = m.topology,
                                             .gas = as<Real>(a.gas),
                                             .scale = as<Real>(a.scale),
                                             .reference_length = static_cast<Real>(a.reference_length),
                                             .order = static_cast<Real>(a.order),
                                             .shock_threshold = static_cast<Real>(a.shock_threshold),
                                             .axisymmetric = t.radius != nullptr,
                                             .has_sensors = a.side_sensors != nullptr,
                                             .stabilized = a.stabilized};
    const auto c = static_cast<std::int32_t>(threadIdx.x);
    Real g[kVars][Dim] = {}, sensor = 0;
    if (c < tile.cells) {
      if (!a.first_order) {
        sensor = limited_gradient<Dim>(view, c, limiter, g);
        if (in_fallback(view, a.fallback, c)) set_to_zero(g);
      } else if (view.has_sensors) {
        sensor = pressure_sensor_of_cell(view, c);
      }
      if (a.gradients != nullptr) {
        if (view.has_sensors) a.sensors[tile.first_cell + c] = sensor;
        Real* const row = a.gradients + static_cast<std::int64_t>(tile.first_cell + c) * (kVars * Dim);
        for (int k = 0; k < kVars; ++k) {
          for (int d = 0; d < Dim; ++d) row[gradient_index(k, d)] = g[k][d];
        }
      }
    }
    __syncthreads();  // gradient weights and the other threads' cell-to-face vectors are not needed any more
    if (c < tile.cells) reconstruct_sides(view, c, g, sensor, m.sides, a.side_sensors);
    __syncthreads();
    // In 3-D not earlier: a multiprocessor that starts flux blocks next to gradient blocks has no more first-level cache than
    // these need, and does not reconfigure until it is idle.
    if (i + 1 == queue.count()) trigger_dependent_launch();
    write_states(tile, m.sides, a.states);
    if (++i == queue.count()) return;
    fetch.next_round();
  }
}

template <int Dim, class Real>
std::size_t gradient_memory(const TileRange& range, GradientWeights gradient_weights) {
  SharedArrays memory;
  switch (gradient_weights) {
    case GradientWeights::least_squares:
      (void)GradientMemory<Dim, GradientWeights::least_squares, Real>(memory, range);
      break;
    case GradientWeights::least_squares_by_node:
      (void)GradientMemory<Dim, GradientWeights::least_squares_by_node, Real>(memory, range);
      break;
    case GradientWeights::green_gauss:
      (void)GradientMemory<Dim, GradientWeights::green_gauss, Real>(memory, range);
  }
  return memory.bytes();
}

/// Returns the number of threads, one per cell, in whole warps.
inline int threads_for(int cells) { return (cells + 31) / 32 * 32; }

template <int Dim, GradientWeights kWeights, class Limiter, class Real>
void launch_gradients_with(Stream& stream, const TileRange& range, const Limiter& limiter, const GradientArgs<Real>& args) {
  if (range.last <= range.first) return;
  const auto kernel = gradient_kernel<Dim, kWeights, Limiter, Real>;
  const int threads = threads_for(range.cells);
  const std::size_t memory = gradient_memory<Dim, Real>(range, kWeights);
  set_max_dynamic_shared_memory(kernel, memory, "gradients");
  request_dynamic_shared_memory(kernel);
  const TileRounds rounds(range.first, range.last, resident_blocks(kernel, threads, memory));
  launch(stream, "gradients", {.blocks = rounds.blocks, .threads = threads, .shared_memory = memory}, kernel, range, rounds, args,
         limiter);
}

template <int Dim, class Real>
void launch_gradients(Stream& stream, const TileRange& range, GradientWeights gradient_weights, const LimiterChoice& limiter,
                      const GradientArgs<Real>& args) {
  std::visit(
      [&](const auto& chosen) {
        switch (gradient_weights) {
          case GradientWeights::least_squares:
            return launch_gradients_with<Dim, GradientWeights::least_squares>(stream, range, chosen, args);
          case GradientWeights::least_squares_by_node:
            return launch_gradients_with<Dim, GradientWeights::least_squares_by_node>(stream, range, chosen, args);
          case GradientWeights::green_gauss:
            return launch_gradients_with<Dim, GradientWeights::green_gauss>(stream, range, chosen, args);
        }
      },
      limiter);
}

}  // namespace weft::flow::detail
