#pragma once
/// Tile sizes for the radix sort of CUB, for .cu files.
#include <cub/device/dispatch/dispatch_radix_sort.cuh>

#include <cstddef>
#include <cstdint>

namespace weft::kernels::detail {

/// The type by which CUB's sort decomposes keys that are numbers, from the template arguments of the sort.
template <cub::SortOrder kOrder, class Key, class Value, class Offset, class Decomposer, class Tuning>
Decomposer decomposer_of(const cub::DispatchRadixSort<kOrder, Key, Value, Offset, Decomposer, Tuning>*);

/// Tile sizes of sorts without values. The onesweep kernel, which GPUs since compute capability 8.0 run, has 384 threads with 80
/// bytes of keys of 4 bytes or 112 of 8 bytes each, and a block scan by warps. They were fastest on an H200
/// (docs/notes/2026-11-gpu-kernels.md) among those for which a block needs at most 48 kB of shared memory, which every GPU
/// provides; `weft bench kernels --tune` measures others. The other kernels have the sizes of CUB 3.0.
/// @tparam kItems  of 4 bytes per thread
template <class Key, int kThreads = 384, int kItems = sizeof(Key) == 4 ? 20 : 28>
struct KeySortTuning {
  static_assert(sizeof(Key) == 4 || sizeof(Key) == 8);

  struct MaxPolicy : cub::ChainedPolicy<900, MaxPolicy, MaxPolicy> {
    static constexpr bool ONESWEEP = true;
    static constexpr int ONESWEEP_RADIX_BITS = 8;

    using HistogramPolicy = cub::AgentRadixSortHistogramPolicy<128, 16, 1, Key, ONESWEEP_RADIX_BITS>;
    using ExclusiveSumPolicy = cub::AgentRadixSortExclusiveSumPolicy<256, ONESWEEP_RADIX_BITS>;
    using OnesweepPolicy =
        cub::AgentRadixSortOnesweepPolicy<kThreads, kItems, Key, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
                                          cub::BLOCK_SCAN_WARP_SCANS, cub::RADIX_SORT_STORE_DIRECT, ONESWEEP_RADIX_BITS>;
    using SingleTilePolicy = cub::AgentRadixSortDownsweepPolicy<256, 19, Key, cub::BLOCK_LOAD_DIRECT, cub::LOAD_LDG,
                                                                cub::RADIX_RANK_MEMOIZE, cub::BLOCK_SCAN_WARP_SCANS, 6>;
    // The kernels of these are compiled, but not run where there is a onesweep kernel.
    using ScanPolicy = cub::AgentScanPolicy<512, 23, std::uint32_t, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::LOAD_DEFAULT,
                                            cub::BLOCK_STORE_WARP_TRANSPOSE, cub::BLOCK_SCAN_RAKING_MEMOIZE>;
    using DownsweepPolicy = cub::AgentRadixSortDownsweepPolicy<512, 23, Key, cub::BLOCK_LOAD_TRANSPOSE, cub::LOAD_DEFAULT,
                                                               cub::RADIX_RANK_MATCH, cub::BLOCK_SCAN_WARP_SCANS, 7>;
    using AltDownsweepPolicy = cub::AgentRadixSortDownsweepPolicy<256, 47, Key, cub::BLOCK_LOAD_TRANSPOSE, cub::LOAD_DEFAULT,
                                                                  cub::RADIX_RANK_MEMOIZE, cub::BLOCK_SCAN_WARP_SCANS, 6>;
    using UpsweepPolicy = cub::AgentRadixSortUpsweepPolicy<256, 23, Key, cub::LOAD_DEFAULT, 7>;
    using AltUpsweepPolicy = cub::AgentRadixSortUpsweepPolicy<256, 47, Key, cub::LOAD_DEFAULT, 6>;
    using SegmentedPolicy = DownsweepPolicy;
    using AltSegmentedPolicy = AltDownsweepPolicy;
  };
};

/// Sorts numbers in ascending order with tile sizes; as cub::DeviceRadixSort::SortKeys. @tparam Tuning  a KeySortTuning<Key>
template <class Tuning, class Key>
cudaError_t sort_keys(void* memory, std::size_t& bytes, cub::DoubleBuffer<Key>& keys, std::uint32_t n, cudaStream_t stream) {
  using Default = cub::DispatchRadixSort<cub::SortOrder::Ascending, Key, cub::NullType, std::uint32_t>;
  using Decomposer = decltype(decomposer_of(static_cast<const Default*>(nullptr)));
  using Sort = cub::DispatchRadixSort<cub::SortOrder::Ascending, Key, cub::NullType, std::uint32_t, Decomposer, Tuning>;
  cub::DoubleBuffer<cub::NullType> none;
  return Sort::Dispatch(memory, bytes, keys, none, n, 0, sizeof(Key) * 8, true, stream);
}

}  // namespace weft::kernels::detail
