#pragma once
/// For .cu files: launches kernels, checks what CUDA returns, and turns Weft's handles into CUDA's.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <source_location>

#include "weft/device/detail/grid_blocks.hpp"
#include "weft/device/detail/host_work.hpp"
#include "weft/device/stream.hpp"

namespace weft {

namespace detail {
/// Forgets CUDA's last error, unless the GPU is lost, and throws.
[[noreturn]] void throw_cuda(cudaError_t result, const char* what, const std::source_location& where);
/// Whether wait_for_earlier_kernels() in this kernel does so on `device`, the current GPU: where the kernel was compiled for
/// compute capability 9.0 or later.  @cost one look for each kernel, GPU and thread; later a search.
[[nodiscard]] bool may_begin_early(const void* kernel, int device);
}  // namespace detail

/// Throws unless `result` is success, in every build. `what` is the call, for the message.
/// @throws DeviceError with the call, CUDA's name and text of the error, and the caller's place.
inline void check_cuda(cudaError_t result, const char* what,
                       const std::source_location& where = std::source_location::current()) {
  if (result != cudaSuccess) [[unlikely]]
    detail::throw_cuda(result, what, where);
}

[[nodiscard]] inline cudaStream_t native(const Stream& stream) { return static_cast<cudaStream_t>(stream.handle()); }
[[nodiscard]] inline cudaEvent_t native(const Event& event) { return static_cast<cudaEvent_t>(event.handle()); }

/// In a kernel that launch() started, by every thread: what the kernels before it in the stream have written is there from here
/// on. Before, it may write nothing but shared memory and read only what no kernel writes.
__device__ inline void wait_for_earlier_kernels() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// The blocks of the next kernel may take the places of those of this one as they become free, to do what they can do before
/// wait_for_earlier_kernels(): once every block has called this, or has ended.
__device__ inline void let_next_kernel_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// One launch.
struct KernelShape {
  std::int64_t blocks;
  int threads;                    ///< of a block
  std::size_t shared_memory = 0;  ///< bytes of a block, besides what the kernel declares
  std::source_location where = std::source_location::current();
};

/// Launches a kernel as work of `stream`, in which it calls wait_for_earlier_kernels(): so it begins while the kernel before it
/// ends. `name` is for the message. What fails while it runs is thrown by the next wait. @throws DeviceError where the launch is
/// refused; LimitError for no block, or more than a launch has.
template <class... Parameters, class... Arguments>
void launch(Stream& stream, const char* name, const KernelShape& shape, void (*kernel)(Parameters...),
            const Arguments&... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(detail::grid_blocks(shape.blocks, name));
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = shape.shared_memory;
  config.stream = native(stream);
  config.attrs = &early;
  config.numAttrs = detail::may_begin_early(reinterpret_cast<const void*>(kernel), stream.device()) ? 1 : 0;
  ++detail::host_work().kernels;
  check_cuda(cudaLaunchKernelEx(&config, kernel, arguments...), name, shape.where);
}

/// Lets blocks of the kernel have `bytes` of shared memory besides what it declares: beyond 48 kB none may without.
/// `name` is for the message. @throws DeviceError where the GPU has less.
template <class... Arguments>
void allow_shared_memory(void (*kernel)(Arguments...), std::size_t bytes, const char* name) {
  check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             name);
}

/// For kernels that run beside others: a multiprocessor splits its memory into shared memory and first-level cache, and changes
/// that only while it computes nothing. A kernel that is content with little shared memory would keep those that need much of it
/// from the multiprocessors where it runs.
template <class... Arguments>
void ask_for_shared_memory(void (*kernel)(Arguments...)) {
  check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxShared),
             "cudaFuncSetAttribute");
}

/// How many blocks of a kernel the current GPU holds at a time.
/// @param shared_memory  bytes of a block, besides what the kernel declares.
template <class... Arguments>
[[nodiscard]] int resident_blocks(void (*kernel)(Arguments...), int threads, std::size_t shared_memory = 0) {
  int device = 0, multiprocessors = 0, of_each = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, kernel, threads, shared_memory),
             "blocks of a multiprocessor");
  return std::max(multiprocessors * of_each, 1);
}

}  // namespace weft
