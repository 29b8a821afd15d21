#pragma once
/// The steps of ILU(0) and LU-SGS for one scalar row, for colored_factors.cpp and colored_factors.cu. Scalar row p B + i is row i
/// of the blocks at position p.
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/kernels/linear/colored_factors.hpp"
#include "weft/kernels/linear/small_lu.hpp"

namespace weft::kernels::detail {

/// Copies a row of the blocks of A to the factors; 0 where no diagonal block is stored.
template <class T, int B>
struct SplitRow {
  ColoredView<T, B> u;
  BsrView<const T, B> a;
  WEFT_HD void copy(const BsrView<T, B>& to, const std::int64_t* source, std::int32_t p, int i) const {
    for (std::int32_t k = 0; k < to.pattern.sizes[p]; ++k) {
      const std::int64_t slot = to.pattern.slot(p, k);
      for (int j = 0; j < B; ++j) to(slot, i, j) = a(source[slot], i, j);
    }
  }
  WEFT_HD void operator()(std::int64_t row) const {
    const auto p = static_cast<std::int32_t>(row / B);
    const auto i = static_cast<int>(row - std::int64_t{p} * B);
    copy(u.lower, u.lower_source, p, i);
    copy(u.upper, u.upper_source, p, i);
    const std::int32_t of_a = u.order[p], k = a.pattern.diagonal[of_a];
    for (int j = 0; j < B; ++j) {
      T entry{};
      if (k >= 0) entry = a(a.pattern.slot(of_a, k), i, j);
      u.diagonal[row * B + j] = entry;
    }
  }
};

/// Subtracts from a row the rows of lower colours: for each block L_pq in ascending order of q, L_pq D_q^-1 U_qc from the block
/// in column c, if there is one.
template <class T, int B>
struct EliminateRow {
  ColoredView<T, B> u;

  /// Returns the index in row p of the block in column c; -1 if it is not stored.
  [[nodiscard]] WEFT_HD static std::int32_t find(const BsrPatternView& pattern, std::int32_t p, std::int32_t c) {
    std::int32_t low = 0, high = pattern.sizes[p] - 1;
    while (low <= high) {
      const std::int32_t middle = (low + high) / 2, column = pattern.column[pattern.slot(p, middle)];
      if (column == c) return middle;
      if (column < c) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }
  WEFT_HD void operator()(std::int64_t row) const {
    const auto p = static_cast<std::int32_t>(row / B);
    const auto i = static_cast<int>(row - std::int64_t{p} * B);
    for (std::int32_t k = 0; k < u.lower.pattern.sizes[p]; ++k) {
      const std::int64_t slot = u.lower.pattern.slot(p, k);
      const std::int32_t q = u.lower.pattern.column[slot];
      T factor[B] = {};
      WEFT_UNROLL
      for (int m = 0; m < B; ++m) {
        const T entry = u.lower(slot, i, m);
        WEFT_UNROLL
        for (int j = 0; j < B; ++j) factor[j] += entry * u.inverse[BsrView<T, B>::index(q, m, j)];
      }
      for (std::int32_t n = 0; n < u.upper.pattern.sizes[q]; ++n) {
        const std::int64_t of_q = u.upper.pattern.slot(q, n);
        const std::int32_t c = u.upper.pattern.column[of_q];
        const std::int32_t at = c == p ? 0 : find(c < p ? u.lower.pattern : u.upper.pattern, p, c);
        if (at < 0) continue;
        WEFT_UNROLL
        for (int j = 0; j < B; ++j) {
          T sum{};
          WEFT_UNROLL
          for (int m = 0; m < B; ++m) sum += factor[m] * u.upper(of_q, m, j);
          if (c == p) {
            u.diagonal[row * B + j] -= sum;
          } else if (c < p) {
            u.lower(u.lower.pattern.slot(p, at), i, j) -= sum;
          } else {
            u.upper(u.upper.pattern.slot(p, at), i, j) -= sum;
          }
        }
      }
    }
  }
};

/// Computes column i of the inverse of a diagonal block from its LU factors; the unit vector if the block is singular.
template <class T, int B>
struct InvertColumn {
  ColoredView<T, B> u;
  WEFT_HD void operator()(std::int64_t row) const {
    const std::int64_t p = row / B;
    const auto i = static_cast<int>(row - p * B);
    T a[B * B], column[B];
    std::uint8_t pivots[B];
    WEFT_UNROLL
    for (int e = 0; e < B * B; ++e) a[e] = u.diagonal[p * B * B + e];
    WEFT_UNROLL
    for (int c = 0; c < B; ++c) {
      pivots[c] = u.pivots[p * B + c];
      column[c] = c == i ? T(1) : T(0);
    }
    if (u.status[p] == 0) solve_small<T, B>(a, pivots, column);
    WEFT_UNROLL
    for (int m = 0; m < B; ++m) u.inverse[BsrView<T, B>::index(p, m, i)] = column[m];
  }
};

/// Returns `start` minus row i of the blocks at position p times a vector.
template <class T, int B>
[[nodiscard]] WEFT_HD T subtract_row(const BsrView<T, B>& blocks, std::int32_t p, int i, const T* y, T start) {
  for (std::int32_t k = 0; k < blocks.pattern.sizes[p]; ++k) {
    const std::int64_t slot = blocks.pattern.slot(p, k);
    const T* const from = y + std::int64_t{blocks.pattern.column[slot]} * B;
    T entry[B];
    WEFT_UNROLL
    for (int j = 0; j < B; ++j) entry[j] = blocks(slot, i, j);
    WEFT_UNROLL
    for (int j = 0; j < B; ++j) start -= entry[j] * from[j];
  }
  return start;
}
/// Returns row i of the inverse of the diagonal block at position p times a vector of B entries.
template <class T, int B>
[[nodiscard]] WEFT_HD T inverse_row(const ColoredView<T, B>& u, std::int32_t p, int i, const T* t) {
  T sum{};
  WEFT_UNROLL
  for (int j = 0; j < B; ++j) sum += u.inverse[BsrView<T, B>::index(p, i, j)] * t[j];
  return sum;
}

/// Computes the right-hand sides of the rows at one position in the two sweeps, y = D^-1 (r - L y) forwards and then
/// x = y - D^-1 U x backwards, in place.
template <class T, int B, bool kForward>
struct SweepRow {
  ColoredView<T, B> u;
  const T* r;
  T *y, *z;
  [[nodiscard]] WEFT_HD T rest(std::int32_t p, int i) const {
    if constexpr (kForward) return subtract_row<T, B>(u.lower, p, i, y, r[std::int64_t{u.order[p]} * B + i]);
    return subtract_row<T, B>(u.upper, p, i, y, T{});
  }
  /// @param t  rest() of the B rows.
  WEFT_HD void store(std::int32_t p, int i, const T* t) const {
    T* const entry = y + std::int64_t{p} * B + i;
    if constexpr (kForward) {
      *entry = inverse_row<T, B>(u, p, i, t);
    } else {
      const T x = *entry + inverse_row<T, B>(u, p, i, t);
      *entry = x;
      z[std::int64_t{u.order[p]} * B + i] = x;
    }
  }
};

}  // namespace weft::kernels::detail

namespace weft::kernels {

template <LinearScalar T, int B>
  requires BlockSize<B>
template <Space S>
detail::ColoredView<T, B> ColoredFactors<T, B>::view() {
  const Side side = detail::linear_side<S>(order_.backend());
  return {lower_.template values<S>(),     upper_.template values<S>(),     lower_source_.read(side).data(),
          upper_source_.read(side).data(), order_.read(side).data(),        diagonal_.read_write(side).data(),
          pivots_.read_write(side).data(), status_.read_write(side).data(), inverse_.read_write(side).data()};
}

template <LinearScalar T, int B>
  requires BlockSize<B>
template <Space S>
LuBatch<T> ColoredFactors<T, B>::diagonal(std::int32_t first, std::int32_t last) {
  const Side side = detail::linear_side<S>(order_.backend());
  const auto begin = static_cast<std::size_t>(first), count = static_cast<std::size_t>(last - first);
  return {B, diagonal_.read_write(side).subspan(begin * B * B, count * B * B),
          pivots_.read_write(side).subspan(begin * B, count * B), status_.read_write(side).subspan(begin, count)};
}

/// Computes the factors with a machine that has loops over scalar rows and batched LU.
template <LinearScalar T, int B>
  requires BlockSize<B>
template <class Machine, Space S>
void ColoredFactors<T, B>::factor_by(const Machine& machine, S, const BsrView<const T, B>& a) {
  const detail::ColoredView<T, B> u = view<S>();
  const auto loop = [&](std::int32_t first, std::int32_t last, const auto& f) {
    machine.loop(std::int64_t{first} * B, std::int64_t{last} * B, f);
  };
  const auto invert = [&](std::int32_t first, std::int32_t last) {
    machine.factor(diagonal<S>(first, last));
    loop(first, last, detail::InvertColumn<T, B>{u});
  };
  loop(0, offsets_.back(), detail::SplitRow<T, B>{u, a});
  if (kind_ == Factors::lu_sgs) return invert(0, offsets_.back());
  for (std::size_t c = 0; c + 1 < offsets_.size(); ++c) {
    if (c > 0) loop(offsets_[c], offsets_[c + 1], detail::EliminateRow<T, B>{u});
    invert(offsets_[c], offsets_[c + 1]);
  }
}

}  // namespace weft::kernels
