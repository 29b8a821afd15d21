#pragma once
/// Asynchronous copies from global to shared memory by all threads of a block: whole runs of numbers, and rows that lie
/// scattered.
///
///     Fetch fetch;  fetch.begin();
///     fetch.run(from, to, count);  fetch.rows<5>(...);  ...
///     fetch.end();  // everything is there, for every thread
///     fetch.list(...);  // what the next round begins with
///     fetch.next_round();  // it is there, and all threads are done with what was fetched before: it may be written over
#include <cstddef>
#include <cstdint>

namespace weft::flow::detail {

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
    __syncthreads();
#endif
  }

  /// Starts copying `count` numbers. @pre both addresses are multiples of 16, and so are the bytes of 16-bit numbers.
  template <class T>
  __device__ void run(const T* from, T* to, int count) {
    constexpr int kAtOnce = 16 / static_cast<int>(sizeof(T));
    const int whole = count / kAtOnce * kAtOnce;
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0 && whole > 0) {
      const auto bytes = static_cast<unsigned>(whole) * static_cast<unsigned>(sizeof(T));
      copy_bulk(shared(to), from, bytes);
      bytes_ += bytes;
    }
#else
    for (int i = static_cast<int>(threadIdx.x) * kAtOnce; i < whole; i += static_cast<int>(blockDim.x) * kAtOnce) {
      copy_16(shared(to + i), from + i);
    }
#endif
    if constexpr (sizeof(T) >= 4) {
      const int rest = whole + static_cast<int>(threadIdx.x);
      if (rest < count) copy<sizeof(T)>(shared(to + rest), from + rest);
    }
  }

  /// Starts copying `count` runs of `Length` numbers each, `from_step` and `to_step` numbers apart. @pre all begin at multiples
  /// of 16 bytes.
  template <int Length, class T>
  __device__ void runs(int count, const T* from, int from_step, T* to, int to_step) {
    constexpr unsigned kBytes = Length * static_cast<unsigned>(sizeof(T));
    static_assert(kBytes % 16 == 0);
#if __CUDA_ARCH__ >= 900
    // One lane of each warp: the instruction takes one at a time.
    const int warp = static_cast<int>(threadIdx.x) / 32, warps = static_cast<int>(blockDim.x) / 32;
    if (threadIdx.x % 32 == 0) {
      for (int i = warp; i < count; i += warps) copy_bulk(shared(to + i * to_step), from + i * from_step, kBytes);
    }
    if (threadIdx.x == 0) bytes_ += static_cast<unsigned>(count) * kBytes;
#else
    constexpr int kAtOnce = 16 / static_cast<int>(sizeof(T)), kPieces = Length / kAtOnce;
    for (int i = static_cast<int>(threadIdx.x); i < count * kPieces; i += static_cast<int>(blockDim.x)) {
      const int run = i / kPieces, at = i % kPieces * kAtOnce;
      copy_16(shared(to + run * to_step + at), from + run * from_step + at);
    }
#endif
  }

  /// Starts copying rows number[0] ... number[count - 1] of `Width` numbers, one after the other: a thread takes a row.
  template <int Width, class T>
  __device__ void rows(const std::int32_t* number, int count, const T* from, T* to) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
      const T* const row = from + std::int64_t{number[i]} * Width;
      const unsigned place = shared(to + i * Width);
      for (int k = 0; k < Width; ++k) copy<sizeof(T)>(place + k * static_cast<unsigned>(sizeof(T)), row + k);
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
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(arrival()), "r"(parity_)
                   : "memory");
    }
    parity_ ^= 1U;
    bytes_ = 0;
#endif
  }

  /// Starts copying `count` numbers of 4 or 8 bytes each, wherever they lie, to be there after next_round().
  template <class T>
  __device__ void list(const T* from, T* to, int count) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
      copy<sizeof(T)>(shared(to + i), from + i);
    }
  }

  /// Before the first round, or after end(): waits until every thread has come here, and for list().
  __device__ void next_round() {
    asm volatile("cp.async.wait_all;" ::: "memory");
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
  }

  /// Asks the second-level cache, from Hopper on, for `count` numbers that a later round will fetch. @pre the address is a
  /// multiple of 16; the last few may be left out.
  template <class T>
  __device__ static void prefetch(const T* from, int count) {
#if __CUDA_ARCH__ >= 900
    const unsigned bytes = static_cast<unsigned>(count) * static_cast<unsigned>(sizeof(T)) / 16 * 16;
    if (bytes == 0) return;
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)), "r"(bytes) : "memory");
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
  __device__ static void copy(unsigned to, const void* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(__cvta_generic_to_global(from)), "n"(Bytes)
                 : "memory");
  }
#if __CUDA_ARCH__ >= 900
  __device__ static void copy_bulk(unsigned to, const void* from, unsigned bytes) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(arrival())
                 : "memory");
  }
  __device__ static unsigned arrival() {
    __shared__ alignas(8) std::uint64_t barrier;
    return shared(&barrier);
  }
  unsigned bytes_ = 0;   ///< of thread 0 in this round
  unsigned parity_ = 0;  ///< of this round
#endif
};

}  // namespace weft::flow::detail
