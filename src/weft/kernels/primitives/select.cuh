#pragma once
/// Selection, partition, unique values and runs on a GPU, for .cu files, with the results of the host.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/device/space.hpp"
#include "weft/kernels/primitives/compact.cuh"
#include "weft/kernels/primitives/providers.hpp"
#include "weft/kernels/primitives/select.hpp"

namespace weft::kernels {

/// Returns the bytes that a selection from n entries of `entry` bytes takes from the pool of its stream: 16 for each tile, which
/// has 64 bytes or 32 entries for each of 256 threads, or one entry of more than 64 bytes. Needs no GPU.
template <class T>
[[nodiscard]] constexpr std::size_t select_workspace(std::int64_t n) {
  const std::int64_t tile = detail::kSelectTile<T>;
  return 16 * (static_cast<std::size_t>((n + 15 + tile - 1) / tile) + 1);
}

/// Stores the indices i of 0 .. out.size()-1 for which predicate(i) is true at the beginning of `out`, ascending, and their
/// number in `*count`, in stream order. @param predicate  with a WEFT_HD operator; it must not depend on `out`.
/// @param count  device address. @pre a stream of the current GPU. @cost one call of the predicate for each index, in one kernel;
/// select_workspace<Index>(n) bytes from the pool of the stream. @throws LimitError where Index does not hold all indices;
/// DeviceError where memory is exhausted or a launch is rejected.
template <class Index, class Predicate>
void select(space::cuda, Stream& stream, const Predicate& predicate, std::span<Index> out, std::int64_t* count) {
  WEFT_EXPECTS(!stream.is_host() && count != nullptr);
  if (out.size() > 0 && out.size() - 1 > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) {
    throw LimitError(std::to_string(out.size()) + " indices to select from are more than their type holds",
                     "select 64-bit indices, or from fewer");
  }
  if (out.empty()) return set_bytes(stream, count, 0, sizeof *count);
  detail::compact<false, false>(stream, static_cast<std::int64_t>(out.size()), detail::Indices<Index>{},
                                detail::ByPredicate<Predicate>{predicate},
                                detail::SelectOutput<Index>{out.data(), nullptr, nullptr, count});
}

/// Copies the entries for which predicate(entry) is true to the beginning of `out` and stores their number in `*count`, as on the
/// host. @param predicate, @param count, @throws as select(). @pre as on the host; a stream of the current GPU.
/// @cost one read of the entries, by 16 bytes at a time where their size is a power of two, and one write of the selected ones,
/// in one kernel; select_workspace<T>(n) bytes from the pool of the stream.
template <Provider kProvider = Provider::automatic, class T, class Predicate>
void copy_if(space::cuda, Stream& stream, std::span<const T> in, const Predicate& predicate, std::span<T> out,
             std::int64_t* count) {
  WEFT_EXPECTS(!stream.is_host() && in.size() == out.size() && count != nullptr);
  detail::refuse_overlap(in, out, "in and out of copy_if");
  constexpr Provider kChosen = detail::provider(kProvider, Primitive::copy_if, sizeof(T));
  if constexpr (kChosen == Provider::library) {
    detail::Implementation<Primitive::copy_if, kChosen>::run(stream, in, predicate, out, count);
  } else {
    if (in.empty()) return set_bytes(stream, count, 0, sizeof *count);
    detail::compact<false, false>(stream, static_cast<std::int64_t>(in.size()), detail::StoredEntries<T>{in.data()},
                                  detail::ByPredicate<Predicate>{predicate},
                                  detail::SelectOutput<T>{out.data(), nullptr, nullptr, count});
  }
}

/// Copies the entries for which predicate(entry) is true, then the others, as on the host. Otherwise as copy_if().
/// @cost two reads and one write of the entries, because the others are stored behind all selected ones; reduce_workspace()
/// of a count in addition.
template <class T, class Predicate>
void partition(space::cuda, Stream& stream, std::span<const T> in, const Predicate& predicate, std::span<T> out,
               std::int64_t* count) {
  WEFT_EXPECTS(!stream.is_host() && in.size() == out.size() && count != nullptr);
  detail::refuse_overlap(in, out, "in and out of partition");
  if (in.empty()) return set_bytes(stream, count, 0, sizeof *count);
  const auto n = static_cast<std::int64_t>(in.size());
  reduce_into(space::cuda{}, stream, n, std::int64_t{0}, detail::CountSelected<T, Predicate>{in.data(), predicate}, Plus{},
              count);
  detail::compact<true, false>(stream, n, detail::StoredEntries<T>{in.data()}, detail::ByPredicate<Predicate>{predicate},
                               detail::SelectOutput<T>{out.data(), nullptr, count, nullptr});
}

/// Copies the first key of each run of equal adjacent keys and stores the number of runs in `*count`, as on the host. Otherwise
/// as copy_if().
template <Provider kProvider = Provider::automatic, class Key>
void unique(space::cuda, Stream& stream, std::span<const Key> keys, std::span<Key> out, std::int64_t* count) {
  WEFT_EXPECTS(!stream.is_host() && keys.size() == out.size() && count != nullptr);
  detail::refuse_overlap(keys, out, "keys and out of unique");
  constexpr Provider kChosen = detail::provider(kProvider, Primitive::unique, sizeof(Key));
  if constexpr (kChosen == Provider::library) {
    static_assert(!std::floating_point<Key>, "CUB compares with ==, which is not the order of floating-point keys");
    detail::Implementation<Primitive::unique, kChosen>::run(stream, keys, out, count);
  } else {
    if (keys.empty()) return set_bytes(stream, count, 0, sizeof *count);
    detail::compact<false, false>(stream, static_cast<std::int64_t>(keys.size()), detail::StoredEntries<Key>{keys.data()},
                                  detail::StartsOfRuns{}, detail::SelectOutput<Key>{out.data(), nullptr, nullptr, count});
  }
}

/// Encodes runs of equal adjacent keys, as on the host. Otherwise as copy_if().
template <class Key>
void run_length_encode(space::cuda, Stream& stream, std::span<const Key> keys, std::span<Key> out,
                       std::span<std::int64_t> offsets, std::int64_t* count) {
  WEFT_EXPECTS(!stream.is_host() && keys.size() == out.size() && offsets.size() == keys.size() + 1 && count != nullptr);
  detail::refuse_overlap(keys, out, "keys and out of run_length_encode");
  detail::refuse_overlap(keys, offsets, "keys and offsets of run_length_encode");
  detail::refuse_overlap(out, offsets, "out and offsets of run_length_encode");
  if (keys.empty()) {
    set_bytes(stream, offsets.data(), 0, sizeof(std::int64_t));
    return set_bytes(stream, count, 0, sizeof *count);
  }
  detail::compact<false, true>(stream, static_cast<std::int64_t>(keys.size()), detail::StoredEntries<Key>{keys.data()},
                               detail::StartsOfRuns{}, detail::SelectOutput<Key>{out.data(), offsets.data(), nullptr, count});
}

}  // namespace weft::kernels
