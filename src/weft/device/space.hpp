#pragma once
/// Memory backends of data and execution spaces of loops.
#include <cstdint>
#include <type_traits>

namespace weft {

/// The kind of memory that holds the device side of an array.
enum class Backend : std::uint8_t {
  host,          ///< no device; the only memory is that of the host
  mirror,        ///< a second host buffer that behaves as a device, to test every transfer without a GPU
  cuda,          ///< memory of the current GPU that other processes can map; the host side is page-locked
  cuda_managed,  ///< one memory whose pages the driver migrates between host and GPU
  cuda_mapped,   ///< one page-locked host memory that the GPU accesses over the bus (zero copy)
};

/// Returns the name of the enumerator.
[[nodiscard]] const char* to_string(Backend backend);

/// Returns true for backends whose device side is accessible to a GPU.
[[nodiscard]] constexpr bool is_cuda(Backend backend) {
  return backend == Backend::cuda || backend == Backend::cuda_managed || backend == Backend::cuda_mapped;
}
/// Returns true for backends whose host and device sides are the same memory, so that a copy between them moves no data.
[[nodiscard]] constexpr bool sides_share_memory(Backend backend) {
  return backend == Backend::host || backend == Backend::cuda_managed || backend == Backend::cuda_mapped;
}

/// Tag types of execution spaces, for views and loops.
namespace space {
struct host {};    ///< host memory; loops run on the host
struct mirror {};  ///< device side of a mirror; loops run on the host
struct cuda {};    ///< memory accessible to the current GPU; loops are kernels
}  // namespace space

template <class S>
concept Space = std::is_same_v<S, space::host> || std::is_same_v<S, space::mirror> || std::is_same_v<S, space::cuda>;

/// True if loops in S run on the calling thread.
template <Space S>
inline constexpr bool kRunsOnHost = !std::is_same_v<S, space::cuda>;

/// Returns true if loops in S access the device side of an array with this backend.
template <Space S>
[[nodiscard]] constexpr bool sees_device_side(Backend backend) {
  if constexpr (std::is_same_v<S, space::cuda>) return is_cuda(backend);
  return std::is_same_v<S, space::mirror> && backend == Backend::mirror;
}

}  // namespace weft
