#pragma once
/// The View of kernels.hpp that computes with several variables of a row at once.
#include <cstdint>

#include "weft/flow/detail/kernels.hpp"
#include "weft/flow/detail/pack.hpp"

namespace weft::flow::detail {

/// Rows are read N numbers at a time, so that the last group of a row ends with numbers of the next: they are computed along and
/// never stored. @pre values and gradients have kRowPadding more numbers than rows need.
template <int N>
struct PackView : ResidualView {
  using Group = Pack<N>;
  static constexpr int kGroups = (kVars + N - 1) / N;
  static_assert(kGroups * N - kVars <= kRowPadding);

  WEFT_FORCE_INLINE explicit PackView(const ResidualView& rows) : ResidualView(rows) {}

  [[nodiscard]] WEFT_FORCE_INLINE Group value(std::int32_t row, int j) const {
    return Group::load(values + static_cast<std::int64_t>(row) * kVars + j * N);
  }
  template <int Dim>
  [[nodiscard]] WEFT_FORCE_INLINE Group gradient(std::int32_t row, int j, int d) const {
    return Group::load(gradients + static_cast<std::int64_t>(row) * (kVars * Dim) + gradient_index(j * N, d));
  }
  template <int Dim>
  WEFT_FORCE_INLINE void set_gradient(std::int32_t c, int j, int d, const Group& slope) const {
    double* const to = gradients + static_cast<std::int64_t>(c) * (kVars * Dim) + gradient_index(j * N, d);
    if (N > 4 || j == 0) first_four(slope).store(to);
    if (N > 4) to[4] = slope[4];
    if (N == 4 && j == 1) to[0] = slope[0];
  }
  [[nodiscard]] WEFT_FORCE_INLINE Group scale_of(int j) const {
    Group group(0.0);
    for (int i = 0; i < N && j * N + i < kVars; ++i) group.v[i] = scale[j * N + i];
    return group;
  }
};

}  // namespace weft::flow::detail
