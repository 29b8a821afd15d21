#pragma once
/// Stencils of 25 points on structured boxes: a point and its four neighbours in both directions of each axis, as for derivatives
/// of eighth order.
#include <cstdint>
#include <span>

#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/stencil.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

/// The distance of the furthest neighbours of a stencil of 25 points, and the box of its arrays.
inline constexpr int kStarRadius = 4;
using StarBox = GhostBox<kStarRadius>;

/// The weights of a point and of its neighbours at distances 1 .. 4 along each axis, the same in both directions.
template <class T>
struct StarWeights {
  T centre;
  T x[kStarRadius], y[kStarRadius], z[kStarRadius];

  /// Returns the weighted sum: the point, then pairs of neighbours by distance along x, y and z.
  /// @param at  address of the point.  @param column  the point and its neighbours along z, from the lowest.
  [[nodiscard]] WEFT_HD T operator()(const T* at, std::int64_t row, const T (&column)[2 * kStarRadius + 1]) const {
    T sum = centre * column[kStarRadius];
    for (int r = 1; r <= kStarRadius; ++r) sum += x[r - 1] * (at[-r] + at[r]);
    for (int r = 1; r <= kStarRadius; ++r) sum += y[r - 1] * (at[-r * row] + at[r * row]);
    for (int r = 1; r <= kStarRadius; ++r) sum += z[r - 1] * (column[kStarRadius - r] + column[kStarRadius + r]);
    return sum;
  }
};

/// Computes at every point of the box the weighted sum of `in` at the point and its 24 neighbours. Ghost points and padding of
/// `out` are unchanged. star_stencil.cuh has an overload for GPUs, for .cu files, with the same digits.
/// @pre numbers of points are not negative, box.row >= nx + 8; `in` and `out` have box.entries() entries and do not overlap
/// (checked in every build).
/// @cost O(points): one read and one write of each entry if the cache holds nine planes.
template <class T>
void apply_star_stencil(const StarWeights<T>& weights, const StarBox& box, std::span<const T> in, std::span<T> out,
                        Team& team = calling_thread()) {
  WEFT_EXPECTS(detail::is_array_on(box, in.size()) && out.size() == in.size());
  detail::refuse_overlap(in, out, "in and out of apply_star_stencil");
  if (box.empty()) return;
  constexpr std::int64_t kSmallest = 64;  // rows below which threads are not worth their start
  const std::int64_t plane = box.plane();
  detail::split(team, std::int64_t{box.ny} * box.nz, kSmallest, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const T* const from = in.data() + box.at(0, n % box.ny, n / box.ny);
      T* const to = out.data() + box.at(0, n % box.ny, n / box.ny);
      for (std::int64_t i = 0; i < box.nx; ++i) {
        T column[2 * kStarRadius + 1];
        for (int r = -kStarRadius; r <= kStarRadius; ++r) column[kStarRadius + r] = from[i + r * plane];
        to[i] = weights(from + i, box.row, column);
      }
    }
  });
}

}  // namespace weft::kernels
