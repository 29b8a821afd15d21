#pragma once
/// LU factorisation with partial pivoting of one matrix of compile-time size, and the solution with it, for the functions of
/// batched_lu.hpp. All subscripts are compile-time constants once the loops are unrolled, so that a GPU holds the matrix in
/// registers; lu_factors() of base/small_matrix.hpp selects rows by run-time subscripts, for which it needs local memory.
#include <cstdint>
#include <limits>

#include "weft/base/macros.hpp"

#if defined(__CUDA_ARCH__)
#define WEFT_UNROLL _Pragma("unroll")
#else
#define WEFT_UNROLL
#endif

namespace weft::kernels::detail {

template <class T>
[[nodiscard]] WEFT_HD constexpr T magnitude(T x) {
  return x < T(0) ? -x : x;
}

/// Returns true if a number of this magnitude can be a pivot: neither 0, nor infinite, nor not a number.
template <class T>
[[nodiscard]] WEFT_HD constexpr bool is_pivot(T magnitude) {
  return magnitude > T(0) && magnitude <= std::numeric_limits<T>::max();
}

/// Exchanges two numbers if `wanted`. It selects values, not addresses, which would have to be in memory.
template <class T>
WEFT_HD constexpr void exchange_if(bool wanted, T& a, T& b) {
  const T first = a, second = b;
  a = wanted ? second : first;
  b = wanted ? first : second;
}

/// Factorises a row-major matrix in place, as described for lu_factor().
/// @return the status: 0, or 1 + the column without a pivot, where the factorisation ends.
template <class T, int N>
WEFT_HD constexpr int factor_small(T (&a)[N * N], std::uint8_t (&pivots)[N]) {
  int status = 0;
  WEFT_UNROLL
  for (int c = 0; c < N; ++c) {
    int pivot = c;
    T largest = magnitude(a[c * N + c]);
    WEFT_UNROLL
    for (int i = c + 1; i < N; ++i) {
      const T candidate = magnitude(a[i * N + c]);
      if (candidate > largest) {
        largest = candidate;
        pivot = i;
      }
    }
    if (status == 0 && !is_pivot(largest)) status = c + 1;
    pivots[c] = static_cast<std::uint8_t>(status == 0 ? pivot : c);
    if (status != 0) continue;
    WEFT_UNROLL
    for (int i = c + 1; i < N; ++i) {
      WEFT_UNROLL
      for (int k = 0; k < N; ++k) exchange_if(i == pivot, a[c * N + k], a[i * N + k]);
    }
    WEFT_UNROLL
    for (int i = c + 1; i < N; ++i) {
      const T factor = a[i * N + c] / a[c * N + c];
      a[i * N + c] = factor;
      WEFT_UNROLL
      for (int k = c + 1; k < N; ++k) a[i * N + k] -= factor * a[c * N + k];
    }
  }
  return status;
}

/// Solves with the factors of factor_small(), in place, as described for lu_solve().
template <class T, int N>
WEFT_HD constexpr void solve_small(const T (&a)[N * N], const std::uint8_t (&pivots)[N], T (&b)[N]) {
  WEFT_UNROLL
  for (int c = 0; c < N; ++c) {
    WEFT_UNROLL
    for (int i = c + 1; i < N; ++i) exchange_if(i == pivots[c], b[c], b[i]);
  }
  WEFT_UNROLL
  for (int k = 0; k < N; ++k) {
    WEFT_UNROLL
    for (int i = k + 1; i < N; ++i) b[i] -= a[i * N + k] * b[k];
  }
  WEFT_UNROLL
  for (int k = N - 1; k >= 0; --k) {
    b[k] /= a[k * N + k];
    WEFT_UNROLL
    for (int i = 0; i < k; ++i) b[i] -= a[i * N + k] * b[k];
  }
}

}  // namespace weft::kernels::detail
