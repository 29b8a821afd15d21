#pragma once
/// Constant memory: values that every thread of a kernel reads, such as a large view, without a kernel parameter.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

#include "weft/base/contracts.hpp"
#include "weft/device/cuda.cuh"

namespace weft {

/// The size of the constant memory of a module, which the variables of a .cu file share (CUDA C++ Programming Guide, technical
/// specifications per compute capability).
inline constexpr std::size_t kConstantBytes = std::size_t{64} * 1024;

/// A variable in constant memory, to be declared in a .cu file at namespace scope. All threads of a warp that read the same
/// address get it in one access; different addresses are read one after the other.
///
///     __constant__ Constant<FvView> fv;                   // undefined until it is set
///     set_constant(stream, fv, params.view());
///     ... in a kernel:  const double volume = fv->volume(cell);
template <class T>
struct Constant {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(sizeof(T) <= kConstantBytes, "constant memory has 64 kB");
  alignas(T) unsigned char memory[sizeof(T)];  // bytes, because a constructor cannot run in constant memory

  [[nodiscard]] __device__ const T& operator*() const { return *reinterpret_cast<const T*>(memory); }
  [[nodiscard]] __device__ const T* operator->() const { return reinterpret_cast<const T*>(memory); }
};

/// Sets a variable in constant memory of the current GPU, in stream order: kernels enqueued before in `stream` read the old
/// value, kernels enqueued after read the new one. The caller orders kernels of other streams. `value` is copied before the call
/// returns.
/// @pre `stream` belongs to the current GPU and is not being captured (a graph would read `value` at each launch).
/// @throws DeviceError
template <class T>
void set_constant(Stream& stream, const Constant<T>& variable, const std::type_identity_t<T>& value) {
  WEFT_EXPECTS(!stream.is_host() && !stream.capturing());
  ++detail::cuda_call_counts().copies;
  check_cuda(cudaMemcpyToSymbolAsync(variable, &value, sizeof(T), 0, cudaMemcpyHostToDevice, native(stream)),
             "cudaMemcpyToSymbolAsync");
}

}  // namespace weft
