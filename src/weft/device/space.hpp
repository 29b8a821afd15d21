#pragma once
/// Where data lives and where loops run.
#include <cstdint>
#include <type_traits>

namespace weft {

/// Kinds of memory that an array's device side can live in.
enum class Backend : std::uint8_t {
  host,          ///< no device: the host side is the only one
  mirror,        ///< a second host buffer that behaves as a device, so that every transfer is tested where there is no GPU
  cuda,          ///< memory of the current GPU, which other processes can map; the host side is page-locked
  cuda_managed,  ///< one memory that the driver moves to whoever touches it
  cuda_mapped,   ///< one page-locked memory of the host that the GPU reads and writes over the bus (zero copy)
};

[[nodiscard]] const char* to_string(Backend backend);

/// True for backends whose device side is seen by a GPU.
[[nodiscard]] constexpr bool is_cuda(Backend backend) {
  return backend == Backend::cuda || backend == Backend::cuda_managed || backend == Backend::cuda_mapped;
}
/// True where host side and device side are the same memory, so that a copy between them moves nothing.
[[nodiscard]] constexpr bool sides_share_memory(Backend backend) {
  return backend == Backend::host || backend == Backend::cuda_managed || backend == Backend::cuda_mapped;
}

/// Tags for views and loops.
namespace space {
struct host {};
struct mirror {};  ///< data of the device side of a mirror; its loops run on the host
struct cuda {};    ///< data that the current GPU reaches; its loops are kernels
}  // namespace space

template <class S>
concept Space = std::is_same_v<S, space::host> || std::is_same_v<S, space::mirror> || std::is_same_v<S, space::cuda>;

/// Whether loops in S run on the calling thread.
template <Space S>
inline constexpr bool kRunsOnHost = !std::is_same_v<S, space::cuda>;

/// Whether the device side of an array with this backend is seen by loops in S.
template <Space S>
[[nodiscard]] constexpr bool sees_device_side(Backend backend) {
  if constexpr (std::is_same_v<S, space::cuda>) return is_cuda(backend);
  return std::is_same_v<S, space::mirror> && backend == Backend::mirror;
}

}  // namespace weft
