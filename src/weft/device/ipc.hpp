#pragma once
/// Memory of a GPU that another process of the same machine reads and writes.
#include <array>
#include <cstddef>

namespace weft {

/// Names an allocation; plain bytes, to be sent to the other process.
struct IpcHandle {
  std::array<std::byte, 64> bytes{};
};

/// @param base  where memory with Backend::cuda begins: DeviceStorage::data(), or the device side of a HostDeviceVector. It must
/// live
///              until every process has dropped its IpcMemory. Small allocations share pages: the other process sees those too.
/// @throws DeviceError
[[nodiscard]] IpcHandle ipc_handle(const void* base);

/// Another process's allocation, mapped into this one for the current GPU. @pre the handle comes from another process, and its
/// GPU is the current one or one that it has peer access to.
class IpcMemory {
 public:
  /// @throws DeviceError
  explicit IpcMemory(const IpcHandle& handle);
  ~IpcMemory();
  IpcMemory(IpcMemory&& other) noexcept;
  IpcMemory& operator=(IpcMemory&& other) noexcept;

  /// Where `base` of ipc_handle is here; for kernels and copies.
  [[nodiscard]] std::byte* data() const { return memory_; }

 private:
  std::byte* memory_ = nullptr;
};

}  // namespace weft
