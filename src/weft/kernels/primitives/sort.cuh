#pragma once
/// Sorting on a GPU, for .cu files: the radix sort of CUB, with tile sizes of our own for keys of 4 and 8 bytes without values
/// (sort_tuning.cuh), and an order of floating-point keys that is total. More than 2^32 - 1 keys are sorted by sort_many.cu.
#include <cub/device/device_radix_sort.cuh>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/device/cuda.cuh"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/primitives/gather.cuh"
#include "weft/kernels/primitives/providers.hpp"
#include "weft/kernels/primitives/sort.hpp"
#include "weft/kernels/primitives/sort_many.hpp"
#include "weft/kernels/primitives/sort_tuning.cuh"

namespace weft::kernels {

namespace detail {

/// The number that CUB sorts in place of a key: floating-point keys are unsigned integers in the order of before(), because CUB
/// considers -0 and +0 equal.
template <class Key>
using SortedKey = std::conditional_t<std::floating_point<Key>, KeyBits<Key>, Key>;

/// Encodes or decodes keys from one array to another or in place.
template <bool kBack, class Bits>
struct ConvertKeys {
  const Bits* from;
  Bits* to;
  KeyCode code;
  WEFT_HD void operator()(std::int64_t i) const { to[i] = kBack ? code.decode(from[i]) : code.encode(from[i]); }
};

template <bool kBack, class Number>
void convert_keys(Stream& stream, const Number* from, Number* to, std::size_t n, const KeyCode& code) {
  using Bits = KeyBits<Number>;
  parallel_for(space::cuda{}, stream, static_cast<std::int64_t>(n),
               ConvertKeys<kBack, Bits>{reinterpret_cast<const Bits*>(from), reinterpret_cast<Bits*>(to), code});
}

/// Sorts numbers in ascending order. @tparam kProvider  own: the tile sizes of KeySortTuning.
template <Provider kProvider, class Key, class Value>
void radix_sort(Stream& stream, cub::DoubleBuffer<Key>& keys, cub::DoubleBuffer<Value>& values, std::size_t n) {
  const auto count = static_cast<std::uint32_t>(n);
  const auto sort = [&](void* memory, std::size_t& bytes) {
    if constexpr (!std::is_same_v<Value, cub::NullType>) {
      check_cuda(cub::DeviceRadixSort::SortPairs(memory, bytes, keys, values, count, 0, sizeof(Key) * 8, native(stream)),
                 "cub::DeviceRadixSort::SortPairs");
    } else if constexpr (kProvider == Provider::own) {
      check_cuda(sort_keys<KeySortTuning<Key>>(memory, bytes, keys, count, native(stream)), "cub::DispatchRadixSort");
    } else {
      check_cuda(cub::DeviceRadixSort::SortKeys(memory, bytes, keys, count, 0, sizeof(Key) * 8, native(stream)),
                 "cub::DeviceRadixSort::SortKeys");
    }
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  const DeviceVector<unsigned char> scratch(stream, bytes);
  sort(scratch.data(), bytes);
}

/// Copies the sorted elements to `to` unless they are already there.
template <class T>
void copy_result(Stream& stream, const cub::DoubleBuffer<T>& buffers, T* to, std::size_t n) {
  const T* const sorted = buffers.d_buffers[buffers.selector];
  if (sorted != to) copy_bytes(stream, to, sorted, n * sizeof(T));
}

/// Sorts any number of keys, and values unless `values` is null, by kernels with offsets of 64 bits.
template <class Key, class Value>
void sort_many_with(Stream& stream, std::span<Key> keys, Value* values, Direction direction) {
  using Bits = KeyBits<Key>;
  const std::size_t n = keys.size();
  auto* const numbers = reinterpret_cast<Bits*>(keys.data());
  const KeyCode code = key_code<Key>(direction);
  convert_keys<false>(stream, numbers, numbers, n, code);
  if constexpr (std::is_same_v<Value, cub::NullType>) {
    sort_many(stream, std::span(numbers, n));
  } else {
    const DeviceVector<std::int64_t> order(stream, n);
    sort_many(stream, std::span(numbers, n), order.span());
    const DeviceVector<Value> old_values(stream, n);
    copy_bytes(stream, old_values.data(), values, n * sizeof(Value));
    gather(space::cuda{}, stream, std::span<const Value>(old_values.span()), std::span<const std::int64_t>(order.span()),
           std::span(values, n));
  }
  convert_keys<true>(stream, numbers, numbers, n, code);
}

/// Sorts keys, and values unless `values` is null.
template <Provider kProvider, class Key, class Value>
void sort_with(Stream& stream, std::span<Key> keys, Value* values, Direction direction) {
  WEFT_EXPECTS(!stream.is_host());
  if (keys.empty()) return;
  const std::size_t n = keys.size();
  if (n > UINT32_MAX) return sort_many_with(stream, keys, values, direction);
  // CUB sorts signed integers as they are.
  const KeyCode code{std::floating_point<Key> ? KeyCode::Kind::floating : KeyCode::Kind::unsigned_integer,
                     direction == Direction::descending};
  const bool converts = std::floating_point<Key> || direction == Direction::descending;
  auto* const numbers = reinterpret_cast<SortedKey<Key>*>(keys.data());
  const DeviceVector<SortedKey<Key>> other_keys(stream, n);
  cub::DoubleBuffer<SortedKey<Key>> key_buffers(numbers, other_keys.data());
  if (converts) convert_keys<false>(stream, numbers, numbers, n, code);
  if constexpr (std::is_same_v<Value, cub::NullType>) {
    cub::DoubleBuffer<cub::NullType> none;
    radix_sort<kProvider>(stream, key_buffers, none, n);
  } else {
    const DeviceVector<Value> other_values(stream, n);
    cub::DoubleBuffer<Value> value_buffers(values, other_values.data());
    radix_sort<kProvider>(stream, key_buffers, value_buffers, n);
    copy_result(stream, value_buffers, values, n);
  }
  if (converts) {
    convert_keys<true>(stream, key_buffers.Current(), numbers, n, code);
  } else {
    copy_result(stream, key_buffers, numbers, n);
  }
}

}  // namespace detail

/// Sorts keys in memory of the current GPU in the order of before(), in stream order.
/// @tparam kProvider  Provider::own: with our tile sizes, for keys of 4 and 8 bytes; Provider::library: with those of CUB.
/// @pre a stream of the current GPU. @cost memory: a second copy of the keys and the histograms of CUB, whose size depends on the
/// GPU, from the stream's pool; time: one read of all keys, and one read and one write of them for each byte of a key; two more
/// reads and writes of floating-point keys and of descending sorts. More than 2^32 - 1 keys are sorted by kernels of CUB with
/// offsets of 64 bits whatever the provider, signed keys with two more reads and writes, too. @throws DeviceError where memory is
/// exhausted, which may leave other keys, or a launch is rejected.
template <Provider kProvider = Provider::automatic, RadixKey Key>
void sort(space::cuda, Stream& stream, std::span<Key> keys, Direction direction = Direction::ascending) {
  constexpr Provider kChosen = detail::provider(kProvider, Primitive::sort_keys, sizeof(Key));
  static_assert(kChosen == Provider::library || sizeof(Key) >= 4, "own tile sizes for keys of 4 and 8 bytes");
  detail::sort_with<kChosen>(stream, keys, static_cast<cub::NullType*>(nullptr), direction);
}

/// Sorts keys stably and permutes values of at most 64 bytes in the same way; for larger values sort their positions and gather.
/// @pre equal sizes; no overlap (checked in every build); otherwise as sort(). @cost, @throws as sort(), for keys and values; for
/// more than 2^32 - 1 keys 16 bytes per key in addition, for their positions.
template <RadixKey Key, class Value>
  requires(std::is_trivially_copyable_v<Value> && sizeof(Value) <= 64)
void stable_sort_by_key(space::cuda, Stream& stream, std::span<Key> keys, std::span<Value> values,
                        Direction direction = Direction::ascending) {
  WEFT_EXPECTS(keys.size() == values.size());
  detail::refuse_overlap(keys, values, "keys and values of stable_sort_by_key");
  detail::sort_with<Provider::library>(stream, keys, values.data(), direction);
}

}  // namespace weft::kernels
