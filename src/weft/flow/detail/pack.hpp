#pragma once
/// N doubles that are computed with at once, as the vector registers of the machine hold them. The physics of gas.hpp, of the
/// fluxes and of the limiters takes them for numbers.
///
/// Each lane is computed as a double would be (IEEE 754, no contraction), so that results do not depend on N. Written with the
/// vector types that g++ and clang++ share; where the machine's registers are shorter the compiler splits them. Everything is
/// inlined always: the same header is compiled for several instruction sets, and no function may be left for the linker to
/// choose.
#include <cstddef>
#include <utility>

#include "weft/base/macros.hpp"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace weft::flow::detail {

template <int N>
struct Lanes;
template <>
struct Lanes<4> {
  typedef double Numbers __attribute__((vector_size(32)));
  typedef long long Flags __attribute__((vector_size(32)));
};
template <>
struct Lanes<8> {
  typedef double Numbers __attribute__((vector_size(64)));
  typedef long long Flags __attribute__((vector_size(64)));
};

/// What comparing packs yields.
template <int N>
struct Mask {
  using Vector = typename Lanes<N>::Flags;
  Vector v;

  friend WEFT_FORCE_INLINE Mask operator&&(const Mask& a, const Mask& b) { return {a.v & b.v}; }
};

template <int N>
struct Pack {
  using Vector = typename Lanes<N>::Numbers;
  Vector v;

  WEFT_FORCE_INLINE Pack() = default;
  WEFT_FORCE_INLINE Pack(Vector vector) : v(vector) {}
  /// All lanes alike.
  WEFT_FORCE_INLINE Pack(double a) : Pack(a, std::make_index_sequence<N>{}) {}

  [[nodiscard]] static WEFT_FORCE_INLINE Pack load(const double* from) {
    Pack p;
    __builtin_memcpy(&p.v, from, sizeof p.v);
    return p;
  }
  WEFT_FORCE_INLINE void store(double* to) const { __builtin_memcpy(to, &v, sizeof v); }
  [[nodiscard]] WEFT_FORCE_INLINE double operator[](int lane) const { return v[lane]; }

  WEFT_FORCE_INLINE Pack& operator+=(const Pack& b) { return *this = *this + b; }
  WEFT_FORCE_INLINE Pack& operator-=(const Pack& b) { return *this = *this - b; }
  WEFT_FORCE_INLINE Pack& operator*=(const Pack& b) { return *this = *this * b; }
  friend WEFT_FORCE_INLINE Pack operator+(const Pack& a, const Pack& b) { return a.v + b.v; }
  friend WEFT_FORCE_INLINE Pack operator-(const Pack& a, const Pack& b) { return a.v - b.v; }
  friend WEFT_FORCE_INLINE Pack operator*(const Pack& a, const Pack& b) { return a.v * b.v; }
  friend WEFT_FORCE_INLINE Pack operator/(const Pack& a, const Pack& b) { return a.v / b.v; }
  friend WEFT_FORCE_INLINE Pack operator-(const Pack& a) { return -a.v; }
  friend WEFT_FORCE_INLINE Mask<N> operator<(const Pack& a, const Pack& b) { return {a.v < b.v}; }
  friend WEFT_FORCE_INLINE Mask<N> operator<=(const Pack& a, const Pack& b) { return {a.v <= b.v}; }
  friend WEFT_FORCE_INLINE Mask<N> operator>(const Pack& a, const Pack& b) { return {a.v > b.v}; }
  friend WEFT_FORCE_INLINE Mask<N> operator!=(const Pack& a, const Pack& b) { return {a.v != b.v}; }

  friend WEFT_FORCE_INLINE Pack blend(const Mask<N>& mask, const Pack& a, const Pack& b) { return mask.v ? a.v : b.v; }
  friend WEFT_FORCE_INLINE Pack sqrt(const Pack& a) {
    if constexpr (N == 4) {
#if defined(__AVX__)
      return static_cast<Vector>(_mm256_sqrt_pd(static_cast<__m256d>(a.v)));
#endif
    } else if constexpr (N == 8) {
#if defined(__AVX512F__)
      return static_cast<Vector>(_mm512_maskz_sqrt_pd(0xff, static_cast<__m512d>(a.v)));  // g++ 12 warns of the plain one
#endif
    }
    Pack roots;
    for (int i = 0; i < N; ++i) roots.v[i] = __builtin_sqrt(a.v[i]);
    return roots;
  }

 private:
  template <std::size_t... I>
  WEFT_FORCE_INLINE Pack(double a, std::index_sequence<I...>) : v{((void)I, a)...} {}
};

/// Whether the mask is true in every lane.
template <int N>
[[nodiscard]] WEFT_FORCE_INLINE bool all(const Mask<N>& mask) {
#if defined(__AVX512DQ__)
  if constexpr (N == 8) return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask.v)) == 0xff;
#endif
#if defined(__AVX__)
  if constexpr (N == 4) return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask.v)) == 0xf;
#endif
  long long every = -1;
  for (int i = 0; i < N; ++i) every &= mask.v[i];
  return every != 0;
}

template <int N, std::size_t... I>
[[nodiscard]] WEFT_FORCE_INLINE Pack<4> first_four(const Pack<N>& a) {
  if constexpr (N == 4) {
    return a;
  } else {
    return Pack<4>(__builtin_shufflevector(a.v, a.v, 0, 1, 2, 3));
  }
}

/// Swaps blocks of `Block` lanes between a and b: what a pass of a transposition does to rows that are Block apart.
template <int Block, int N, std::size_t... I>
WEFT_FORCE_INLINE void swap_blocks(Pack<N>& a, Pack<N>& b, std::index_sequence<I...>) {
  const Pack<N> low(__builtin_shufflevector(a.v, b.v, ((I & Block) != 0 ? N + I - Block : I)...));
  const Pack<N> high(__builtin_shufflevector(a.v, b.v, ((I & Block) != 0 ? N + I : I + Block)...));
  a = low;
  b = high;
}

/// Makes lane j of pack i what lane i of pack j was.
template <int N, int Block = N / 2>
WEFT_FORCE_INLINE void transpose(Pack<N> (&rows)[N]) {
#pragma GCC unroll 8
  for (int i = 0; i < N; ++i) {
    if ((i & Block) == 0) swap_blocks<Block>(rows[i], rows[i + Block], std::make_index_sequence<N>{});
  }
  if constexpr (Block > 1) transpose<N, Block / 2>(rows);
}

}  // namespace weft::flow::detail
