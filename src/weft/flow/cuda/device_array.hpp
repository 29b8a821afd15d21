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

// A class with arrays on a GPU has one list of them, visit(array, size) or visit(array, values) for each, which is visited twice:

/// to know what they take,
struct CountBytes {
  std::size_t bytes = 0;
  template <class T>
  void operator()(const DeviceArray<T>& /*array*/, std::size_t size) {
    bytes += size * sizeof(T);
  }
  template <class T, class From>
  void operator()(const DeviceArray<T>& array, const std::vector<From>& values) {
    (*this)(array, values.size());
  }
};

/// and to have them, with these values as T.
struct Allocate {
  template <class T>
  void operator()(DeviceArray<T>& array, std::size_t size) const {
    array = DeviceArray<T>(size);
  }
  template <class T, class From>
  void operator()(DeviceArray<T>& array, const std::vector<From>& values) const {
    if constexpr (std::is_same_v<T, From>) {
      array = DeviceArray<T>(std::span<const T>(values));
    } else {
      array = DeviceArray<T>(std::span<const T>(std::vector<T>(values.begin(), values.end())));
    }
  }
};

}  // namespace weft::flow::detail
