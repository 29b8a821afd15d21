#pragma once
/// A kernel that permits the next one to start long before it writes, for tests of kernels that must wait for it.
#include <cstddef>

#include "weft/device/cuda.cuh"

#include "kernels/on_gpu.hpp"

namespace weft::kernels::test {

template <class T>
__global__ void write_late_kernel(const T* from, T* to, std::size_t size) {
  trigger_dependent_launch();
  grid_dependency_sync();
#if __CUDA_ARCH__ >= 700
  for (int i = 0; i < 200; ++i) __nanosleep(1000);
#endif
  for (std::size_t i = threadIdx.x; i < size; i += blockDim.x) to[i] = from[i];
}

/// Enqueues a kernel that copies `from` to `to` after 0.2 ms, and lets the next kernel of the stream start at once.
template <class T>
void write_late(Stream& stream, const OnGpu<T>& from, const OnGpu<T>& to) {
  launch(stream, "write_late", {.blocks = 1, .threads = 256}, write_late_kernel<T>, from.input().data(), to.data(),
         from.input().size());
}

}  // namespace weft::kernels::test
