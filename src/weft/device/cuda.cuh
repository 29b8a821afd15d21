#pragma once
/// For .cu files: checks what CUDA returns, and turns Weft's handles into CUDA's.
#include <cuda_runtime_api.h>

#include <source_location>

#include "weft/device/detail/host_work.hpp"
#include "weft/device/stream.hpp"

namespace weft {

namespace detail {
/// Forgets CUDA's last error, unless the GPU is lost, and throws.
[[noreturn]] void throw_cuda(cudaError_t result, const char* what, const std::source_location& where);
}  // namespace detail

/// Throws unless `result` is success, in every build. `what` is the call, for the message.
/// @throws DeviceError with the call, CUDA's name and text of the error, and the caller's place.
inline void check_cuda(cudaError_t result, const char* what,
                       const std::source_location& where = std::source_location::current()) {
  if (result != cudaSuccess) [[unlikely]]
    detail::throw_cuda(result, what, where);
}

/// After a kernel launch: throws where it was refused. What fails while it runs is thrown by the next wait.
inline void check_launch(const char* kernel, const std::source_location& where = std::source_location::current()) {
  ++detail::host_work().kernels;
  check_cuda(cudaGetLastError(), kernel, where);
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

[[nodiscard]] inline cudaStream_t native(const Stream& stream) { return static_cast<cudaStream_t>(stream.handle()); }
[[nodiscard]] inline cudaEvent_t native(const Event& event) { return static_cast<cudaEvent_t>(event.handle()); }

}  // namespace weft
