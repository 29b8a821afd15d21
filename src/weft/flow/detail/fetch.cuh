#pragma once
/// Asynchronous copies from global to shared memory by all threads of a block: whole runs of numbers, and rows that lie
/// scattered.
///
///     Fetch fetch;  fetch.begin();
///     fetch.run(from, to, count);  fetch.rows<8>(...);  ...
///     fetch.end();  // everything is there, for every thread
#include <cstddef>
#include <cstdint>

namespace weft::flow::detail {

/// Which number of a row a lane copies: neighbouring lanes take neighbouring columns, of one array or the next. Width 0: none.
template <class Real>
struct Column {
  const Real* from = nullptr;
  Real* to = nullptr;
  unsigned width = 0;
};

/// Adds an array of `width` columns to what `lane` may take, from column `first` on.
template <class Real>
__device__ void offer(Column<Real>& column, int lane, int first, int width, const Real* from, Real* to) {
  if (lane >= first && lane < first + width) column = {from + (lane - first), to + (lane - first), static_cast<unsigned>(width)};
}

/// One per block and kernel. From Hopper on, runs are copied by the hardware for bulk copies, which takes one instruction of one
/// thread; before, by every thread 16 bytes at a time.
class Fetch {
 public:
  __device__ void begin() {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(arrival()) : "memory");
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
#endif
  }

  /// Starts copying `count` numbers. @pre both addresses are multiples of 16.
  template <class T>
  __device__ void run(const T* from, T* to, int count) {
    constexpr int kAtOnce = 16 / static_cast<int>(sizeof(T));
    const int whole = count / kAtOnce * kAtOnce;
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0 && whole > 0) {
      const auto bytes = static_cast<unsigned>(whole) * static_cast<unsigned>(sizeof(T));
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared(to)),
                   "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(arrival())
                   : "memory");
      bytes_ += bytes;
    }
#else
    for (int i = static_cast<int>(threadIdx.x) * kAtOnce; i < whole; i += static_cast<int>(blockDim.x) * kAtOnce) {
      copy_16(shared(to + i), from + i);
    }
#endif
    const int rest = whole + static_cast<int>(threadIdx.x);
    if (rest < count) copy<sizeof(T)>(shared(to + rest), reinterpret_cast<std::uintptr_t>(from + rest));
  }

  /// Starts copying `count` runs of `Length` numbers each, `from_step` and `to_step` numbers apart. @pre all begin at multiples
  /// of 16 bytes.
  template <int Length, class T>
  __device__ void runs(int count, const T* from, int from_step, T* to, int to_step) {
    constexpr int kAtOnce = 16 / static_cast<int>(sizeof(T)), kPieces = Length / kAtOnce;
    static_assert(Length % kAtOnce == 0);
    for (int i = static_cast<int>(threadIdx.x); i < count * kPieces; i += static_cast<int>(blockDim.x)) {
      const int run = i / kPieces, at = i % kPieces * kAtOnce;
      copy_16(shared(to + run * to_step + at), from + run * from_step + at);
    }
  }

  /// Starts copying rows number[0] ... number[count - 1] to rows first, first + 1, ... of the tile: `Lanes` lanes of a warp share
  /// a row, so a warp copies 32 / Lanes at once. @pre whole warps.
  template <int Lanes, class Real>
  __device__ void rows(const std::int32_t* number, int count, int first, const Column<Real>& column) {
    constexpr int kAtOnce = 32 / Lanes;
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int warps = static_cast<int>(blockDim.x) / 32;
    const int each = (count + warps - 1) / warps, end = min(count, (warp + 1) * each);
    const unsigned stride = column.width * static_cast<unsigned>(sizeof(Real));
    const auto from = reinterpret_cast<std::uintptr_t>(column.from);
    for (int base = warp * each; base < end; base += 32) {
      // Each lane looks up one row, so that all are on their way before the first is needed.
      const int here = min(end - base, 32);
      const std::int32_t mine = lane < here ? number[base + lane] : 0;
      unsigned to = shared(column.to) + static_cast<unsigned>(first + base + lane / Lanes) * stride;
#pragma unroll 4
      for (int i = lane / Lanes; i < here + lane / Lanes; i += kAtOnce) {
        const auto row = static_cast<std::uint32_t>(__shfl_sync(0xffffffffU, mine, i % 32));
        if (stride > 0 && i < here) copy<sizeof(Real)>(to, from + static_cast<std::uint64_t>(row) * stride);
        to += kAtOnce * stride;
      }
    }
  }

  __device__ void end() {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(arrival()), "r"(bytes_) : "memory");
    }
#endif
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
#if __CUDA_ARCH__ >= 900
    unsigned done = 0;
    while (done == 0) {
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(arrival())
                   : "memory");
    }
#endif
  }

 private:
  __device__ static unsigned shared(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }
  template <class T>
  __device__ static void copy_16(unsigned to, const T* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(__cvta_generic_to_global(from)) : "memory");
  }
  /// One number of 4 or 8 bytes.
  template <int Bytes>
  __device__ static void copy(unsigned to, std::uintptr_t from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to),
                 "l"(__cvta_generic_to_global(reinterpret_cast<const void*>(from))), "n"(Bytes)
                 : "memory");
  }
#if __CUDA_ARCH__ >= 900
  __device__ static unsigned arrival() {
    __shared__ alignas(8) std::uint64_t barrier;
    return shared(&barrier);
  }
  unsigned bytes_ = 0;  ///< of thread 0
#endif
};

}  // namespace weft::flow::detail
