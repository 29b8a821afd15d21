#pragma once
/// Seven-point stencils on structured boxes of points.
#include <cstddef>
#include <cstdint>
#include <span>

#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

/// The numbers of points along each axis and the memory layout of arrays on them. Arrays have g = kGhosts layers of ghost points
/// around the box and store x contiguously: point (i, j, k), counted from 0, is entry ((k + g) (ny + 2 g) + j + g) row + i + g.
/// The entries of a row after its nx + 2 g points are padding, which is never written and may hold any value.
///
/// Example: Box{4, 3, 2} has row = 6, plane() = 30 and entries() = 120; point (0, 0, 0) is entry 30 + 6 + 1 = 37 and the last
/// ghost point (4, 3, 2) is entry 119.
///
/// With floats a GPU is faster if the first point of every row is aligned to 128 bytes: `row` is then a multiple of
/// 128 / sizeof(T), and the span begins 128 / sizeof(T) - 1 entries after an aligned address. With doubles it was not on an H200.
template <int kGhosts>
struct GhostBox {
  std::int32_t nx = 0, ny = 0, nz = 0;
  std::int64_t row = std::int64_t{nx} + 2 * kGhosts;  ///< stride along y in entries

  /// Returns true if there are no points.
  [[nodiscard]] WEFT_HD constexpr bool empty() const { return nx == 0 || ny == 0 || nz == 0; }
  /// Returns the stride along z in entries.
  [[nodiscard]] WEFT_HD constexpr std::int64_t plane() const { return row * (std::int64_t{ny} + 2 * kGhosts); }
  /// Returns the number of entries of an array.
  [[nodiscard]] WEFT_HD constexpr std::int64_t entries() const { return plane() * (std::int64_t{nz} + 2 * kGhosts); }
  /// Returns the entry of point (i, j, k); -kGhosts .. -1 and nx, ny, nz and further are ghost points.
  [[nodiscard]] WEFT_HD constexpr std::int64_t at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return (k + kGhosts) * plane() + (j + kGhosts) * row + i + kGhosts;
  }
};

/// The box of a seven-point stencil.
using Box = GhostBox<1>;

namespace detail {
/// The tiles of a box: a block of a kernel has x by y points and marches along z.
struct TileGrid {
  unsigned x, y;        ///< tiles along these axes; block b has tile b % x, b / x % y, b / x / y
  std::int64_t blocks;  ///< tiles
};
template <int kGhosts>
[[nodiscard]] constexpr TileGrid tile_grid(const GhostBox<kGhosts>& box, int x, int y, int march) {
  const auto tiles = [](std::int64_t points, std::int64_t of_tile) { return (points + of_tile - 1) / of_tile; };
  const std::int64_t along_x = tiles(box.nx, x), along_y = tiles(box.ny, y);
  return {static_cast<unsigned>(along_x), static_cast<unsigned>(along_y), along_x * along_y * tiles(box.nz, march)};
}

/// Returns true if an array of `size` entries has the layout of the box. The computation cannot overflow.
template <int kGhosts>
[[nodiscard]] constexpr bool is_array_on(const GhostBox<kGhosts>& box, std::size_t size) {
  if (box.nx < 0 || box.ny < 0 || box.nz < 0 || box.row < std::int64_t{box.nx} + 2 * kGhosts) return false;
  const std::size_t row = box.row, ghosts = 2 * kGhosts;
  return size % row == 0 &&
         size / row == (static_cast<std::size_t>(box.ny) + ghosts) * (static_cast<std::size_t>(box.nz) + ghosts);
}
}  // namespace detail

/// The weights of a point and of its six neighbours; x_low belongs to the neighbour at i - 1.
template <class T>
struct StencilWeights {
  T centre, x_low, x_high, y_low, y_high, z_low, z_high;

  /// Returns the weighted sum, added in the order of the arguments.
  [[nodiscard]] WEFT_HD T operator()(T c, T xl, T xh, T yl, T yh, T zl, T zh) const {
    return centre * c + x_low * xl + x_high * xh + y_low * yl + y_high * yh + z_low * zl + z_high * zh;
  }
};

/// Computes at every point of the box the weighted sum of `in` at the point and its six neighbours. Ghost points and padding of
/// `out` are unchanged. stencil.cuh has an overload for GPUs, for .cu files, with the same digits.
/// @pre numbers of points are not negative, box.row >= nx + 2; `in` and `out` have box.entries() entries and do not overlap
/// (checked in every build).
/// @cost O(points): one read and one write of each entry if the cache holds two planes.
template <class T>
void apply_stencil(const StencilWeights<T>& weights, const Box& box, std::span<const T> in, std::span<T> out,
                   Team& team = calling_thread()) {
  WEFT_EXPECTS(detail::is_array_on(box, in.size()) && out.size() == in.size());
  detail::refuse_overlap(in, out, "in and out of apply_stencil");
  if (box.empty()) return;
  constexpr std::int64_t kSmallest = 256;  // rows below which threads are not worth their start
  const std::int64_t row = box.row, plane = box.plane();
  detail::split(team, std::int64_t{box.ny} * box.nz, kSmallest, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const T* const from = in.data() + box.at(0, n % box.ny, n / box.ny);
      T* const to = out.data() + box.at(0, n % box.ny, n / box.ny);
      for (std::int64_t i = 0; i < box.nx; ++i) {
        to[i] = weights(from[i], from[i - 1], from[i + 1], from[i - row], from[i + row], from[i - plane], from[i + plane]);
      }
    }
  });
}

}  // namespace weft::kernels
