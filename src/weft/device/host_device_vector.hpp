#pragma once
/// A vector with a host side and a device side.
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/device/detail/host_device_bytes.hpp"

namespace weft {

/// Like std::vector for trivially copyable T, with a second copy in the memory of a device. Which elements of each side are up to
/// date is tracked: what one side writes is stale on the other until copied, and reading a stale element is an error, never an
/// old value. With Backend::host both sides are one memory and nothing is tracked or copied. With Backend::cuda_managed and
/// cuda_mapped they are one memory, too, and a copy only hands it over: wait for its event before the other side touches it.
///
///     HostDeviceVector<double> x(1000, Backend::mirror, "x");
///     x[3] = 2.0;                                        // host side written: the device side is stale
///     x.to_device(stream);                               // both fresh
///     kernel(stream, x.read_write(Side::device));        // host side stale
///     x.data();                                          // throws DeviceError: "x": the host side is stale ...
///     x.to_host(stream);  x.data();                      // waits for the copy
///
/// Access that may write marks when it is asked for, not when the write happens: ask again after a copy, do not keep pointers.
/// Addresses hold until resize() or assignment, and are multiples of DeviceStorage::kAlignment.
/// A copy in flight keeps what it needs: whoever touches the host side where it is being copied waits for that. The device side
/// is the caller's to order, by streams and events. One thread at a time.
template <class T>
class HostDeviceVector {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(alignof(T) <= DeviceStorage::kAlignment);

 public:
  using value_type = T;

  HostDeviceVector() : HostDeviceVector(0) {}
  /// `size` elements T{}. `name` is for error messages.
  explicit HostDeviceVector(std::size_t size, Backend backend = Backend::host, std::string name = "array")
      : bytes_(backend, std::move(name)) {
    resize(size);
  }
  // Copying reads the whole host side (throws DeviceError where stale); the copy's device side is stale.

  [[nodiscard]] std::size_t size() const { return bytes_.size() / sizeof(T); }
  [[nodiscard]] bool empty() const { return bytes_.size() == 0; }
  [[nodiscard]] Backend backend() const { return bytes_.backend(); }
  [[nodiscard]] const std::string& name() const { return bytes_.name(); }
  void set_name(std::string name) { bytes_.set_name(std::move(name)); }

  /// Keeps the first elements, appends T{}. The device side is stale afterwards. Never gives memory back.
  /// @throws DeviceError where the host side of a kept element is stale; std::bad_alloc.
  void resize(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t before = this->size();
    bytes_.resize(size * sizeof(T));
    if (size > before) std::uninitialized_value_construct_n(data() + before, size - before);
  }

  // Access to one side, whole or `count` elements from `first`. With Backend::host, Side::device is the host's memory.
  /// @throws DeviceError where an element is stale on this side.
  [[nodiscard]] std::span<const T> read(Side side) const { return read(side, 0, size()); }
  [[nodiscard]] std::span<const T> read(Side side, std::size_t first, std::size_t count) const {
    return {reinterpret_cast<const T*>(bytes_.read(side, first * sizeof(T), count * sizeof(T))), count};
  }
  /// Makes the elements stale on the other side. @throws DeviceError where an element is stale on this side.
  [[nodiscard]] std::span<T> read_write(Side side) { return read_write(side, 0, size()); }
  [[nodiscard]] std::span<T> read_write(Side side, std::size_t first, std::size_t count) {
    return {reinterpret_cast<T*>(bytes_.read_write(side, first * sizeof(T), count * sizeof(T))), count};
  }
  /// The caller overwrites every element: they may be stale on this side, and become stale on the other.
  [[nodiscard]] std::span<T> write(Side side) { return write(side, 0, size()); }
  [[nodiscard]] std::span<T> write(Side side, std::size_t first, std::size_t count) {
    return {reinterpret_cast<T*>(bytes_.write(side, first * sizeof(T), count * sizeof(T))), count};
  }

  // The host side as std::vector has it: read and, where not const, read_write of all elements (of one, for operator[]).
  [[nodiscard]] const T* data() const { return read(Side::host).data(); }
  [[nodiscard]] T* data() { return read_write(Side::host).data(); }
  [[nodiscard]] std::span<const T> span() const { return read(Side::host); }
  [[nodiscard]] std::span<T> span() { return read_write(Side::host); }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    WEFT_EXPECTS(i < size());
    return *read(Side::host, i, 1).data();
  }
  [[nodiscard]] T& operator[](std::size_t i) {
    WEFT_EXPECTS(i < size());
    return *read_write(Side::host, i, 1).data();
  }

  /// True where no element is stale on this side.
  [[nodiscard]] bool fresh(Side side) const { return fresh(side, 0, size()); }
  [[nodiscard]] bool fresh(Side side, std::size_t first, std::size_t count) const {
    return bytes_.fresh(side, first * sizeof(T), count * sizeof(T));
  }

  /// Copies to the other side once `before` is done, beside other work of the GPU; nothing to do with Backend::host. The elements
  /// are fresh on both sides for whoever waits for the event. @throws DeviceError where an element to be copied is stale.
  Event to_device(const After& before) { return to_device(before, 0, size()); }
  Event to_device(const After& before, std::size_t first, std::size_t count) {
    return bytes_.to_device(before, first * sizeof(T), count * sizeof(T));
  }
  Event to_host(const After& before) { return to_host(before, 0, size()); }
  Event to_host(const After& before, std::size_t first, std::size_t count) {
    return bytes_.to_host(before, first * sizeof(T), count * sizeof(T));
  }
  // The same as work of a stream, after what was put there and before what will be. In a Graph the copies are repeated by each
  // launch, and what is stale is what the capture left.
  Event to_device(Stream& stream) { return to_device(stream, 0, size()); }
  Event to_device(Stream& stream, std::size_t first, std::size_t count) {
    return bytes_.to_device(stream, first * sizeof(T), count * sizeof(T));
  }
  Event to_host(Stream& stream) { return to_host(stream, 0, size()); }
  Event to_host(Stream& stream, std::size_t first, std::size_t count) {
    return bytes_.to_host(stream, first * sizeof(T), count * sizeof(T));
  }

  /// Gives the host side's memory back, for what lives on the device; it is stale afterwards, and comes back when asked for.
  /// Nothing happens where the sides share memory. @throws DeviceError where an element is stale on the device side.
  void release_host() { bytes_.release_host(); }

 private:
  detail::HostDeviceBytes bytes_;
};

}  // namespace weft
