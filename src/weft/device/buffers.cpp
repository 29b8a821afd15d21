#include "weft/device/buffers.hpp"

#include <cstring>

#include "weft/device/cuda/cuda_api.hpp"
#include "weft/device/device.hpp"
#include "weft/device/storage.hpp"

namespace weft {

namespace cuda = detail::cuda;

namespace detail {
namespace {
constexpr std::align_val_t kAlign{DeviceStorage::kAlignment};
}

PinnedBytes::PinnedBytes(std::size_t bytes) : locked_(device_count() > 0) {
  if (bytes > 0) memory_ = locked_ ? cuda::allocate(cuda::Memory::pinned, bytes) : ::operator new(bytes, kAlign);
}
PinnedBytes::~PinnedBytes() {
  if (memory_ == nullptr) return;
  if (locked_) {
    cuda::release(cuda::Memory::pinned, memory_);
  } else {
    ::operator delete(memory_, kAlign);
  }
}
PinnedBytes::PinnedBytes(PinnedBytes&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)), locked_(other.locked_) {}
PinnedBytes& PinnedBytes::operator=(PinnedBytes&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(locked_, other.locked_);
  return *this;
}

}  // namespace detail

void copy_bytes(Stream& stream, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (stream.is_host()) {
    std::memcpy(to, from, bytes);
  } else {
    cuda::copy(stream.handle(), to, from, bytes);
  }
}

void set_bytes(Stream& stream, void* at, unsigned char value, std::size_t bytes) {
  if (bytes == 0) return;
  if (stream.is_host()) {
    std::memset(at, value, bytes);
  } else {
    cuda::set(stream.handle(), at, value, bytes);
  }
}

}  // namespace weft
