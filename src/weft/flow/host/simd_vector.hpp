#pragma once
/// SIMD vectors of N doubles with the arithmetic of a double, for the physics of gas.hpp, the fluxes and the limiters.
///
/// Each element is computed as a double would be (IEEE 754, no contraction), so that results do not depend on N. The types are
/// those that g++ and clang++ share; where the machine's registers are shorter the compiler splits them. Everything is always
/// inlined: the header is compiled for several instruction sets, and the linker must not be able to choose between copies of a
/// function.
#include <cstddef>
#include <utility>

#include "weft/base/macros.hpp"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace weft::flow::detail {

template <int N>
struct SimdTypes;
template <>
struct SimdTypes<4> {
  using Values = double __attribute__((vector_size(32)));
  using Flags = long long __attribute__((vector_size(32)));
};
template <>
struct SimdTypes<8> {
  using Values = double __attribute__((vector_size(64)));
  using Flags = long long __attribute__((vector_size(64)));
};

/// The result of a comparison of SIMD vectors.
template <int N>
struct Mask {
  using Vector = typename SimdTypes<N>::Flags;
  Vector v;

  friend WEFT_FORCE_INLINE Mask operator&&(const Mask& a, const Mask& b) { return {a.v & b.v}; }
};

template <int N>
struct SimdVector {
  using Vector = typename SimdTypes<N>::Values;
  Vector v;

  WEFT_FORCE_INLINE SimdVector() = default;
  WEFT_FORCE_INLINE SimdVector(Vector vector) : v(vector) {}
  /// Sets all elements to one value.
  WEFT_FORCE_INLINE SimdVector(double a) : SimdVector(a, std::make_index_sequence<N>{}) {}

  [[nodiscard]] static WEFT_FORCE_INLINE SimdVector load(const double* from) {
    typedef Vector Anywhere __attribute__((aligned(alignof(double)), may_alias));
    return static_cast<Vector>(*reinterpret_cast<const Anywhere*>(from));
  }
  /// Loads the first Count elements; the others are zeros, whose memory is not read.
  template <int Count>
  [[nodiscard]] static WEFT_FORCE_INLINE SimdVector load_first(const double* from) {
#if defined(__AVX512F__)
    if constexpr (N == 8) return static_cast<Vector>(_mm512_maskz_loadu_pd((1 << Count) - 1, from));
#endif
    SimdVector p(0.0);
    __builtin_memcpy(&p.v, from, Count * sizeof(double));
    return p;
  }
  WEFT_FORCE_INLINE void store(double* to) const { __builtin_memcpy(to, &v, sizeof v); }
  [[nodiscard]] WEFT_FORCE_INLINE double operator[](int lane) const { return v[lane]; }

  WEFT_FORCE_INLINE SimdVector& operator+=(const SimdVector& b) { return *this = *this + b; }
  WEFT_FORCE_INLINE SimdVector& operator-=(const SimdVector& b) { return *this = *this - b; }
  WEFT_FORCE_INLINE SimdVector& operator*=(const SimdVector& b) { return *this = *this * b; }
  friend WEFT_FORCE_INLINE SimdVector operator+(const SimdVector& a, const SimdVector& b) { return a.v + b.v; }
  friend WEFT_FORCE_INLINE SimdVector operator-(const SimdVector& a, const SimdVector& b) { return a.v - b.v; }
  friend WEFT_FORCE_INLINE SimdVector operator*(const SimdVector& a, const SimdVector& b) { return a.v * b.v; }
  friend WEFT_FORCE_INLINE SimdVector operator/(const SimdVector& a, const SimdVector& b) { return a.v / b.v; }
  friend WEFT_FORCE_INLINE SimdVector operator-(const SimdVector& a) { return -a.v; }
  friend WEFT_FORCE_INLINE Mask<N> operator<(const SimdVector& a, const SimdVector& b) { return {a.v < b.v}; }
  friend WEFT_FORCE_INLINE Mask<N> operator<=(const SimdVector& a, const SimdVector& b) { return {a.v <= b.v}; }
  friend WEFT_FORCE_INLINE Mask<N> operator>(const SimdVector& a, const SimdVector& b) { return {a.v > b.v}; }
  friend WEFT_FORCE_INLINE Mask<N> operator!=(const SimdVector& a, const SimdVector& b) { return {a.v != b.v}; }

  friend WEFT_FORCE_INLINE SimdVector blend(const Mask<N>& mask, const SimdVector& a, const SimdVector& b) {
    return mask.v ? a.v : b.v;
  }
  friend WEFT_FORCE_INLINE SimdVector sqrt(const SimdVector& a) {
    if constexpr (N == 4) {
#if defined(__AVX__)
      return static_cast<Vector>(_mm256_sqrt_pd(static_cast<__m256d>(a.v)));
#endif
    } else if constexpr (N == 8) {
#if defined(__AVX512F__)
      return static_cast<Vector>(_mm512_maskz_sqrt_pd(0xff, static_cast<__m512d>(a.v)));  // g++ 12 warns of the unmasked one
#endif
    }
    SimdVector roots;
    for (int i = 0; i < N; ++i) roots.v[i] = __builtin_sqrt(a.v[i]);
    return roots;
  }

 private:
  template <std::size_t... I>
  WEFT_FORCE_INLINE SimdVector(double a, std::index_sequence<I...>) : v{((void)I, a)...} {}
};

/// Returns whether the mask is true in every element.
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

/// Two SIMD vectors whose computations are interleaved: a core computes one of them while it waits for a quotient of the other.
template <int N>
struct SimdPair {
  struct Flags {
    Mask<N> a, b;
    friend WEFT_FORCE_INLINE Flags operator&&(const Flags& p, const Flags& q) { return {p.a && q.a, p.b && q.b}; }
    friend WEFT_FORCE_INLINE bool all(const Flags& flags) { return all(flags.a) && all(flags.b); }
  };
  SimdVector<N> a, b;

  WEFT_FORCE_INLINE SimdPair() = default;
  WEFT_FORCE_INLINE SimdPair(const SimdVector<N>& first, const SimdVector<N>& second) : a(first), b(second) {}
  WEFT_FORCE_INLINE SimdPair(double all) : a(all), b(all) {}

  WEFT_FORCE_INLINE SimdPair& operator+=(const SimdPair& q) { return *this = *this + q; }
  WEFT_FORCE_INLINE SimdPair& operator-=(const SimdPair& q) { return *this = *this - q; }
  WEFT_FORCE_INLINE SimdPair& operator*=(const SimdPair& q) { return *this = *this * q; }
  friend WEFT_FORCE_INLINE SimdPair operator+(const SimdPair& p, const SimdPair& q) { return {p.a + q.a, p.b + q.b}; }
  friend WEFT_FORCE_INLINE SimdPair operator-(const SimdPair& p, const SimdPair& q) { return {p.a - q.a, p.b - q.b}; }
  friend WEFT_FORCE_INLINE SimdPair operator*(const SimdPair& p, const SimdPair& q) { return {p.a * q.a, p.b * q.b}; }
  friend WEFT_FORCE_INLINE SimdPair operator/(const SimdPair& p, const SimdPair& q) { return {p.a / q.a, p.b / q.b}; }
  friend WEFT_FORCE_INLINE SimdPair operator-(const SimdPair& p) { return {-p.a, -p.b}; }
  friend WEFT_FORCE_INLINE Flags operator<(const SimdPair& p, const SimdPair& q) { return {p.a < q.a, p.b < q.b}; }
  friend WEFT_FORCE_INLINE Flags operator<=(const SimdPair& p, const SimdPair& q) { return {p.a <= q.a, p.b <= q.b}; }
  friend WEFT_FORCE_INLINE Flags operator>(const SimdPair& p, const SimdPair& q) { return {p.a > q.a, p.b > q.b}; }
  friend WEFT_FORCE_INLINE Flags operator!=(const SimdPair& p, const SimdPair& q) { return {p.a != q.a, p.b != q.b}; }
  friend WEFT_FORCE_INLINE SimdPair blend(const Flags& mask, const SimdPair& p, const SimdPair& q) {
    return {blend(mask.a, p.a, q.a), blend(mask.b, p.b, q.b)};
  }
  friend WEFT_FORCE_INLINE SimdPair sqrt(const SimdPair& p) { return {sqrt(p.a), sqrt(p.b)}; }
};

template <int N, std::size_t... I>
[[nodiscard]] WEFT_FORCE_INLINE SimdVector<4> first_four(const SimdVector<N>& a) {
  if constexpr (N == 4) {
    return a;
  } else {
    return SimdVector<4>(__builtin_shufflevector(a.v, a.v, 0, 1, 2, 3));
  }
}

/// Swaps blocks of `Block` elements between a and b: a pass of a transposition, for rows that are Block apart.
template <int Block, int N, std::size_t... I>
WEFT_FORCE_INLINE void swap_blocks(SimdVector<N>& a, SimdVector<N>& b, std::index_sequence<I...>) {
  const SimdVector<N> low(__builtin_shufflevector(a.v, b.v, ((I & Block) != 0 ? N + I - Block : I)...));
  const SimdVector<N> high(__builtin_shufflevector(a.v, b.v, ((I & Block) != 0 ? N + I : I + Block)...));
  a = low;
  b = high;
}

template <int Block, int N, std::size_t... I>
WEFT_FORCE_INLINE void transpose(SimdVector<N> (&rows)[N], std::index_sequence<I...> indices) {
  // I enumerates N / 2 rows I / Block * 2 * Block + I % Block.
  (swap_blocks<Block>(rows[I / Block * 2 * Block + I % Block], rows[I / Block * 2 * Block + I % Block + Block],
                      std::make_index_sequence<N>{}),
   ...);
  if constexpr (Block > 1) transpose<Block / 2>(rows, indices);
}
/// Transposes N vectors: element j of vector i becomes element i of vector j. (Without loops, because indexed vectors would stay
/// in memory.)
template <int N>
WEFT_FORCE_INLINE void transpose(SimdVector<N> (&rows)[N]) {
  transpose<N / 2>(rows, std::make_index_sequence<N / 2>{});
}

/// Takes those of the numbers Stride * i + K, for elements i, that are in the M-th vector, into `p`.
template <int Stride, int K, int M, int N, std::size_t... I>
WEFT_FORCE_INLINE void take_every(SimdVector<N>& p, const SimdVector<N>& source, std::index_sequence<I...>) {
  constexpr auto from = [](int i) {
    const int number = Stride * i + K;
    if (number / N == M) return N + number % N;
    return M == 1 ? number % N : i;
  };
  p = SimdVector<N>(__builtin_shufflevector(p.v, source.v, from(static_cast<int>(I))...));
}

/// Returns component K of consecutive vectors of Stride numbers: element i is number Stride * i + K of the registers.
template <int Stride, int K, int N, int M = 1>
[[nodiscard]] WEFT_FORCE_INLINE SimdVector<N> every(const SimdVector<N> (&registers)[Stride], SimdVector<N> p) {
  take_every<Stride, K, M>(p, registers[M], std::make_index_sequence<N>{});
  if constexpr (M + 1 < Stride) return every<Stride, K, N, M + 1>(registers, p);
  return p;
}

template <int Stride, int N, std::size_t... K>
WEFT_FORCE_INLINE void deinterleave(SimdVector<N> (&registers)[Stride], std::index_sequence<K...>) {
  const SimdVector<N> components[Stride] = {every<Stride, static_cast<int>(K)>(registers, registers[0])...};
  ((registers[K] = components[K]), ...);
}
/// Turns N consecutive vectors of Stride numbers into one SIMD vector for each component.
template <int Stride, int N>
WEFT_FORCE_INLINE void deinterleave(SimdVector<N> (&registers)[Stride]) {
  deinterleave(registers, std::make_index_sequence<Stride>{});
}

/// Takes those elements of component K that belong to the Part-th of the consecutive registers into `p`.
template <int Stride, int Part, int K, int N, std::size_t... I>
WEFT_FORCE_INLINE void put_component(SimdVector<N>& p, const SimdVector<N>& component, std::index_sequence<I...>) {
  constexpr auto from = [](int i) {
    const int number = Part * N + i;
    if (number % Stride == K) return N + number / Stride;
    return K == 1 ? number / Stride : i;
  };
  p = SimdVector<N>(__builtin_shufflevector(p.v, component.v, from(static_cast<int>(I))...));
}

/// Returns the Part-th of the consecutive registers of vectors whose components are given.
template <int Stride, int Part, int N, int K = 1>
[[nodiscard]] WEFT_FORCE_INLINE SimdVector<N> interleaved(const SimdVector<N> (&components)[Stride], SimdVector<N> p) {
  put_component<Stride, Part, K>(p, components[K], std::make_index_sequence<N>{});
  if constexpr (K + 1 < Stride) return interleaved<Stride, Part, N, K + 1>(components, p);
  return p;
}

template <int Stride, int N, std::size_t... Part>
WEFT_FORCE_INLINE void interleave(SimdVector<N> (&components)[Stride], std::index_sequence<Part...>) {
  const SimdVector<N> registers[Stride] = {interleaved<Stride, static_cast<int>(Part)>(components, components[0])...};
  ((components[Part] = registers[Part]), ...);
}
/// Reverses deinterleave().
template <int Stride, int N>
WEFT_FORCE_INLINE void interleave(SimdVector<N> (&components)[Stride]) {
  interleave(components, std::make_index_sequence<Stride>{});
}

template <int Stride, int Part, int N, std::size_t... I>
[[nodiscard]] WEFT_FORCE_INLINE SimdVector<N> repeated(const SimdVector<N>& a, std::index_sequence<I...>) {
  return SimdVector<N>(__builtin_shufflevector(a.v, a.v, ((Part * N + static_cast<int>(I)) / Stride)...));
}
template <int Stride, int N, std::size_t... Part>
WEFT_FORCE_INLINE void repeat(const SimdVector<N>& a, SimdVector<N> (&registers)[Stride], std::index_sequence<Part...>) {
  ((registers[Part] = repeated<Stride, static_cast<int>(Part)>(a, std::make_index_sequence<N>{})), ...);
}
/// Fills consecutive registers with each element of `a` Stride times.
template <int Stride, int N>
WEFT_FORCE_INLINE void repeat(const SimdVector<N>& a, SimdVector<N> (&registers)[Stride]) {
  repeat(a, registers, std::make_index_sequence<Stride>{});
}

}  // namespace weft::flow::detail
