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

/// How the kernel that moves keys is cut.
struct SortCut {
  int threads;  ///< of a block
  int items;    ///< bytes of keys of a thread, by 4; 0: all as CUB has it
};
/// As was fastest on an H200: docs/design/kernels.md. @param value_bytes  0: keys alone.
[[nodiscard]] constexpr SortCut sort_cut(std::size_t key_bytes, int value_bytes) {
  if (value_bytes == 0 && key_bytes == 4) return {512, 24};
  if (value_bytes == 0 && key_bytes == 8) return {384, 28};
  if (value_bytes <= 4 && key_bytes == 8) return {384, 34};
  return {384, 0};
}

/// CUB's choices for a GPU of compute capability 9.0, but for that cut, with which blocks add up their counts by warps.
template <class Key, class Value>
struct SortChoices {
  static constexpr int kValueBytes = std::is_same_v<Value, cub::NullType> ? 0 : static_cast<int>(sizeof(Value));
  static constexpr SortCut kCut = sort_cut(sizeof(Key), kValueBytes);
  using Cub = typename cub::detail::radix::policy_hub<Key, Value, std::uint32_t>::template OnesweepSmallKeyTunedPolicy<
      cub::detail::radix::sm90_small_key_tuning<sizeof(Key), kValueBytes, sizeof(std::uint32_t)>>;
  using Ours = cub::AgentRadixSortOnesweepPolicy<kCut.threads, kCut.items, Key, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
                                                 cub::BLOCK_SCAN_WARP_SCANS, cub::RADIX_SORT_STORE_DIRECT, 8>;
  struct MaxPolicy : cub::ChainedPolicy<900, MaxPolicy, MaxPolicy>, Cub {
    using OnesweepPolicy = std::conditional_t<kCut.items == 0, typename Cub::OnesweepPolicy, Ours>;
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

/// The same, and values along with their keys; equal keys keep their order. @pre equal sizes.
template <std::integral Key, class Value>
  requires std::is_trivially_copyable_v<Value>
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
