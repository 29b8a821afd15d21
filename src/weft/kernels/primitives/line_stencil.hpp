#pragma once
/// Stencils along one axis.
#include <cstdint>
#include <span>

#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

/// The coefficients of a point and its kRadius neighbours on both sides, from the lowest.
template <class T, int kRadius>
struct LineStencil {
  static_assert(kRadius >= 0 && kRadius <= 16);
  static constexpr int kPoints = 2 * kRadius + 1;
  T coefficient[kPoints];

  /// Returns the weighted sum of in[0] .. in[kPoints - 1], added from left to right.
  [[nodiscard]] WEFT_HD T operator()(const T* in) const {
    T sum = coefficient[0] * in[0];
    for (int k = 1; k < kPoints; ++k) sum += coefficient[k] * in[k];
    return sum;
  }
};

namespace detail {

template <class T, int kRadius>
struct ApplyLineStencil {
  LineStencil<T, kRadius> stencil;
  const T* in;
  T* out;
  WEFT_HD void operator()(std::int64_t i) const { out[i] = stencil(in + i); }
};

}  // namespace detail

/// Computes out[i] = coefficient[0] in[i] + ... + coefficient[2 kRadius] in[i + 2 kRadius]: `in` has kRadius entries more on both
/// sides. Example: {-0.5, 0, 0.5} and in {1, 4, 9, 16} give {4, 6}. line_stencil.cuh has an overload for GPUs, for .cu files,
/// with the same digits.
/// @pre in.size() = out.size() + 2 kRadius; no overlap (checked in every build). @cost one read and one write of each entry.
template <class T, int kRadius>
void apply_line_stencil(const LineStencil<T, kRadius>& stencil, std::span<const T> in, std::span<T> out,
                        Team& team = calling_thread()) {
  WEFT_EXPECTS(in.size() == out.size() + 2 * kRadius);
  detail::refuse_overlap(in, out, "in and out of apply_line_stencil");
  const detail::ApplyLineStencil<T, kRadius> apply{stencil, in.data(), out.data()};
  detail::split(team, static_cast<std::int64_t>(out.size()), 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) apply(i);
  });
}

}  // namespace weft::kernels
