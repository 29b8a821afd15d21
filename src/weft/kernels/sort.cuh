#pragma once
/// Sorting integers on a GPU, for .cu files: the radix sort of CUB, with tiles of our own.
#include <cub/device/device_radix_sort.cuh>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/cuda.cuh"

namespace weft::kernels {

namespace detail {

/// Of keys without values, how many 4 bytes of them a thread of the kernel that moves them has: as was fastest on an H200
/// (docs/design/kernels.md) among those with which a block of 384 threads needs no more than 48 kB of shared memory, which every
/// GPU has. 0: as CUB has it.
[[nodiscard]] constexpr int items_of_sort(std::size_t key_bytes) { return key_bytes == 4 ? 20 : key_bytes == 8 ? 28 : 0; }

/// CUB's choices for a GPU of compute capability 9.0, but for those items, with which blocks add up their counts by warps.
template <class Key, class Value>
struct SortChoices {
  static constexpr bool kKeysOnly = std::is_same_v<Value, cub::NullType>;
  static constexpr int kItems = kKeysOnly ? items_of_sort(sizeof(Key)) : 0;
  using Cub = typename cub::detail::radix::policy_hub<Key, Value, std::uint32_t>::template OnesweepSmallKeyTunedPolicy<
      cub::detail::radix::sm90_small_key_tuning<sizeof(Key), kKeysOnly ? 0 : static_cast<int>(sizeof(Value)),
                                                sizeof(std::uint32_t)>>;
  using Ours = cub::AgentRadixSortOnesweepPolicy<384, kItems, Key, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
                                                 cub::BLOCK_SCAN_WARP_SCANS, cub::RADIX_SORT_STORE_DIRECT, 8>;
  struct MaxPolicy : cub::ChainedPolicy<900, MaxPolicy, MaxPolicy>, Cub {
    using OnesweepPolicy = std::conditional_t<kItems == 0, typename Cub::OnesweepPolicy, Ours>;
  };
};

template <class Key, class Value>
void radix_sort(Stream& stream, cub::DoubleBuffer<Key>& keys, cub::DoubleBuffer<Value>& values, std::size_t n) {
  using Sort = cub::DispatchRadixSort<cub::SortOrder::Ascending, Key, Value, std::uint32_t, cub::detail::identity_decomposer_t,
                                      SortChoices<Key, Value>>;
  const auto sort = [&](void* memory, std::size_t& bytes) {
    check_cuda(
        Sort::Dispatch(memory, bytes, keys, values, static_cast<std::uint32_t>(n), 0, sizeof(Key) * 8, true, native(stream)),
        "sorting");
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  const StreamBuffer<unsigned char> scratch(stream, bytes);
  sort(scratch.data(), bytes);
}

/// The sorted ones back to where they were.
template <class T>
void settle(Stream& stream, const cub::DoubleBuffer<T>& buffers, std::span<T> to) {
  const T* const sorted = buffers.d_buffers[buffers.selector];
  if (sorted != to.data()) copy_bytes(stream, to.data(), sorted, to.size_bytes());
}

}  // namespace detail

/// Sorts keys in the memory of the stream's GPU, ascending, as work of `stream`. @pre less than 2^32 keys. @cost memory: as much
/// again, from the stream's pool; time: reads the keys once, and for each byte of a key reads and writes them all.
template <std::integral Key>
void sort(space::cuda, Stream& stream, std::span<Key> keys) {
  WEFT_EXPECTS(!stream.is_host() && keys.size() <= UINT32_MAX);
  if (keys.empty()) return;
  const StreamBuffer<Key> others(stream, keys.size());
  cub::DoubleBuffer<Key> buffers(keys.data(), others.data());
  cub::DoubleBuffer<cub::NullType> none;
  detail::radix_sort(stream, buffers, none, keys.size());
  detail::settle(stream, buffers, keys);
}

/// The same, and values of at most 64 bytes along with their keys; equal keys keep their order. Larger ones: sort their
/// positions, and gather. @pre equal sizes.
template <std::integral Key, class Value>
  requires(std::is_trivially_copyable_v<Value> && sizeof(Value) <= 64)
void stable_sort_by_key(space::cuda, Stream& stream, std::span<Key> keys, std::span<Value> values) {
  WEFT_EXPECTS(!stream.is_host() && keys.size() == values.size() && keys.size() <= UINT32_MAX);
  if (keys.empty()) return;
  const StreamBuffer<Key> other_keys(stream, keys.size());
  const StreamBuffer<Value> other_values(stream, values.size());
  cub::DoubleBuffer<Key> key_buffers(keys.data(), other_keys.data());
  cub::DoubleBuffer<Value> value_buffers(values.data(), other_values.data());
  detail::radix_sort(stream, key_buffers, value_buffers, keys.size());
  detail::settle(stream, key_buffers, keys);
  detail::settle(stream, value_buffers, values);
}

}  // namespace weft::kernels
