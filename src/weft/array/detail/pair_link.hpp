#pragma once
/// What ties an exchange to the arrays attached to it.
#include <cstdint>
#include <vector>

#include "weft/array/array.hpp"
#include "weft/array/detail/row_moves.hpp"

namespace weft::detail {

/// The array of an ArrayPair, wherever the pair has moved; null once it is gone. Shared by the pair and the exchanges it is
/// attached to.
struct PairLink {
  void* array = nullptr;
};

/// Where an array's memory lies and how much of it there is: changes whenever the array is resized.
struct Footprint {
  const void* data = nullptr;
  const void* row_table = nullptr;  ///< row sizes or offsets
  std::int64_t rows = 0, entries = 0;
  friend bool operator==(const Footprint&, const Footprint&) = default;
};

template <class A>
[[nodiscard]] Footprint footprint(const void* untyped) {
  const A& array = *static_cast<const A*>(untyped);
  Footprint f;
  f.rows = array.rows();
  if constexpr (A::kKind == RowKind::csr) {
    if (!array.compressed()) return f;
    f.row_table = array.offsets().data();
  } else if constexpr (A::kPadded) {
    f.row_table = array.row_sizes().data();
  }
  f.data = array.data();
  f.entries = static_cast<std::int64_t>(array.storage().size());
  return f;
}

/// The parts of an array that travel.
template <class T, int RowSize, int RowMax, int RowAlign>
[[nodiscard]] std::vector<Field> fields(Array<T, RowSize, RowMax, RowAlign>& array) {
  using A = Array<T, RowSize, RowMax, RowAlign>;
  auto* const base = reinterpret_cast<std::byte*>(array.data());
  const Field field{.base = base, .row_bytes = sizeof(T), .row_stride = sizeof(T), .reducers = &kReducers<T>};
  std::vector<Field> list;
  if constexpr (A::kKind == RowKind::csr) {
    list.push_back(field);
    list.back().row_stride = 0;
    list.back().offsets = array.offsets().data();
  } else {
    if (array.layout() == Layout::soa) {
      const std::size_t column = sizeof(T) * static_cast<std::size_t>(array.rows());
      for (int k = 0; k < array.width(); ++k) {
        list.push_back(field);
        list.back().base = base + static_cast<std::size_t>(k) * column;
      }
    } else {
      list.push_back(field);
      list.back().row_bytes = sizeof(T) * static_cast<std::size_t>(array.width());
      list.back().row_stride = sizeof(T) * array.stride();
    }
    if constexpr (A::kPadded) {
      auto* const sizes = const_cast<std::int32_t*>(array.row_sizes().data());
      list.push_back(
          {.base = reinterpret_cast<std::byte*>(sizes), .row_bytes = sizeof(std::int32_t), .row_stride = sizeof(std::int32_t)});
    }
  }
  return list;
}

}  // namespace weft::detail
