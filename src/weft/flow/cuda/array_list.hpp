#pragma once
/// Visitors of the device arrays of a class. Such a class lists its arrays once, in a member function that calls for each
/// visit(vector, size) or visit(vector, values), or for exchanged ones visit(pair, space) or visit(pair, space, width); one
/// visitor counts their bytes and the other allocates them.
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/exchange_memory.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/team_upload.hpp"

namespace weft::flow::detail {

/// A std::vector or an IdVector.
template <class Values>
concept HostValues = requires(const Values& values) { values.data(); };

/// Adds up the bytes that the listed arrays need; allocates nothing and needs no GPU.
struct CountBytes {
  std::size_t bytes = 0;
  template <class T>
  void operator()(const DeviceVector<T>& /*array*/, std::size_t size) {
    bytes += size * sizeof(T);
  }
  template <class T, HostValues Values>
  void operator()(const DeviceVector<T>& array, const Values& values) {
    (*this)(array, values.size());
  }
  template <class T, int RowSize>
  void operator()(const ArrayPair<T, RowSize>& /*array*/, const IndexSpace& space, int width = RowSize) {
    bytes += static_cast<std::size_t>(space.rows()) * static_cast<std::size_t>(width) * sizeof(T);
  }
};

/// Adds up bounds of the bytes that one exchange of each of the listed pairs takes.
struct CountExchanges {
  const GhostPlan& plan;
  std::size_t bytes = 0;
  template <class T, class Size>
  void operator()(const DeviceVector<T>& /*array*/, const Size& /*size*/) {}
  template <class T, int RowSize>
  void operator()(const ArrayPair<T, RowSize>& /*array*/, const IndexSpace& /*space*/, int width = RowSize) {
    bytes += most_exchange_bytes(plan, static_cast<std::size_t>(width) * sizeof(T));
  }
};

/// Allocates the listed arrays on the current GPU, accessible to other processes, and copies the values, converted to T.
struct Allocate {
  template <class T>
  void operator()(DeviceVector<T>& array, std::size_t size) const {
    array = DeviceVector<T>(Backend::cuda, size);
  }
  template <class T, HostValues Values>
  void operator()(DeviceVector<T>& array, const Values& values) const {
    if constexpr (std::is_same_v<T, typename Values::value_type>) {
      array = DeviceVector<T>(Backend::cuda, std::span<const T>(values.data(), values.size()));
    } else {
      array = DeviceVector<T>(Backend::cuda, std::vector<T>(values.begin(), values.end()));
    }
  }
  template <class T, int RowSize, class... Width>
  void operator()(ArrayPair<T, RowSize>& array, const IndexSpace& space, Width... width) const {
    array = ArrayPair<T, RowSize>(space, width..., Layout::aos, Backend::cuda, Side::device);
  }
};

/// Allocates long lists of a class without exchanged arrays as Allocate does, and copies the values by the threads of a team.
struct AllocateByTeam {
  TeamUpload& upload;
  template <class T, HostValues Values>
  void operator()(DeviceVector<T>& array, const Values& values) const {
    array = DeviceVector<T>(Backend::cuda, values.size());
    upload.put(array, std::span<const typename Values::value_type>(values.data(), values.size()));
  }
};

/// Returns the address of the rows on the GPU; null without rows.
template <class T, int RowSize>
[[nodiscard]] T* on_device(ArrayPair<T, RowSize>& array) {
  return array.empty() ? nullptr : array.template view<Aos, space::cuda>().data();
}
template <class T, int RowSize>
[[nodiscard]] const T* on_device(const ArrayPair<T, RowSize>& array) {
  return array.empty() ? nullptr : array.template view<Aos, space::cuda>().data();
}

}  // namespace weft::flow::detail
