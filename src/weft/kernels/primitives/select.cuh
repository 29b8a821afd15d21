#pragma once
/// Selection, partition, unique values and runs on a GPU, for .cu files, with the results of the host.
///
/// Each is an ordered scan of flags (ordered_scan.cuh), whose last kernel stores entries at the number of flags before them.
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/device/space.hpp"
#include "weft/kernels/primitives/ordered_scan.cuh"
#include "weft/kernels/primitives/providers.hpp"
#include "weft/kernels/primitives/select.hpp"

namespace weft::kernels {

namespace detail {

/// Counts and stores in stream order. @param total  device address of the count.
template <class Load, class Store>
void compact(Stream& stream, std::size_t n, const Load& load, const Store& store, std::int64_t* total) {
  WEFT_EXPECTS(!stream.is_host() && total != nullptr);
  if (n == 0) return set_bytes(stream, total, 0, sizeof *total);
  ordered_scan<false>(stream, static_cast<std::int64_t>(n), std::int64_t{0}, load, store, Plus{}, total);
}

/// Counts indices for which a predicate is true, and stores them.
template <class Index, class Predicate>
struct SelectIndices {
  Predicate predicate;
  Index* out;
  WEFT_HD std::int64_t operator()(std::int64_t i) const { return predicate(static_cast<Index>(i)) ? 1 : 0; }
  WEFT_HD void operator()(std::int64_t i, std::int64_t before, std::int64_t) const {
    if (predicate(static_cast<Index>(i))) out[before] = static_cast<Index>(i);
  }
};

}  // namespace detail

/// Stores the indices i of 0 .. out.size()-1 for which predicate(i) is true at the beginning of `out`, ascending, and their
/// number in `*count`, in stream order. @param predicate  with a WEFT_HD operator; it must not depend on `out`.
/// @param count  device address. @pre a stream of the current GPU. @cost two calls of the predicate for each index;
/// scan_workspace<std::int64_t>(n) bytes from the pool of the stream. @throws LimitError where Index does not hold all indices;
/// DeviceError where memory is exhausted or a launch is rejected.
template <class Index, class Predicate>
void select(space::cuda, Stream& stream, const Predicate& predicate, std::span<Index> out, std::int64_t* count) {
  if (out.size() > 0 && out.size() - 1 > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) {
    throw LimitError(std::to_string(out.size()) + " indices to select from; the type of an index has too few bits");
  }
  const detail::SelectIndices<Index, Predicate> indices{predicate, out.data()};
  detail::compact(stream, out.size(), indices, indices, count);
}

/// Copies the entries for which predicate(entry) is true to the beginning of `out` and stores their number in `*count`, as on the
/// host. @param predicate, @param count, @throws as select(). @pre as on the host; a stream of the current GPU.
/// @cost three reads of the entries at most, one write of the selected ones; otherwise as select().
template <Provider kProvider = Provider::automatic, class T, class Predicate>
void copy_if(space::cuda, Stream& stream, std::span<const T> in, const Predicate& predicate, std::span<T> out,
             std::int64_t* count) {
  WEFT_EXPECTS(!stream.is_host() && in.size() == out.size() && detail::disjoint(in, out) && count != nullptr);
  constexpr Provider kChosen = detail::provider(kProvider, Primitive::copy_if, sizeof(T));
  if constexpr (kChosen == Provider::library) {
    detail::Implementation<Primitive::copy_if, kChosen>::run(stream, in, predicate, out, count);
  } else {
    detail::compact(stream, in.size(), detail::CountSelected<T, Predicate>{in.data(), predicate},
                    detail::StoreSelected<T, Predicate>{in.data(), predicate, out.data()}, count);
  }
}

/// Copies the entries for which predicate(entry) is true, then the others, as on the host. Otherwise as copy_if().
template <class T, class Predicate>
void partition(space::cuda, Stream& stream, std::span<const T> in, const Predicate& predicate, std::span<T> out,
               std::int64_t* count) {
  WEFT_EXPECTS(in.size() == out.size() && detail::disjoint(in, out));
  detail::compact(stream, in.size(), detail::CountSelected<T, Predicate>{in.data(), predicate},
                  detail::StorePartitioned<T, Predicate>{in.data(), predicate, out.data()}, count);
}

/// Copies the first key of each run of equal adjacent keys and stores the number of runs in `*count`, as on the host. Otherwise
/// as copy_if().
template <Provider kProvider = Provider::automatic, class Key>
void unique(space::cuda, Stream& stream, std::span<const Key> keys, std::span<Key> out, std::int64_t* count) {
  WEFT_EXPECTS(!stream.is_host() && keys.size() == out.size() && detail::disjoint(keys, out) && count != nullptr);
  constexpr Provider kChosen = detail::provider(kProvider, Primitive::unique, sizeof(Key));
  if constexpr (kChosen == Provider::library) {
    static_assert(!std::floating_point<Key>, "CUB compares with ==, which is not the order of floating-point keys");
    detail::Implementation<Primitive::unique, kChosen>::run(stream, keys, out, count);
  } else {
    const detail::CountRuns<Key> runs{keys.data()};
    detail::compact(stream, keys.size(), runs,
                    detail::StoreRuns<Key>{runs, static_cast<std::int64_t>(keys.size()), out.data(), nullptr}, count);
  }
}

/// Encodes runs of equal adjacent keys, as on the host. Otherwise as copy_if().
template <class Key>
void run_length_encode(space::cuda, Stream& stream, std::span<const Key> keys, std::span<Key> out,
                       std::span<std::int64_t> offsets, std::int64_t* count) {
  WEFT_EXPECTS(keys.size() == out.size() && offsets.size() == keys.size() + 1);
  WEFT_EXPECTS(detail::disjoint(keys, out) && detail::disjoint(keys, offsets) && detail::disjoint(out, offsets));
  const detail::CountRuns<Key> runs{keys.data()};
  if (keys.empty()) set_bytes(stream, offsets.data(), 0, sizeof(std::int64_t));
  detail::compact(stream, keys.size(), runs,
                  detail::StoreRuns<Key>{runs, static_cast<std::int64_t>(keys.size()), out.data(), offsets.data()}, count);
}

}  // namespace weft::kernels
