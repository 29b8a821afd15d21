#pragma once
/// Integrals over cells: functors for reduce, with the same digits on the host and on a GPU.
#include <array>
#include <cstddef>
#include <cstdint>

#include "weft/base/compensated_sum.hpp"
#include "weft/base/macros.hpp"

namespace weft::flow::detail {

/// Sums of `Width` quantities.
template <int Width>
struct Integrals {
  CompensatedSum of[Width];

  [[nodiscard]] std::array<double, Width> values() const {
    std::array<double, Width> list;
    for (std::size_t k = 0; k < list.size(); ++k) list[k] = of[k].value();
    return list;
  }
  WEFT_HD Integrals& operator+=(const Integrals& other) {
    for (int k = 0; k < Width; ++k) of[k] += other.of[k];
    return *this;
  }
};

/// Contents of a cell: the integrals of `Width` quantities that are adjacent in a row.
template <int Width, class State>
struct CellContent {
  const State* per_volume;  ///< first quantity in the first row
  int row;                  ///< row size
  const double* inverse_volume;
  WEFT_HD Integrals<Width> operator()(std::int32_t c) const {
    Integrals<Width> content;
    for (int k = 0; k < Width; ++k) {
      content.of[k] = CompensatedSum(static_cast<double>(per_volume[static_cast<std::int64_t>(c) * row + k]) / inverse_volume[c]);
    }
    return content;
  }
};

/// Adds two values, for reduce.
struct Add {
  template <class T>
  WEFT_HD T operator()(T a, const T& b) const {
    return a += b;
  }
};

}  // namespace weft::flow::detail
