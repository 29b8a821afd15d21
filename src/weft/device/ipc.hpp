#pragma once
/// GPU memory that several processes of one machine share (CUDA IPC).
#include <array>
#include <cstddef>

namespace weft {

/// Identifies an allocation for other processes; plain bytes that can be sent as a message.
struct IpcHandle {
  std::array<std::byte, 64> bytes{};
};

/// Returns a handle of the allocation at `base`. The allocation must exist until every process has destroyed its IpcMemory. Small
/// allocations share pages, so the other process can access neighbouring allocations as well.
/// @param base  start of memory with Backend::cuda: a DeviceVector made with a backend, or the device side of a
///   HostDeviceVector.
/// @throws DeviceError where `base` is not the start of an allocation, or CUDA fails.
[[nodiscard]] IpcHandle ipc_handle(const void* base);

/// An allocation of another process, mapped into this one for the current GPU.
/// @pre the handle comes from another process; the memory is on the current GPU or on one to which it has peer access.
class IpcMemory {
 public:
  /// Maps the allocation. @throws DeviceError
  explicit IpcMemory(const IpcHandle& handle);
  ~IpcMemory();
  IpcMemory(IpcMemory&& other) noexcept;
  IpcMemory& operator=(IpcMemory&& other) noexcept;

  /// Returns the address that corresponds to `base` of ipc_handle(), for kernels and copies.
  [[nodiscard]] std::byte* data() const { return memory_; }

 private:
  std::byte* memory_ = nullptr;
};

}  // namespace weft
