#pragma once
/// Memory for transfers and for temporaries.
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

class StreamBytes {
 public:
  StreamBytes(Stream& stream, std::size_t bytes);
  ~StreamBytes();
  StreamBytes(StreamBytes&& other) noexcept;
  StreamBytes& operator=(StreamBytes&& other) noexcept;
  [[nodiscard]] void* data() const { return memory_; }

 private:
  void* memory_ = nullptr;
  void* stream_ = nullptr;
};

template <class T>
[[nodiscard]] std::size_t bytes_of(std::size_t size) {
  if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
  return size * sizeof(T);
}

}  // namespace detail

/// Page-locked memory of the host, which a GPU copies from and to while the processor does other work; ordinary memory where
/// there is no GPU. Locking takes long: make buffers once. Contents start undefined.
/// @throws DeviceError, std::bad_alloc where there is no memory left.
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

/// A temporary for work of one stream: taken from and given back to a pool in the stream's order, so that making and dropping one
/// costs about a microsecond, blocks nobody and can be captured in a Graph. Contents start undefined. On a GPU only kernels and
/// copies reach it. @pre the stream outlives it. @throws DeviceError, std::bad_alloc where there is no memory left.
template <class T>
class StreamBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  StreamBuffer(Stream& stream, std::size_t size) : bytes_(stream, detail::bytes_of<T>(size)), size_(size) {}
  StreamBuffer(StreamBuffer&& other) noexcept : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
  StreamBuffer& operator=(StreamBuffer&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() const { return static_cast<T*>(bytes_.data()); }

 private:
  detail::StreamBytes bytes_;
  std::size_t size_;
};

/// Copies as work of `stream`. Addresses may be of the host or of any GPU, as far as the stream reaches them: a host stream
/// reaches the host's memory only. Really asynchronous where the host's memory is page-locked.
void copy_bytes(Stream& stream, void* to, const void* from, std::size_t bytes);

/// Sets each byte to `value` as work of `stream`.
void set_bytes(Stream& stream, void* at, unsigned char value, std::size_t bytes);

}  // namespace weft
