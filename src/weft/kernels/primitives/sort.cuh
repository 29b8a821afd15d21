#pragma once
/// Sorting of integer keys on a GPU, for .cu files: the radix sort of CUB with tuned tile sizes.
#include <cub/device/device_radix_sort.cuh>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/device/cuda.cuh"
#include "weft/device/device_vector.hpp"

namespace weft::kernels {

namespace detail {

/// Returns the tile size of a sort without values: items of 4 bytes per thread of CUB's onesweep kernel, or 0 for the tuning of
/// CUB. The values were fastest on an H200 (docs/notes/2026-11-gpu-kernels.md) among those for which a block of 384 threads needs
/// at most 48 kB of shared memory, which every GPU provides.
[[nodiscard]] constexpr int items_of_sort(std::size_t key_bytes) { return key_bytes == 4 ? 20 : key_bytes == 8 ? 28 : 0; }

/// The tuning policy of CUB for compute capability 9.0, except that sorts without values use the tile size of items_of_sort() and
/// a block scan by warps.
template <class Key, class Value>
struct SortTuning {
  static constexpr bool kKeysOnly = std::is_same_v<Value, cub::NullType>;
  static constexpr int kItems = kKeysOnly ? items_of_sort(sizeof(Key)) : 0;
  using CubTuning = typename cub::detail::radix::policy_hub<Key, Value, std::uint32_t>::template OnesweepSmallKeyTunedPolicy<
      cub::detail::radix::sm90_small_key_tuning<sizeof(Key), kKeysOnly ? 0 : static_cast<int>(sizeof(Value)),
                                                sizeof(std::uint32_t)>>;
  using KeysOnlyTuning = cub::AgentRadixSortOnesweepPolicy<384, kItems, Key, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
                                                           cub::BLOCK_SCAN_WARP_SCANS, cub::RADIX_SORT_STORE_DIRECT, 8>;
  struct MaxPolicy : cub::ChainedPolicy<900, MaxPolicy, MaxPolicy>, CubTuning {
    using OnesweepPolicy = std::conditional_t<kItems == 0, typename CubTuning::OnesweepPolicy, KeysOnlyTuning>;
  };
};

template <class Key, class Value>
void radix_sort(Stream& stream, cub::DoubleBuffer<Key>& keys, cub::DoubleBuffer<Value>& values, std::size_t n) {
  using Sort = cub::DispatchRadixSort<cub::SortOrder::Ascending, Key, Value, std::uint32_t, cub::detail::identity_decomposer_t,
                                      SortTuning<Key, Value>>;
  const auto sort = [&](void* memory, std::size_t& bytes) {
    check_cuda(
        Sort::Dispatch(memory, bytes, keys, values, static_cast<std::uint32_t>(n), 0, sizeof(Key) * 8, true, native(stream)),
        "cub::DispatchRadixSort");
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  const DeviceVector<unsigned char> scratch(stream, bytes);
  sort(scratch.data(), bytes);
}

/// Copies the sorted elements to `to` unless they are already there.
template <class T>
void copy_result(Stream& stream, const cub::DoubleBuffer<T>& buffers, std::span<T> to) {
  const T* const sorted = buffers.d_buffers[buffers.selector];
  if (sorted != to.data()) copy_bytes(stream, to.data(), sorted, to.size_bytes());
}

}  // namespace detail

/// Sorts keys in memory of the current GPU in ascending order, in stream order. @pre fewer than 2^32 keys; a stream of the
/// current GPU. @cost memory: a second copy of the keys from the stream's pool; time: one read of all keys, and one read and one
/// write of them for each byte of a key. @throws DeviceError where memory is exhausted or a launch is rejected.
template <std::integral Key>
void sort(space::cuda, Stream& stream, std::span<Key> keys) {
  WEFT_EXPECTS(!stream.is_host() && keys.size() <= UINT32_MAX);
  if (keys.empty()) return;
  const DeviceVector<Key> others(stream, keys.size());
  cub::DoubleBuffer<Key> buffers(keys.data(), others.data());
  cub::DoubleBuffer<cub::NullType> none;
  detail::radix_sort(stream, buffers, none, keys.size());
  detail::copy_result(stream, buffers, keys);
}

/// Sorts keys stably and permutes values of at most 64 bytes in the same way; for larger values sort their positions and gather.
/// @pre equal sizes; otherwise as sort(). @cost, @throws as sort(), for keys and values.
template <std::integral Key, class Value>
  requires(std::is_trivially_copyable_v<Value> && sizeof(Value) <= 64)
void stable_sort_by_key(space::cuda, Stream& stream, std::span<Key> keys, std::span<Value> values) {
  WEFT_EXPECTS(!stream.is_host() && keys.size() == values.size() && keys.size() <= UINT32_MAX);
  if (keys.empty()) return;
  const DeviceVector<Key> other_keys(stream, keys.size());
  const DeviceVector<Value> other_values(stream, values.size());
  cub::DoubleBuffer<Key> key_buffers(keys.data(), other_keys.data());
  cub::DoubleBuffer<Value> value_buffers(values.data(), other_values.data());
  detail::radix_sort(stream, key_buffers, value_buffers, keys.size());
  detail::copy_result(stream, key_buffers, keys);
  detail::copy_result(stream, value_buffers, values);
}

}  // namespace weft::kernels
