#pragma once
/// Prefix sums on a GPU, for .cu files: one kernel that reads and writes every number once.
///
/// A tile of numbers is summed by itself; what stands in front of it is found by looking back over the tiles before it, which
/// have told the sum of their own numbers, or of all up to theirs (D. Merrill and M. Garland, Single-pass Parallel Prefix Scan
/// with Decoupled Look-back, NVIDIA NVR-2016-002). Sums of integers do not depend on the order.
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/cuda.cuh"

namespace weft::kernels {

namespace detail {

/// Neighbouring numbers that travel together; a thread has some such groups of a tile.
inline constexpr int kScanGroup = 4;
// As was fastest on an H200: docs/design/kernels.md.
template <class Sum>
inline constexpr int kScanThreads = 1024 / static_cast<int>(sizeof(Sum));
template <class Sum>
inline constexpr int kScanGroups = 32 / static_cast<int>(sizeof(Sum));
template <class Sum>
inline constexpr int kScanTile = kScanThreads<Sum> * kScanGroups<Sum> * kScanGroup;

template <class T>
struct alignas(kScanGroup * sizeof(T) < 16 ? kScanGroup * sizeof(T) : 16) ScanGroup {
  T value[kScanGroup];
};

enum class TileState : std::uint32_t { unknown, own, all };  ///< what a tile has told: nothing, its sum, the sum of all up to it

/// What a tile has told. Each word holds 32 bits of the sum and the state, so that none needs to be read before another.
template <class Sum>
class TileSum {
 public:
  __device__ void tell(TileState state, Sum sum) {
    const std::uint64_t tag = static_cast<std::uint64_t>(state) << 32, low = tag | static_cast<std::uint32_t>(sum);
    if constexpr (sizeof(Sum) == 4) {
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word_), "l"(low) : "memory");
    } else {
      asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(word_), "l"(low), "l"(tag | sum >> 32) : "memory");
    }
  }
  /// unknown, too, while only one word has arrived.
  [[nodiscard]] __device__ TileState hear(Sum& sum) const {
    std::uint64_t low = 0, high = 0;
    if constexpr (sizeof(Sum) == 4) {
      asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(low) : "l"(word_) : "memory");
      sum = static_cast<Sum>(low);
    } else {
      asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(word_) : "memory");
      sum = high << 32 | static_cast<std::uint32_t>(low);
      if (low >> 32 != high >> 32) return TileState::unknown;
    }
    return static_cast<TileState>(low >> 32);
  }

 private:
  static constexpr int kWords = sizeof(Sum) / 4;
  alignas(8 * kWords) std::uint64_t word_[kWords];
};

inline constexpr unsigned kWholeWarp = 0xffffffffU;

template <class Sum>
__device__ Sum sum_up_to_lane(Sum sum, int lane) {
#pragma unroll
  for (int apart = 1; apart < 32; apart *= 2) {
    const Sum before = __shfl_up_sync(kWholeWarp, sum, static_cast<unsigned>(apart));
    if (lane >= apart) sum += before;
  }
  return sum;
}

/// By a whole warp: the sum of all numbers before a tile.
template <class Sum>
__device__ Sum sum_before_tile(const TileSum<Sum>* tiles, std::int64_t tile, int lane) {
  Sum before = 0;
  for (std::int64_t at = tile - 1 - lane;; at -= 32) {
    Sum sum = 0;
    TileState state = TileState::all;  // in front of the first tile there is nothing
    if (at >= 0) {
      while ((state = tiles[at].hear(sum)) == TileState::unknown) {
      }
    }
    const unsigned ends = __ballot_sync(kWholeWarp, state == TileState::all);
    const int last = ends == 0 ? 31 : __ffs(static_cast<int>(ends)) - 1;  // of the lanes beyond, its sum has all
    if (lane > last) sum = 0;
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(kWholeWarp, sum, apart);
    before += sum;
    if (ends != 0) return before;
  }
}

/// The groups of a thread begin 32 groups apart, so that a warp reads lines of memory; those of a warp are one run of numbers.
/// @param whole  the tile has all its numbers, and they and the addresses allow groups.
template <class In, int kGroups>
__device__ void load_tile(const In* in, std::int64_t first, std::int64_t n, bool whole, ScanGroup<In> (&group)[kGroups]) {
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const std::int64_t at = first + g * 32 * kScanGroup;
    if (whole) {
      group[g] = *reinterpret_cast<const ScanGroup<In>*>(in + at);
    } else {
      for (int i = 0; i < kScanGroup; ++i) group[g].value[i] = at + i < n ? in[at + i] : In{};
    }
  }
}

template <class Out, class Sum, int kGroups>
__device__ void store_tile(Out* out, std::int64_t first, std::int64_t n, bool whole, Sum before,
                           const Sum (&sums)[kGroups][kScanGroup]) {
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const std::int64_t at = first + g * 32 * kScanGroup;
    ScanGroup<Out> group;
    for (int i = 0; i < kScanGroup; ++i) group.value[i] = static_cast<Out>(before + sums[g][i]);
    if (whole) {
      *reinterpret_cast<ScanGroup<Out>*>(out + at) = group;
    } else {
      for (int i = 0; i < kScanGroup; ++i) {
        if (at + i < n) out[at + i] = group.value[i];
      }
    }
  }
}

/// Numbers become their sums within the warp's run; the result is the sum of the run.
template <bool kInclusive, class Sum, int kGroups>
__device__ Sum sum_within_warp(Sum (&value)[kGroups][kScanGroup], int lane) {
  Sum up_to_lane[kGroups], of_run = 0;
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    for (int i = 1; i < kScanGroup; ++i) value[g][i] += value[g][i - 1];
    up_to_lane[g] = sum_up_to_lane(value[g][kScanGroup - 1], lane);
  }
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const Sum before = of_run + up_to_lane[g] - value[g][kScanGroup - 1];
    of_run += __shfl_sync(kWholeWarp, up_to_lane[g], 31);
    for (int i = kScanGroup - 1; i >= 0; --i) value[g][i] = before + (kInclusive ? value[g][i] : i == 0 ? 0 : value[g][i - 1]);
  }
  return of_run;
}

/// A block has three tiles at a time: the numbers of one are on their way while it sums another and tells its sum, and then looks
/// back from the one before, whose predecessors have told theirs long since, and writes it. Blocks take tiles one after the
/// other, so that none waits for a tile that no block has.
/// @param next_tile  0 in the beginning.  @param sums  unknown in the beginning.
template <bool kInclusive, class In, class Out>
__global__ void __launch_bounds__(kScanThreads<Out>, 512 / kScanThreads<Out>)
    scan_kernel(const In* in, Out* out, std::int64_t n, std::int64_t tiles, bool aligned, unsigned long long* next_tile,
                TileSum<std::make_unsigned_t<Out>>* sums, Out* total) {
  using Sum = std::make_unsigned_t<Out>;  // wraps around
  constexpr int kGroups = kScanGroups<Sum>, kThreads = kScanThreads<Sum>, kWarps = kThreads / 32;
  __shared__ Sum of_warps[kWarps], before_written;
  __shared__ std::int64_t taken;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int own = (warp * kGroups * 32 + lane) * kScanGroup;
  const auto first_of = [&](std::int64_t tile) { return tile * kScanTile<Sum> + own; };
  const auto is_whole = [&](std::int64_t tile) { return aligned && (tile + 1) * kScanTile<Sum> <= n; };
  const auto take = [&] { return static_cast<std::int64_t>(atomicAdd(next_tile, 1ULL)); };
  let_next_kernel_begin();
  wait_for_earlier_kernels();
  if (thread == 0) taken = take();
  __syncthreads();

  std::int64_t coming = taken, told = -1;  // told: -1, none
  ScanGroup<In> numbers[kGroups];          // of `coming`
  Sum kept[kGroups][kScanGroup] = {}, of_told = 0;
  if (coming < tiles) load_tile(in, first_of(coming), n, is_whole(coming), numbers);
  while (coming < tiles || told >= 0) {
    const std::int64_t summed = coming < tiles ? coming : -1;
    std::int64_t after = 0;
    if (thread == kThreads - 1) after = take();
    Sum value[kGroups][kScanGroup];
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      for (int i = 0; i < kScanGroup; ++i) value[g][i] = static_cast<Sum>(static_cast<Out>(numbers[g].value[i]));
    }
    const Sum of_run = sum_within_warp<kInclusive>(value, lane);
    __syncthreads();  // of_warps and taken have been read
    if (lane == 0) of_warps[warp] = of_run;
    if (thread == kThreads - 1) taken = after;
    __syncthreads();
    coming = taken;
    const Sum up_to_warp = sum_up_to_lane(lane < kWarps ? of_warps[lane] : 0, lane);
    const Sum of_tile = __shfl_sync(kWholeWarp, up_to_warp, 31);
    const Sum before_run = __shfl_sync(kWholeWarp, up_to_warp, warp) - of_run;
    if (thread == 0 && summed >= 0) sums[summed].tell(summed == 0 ? TileState::all : TileState::own, of_tile);
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      for (int i = 0; i < kScanGroup; ++i) value[g][i] += before_run;
    }
    if (coming < tiles) load_tile(in, first_of(coming), n, is_whole(coming), numbers);
    if (told >= 0) {
      if (warp == 0) {
        const Sum before = sum_before_tile(sums, told, lane);
        if (lane == 0) {
          sums[told].tell(TileState::all, before + of_told);
          if (total != nullptr && told + 1 == tiles) *total = static_cast<Out>(before + of_told);
          before_written = before;
        }
      }
      __syncthreads();
      store_tile(out, first_of(told), n, is_whole(told), before_written, kept);
    }
    told = summed;
    of_told = of_tile;
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      for (int i = 0; i < kScanGroup; ++i) kept[g][i] = value[g][i];
    }
  }
}

template <bool kInclusive, class In, class Out>
void scan(Stream& stream, std::span<const In> in, std::span<Out> out, Out* total) {
  WEFT_EXPECTS(!stream.is_host() && in.size() == out.size());
  using Sum = std::make_unsigned_t<Out>;
  const auto n = static_cast<std::int64_t>(in.size());
  if (n == 0) {
    if (total != nullptr) set_bytes(stream, total, 0, sizeof(Out));
    return;
  }
  const std::int64_t tiles = (n + kScanTile<Sum> - 1) / kScanTile<Sum>;
  constexpr std::size_t kCounter = 16;  // bytes, of which next_tile takes 8
  const StreamBuffer<unsigned char> scratch(stream, kCounter + static_cast<std::size_t>(tiles) * sizeof(TileSum<Sum>));
  set_bytes(stream, scratch.data(), 0, scratch.size());
  const auto is_aligned = [](const auto* at) {
    using T = std::remove_cvref_t<decltype(*at)>;
    return reinterpret_cast<std::uintptr_t>(at) % alignof(ScanGroup<T>) == 0;
  };
  const auto kernel = scan_kernel<kInclusive, In, Out>;
  const std::int64_t blocks = std::min<std::int64_t>(tiles, resident_blocks(kernel, kScanThreads<Sum>));
  launch(stream, "scan", {.blocks = blocks, .threads = kScanThreads<Sum>}, kernel, in.data(), out.data(), n, tiles,
         is_aligned(in.data()) && is_aligned(out.data()), reinterpret_cast<unsigned long long*>(scratch.data()),
         reinterpret_cast<TileSum<Sum>*>(scratch.data() + kCounter), total);
}

}  // namespace detail

/// out[i] = in[0] + ... + in[i-1] in Out's arithmetic, which wraps around, as work of `stream`: of integers in memory that the
/// current GPU reaches. `out` may be `in`.
/// @param total  where on the GPU the sum of all goes; null: nowhere.  @pre equal sizes.
/// @cost memory: 8 bytes for each 32 kB of sums (16 for each 16 kB where Out has 8 bytes), from the stream's pool. time: reads
/// and writes every number once, by 16 bytes where both addresses are multiples of 16.  @throws DeviceError where there is no
/// memory or the launch is refused.
template <std::integral In, std::integral Out>
  requires(sizeof(Out) == 4 || sizeof(Out) == 8)
void exclusive_scan(space::cuda, Stream& stream, std::span<const In> in, std::span<Out> out, Out* total = nullptr) {
  detail::scan<false>(stream, in, out, total);
}

/// out[i] = in[0] + ... + in[i]; otherwise as exclusive_scan.
template <std::integral In, std::integral Out>
  requires(sizeof(Out) == 4 || sizeof(Out) == 8)
void inclusive_scan(space::cuda, Stream& stream, std::span<const In> in, std::span<Out> out, Out* total = nullptr) {
  detail::scan<true>(stream, in, out, total);
}

}  // namespace weft::kernels
