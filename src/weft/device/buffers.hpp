#pragma once
/// Page-locked host memory for transfers, and copies of bytes in stream order.
#include <cstddef>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "weft/device/stream.hpp"

namespace weft {

namespace detail {

class PinnedBytes {
 public:
  explicit PinnedBytes(std::size_t bytes);
  ~PinnedBytes();
  PinnedBytes(PinnedBytes&& other) noexcept;
  PinnedBytes& operator=(PinnedBytes&& other) noexcept;
  [[nodiscard]] void* data() const { return memory_; }

 private:
  void* memory_ = nullptr;
  bool locked_ = false;
};

template <class T>
[[nodiscard]] std::size_t bytes_of(std::size_t size) {
  if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
  return size * sizeof(T);
}

}  // namespace detail

/// An array in page-locked host memory, with which copies to and from a GPU are asynchronous; ordinary memory where there is no
/// GPU. Page-locking is expensive, so buffers should be created once and reused. The contents are initially undefined.
/// @throws DeviceError, std::bad_alloc where memory is exhausted.
template <class T>
class PinnedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit PinnedBuffer(std::size_t size = 0) : bytes_(detail::bytes_of<T>(size)), size_(size) {}
  PinnedBuffer(PinnedBuffer&& other) noexcept : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() { return static_cast<T*>(bytes_.data()); }
  [[nodiscard]] const T* data() const { return static_cast<const T*>(bytes_.data()); }
  [[nodiscard]] std::span<T> span() { return {data(), size_}; }
  [[nodiscard]] std::span<const T> span() const { return {data(), size_}; }

 private:
  detail::PinnedBytes bytes_;
  std::size_t size_;
};

/// Copies `bytes` bytes in stream order. The addresses may belong to the host or to any GPU that the stream can access; a host
/// stream can access host memory only. The copy is asynchronous if the host memory is page-locked.
void copy_bytes(Stream& stream, void* to, const void* from, std::size_t bytes);

/// Sets each of `bytes` bytes to `value` in stream order.
void set_bytes(Stream& stream, void* at, unsigned char value, std::size_t bytes);

}  // namespace weft
