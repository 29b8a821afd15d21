#include "weft/device/ipc.hpp"

#include <utility>

#include "weft/device/cuda/cuda_api.hpp"

namespace weft {

IpcHandle ipc_handle(const void* base) {
  IpcHandle handle;
  detail::cuda::export_memory(base, handle.bytes.data());
  return handle;
}

IpcMemory::IpcMemory(const IpcHandle& handle)
    : memory_(static_cast<std::byte*>(detail::cuda::import_memory(handle.bytes.data()))) {}

IpcMemory::~IpcMemory() {
  if (memory_ != nullptr) detail::cuda::drop_imported(memory_);
}

IpcMemory::IpcMemory(IpcMemory&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}

IpcMemory& IpcMemory::operator=(IpcMemory&& other) noexcept {
  std::swap(memory_, other.memory_);
  return *this;
}

}  // namespace weft
