#pragma once
/// Kernels of another stream, for tests of results that must not depend on the order in which blocks run.
#include <cstdint>

#include "weft/device/cuda.cuh"
#include "weft/device/device_vector.hpp"

namespace weft::kernels::test {

/// Every thread reads and writes 32 entries of its own, one after the other, several times: some tenths of a millisecond.
template <class T>
__global__ void compete_kernel(T* x, std::int64_t stride) {
  trigger_dependent_launch();
  grid_dependency_sync();
  T* const own = x + std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (int step = 0; step < 320; ++step) own[step % 32 * stride] = own[step % 32 * stride] * T(0.5) + T(1);
}

/// Work that competes for memory bandwidth and multiprocessors while a test runs.
class Competitor {
 public:
  Competitor() : entries_(stream_, std::size_t{32} * kBlocks * kThreads) {
    set_bytes(stream_, entries_.data(), 0, entries_.bytes());
  }
  /// Enqueues kernels of 8 to 1024 blocks, by the number of the run, so that operations find other multiprocessors free.
  void start(int run, int kernels = 1) {
    for (int k = 0; k < kernels; ++k) {
      launch(stream_, "compete", {.blocks = std::int64_t{8} << ((run + k) % 8), .threads = kThreads}, compete_kernel<double>,
             entries_.data(), std::int64_t{kBlocks} * kThreads);
    }
  }
  void wait() { stream_.wait(); }

 private:
  static constexpr int kBlocks = 1024, kThreads = 256;
  Stream stream_;
  DeviceVector<double> entries_;
};

}  // namespace weft::kernels::test
