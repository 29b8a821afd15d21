#pragma once
/// Seven-point stencils on boxes of points.
#include <cstddef>
#include <cstdint>
#include <span>

#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"
#include "weft/kernels/detail/disjoint.hpp"

namespace weft::kernels {

/// Points along each axis, and how far apart the rows of arrays on them begin. Arrays have one layer of ghosts around the box, x
/// fastest: point (i, j, k), counted from 0, is entry ((k + 1) (ny + 2) + j + 1) row + i + 1. Entries of a row behind its nx + 2
/// are padding: they are never written, and it does not matter what they hold.
///
/// With floats a GPU is faster where the first point of every row lies at a multiple of 128 bytes: let `row` be a multiple of
/// 128 / sizeof(T), and the span begin 128 / sizeof(T) - 1 entries behind such an address. With doubles it is not (on an H200).
struct Box {
  std::int32_t nx = 0, ny = 0, nz = 0;
  std::int64_t row = std::int64_t{nx} + 2;  ///< entries from a point to the one above it along y

  [[nodiscard]] WEFT_HD constexpr bool empty() const { return nx == 0 || ny == 0 || nz == 0; }
  /// Entries from a point to the one above it along z.
  [[nodiscard]] WEFT_HD constexpr std::int64_t plane() const { return row * (std::int64_t{ny} + 2); }
  /// Entries of an array.
  [[nodiscard]] WEFT_HD constexpr std::int64_t entries() const { return plane() * (std::int64_t{nz} + 2); }
  [[nodiscard]] WEFT_HD constexpr std::int64_t at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return (k + 1) * plane() + (j + 1) * row + i + 1;
  }
};

namespace detail {
/// Whether an array of `size` entries is one on the box; no product is taken that could overflow.
[[nodiscard]] constexpr bool is_array_on(const Box& box, std::size_t size) {
  if (box.nx < 0 || box.ny < 0 || box.nz < 0 || box.row < std::int64_t{box.nx} + 2) return false;
  const auto row = static_cast<std::size_t>(box.row);
  return size % row == 0 && size / row == (static_cast<std::size_t>(box.ny) + 2) * (static_cast<std::size_t>(box.nz) + 2);
}
}  // namespace detail

/// What a point and its neighbours are multiplied with; x_low is for the neighbour at i - 1.
template <class T>
struct StencilWeights {
  T centre, x_low, x_high, y_low, y_high, z_low, z_high;

  /// The weighted sum, added in the order of the arguments.
  [[nodiscard]] WEFT_HD T operator()(T c, T xl, T xh, T yl, T yh, T zl, T zh) const {
    return centre * c + x_low * xl + x_high * xh + y_low * yl + y_high * yh + z_low * zl + z_high * zh;
  }
};

/// out = weighted sum of `in` at the point and its six neighbours, at every point of the box; ghosts and padding of
/// `out` stay. A .cu file that includes stencil.cuh can do it on a GPU, with the same digits.
/// @pre no number of points is negative, rows are at least nx + 2 apart; in and out have box.entries() entries and do not
/// overlap. @cost O(points): reads and writes each once, as far as a cache holds two planes.
template <class T>
void apply_stencil(const StencilWeights<T>& weights, const Box& box, std::span<const T> in, std::span<T> out) {
  WEFT_EXPECTS(detail::is_array_on(box, in.size()) && out.size() == in.size());
  WEFT_EXPECTS(detail::disjoint(in, out));
  const std::int64_t row = box.row, plane = box.plane();
  for (std::int64_t k = 0; k < box.nz; ++k) {
    for (std::int64_t j = 0; j < box.ny; ++j) {
      const T* const from = in.data() + box.at(0, j, k);
      T* const to = out.data() + box.at(0, j, k);
      for (std::int64_t i = 0; i < box.nx; ++i) {
        to[i] = weights(from[i], from[i - 1], from[i + 1], from[i - row], from[i + row], from[i - plane], from[i + plane]);
      }
    }
  }
}

}  // namespace weft::kernels
