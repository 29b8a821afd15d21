#pragma once
/// Prefix sums, and scans with any associative operator, also by segments. scan.cuh and ordered_scan.cuh have overloads for GPUs
/// with the same digits.
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/operators.hpp"
#include "weft/kernels/primitives/scan_order.hpp"
#include "weft/kernels/primitives/segments.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

namespace detail {

/// An entry, and 1 if a segment begins with it or between it and the entries combined with it.
template <class T>
struct Segmented {
  using Flag =
      std::conditional_t<alignof(T) == 1, std::uint8_t, std::conditional_t<alignof(T) == 2, std::uint16_t, std::uint32_t>>;
  T value;
  Flag head;
};
template <class T>
inline constexpr std::size_t kStoredBytes<Segmented<T>> = sizeof(T);
template <class T>
inline constexpr int kWarpRows<Segmented<T>> = sizeof(T) > 4 && sizeof(T) <= 8 ? 3 : 2;

/// Combines entries of the same segment.
template <class Combine>
struct CombineSegmented {
  Combine combine;
  template <class T>
  WEFT_HD Segmented<T> operator()(const Segmented<T>& a, const Segmented<T>& b) const {
    Segmented<T> both{b.value, static_cast<typename Segmented<T>::Flag>(a.head | b.head)};
    if (b.head == 0) both.value = combine(a.value, b.value);
    return both;
  }
};

template <class In, class T>
struct LoadSegmented {
  const In* in;
  const std::uint8_t* heads;
  WEFT_HD static Segmented<T> entry(const In& value, std::uint8_t head) {
    return {static_cast<T>(value), static_cast<typename Segmented<T>::Flag>(head != 0)};
  }
  WEFT_HD Segmented<T> operator()(std::int64_t i) const { return entry(in[i], heads[i]); }
};

template <bool kInclusive, class T>
struct StoreSegmented {
  T* out;
  const std::uint8_t* heads;
  T identity;
  WEFT_HD T entry(std::int64_t i, const Segmented<T>& scanned) const {
    return !kInclusive && heads[i] != 0 ? identity : scanned.value;
  }
  WEFT_HD void operator()(std::int64_t i, const Segmented<T>& scanned) const { out[i] = entry(i, scanned); }
};

/// Marks the first entry of segment s. Each entry is marked by one segment, because empty segments mark none.
struct MarkHead {
  const std::int64_t* offsets;
  std::uint8_t* heads;
  WEFT_HD void operator()(std::int64_t s) const {
    const std::int64_t first = offsets[s];
    if (first < offsets[s + 1]) heads[first] = 1;
  }
};

template <bool kInclusive, class In, class Out, class Combine>
Out scan(std::span<const In> in, std::span<Out> out, const Out& identity, const Combine& combine, Team& team) {
  WEFT_EXPECTS(in.size() == out.size());
  refuse_partial_overlap(in, out, "in and out of a scan");
  if constexpr (kIsExact<Out, Combine>) {
    if (team.size() == 1) {  // in one pass, because the order does not matter
      Out total{};
      for (std::size_t i = 0; i < in.size(); ++i) {
        const Out before = total;
        total = combine(total, static_cast<Out>(in[i]));
        out[i] = kInclusive ? total : before;
      }
      return total;
    }
  }
  return ordered_scan<kInclusive>(static_cast<std::int64_t>(in.size()), identity, LoadEntry<In, Out>{in.data()},
                                  StoreEntry<Out>{out.data()}, combine, team);
}

template <bool kInclusive, class In, class Out, class Combine>
void segmented_scan(std::span<const In> in, std::span<const std::uint8_t> heads, std::span<Out> out, const Out& identity,
                    const Combine& combine, Team& team) {
  WEFT_EXPECTS(in.size() == out.size() && heads.size() == in.size());
  refuse_partial_overlap(in, out, "in and out of a segmented scan");
  refuse_overlap(heads, out, "heads and out of a segmented scan");
  ordered_scan<kInclusive>(
      static_cast<std::int64_t>(in.size()), Segmented<Out>{identity, 0}, LoadSegmented<In, Out>{in.data(), heads.data()},
      StoreSegmented<kInclusive, Out>{out.data(), heads.data(), identity}, CombineSegmented<Combine>{combine}, team);
}

template <bool kInclusive, class In, class Out, class Combine>
void segmented_scan(std::span<const In> in, std::span<const std::int64_t> offsets, std::span<Out> out, const Out& identity,
                    const Combine& combine, Team& team) {
  WEFT_EXPECTS(are_segments(offsets, in.size()));
  refuse_overlap(offsets, out, "offsets and out of a segmented scan");
  std::vector<std::uint8_t> heads(in.size());
  const MarkHead mark{offsets.data(), heads.data()};
  split(team, static_cast<std::int64_t>(offsets.size()) - 1, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) mark(s);
  });
  segmented_scan<kInclusive>(in, std::span<const std::uint8_t>(heads), out, identity, combine, team);
}

}  // namespace detail

/// Computes out[i] = in[0] o ... o in[i-1], where o is `combine` in the arithmetic of Out and out[0] is `identity`, and returns
/// the combination of all. `out` may be `in`. The order of combination depends on the number and the size of the entries alone
/// (scan_order.hpp).
/// @param combine  associative up to rounding; need not be commutative.  @param identity  neutral element of `combine`.
/// @pre equal sizes; `in` and `out` are the same or do not overlap (checked in every build). @cost O(n); two reads of the
/// entries.
template <class In, class Out, class Combine>
Out exclusive_scan(std::span<const In> in, std::span<Out> out, const Out& identity, const Combine& combine,
                   Team& team = calling_thread()) {
  return detail::scan<false>(in, out, identity, combine, team);
}

/// Computes out[i] = in[0] o ... o in[i] and returns the combination of all; otherwise as exclusive_scan().
template <class In, class Out, class Combine>
Out inclusive_scan(std::span<const In> in, std::span<Out> out, const Out& identity, const Combine& combine,
                   Team& team = calling_thread()) {
  return detail::scan<true>(in, out, identity, combine, team);
}

/// Computes out[i] = in[0] + ... + in[i-1] and returns the total: exclusive_scan() with Plus. Sums of integers wrap around, and
/// take one read of the entries on one thread.
template <class In, class Out>
Out exclusive_scan(std::span<const In> in, std::span<Out> out, Team& team = calling_thread()) {
  return detail::scan<false>(in, out, Out{}, Plus{}, team);
}

/// Computes out[i] = in[0] + ... + in[i] and returns the total; otherwise as exclusive_scan().
template <class In, class Out>
Out inclusive_scan(std::span<const In> in, std::span<Out> out, Team& team = calling_thread()) {
  return detail::scan<true>(in, out, Out{}, Plus{}, team);
}

/// Computes exclusive_scan() within each segment, of which out[i] is `identity` for the first entry. A segment begins at entry 0
/// and at each i with heads[i] != 0. Example: in {1, 2, 3, 4, 5}, heads {0, 0, 1, 0, 0} give {0, 1, 0, 3, 7}.
/// @pre equal sizes; `out` is `in` or does not overlap it, and does not overlap `heads` (checked in every build). @cost O(n); two
/// reads of the entries.
template <class In, class Out, class Combine>
void segmented_exclusive_scan(std::span<const In> in, std::span<const std::uint8_t> heads, std::span<Out> out,
                              const Out& identity, const Combine& combine, Team& team = calling_thread()) {
  detail::segmented_scan<false>(in, heads, out, identity, combine, team);
}

/// Computes inclusive_scan() within each segment; otherwise as segmented_exclusive_scan(). The example gives {1, 3, 3, 7, 12}.
template <class In, class Out, class Combine>
void segmented_inclusive_scan(std::span<const In> in, std::span<const std::uint8_t> heads, std::span<Out> out,
                              const Out& identity, const Combine& combine, Team& team = calling_thread()) {
  detail::segmented_scan<true>(in, heads, out, identity, combine, team);
}

/// Computes exclusive_scan() within each segment: segment s consists of the entries offsets[s] .. offsets[s + 1] - 1 and may be
/// empty. The digits are those of the scan by heads with all first entries marked, entry 0 too. Example: in {1, 2, 3, 4, 5},
/// offsets {0, 2, 2, 5} give {0, 1, 0, 3, 7}.
/// @pre `offsets` ascend from 0 to in.size() and do not overlap `out` (checked in every build); otherwise as by heads. @cost as
/// by heads, whose in.size() bytes are stored first.
template <class In, class Out, class Combine>
void segmented_exclusive_scan(std::span<const In> in, std::span<const std::int64_t> offsets, std::span<Out> out,
                              const Out& identity, const Combine& combine, Team& team = calling_thread()) {
  detail::segmented_scan<false>(in, offsets, out, identity, combine, team);
}

/// Computes inclusive_scan() within each segment given by offsets; otherwise as segmented_exclusive_scan(). The example gives {1,
/// 3, 3, 7, 12}.
template <class In, class Out, class Combine>
void segmented_inclusive_scan(std::span<const In> in, std::span<const std::int64_t> offsets, std::span<Out> out,
                              const Out& identity, const Combine& combine, Team& team = calling_thread()) {
  detail::segmented_scan<true>(in, offsets, out, identity, combine, team);
}

/// Returns the bytes that a segmented scan of n entries by offsets on a GPU takes from the pool of its stream; one by heads takes
/// n bytes less. Needs no GPU.
template <class Out>
[[nodiscard]] constexpr std::size_t segmented_scan_workspace(std::int64_t n) {
  return scan_workspace<detail::Segmented<Out>>(n) + static_cast<std::size_t>(n);
}

/// Returns the counts.size() + 1 offsets of a CSR array: the start of each of counts.size() consecutive segments, then the total.
/// Example: counts {2, 0, 1} give {0, 2, 2, 3}.
template <class Integer>
[[nodiscard]] std::vector<std::int64_t> offsets_of(std::span<const Integer> counts, Team& team = calling_thread()) {
  std::vector<std::int64_t> offsets(counts.size() + 1);
  offsets.back() = exclusive_scan(counts, std::span(offsets).first(counts.size()), team);
  return offsets;
}

}  // namespace weft::kernels
