#pragma once
/// Tiles in shared memory, for kernels in which a block processes a tile at a time. All data of a tile are fetched by concurrent
/// loads; then a thread per cell calls the same functions as the CPU's loops.
#include <cstddef>
#include <cstdint>

#include "weft/device/block_copy.cuh"
#include "weft/device/cuda.cuh"
#include "weft/flow/cuda/tile_launch.hpp"
#include "weft/flow/physics/convert.hpp"
#include "weft/kernels/layout/banks.hpp"

namespace weft::flow::detail {

/// Largest number of threads of a block.
inline constexpr int kTileThreads = 128;

// Rows of kVars numbers need no padding: threads access the same variable of adjacent rows without bank conflicts.
static_assert(kernels::layout::conflict_free_stride(kVars) == kVars);

/// Returns the row of the rank.
template <class Real>
__device__ std::int32_t row_of(const TileArrays<Real>& t, const Tile& tile, int local) {
  return local < tile.cells ? tile.first_cell + local : t.halo_row[tile.halo + local - tile.cells];
}

/// Returns a vector whose components are in adjacent columns of blocks of faces.
template <int Dim, class Real>
__device__ BasicVec3<Real> column_vector(const Real* at) {
  return {at[0], at[kFaceBlock], Dim == 3 ? at[2 * kFaceBlock] : 0};
}

/// Returns the column of component i of the gradient weight: those columns of a face (kStateColumns) that the two cell-to-face
/// vectors leave free.
template <int Dim>
[[nodiscard]] WEFT_HD constexpr int weight_column(int i) {
  return (i < kVars - Dim ? 1 : 2) * Dim + i;
}

/// The View of kernels.hpp on a tile in shared memory; data that are read once per thread stay in global memory.
template <int Dim, class Number, GradientWeights kWeights>
struct TileView {
  using Real = Number;
  using Group = Number;
  static constexpr int kGroups = kVars;
  static constexpr bool kFlow = true;

  const TileArrays<Real>& t;
  const Tile& tile;
  const Real* values;
  const Real* centroids;          ///< as in Tiles
  const Real* sides;              ///< in blocks of faces, kStateColumns: cell-to-face vectors, gradient weights
  const std::uint16_t* topology;  ///< as in Tiles
  BasicIdealGas<Real> gas;
  BasicPrimitive<Real> scale;
  Real reference_length, order, shock_threshold;
  bool axisymmetric, has_sensors, stabilized;

  // Stencils by node are long: they stay in global memory.
  __device__ std::int32_t stencil_begin(std::int32_t c) const {
    return by_node(kWeights) ? t.stencil_offset[tile.first_cell + c] : face_begin(c);
  }
  __device__ std::int32_t stencil_end(std::int32_t c) const {
    return by_node(kWeights) ? t.stencil_offset[tile.first_cell + c + 1] : face_end(c);
  }
  __device__ std::int32_t stencil_row(std::int32_t s) const { return by_node(kWeights) ? t.stencil_row[s] : opposite_row(s); }
  __device__ std::int32_t face_begin(std::int32_t c) const { return topology[c]; }
  __device__ std::int32_t face_end(std::int32_t c) const { return topology[c + 1]; }
  __device__ std::int32_t opposite_row(std::int32_t s) const { return topology[tile.opposite_rows() + s]; }
  /// Returns the tile's number of the face, with kRightSide if the cell is on its right.
  __device__ unsigned side_number(std::int32_t s) const { return topology[tile.cell_sides() + s]; }
  /// Returns the position in `sides` of a cell's side of a face.
  __device__ unsigned side(std::int32_t s) const {
    const unsigned number = side_number(s);
    return in_face_blocks(number & (kRightSide - 1U), kStateColumns) + ((number & kRightSide) != 0 ? kVars * kFaceBlock : 0);
  }

  template <int D>
  __device__ BasicVec3<Real> gradient_weight(std::int32_t c, std::int32_t s) const {
    if constexpr (by_node(kWeights)) return unscaled_gradient_weight<D>(centroid(t.stencil_row[s]) - centroid(c), false);
    const unsigned number = side_number(s);
    const bool right = (number & kRightSide) != 0;
    const Real* const face = sides + in_face_blocks(number & (kRightSide - 1U), kStateColumns);
    const auto part = [&](int i) { return face[weight_column<D>(i) * kFaceBlock]; };
    const BasicVec3<Real> vector{part(0), part(1), D == 3 ? part(2) : 0};
    if constexpr (kWeights == GradientWeights::green_gauss) {
      return (right ? part(D) - 1 : part(D)) * vector;
    } else {
      return right ? -vector : vector;
    }
  }
  template <int D>
  __device__ void complete(std::int32_t c, Real (&sum)[D]) const {
    if constexpr (kWeights == GradientWeights::green_gauss) {
      for (Real& component : sum) component *= inverse_volume(c);
    } else {
      constexpr int kMatrix = D * (D + 1) / 2;
      multiply(t.matrices + std::int64_t{tile.first_cell + c} * kMatrix, sum);
    }
  }
  __device__ BasicVec3<Real> centroid(std::int32_t row) const {
    return {centroids[row], centroids[tile.row_stride() + row], Dim == 3 ? centroids[2 * tile.row_stride() + row] : 0};
  }
  template <int D>
  __device__ BasicVec3<Real> to_face(std::int32_t /*c*/, std::int32_t s) const {
    return column_vector<D>(sides + side(s));
  }
  __device__ bool moves_points() const { return kWeights == GradientWeights::least_squares && stabilized; }
  template <int D>
  __device__ BasicVec3<Real> half_way(std::int32_t c, std::int32_t s) const {
    return Real(0.5) * gradient_weight<D>(c, s);  // which is the difference of the centroids
  }
  __device__ Real radius(std::int32_t c) const { return static_cast<Real>(t.radius[tile.first_cell + c]); }
  __device__ Real inverse_volume(std::int32_t c) const { return static_cast<Real>(t.inverse_volume[tile.first_cell + c]); }
  __device__ Real value(std::int32_t row, int k) const { return values[row * kVars + k]; }
  __device__ Real scale_of(int k) const { return scale[k]; }
  __device__ bool takes_sensors() const { return has_sensors; }
};

}  // namespace weft::flow::detail
