#pragma once
/// The View of kernels.hpp with several variables of a row in a SIMD vector.
#include <cstdint>

#include "weft/flow/host/simd_vector.hpp"
#include "weft/flow/scheme/residual_view.hpp"

namespace weft::flow::detail {

/// Rows are read N numbers at a time; the last elements of a row's last group are zeros, which are computed and never stored.
/// (They are not read from the next row, because another thread may be writing it.)
template <int N>
struct SimdView : ResidualView {
  using Group = SimdVector<N>;
  static constexpr int kGroups = (kVars + N - 1) / N;

  WEFT_FORCE_INLINE explicit SimdView(const ResidualView& rows) : ResidualView(rows) {}

  [[nodiscard]] WEFT_FORCE_INLINE Group value(std::int32_t row, int j) const {
    return group(values + static_cast<std::int64_t>(row) * kVars, j);
  }
  template <int Dim>
  [[nodiscard]] WEFT_FORCE_INLINE Group gradient(std::int32_t row, int j, int d) const {
    return group(gradients + static_cast<std::int64_t>(row) * (kVars * Dim) + gradient_index(0, d), j);
  }
  template <int Dim>
  WEFT_FORCE_INLINE void set_gradient(std::int32_t c, int j, int d, const Group& slope) const {
    double* const to = gradients + static_cast<std::int64_t>(c) * (kVars * Dim) + gradient_index(j * N, d);
    if (N > 4 || j == 0) first_four(slope).store(to);
    if (N > 4) to[4] = slope[4];
    if (N == 4 && j == 1) to[0] = slope[0];
  }
  [[nodiscard]] WEFT_FORCE_INLINE Group scale_of(int j) const {
    Group scales(0.0);
    for (int i = 0; i < N && j * N + i < kVars; ++i) scales.v[i] = scale[j * N + i];
    return scales;
  }

  /// Appends a number to the variables of a row whose first group this is, if the group has space for it.
  static WEFT_FORCE_INLINE void append(double number, Group& first) {
    if constexpr (N > kVars) first.v[kVars] = number;
  }

 private:
  /// Loads group j of kVars numbers.
  [[nodiscard]] static WEFT_FORCE_INLINE Group group(const double* numbers, int j) {
    return (j + 1) * N <= kVars ? Group::load(numbers + j * N) : Group::template load_first<kVars % N>(numbers + j * N);
  }
};

}  // namespace weft::flow::detail
