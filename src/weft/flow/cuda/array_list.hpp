#pragma once
/// Visitors of the device arrays of a class. Such a class lists its arrays once, in a member function that calls
/// visit(array, size) or visit(array, values) for each; one visitor counts their bytes and the other allocates them.
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "weft/device/device_vector.hpp"

namespace weft::flow::detail {

/// Adds up the bytes that the listed arrays need; allocates nothing and needs no GPU.
struct CountBytes {
  std::size_t bytes = 0;
  template <class T>
  void operator()(const DeviceVector<T>& /*array*/, std::size_t size) {
    bytes += size * sizeof(T);
  }
  template <class T, class From>
  void operator()(const DeviceVector<T>& array, const std::vector<From>& values) {
    (*this)(array, values.size());
  }
};

/// Allocates the listed arrays on the current GPU, accessible to other processes, and copies the values, converted to T.
struct Allocate {
  template <class T>
  void operator()(DeviceVector<T>& array, std::size_t size) const {
    array = DeviceVector<T>(Backend::cuda, size);
  }
  template <class T, class From>
  void operator()(DeviceVector<T>& array, const std::vector<From>& values) const {
    if constexpr (std::is_same_v<T, From>) {
      array = DeviceVector<T>(Backend::cuda, values);
    } else {
      array = DeviceVector<T>(Backend::cuda, std::vector<T>(values.begin(), values.end()));
    }
  }
};

}  // namespace weft::flow::detail
