// Mutexes of a GPU.
#include <gtest/gtest.h>

#include <vector>

#include "weft/device/cuda.cuh"
#include "weft/kernels/primitives/mutex.cuh"

#include "kernels/on_gpu.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::mutex_test {
namespace {

using test::OnGpu;

/// Two numbers that are equal whenever no thread changes them, without atomic operations.
struct Protected {
  long long first, second;
};

/// Every thread adds its index to one of the pairs, threads of a warp to different ones and to the same.
__global__ void add_kernel(Mutex* mutex, Protected* pairs, int count, unsigned long long* unequal) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), n = thread % count;
  mutex[n].lock();
  if (pairs[n].first != pairs[n].second) atomicAdd(unequal, 1ULL);
  pairs[n].first += thread;
  pairs[n].second += thread;
  mutex[n].unlock();
}

TEST(CudaMutex, one_thread_at_a_time_has_it) {
  WEFT_NEEDS_GPU();
  Stream stream;
  constexpr int kBlocks = 200, kThreads = 128;
  for (const int count : {1, 2, 31, 1000}) {
    const DeviceVector<Mutex> mutexes(stream, static_cast<std::size_t>(count));
    set_bytes(stream, mutexes.data(), 0, mutexes.bytes());
    const OnGpu pairs(stream, std::vector<Protected>(static_cast<std::size_t>(count)));
    const OnGpu unequal(stream, std::vector<unsigned long long>(1));
    launch(stream, "add", {.blocks = kBlocks, .threads = kThreads}, add_kernel, mutexes.data(), pairs.data(), count,
           unequal.data());
    EXPECT_EQ(unequal.values(stream)[0], 0U) << count;
    std::vector<long long> expected(static_cast<std::size_t>(count));
    for (int thread = 0; thread < kBlocks * kThreads; ++thread) expected[static_cast<std::size_t>(thread % count)] += thread;
    const std::vector<Protected> values = pairs.values(stream);
    for (std::size_t n = 0; n < values.size(); ++n) {
      EXPECT_EQ(values[n].first, expected[n]) << n << " of " << count;
      EXPECT_EQ(values[n].second, expected[n]) << n << " of " << count;
    }
  }
}

__global__ void try_kernel(Mutex* mutex, int* taken) {
  taken[0] = mutex->try_lock() ? 1 : 0;
  taken[1] = mutex->try_lock() ? 1 : 0;
  mutex->unlock();
  taken[2] = mutex->try_lock() ? 1 : 0;
}

TEST(CudaMutex, try_lock_does_not_wait) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const DeviceVector<Mutex> mutex(stream, 1);
  set_bytes(stream, mutex.data(), 0, mutex.bytes());
  const OnGpu taken(stream, std::vector<int>(3, -1));
  launch(stream, "try", {.blocks = 1, .threads = 1}, try_kernel, mutex.data(), taken.data());
  EXPECT_EQ(taken.values(stream), (std::vector<int>{1, 0, 1}));
}

}  // namespace
}  // namespace weft::kernels::mutex_test
