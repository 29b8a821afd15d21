#pragma once
/// Utilities for .cu files: kernel launches, checks of CUDA results, and conversion of Weft's handles to CUDA's.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <source_location>

#include "weft/device/cuda_call_counts.hpp"
#include "weft/device/grid_blocks.hpp"
#include "weft/device/stream.hpp"

namespace weft {

namespace detail {
/// Clears the last error of CUDA (unless it is sticky) and throws DeviceError.
[[noreturn]] void throw_cuda(cudaError_t result, const char* what, const std::source_location& where);
/// Stores the error of a noexcept function such as a destructor; the next wait throws it.
void note(cudaError_t result) noexcept;
/// Returns true if grid_dependency_sync() takes effect in this kernel on `device`, the current GPU: if the kernel was
/// compiled for compute capability 9.0 or later.  @cost one query per kernel, GPU and thread; a map lookup afterwards.
[[nodiscard]] bool has_dependent_launch(const void* kernel, int device);
}  // namespace detail

/// Throws unless `result` is cudaSuccess, in every build. @param what  the call, for the message.
/// @throws DeviceError with the call, the name and description of the CUDA error, and the source location of the caller.
inline void check_cuda(cudaError_t result, const char* what,
                       const std::source_location& where = std::source_location::current()) {
  if (result != cudaSuccess) [[unlikely]]
    detail::throw_cuda(result, what, where);
}

/// Returns the CUDA handle; null for a host stream or an event of one.
[[nodiscard]] inline cudaStream_t native(const Stream& stream) { return static_cast<cudaStream_t>(stream.handle()); }
[[nodiscard]] inline cudaEvent_t native(const Event& event) { return static_cast<cudaEvent_t>(event.handle()); }

/// Waits until the preceding kernels of the stream have completed and their writes are visible. Every thread of a kernel started
/// by launch() calls it. Before the call a thread may write shared memory only, and may read only data that no kernel writes.
__device__ inline void grid_dependency_sync() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// Permits the next kernel of the stream to start (programmatic dependent launch): once every block has called this function or
/// has exited, blocks of the next kernel occupy free resources and run up to their grid_dependency_sync().
__device__ inline void trigger_dependent_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// The configuration of a kernel launch.
struct KernelShape {
  std::int64_t blocks;
  int threads;                    ///< threads per block
  std::size_t shared_memory = 0;  ///< bytes of dynamic shared memory per block
  std::source_location where = std::source_location::current();
};

/// Launches a kernel in stream order. The kernel must call grid_dependency_sync(), because it may start before the preceding
/// kernel has completed. Errors during its execution are thrown by the next wait. @param name  of the kernel, for messages.
/// @throws DeviceError where the launch is rejected; LimitError where the number of blocks is outside 1 ... 2^31 - 1.
template <class... Parameters, class... Arguments>
void launch(Stream& stream, const char* name, const KernelShape& shape, void (*kernel)(Parameters...),
            const Arguments&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(detail::grid_blocks(shape.blocks, name));
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = shape.shared_memory;
  config.stream = native(stream);
  config.attrs = &attribute;
  config.numAttrs = detail::has_dependent_launch(reinterpret_cast<const void*>(kernel), stream.device()) ? 1 : 0;
  ++detail::cuda_call_counts().kernels;
  check_cuda(cudaLaunchKernelEx(&config, kernel, arguments...), name, shape.where);
}

/// Permits `bytes` of dynamic shared memory per block of the kernel, which is required beyond 48 kB.
/// @param name  of the kernel, for the message.  @throws DeviceError where the GPU has less shared memory.
template <class... Arguments>
void set_max_dynamic_shared_memory(void (*kernel)(Arguments...), std::size_t bytes, const char* name) {
  check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             name);
}

/// Selects the largest shared-memory carveout for the kernel. A multiprocessor changes its split between shared memory and L1
/// cache only while it is idle, so a kernel with a smaller carveout would keep concurrent kernels that need more shared memory
/// off the multiprocessors on which it runs.
template <class... Arguments>
void request_dynamic_shared_memory(void (*kernel)(Arguments...)) {
  check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxShared),
             "cudaFuncSetAttribute");
}

/// Returns the number of blocks of the kernel that are resident on the current GPU at a time, at least 1.
/// @param shared_memory  bytes of dynamic shared memory per block.
template <class... Arguments>
[[nodiscard]] int resident_blocks(void (*kernel)(Arguments...), int threads, std::size_t shared_memory = 0) {
  int device = 0, multiprocessors = 0, per_multiprocessor = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, threads, shared_memory),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return std::max(multiprocessors * per_multiprocessor, 1);
}

}  // namespace weft
