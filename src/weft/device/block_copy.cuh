#pragma once
/// Copies between global and shared memory by all threads of a block, for kernels in which a block computes a tile of rows at a
/// time: SharedArrays lays out the shared memory, BlockLoader brings the tile in, store_block() writes it back.
///
///     __global__ void scale(const double* from, double* to, const std::int32_t* rows, int count) {   // rows of 5 numbers
///       extern __shared__ unsigned char memory[];
///       SharedArrays shared(memory);
///       double* const tile = shared.take<double>(5 * count);
///       BlockLoader loader;
///       loader.begin();
///       grid_dependency_sync();                  // see launch() in cuda.cuh
///       loader.rows<5>(rows, count, from, tile);     // starts the copies; all of them are in flight at once
///       loader.end();                                // every thread sees the tile
///       for (int i = threadIdx.x; i < 5 * count; i += blockDim.x) tile[i] *= 2;
///       __syncthreads();
///       store_block(tile, to, 5 * count);
///     }
#include <cuda/ptx>
#include <cuda_pipeline_primitives.h>

#include <cstddef>
#include <cstdint>

#include "weft/device/cuda.cuh"

namespace weft {

/// The arrays of a block in dynamic shared memory, one after the other, each at a multiple of 16 bytes. Without memory it only
/// counts: the host computes the bytes for a launch with the same sequence of take() as the kernel.
class SharedArrays {
 public:
  __host__ __device__ explicit SharedArrays(unsigned char* first = nullptr) : first_(first) {}
  /// Returns memory for `count` elements, which are not initialised. @pre alignof(T) <= 16
  template <class T>
  __host__ __device__ T* take(int count) {
    T* const at = reinterpret_cast<T*>(first_ + bytes_);
    bytes_ += (sizeof(T) * static_cast<std::size_t>(count) + 15) / 16 * 16;
    return at;
  }
  [[nodiscard]] __host__ __device__ std::size_t bytes() const { return bytes_; }

 private:
  unsigned char* first_;
  std::size_t bytes_ = 0;
};

/// Asynchronous copies from global to shared memory, in rounds. Every thread of the block calls every function.
///
///     BlockLoader loader;  loader.begin();
///     loader.run(from, to, count);  loader.rows<5>(...);  ...
///     loader.end();         // every thread sees what was copied
///     loader.list(...);     // the indices that the next round needs, copied during the computation
///     loader.next_round();  // they have arrived, and all threads have finished with this round, which may be overwritten
///
/// One object per block and kernel. For compute capability 9.0 and later, contiguous runs are bulk copies, which one thread
/// starts and which signal a barrier; for earlier GPUs every thread copies 16 bytes at a time.
class BlockLoader {
 public:
  /// Prepares the barrier. May precede grid_dependency_sync().
  __device__ void begin() {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      cuda::ptx::mbarrier_init(arrival(), 1U);
      cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    }
    __syncthreads();
#endif
  }

  /// Starts copying `count` contiguous elements. @pre both addresses are multiples of 16; `count` elements of fewer than 4 bytes
  /// are a multiple of 16 bytes.
  template <class T>
  __device__ void run(const T* from, T* to, int count) {
    constexpr int kAtOnce = 16 / static_cast<int>(sizeof(T));
    const int whole = count / kAtOnce * kAtOnce;
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0 && whole > 0) {
      const auto bytes = static_cast<unsigned>(whole) * static_cast<unsigned>(sizeof(T));
      copy_bulk(to, from, bytes);
      bytes_ += bytes;
    }
#else
    for (int i = static_cast<int>(threadIdx.x) * kAtOnce; i < whole; i += static_cast<int>(blockDim.x) * kAtOnce) {
      __pipeline_memcpy_async(to + i, from + i, 16);
    }
#endif
    if constexpr (sizeof(T) >= 4) {
      const int rest = whole + static_cast<int>(threadIdx.x);
      if (rest < count) copy(to + rest, from + rest);
    }
  }

  /// Starts copying `count` runs of `Length` elements each, which begin `from_step` and `to_step` elements apart. @pre all begin
  /// at multiples of 16 bytes.
  template <int Length, class T>
  __device__ void runs(int count, const T* from, int from_step, T* to, int to_step) {
    constexpr unsigned kBytes = Length * static_cast<unsigned>(sizeof(T));
    static_assert(kBytes % 16 == 0);
#if __CUDA_ARCH__ >= 900
    // One lane of each warp, because the instruction executes for one lane at a time.
    const int warp = static_cast<int>(threadIdx.x) / 32, warps = static_cast<int>(blockDim.x) / 32;
    if (threadIdx.x % 32 == 0) {
      for (int i = warp; i < count; i += warps) copy_bulk(to + i * to_step, from + i * from_step, kBytes);
    }
    if (threadIdx.x == 0) bytes_ += static_cast<unsigned>(count) * kBytes;
#else
    constexpr int kAtOnce = 16 / static_cast<int>(sizeof(T)), kPieces = Length / kAtOnce;
    for (int i = static_cast<int>(threadIdx.x); i < count * kPieces; i += static_cast<int>(blockDim.x)) {
      const int run = i / kPieces, at = i % kPieces * kAtOnce;
      __pipeline_memcpy_async(to + run * to_step + at, from + run * from_step + at, 16);
    }
#endif
  }

  /// Starts gathering the rows index[0] ... index[count - 1] of `Width` elements of 4 or 8 bytes; a thread copies a row.
  template <int Width, class T>
  __device__ void rows(const std::int32_t* index, int count, const T* from, T* to) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
      const T* const row = from + std::int64_t{index[i]} * Width;
      for (int k = 0; k < Width; ++k) copy(to + i * Width + k, row + k);
    }
  }

  /// Waits for the copies of this round, of all threads.
  __device__ void end() {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared, arrival(),
                                           bytes_);
    }
#endif
    wait_for_copies();
    __syncthreads();
#if __CUDA_ARCH__ >= 900
    while (!cuda::ptx::mbarrier_try_wait_parity(arrival(), parity_)) {
    }
    parity_ ^= 1U;
    bytes_ = 0;
#endif
  }

  /// Starts copying `count` elements of 4 or 8 bytes at any address, which every thread sees after next_round().
  template <class T>
  __device__ void list(const T* from, T* to, int count) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) copy(to + i, from + i);
  }

  /// Before the first round, or after end(): waits until every thread has called it, and for list().
  __device__ void next_round() {
    wait_for_copies();
#if __CUDA_ARCH__ >= 900
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
#endif
    __syncthreads();
  }

  /// Requests `count` elements of a later round for the L2 cache, for compute capability 9.0 and later. One thread calls it.
  /// @pre the address is a multiple of 16; the last few elements may be left out.
  template <class T>
  __device__ static void prefetch(const T* from, int count) {
#if __CUDA_ARCH__ >= 900
    const unsigned bytes = static_cast<unsigned>(count) * static_cast<unsigned>(sizeof(T)) / 16 * 16;
    if (bytes == 0) return;
    // <cuda/ptx> of CUDA 13.0 has no function for this instruction.
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)), "r"(bytes) : "memory");
#endif
  }

 private:
  template <class T>
  __device__ static void copy(T* to, const T* from) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    __pipeline_memcpy_async(to, from, sizeof(T));
  }
  __device__ static void wait_for_copies() {
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
#if __CUDA_ARCH__ >= 900
  __device__ static void copy_bulk(void* to, const void* from, unsigned bytes) {
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, to, from, bytes, arrival());
  }
  __device__ static std::uint64_t* arrival() {
    __shared__ alignas(8) std::uint64_t barrier;
    return &barrier;
  }
  unsigned bytes_ = 0;   ///< requested by thread 0 in this round
  unsigned parity_ = 0;  ///< phase of the barrier in this round
#endif
};

/// Writes `count` contiguous elements from shared to global memory, 16 bytes per thread at a time, so that rows which threads
/// have computed one each reach memory in whole lines. Every thread of the block calls it, after __syncthreads().
/// @pre both addresses are multiples of 16.
template <class T>
__device__ void store_block(const T* from, T* to, int count) {
  constexpr int kAtOnce = 16 / static_cast<int>(sizeof(T));
  const int thread = static_cast<int>(threadIdx.x), whole = count / kAtOnce;
#pragma unroll 1
  for (int i = thread; i < whole; i += static_cast<int>(blockDim.x)) {
    reinterpret_cast<float4*>(to)[i] = reinterpret_cast<const float4*>(from)[i];
  }
  const int rest = whole * kAtOnce + thread;
  if (rest < count) to[rest] = from[rest];
}

}  // namespace weft
