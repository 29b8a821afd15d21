#pragma once
/// DeviceVector: an owning array in the memory of a device.
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "weft/device/buffers.hpp"
#include "weft/device/storage.hpp"
#include "weft/device/stream.hpp"

namespace weft {

/// A fixed number of trivially copyable elements in the memory of a device, owned by the object, which can be moved but not
/// copied. The contents are initially undefined. Memory that only the device accesses is a DeviceVector; memory with a host copy
/// and a device copy is a HostDeviceVector.
///
///     DeviceVector<double> x(stream, 1000);           // from the pool, in stream order: for temporaries; can be captured
///     DeviceVector<double> y(Backend::cuda, 1000);    // an allocation of its own: for data that other processes map
///     parallel_for(space::cuda{}, stream, 1000, [x = x.data(), y = y.data()] WEFT_HD(int i) { x[i] = 2 * y[i]; });
///     y.get(0, values, after(stream));                // waits for the copy
///
/// A vector made with a stream is freed in the order of that stream: the stream must outlive the vector, and must wait for the
/// work of other streams on the elements before the vector is destroyed. A vector made with a backend is freed at once (cudaFree
/// waits for the GPU). With a host stream, Backend::host or Backend::mirror the memory is host memory.
///
/// As with a pointer, the constness of the vector is not that of its elements: on a GPU only kernels and copies access them.
/// @throws DeviceError or std::bad_alloc where memory is exhausted; DeviceError where there is no GPU.
/// @cost allocation and release: about 1 us with a stream, 70 us with Backend::cuda.
template <class T>
class DeviceVector {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(alignof(T) <= DeviceStorage::kAlignment);

 public:
  using value_type = T;

  /// Creates a vector without elements and without memory.
  DeviceVector() = default;
  DeviceVector(Stream& stream, std::size_t size)
      : storage_(DeviceStorage::make(stream, detail::bytes_of<T>(size))), size_(size) {}
  DeviceVector(Backend backend, std::size_t size)
      : storage_(DeviceStorage::make(backend, detail::bytes_of<T>(size))), size_(size) {}
  /// Creates a vector with these elements, copied in stream order. @pre as copy_from_host().
  DeviceVector(Stream& stream, std::span<const T> values) : DeviceVector(stream, values.size()) {
    copy_from_host(0, values, stream);
  }
  /// Creates a vector with these elements and waits for the copy.
  DeviceVector(Backend backend, std::span<const T> values) : DeviceVector(backend, values.size()) { put(values); }
  DeviceVector(DeviceVector&& other) noexcept : storage_(std::move(other.storage_)), size_(std::exchange(other.size_, 0)) {}
  DeviceVector& operator=(DeviceVector&& other) noexcept {
    storage_ = std::move(other.storage_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  /// Returns the address on the device, a multiple of DeviceStorage::kAlignment; null for a vector without elements.
  [[nodiscard]] T* data() const { return storage_ == nullptr ? nullptr : reinterpret_cast<T*>(storage_->data()); }
  [[nodiscard]] std::span<T> span() const { return {data(), size_}; }

  /// Starts a copy of `values` to the elements from `first` on, in the order of `stream`, or after `before` in a copy stream of
  /// the GPU, concurrently with kernels. Asynchronous if `values` are page-locked; they must then remain valid until the returned
  /// event has completed. @pre first + values.size() <= size().
  Event copy_from_host(std::size_t first, std::span<const T> values, Stream& stream) {
    if (values.empty()) return {};
    return storage_->copy_from_host(first * sizeof(T), std::as_bytes(values), stream);
  }
  Event copy_from_host(std::size_t first, std::span<const T> values, const After& before) {
    if (values.empty()) return before.event();
    return storage_->copy_from_host(first * sizeof(T), std::as_bytes(values), before);
  }
  /// Starts a copy of the elements from `first` on into `values`, with the conditions of copy_from_host().
  Event copy_to_host(std::size_t first, std::span<T> values, Stream& stream) const {
    if (values.empty()) return {};
    return storage_->copy_to_host(first * sizeof(T), std::as_writable_bytes(values), stream);
  }
  Event copy_to_host(std::size_t first, std::span<T> values, const After& before) const {
    if (values.empty()) return before.event();
    return storage_->copy_to_host(first * sizeof(T), std::as_writable_bytes(values), before);
  }
  /// Copies `values` to the first elements and waits for the copy. @pre no work on them is pending.
  void put(std::span<const T> values) { copy_from_host(0, values, After()).wait(); }
  /// Copies the elements from `first` on into `values` after `before` and waits for the copy.
  void get(std::size_t first, std::span<T> values, const After& before) const { copy_to_host(first, values, before).wait(); }

 private:
  std::unique_ptr<DeviceStorage> storage_;
  std::size_t size_ = 0;
};

}  // namespace weft
