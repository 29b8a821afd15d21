#pragma once
/// Reductions in a fixed order: of functions of an index, of vectors, and of segments. reduce.cuh has overloads for GPUs with the
/// same digits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"
#include "weft/device/parallel_for.hpp"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/operators.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

namespace detail {

/// Combines the results of blocks first .. last-1 in the order of weft::detail::reduce_range().
template <class T, class Combine>
T combine_blocks(const std::vector<T>& results, std::size_t first, std::size_t last, const Combine& combine) {
  if (last - first == 1) return results[first];
  const std::size_t middle = first + (last - first) / 2;
  const T left = combine_blocks(results, first, middle, combine);
  return combine(left, combine_blocks(results, middle, last, combine));
}

/// The product of entries of two vectors in the arithmetic of Result.
template <class T, class Result>
struct Product {
  const T *x, *y;
  WEFT_HD Result operator()(std::int64_t i) const { return static_cast<Result>(x[i]) * static_cast<Result>(y[i]); }
};

/// Adds alpha x to y, and returns the product of the new entry and that of z.
template <class T, class Result>
struct UpdateAndProduct {
  const T *alpha, *x;
  T* y;
  const T* z;
  WEFT_HD Result operator()(std::int64_t i) const {
    const T updated = y[i] + *alpha * x[i];
    y[i] = updated;
    return static_cast<Result>(updated) * static_cast<Result>(z == y ? updated : z[i]);
  }
};

/// The entries of a vector in the arithmetic of Result.
template <class T, class Result>
struct Entry {
  const T* x;
  WEFT_HD Result operator()(std::int64_t i) const { return static_cast<Result>(x[i]); }
};

/// Entries from which on a segment is reduced by 32 lanes instead of from left to right.
inline constexpr std::int64_t kLaneSegment = 33;
/// The largest number of entries that 32 lanes reduce without a division into chunks, and of chunks of a segment.
inline constexpr std::int64_t kSegmentChunk = 1024;

/// Returns the number of entries in a chunk of a segment of more than kSegmentChunk entries: a multiple of 1024, so that there
/// are at most 1024 chunks.
[[nodiscard]] WEFT_HD constexpr std::int64_t segment_chunk(std::int64_t entries) {
  constexpr std::int64_t kMost = kSegmentChunk * kSegmentChunk;
  return kSegmentChunk * (entries / kMost + (entries % kMost != 0 ? 1 : 0));
}
/// Returns the number of chunks of a segment; 1 unless it has more than kSegmentChunk entries.
[[nodiscard]] WEFT_HD constexpr std::int64_t segment_chunks(std::int64_t entries) {
  if (entries <= kSegmentChunk) return 1;
  const std::int64_t chunk = segment_chunk(entries);
  return (entries + chunk - 1) / chunk;
}

/// Reduces a segment that has one chunk.
template <class Result, class Map, class Combine>
Result reduce_segment(std::int64_t first, std::int64_t last, const Result& identity, const Map& entry, const Combine& combine) {
  if (last - first >= kLaneSegment) return weft::detail::reduce_block(first, last, identity, entry, combine);
  Result result = identity;
  for (std::int64_t i = first; i < last; ++i) result = combine(result, entry(i));
  return result;
}

/// Reduces a segment of several chunks on the threads of a team.
template <class Result, class Map, class Combine>
Result reduce_chunks(std::int64_t first, std::int64_t last, const Result& identity, const Map& entry, const Combine& combine,
                     Team& team) {
  const std::int64_t chunk = segment_chunk(last - first), chunks = segment_chunks(last - first);
  std::vector<Result> results(static_cast<std::size_t>(chunks), identity);
  split(team, chunks, 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) {
      const std::int64_t from = first + c * chunk;
      results[c] = weft::detail::reduce_block(from, std::min(from + chunk, last), identity, entry, combine);
    }
  });
  return weft::detail::reduce_block(
      std::int64_t{0}, chunks, identity, [&](std::int64_t c) { return results[c]; }, combine);
}

}  // namespace detail

/// Returns map(0) .. map(n-1) combined in the order of weft::reduce(), which depends on n alone; `identity` if n is 0.
/// @param combine  associative and commutative up to rounding.  @param identity  neutral element of `combine`.
/// @cost n calls of map; with more than one thread, memory for n / 1024 results.
template <class T, class Map, class Combine>
[[nodiscard]] T transform_reduce(std::int64_t n, const T& identity, const Map& map, const Combine& combine,
                                 Team& team = calling_thread()) {
  WEFT_EXPECTS(n >= 0);
  const std::int64_t block = weft::detail::reduce_block_size(n);
  if (team.size() == 1 || n <= 8 * block) return weft::reduce(space::host{}, n, identity, map, combine);
  const std::int64_t blocks = (n + block - 1) / block;
  std::vector<T> results(static_cast<std::size_t>(blocks), identity);
  detail::split(team, blocks, 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      results[b] = weft::detail::reduce_block(b * block, std::min((b + 1) * block, n), identity, map, combine);
    }
  });
  return detail::combine_blocks(results, 0, results.size(), combine);
}

/// Returns the sum of all values in the arithmetic of Result; Result{} if there are none.
template <class T, class Result = T>
[[nodiscard]] Result sum(std::span<const T> values, Team& team = calling_thread()) {
  return transform_reduce(static_cast<std::int64_t>(values.size()), Result{}, detail::Entry<T, Result>{values.data()}, Plus{},
                          team);
}

/// Returns the scalar product of x and y. Products and sums are computed in the arithmetic of Result: with `dot<float, double>`
/// those of floats are exact products, added in double.
/// @pre equal sizes. @cost one read of both vectors.
template <class T, class Result = T>
[[nodiscard]] Result dot(std::span<const T> x, std::span<const std::type_identity_t<T>> y, Team& team = calling_thread()) {
  WEFT_EXPECTS(x.size() == y.size());
  return transform_reduce(static_cast<std::int64_t>(x.size()), Result{}, detail::Product<T, Result>{x.data(), y.data()}, Plus{},
                          team);
}

/// Computes y = y + alpha x and returns the scalar product of the new y and z, in one pass, as Krylov methods need it: with z = y
/// the square of the norm of an updated residual.
/// @pre equal sizes; `y` overlaps neither `x` nor, unless they are the same, `z` (checked in every build).
/// @cost one read of x, y and z (z = y: not twice) and one write of y.
template <class T, class Result = T>
[[nodiscard]] Result axpy_dot(const std::type_identity_t<T>& alpha, std::span<const T> x, std::span<T> y,
                              std::span<const std::type_identity_t<T>> z, Team& team = calling_thread()) {
  WEFT_EXPECTS(x.size() == y.size() && z.size() == y.size());
  detail::refuse_overlap(x, y, "x and y of axpy_dot");
  detail::refuse_partial_overlap(z, y, "z and y of axpy_dot");
  return transform_reduce(static_cast<std::int64_t>(y.size()), Result{},
                          detail::UpdateAndProduct<T, Result>{&alpha, x.data(), y.data(), z.data()}, Plus{}, team);
}

/// Computes results[s] = values[offsets[s]] .. values[offsets[s + 1] - 1] combined, `identity` for an empty segment. The order
/// depends on the length of the segment alone. Up to 32 entries are combined from left to right, starting with `identity`. Up to
/// 1024 are combined by 32 lanes, of which lane l combines every 32nd entry from l on, and the lanes pairwise at distances 16, 8,
/// 4, 2, 1. Longer segments are divided into at most 1024 chunks of the same multiple of 1024 entries (the last one has fewer);
/// each chunk, and then the results of the chunks, are combined by 32 lanes in this way.
/// @param combine  associative and commutative up to rounding.
/// @pre `offsets` has results.size() + 1 ascending entries between 0 and values.size(); `results` overlaps neither of the inputs
/// (checked in every build). @cost O(n).
template <class T, class Result, class Combine>
void segmented_reduce(std::span<const T> values, std::span<const std::int64_t> offsets, std::span<Result> results,
                      const Result& identity, const Combine& combine, Team& team = calling_thread()) {
  WEFT_EXPECTS(offsets.size() == results.size() + 1);
  WEFT_EXPECTS(offsets.front() >= 0 && offsets.back() <= static_cast<std::int64_t>(values.size()));
  WEFT_EXPECTS(std::is_sorted(offsets.begin(), offsets.end()));
  detail::refuse_overlap(values, results, "values and results of segmented_reduce");
  detail::refuse_overlap(offsets, results, "offsets and results of segmented_reduce");
  const detail::Entry<T, Result> entry{values.data()};
  const auto reduce_if = [&](std::int64_t s, bool divided) {
    const auto at = static_cast<std::size_t>(s);
    const std::int64_t first = offsets[at], last = offsets[at + 1];
    if ((last - first > detail::kSegmentChunk) != divided) return;
    results[at] = divided ? detail::reduce_chunks(first, last, identity, entry, combine, team)
                          : detail::reduce_segment(first, last, identity, entry, combine);
  };
  const auto segments = static_cast<std::int64_t>(results.size());
  detail::split(team, segments, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) reduce_if(s, false);
  });
  if (static_cast<std::int64_t>(values.size()) <= detail::kSegmentChunk) return;
  for (std::int64_t s = 0; s < segments; ++s) reduce_if(s, true);  // the threads share each of them
}

/// Computes the sums of segments: segmented_reduce() with Plus.
template <class T>
void segmented_sum(std::span<const T> values, std::span<const std::int64_t> offsets, std::span<T> sums,
                   Team& team = calling_thread()) {
  segmented_reduce(values, offsets, sums, T{}, Plus{}, team);
}

}  // namespace weft::kernels
