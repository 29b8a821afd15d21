#pragma once
/// Arrays in the memory of the current GPU.
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "weft/device/storage.hpp"
#include "weft/device/stream.hpp"

namespace weft::flow::detail {

/// A fixed number of values; contents start undefined.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : storage_(DeviceStorage::make(Backend::cuda, size * sizeof(T))), size_(size) {}
  explicit DeviceArray(std::span<const T> values) : DeviceArray(values.size()) { put(values); }

  [[nodiscard]] T* data() const { return storage_ ? reinterpret_cast<T*>(storage_->data()) : nullptr; }
  [[nodiscard]] std::size_t size() const { return size_; }
  void put(std::span<const T> values) { storage_->copy_from_host(0, std::as_bytes(values), After()).wait(); }
  void get(std::size_t first, std::span<T> values, const After& before) const { get_later(first, values, before).wait(); }
  /// Returns at once where `values` are page-locked; they must stay until the event is done.
  Event get_later(std::size_t first, std::span<T> values, const After& before) const {
    return storage_->copy_to_host(first * sizeof(T), std::as_writable_bytes(values), before);
  }

 private:
  std::unique_ptr<DeviceStorage> storage_;
  std::size_t size_ = 0;
};

template <class T>
DeviceArray<T> copy_of(const std::vector<T>& values) {
  return DeviceArray<T>(std::span<const T>(values));
}
/// The same numbers as T.
template <class T>
DeviceArray<T> copy_as(const std::vector<double>& values) {
  if constexpr (std::is_same_v<T, double>) {
    return copy_of(values);
  } else {
    return copy_of(std::vector<T>(values.begin(), values.end()));
  }
}

}  // namespace weft::flow::detail
