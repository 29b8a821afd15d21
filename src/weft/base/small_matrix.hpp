#pragma once
/// Small dense matrices of compile-time size for kernels: products, transposes, determinants, inverses and linear systems.
///
/// They serve code that CPUs and GPUs share: a .cu file includes no Eigen. On the host alone, array/eigen.hpp maps rows of arrays
/// to Eigen matrices. All sums are in a fixed order, so that both give the same digits.
#include "weft/base/macros.hpp"

namespace weft {

/// A row-major Rows x Columns matrix, at most 7 x 7, so that it fits registers. An aggregate: Matrix<double, 2>{{1, 2, 3, 4}} is
///     1 2
///     3 4
/// and m(1, 0) is 3. A vector is a matrix of one column.
template <class T, int Rows, int Columns = Rows>
struct Matrix {
  static_assert(Rows >= 1 && Rows <= 7 && Columns >= 1 && Columns <= 7, "a small matrix is at most 7 x 7");
  static constexpr int kRows = Rows;
  static constexpr int kColumns = Columns;

  T entry[Rows * Columns] = {};

  [[nodiscard]] WEFT_HD constexpr T& operator()(int i, int k) { return entry[i * Columns + k]; }
  [[nodiscard]] WEFT_HD constexpr const T& operator()(int i, int k) const { return entry[i * Columns + k]; }
  /// Returns an entry of a vector.
  [[nodiscard]] WEFT_HD constexpr T& operator()(int i)
    requires(Columns == 1)
  {
    return entry[i];
  }
  [[nodiscard]] WEFT_HD constexpr const T& operator()(int i) const
    requires(Columns == 1)
  {
    return entry[i];
  }
  [[nodiscard]] WEFT_HD static constexpr Matrix identity()
    requires(Rows == Columns)
  {
    Matrix m;
    for (int i = 0; i < Rows; ++i) m(i, i) = T(1);
    return m;
  }
  friend constexpr bool operator==(const Matrix&, const Matrix&) = default;
};

/// A column vector.
template <class T, int Size>
using Vector = Matrix<T, Size, 1>;

template <class T, int R, int C>
[[nodiscard]] WEFT_HD constexpr Matrix<T, R, C> operator+(Matrix<T, R, C> a, const Matrix<T, R, C>& b) {
  for (int i = 0; i < R * C; ++i) a.entry[i] += b.entry[i];
  return a;
}
template <class T, int R, int C>
[[nodiscard]] WEFT_HD constexpr Matrix<T, R, C> operator-(Matrix<T, R, C> a, const Matrix<T, R, C>& b) {
  for (int i = 0; i < R * C; ++i) a.entry[i] -= b.entry[i];
  return a;
}
template <class T, int R, int C>
[[nodiscard]] WEFT_HD constexpr Matrix<T, R, C> operator*(T factor, Matrix<T, R, C> a) {
  for (int i = 0; i < R * C; ++i) a.entry[i] *= factor;
  return a;
}
/// Returns the product; each entry is summed in ascending order of the inner index.
template <class T, int R, int Inner, int C>
[[nodiscard]] WEFT_HD constexpr Matrix<T, R, C> operator*(const Matrix<T, R, Inner>& a, const Matrix<T, Inner, C>& b) {
  Matrix<T, R, C> product;
  for (int i = 0; i < R; ++i) {
    for (int k = 0; k < C; ++k) {
      T sum = a(i, 0) * b(0, k);
      for (int j = 1; j < Inner; ++j) sum += a(i, j) * b(j, k);
      product(i, k) = sum;
    }
  }
  return product;
}
template <class T, int R, int C>
[[nodiscard]] WEFT_HD constexpr Matrix<T, C, R> transpose(const Matrix<T, R, C>& a) {
  Matrix<T, C, R> transposed;
  for (int i = 0; i < R; ++i) {
    for (int k = 0; k < C; ++k) transposed(k, i) = a(i, k);
  }
  return transposed;
}

namespace detail {

/// Returns the determinant of the rows and columns of `a` that remain without row `row` and column `column`.
template <class T, int N>
[[nodiscard]] WEFT_HD constexpr T minor_of(const Matrix<T, N>& a, int row, int column);

}  // namespace detail

/// Returns the determinant by expansion along the first row.
template <class T, int N>
  requires(N <= 4)
[[nodiscard]] WEFT_HD constexpr T determinant(const Matrix<T, N>& a) {
  if constexpr (N == 1) {
    return a(0, 0);
  } else if constexpr (N == 2) {
    return a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
  } else {
    T sum = a(0, 0) * detail::minor_of(a, 0, 0);
    for (int k = 1; k < N; ++k) sum += (k % 2 == 0 ? a(0, k) : -a(0, k)) * detail::minor_of(a, 0, k);
    return sum;
  }
}

template <class T, int N>
WEFT_HD constexpr T detail::minor_of(const Matrix<T, N>& a, int row, int column) {
  Matrix<T, N - 1> rest;
  for (int i = 0; i < N - 1; ++i) {
    for (int k = 0; k < N - 1; ++k) rest(i, k) = a(i < row ? i : i + 1, k < column ? k : k + 1);
  }
  return determinant(rest);
}

/// Returns the inverse by cofactors (adjugate over determinant). A singular matrix gives infinite or undefined entries: where
/// that can occur, use lu_factors(), whose `regular` reports it.
template <class T, int N>
  requires(N <= 4)
[[nodiscard]] WEFT_HD constexpr Matrix<T, N> inverse(const Matrix<T, N>& a) {
  Matrix<T, N> result;
  if constexpr (N == 1) {
    result(0, 0) = T(1) / a(0, 0);
  } else {
    const T factor = T(1) / determinant(a);
    for (int i = 0; i < N; ++i) {
      for (int k = 0; k < N; ++k) result(k, i) = ((i + k) % 2 == 0 ? factor : -factor) * detail::minor_of(a, i, k);
    }
  }
  return result;
}

/// A matrix factorised as P A = L U: the unit lower triangle L below the diagonal of `factors`, U on and above it, and the row of
/// A in each row of P A.
///
/// Example, A = {{0, 2, 4, 2}}: the pivot of column 0 is 4 in row 1, so row = {1, 0} and factors = {{4, 2, 0, 2}}; L is the
/// identity.
template <class T, int N>
struct LuFactors {
  Matrix<T, N> factors;
  int row[N] = {};
  bool regular = true;  ///< false if a pivot is zero or not a number: then the matrix is singular, and solve() must not be called

  /// Returns x with A x = b, for each column of b. @pre regular.
  template <int Columns>
  [[nodiscard]] WEFT_HD constexpr Matrix<T, N, Columns> solve(const Matrix<T, N, Columns>& b) const {
    Matrix<T, N, Columns> x;
    for (int c = 0; c < Columns; ++c) {
      for (int i = 0; i < N; ++i) {
        T sum = b(row[i], c);
        for (int k = 0; k < i; ++k) sum -= factors(i, k) * x(k, c);
        x(i, c) = sum;
      }
      for (int i = N - 1; i >= 0; --i) {
        T sum = x(i, c);
        for (int k = i + 1; k < N; ++k) sum -= factors(i, k) * x(k, c);
        x(i, c) = sum / factors(i, i);
      }
    }
    return x;
  }
};

/// Returns the LU factors with row pivoting (Golub and Van Loan, Matrix Computations, algorithm 3.4.1). @cost 2/3 N^3 operations.
template <class T, int N>
[[nodiscard]] WEFT_HD constexpr LuFactors<T, N> lu_factors(const Matrix<T, N>& a) {
  const auto magnitude = [](T x) { return x < T(0) ? -x : x; };
  LuFactors<T, N> lu;
  lu.factors = a;
  for (int i = 0; i < N; ++i) lu.row[i] = i;
  for (int column = 0; column < N; ++column) {
    int pivot = column;
    for (int i = column + 1; i < N; ++i) {
      if (magnitude(lu.factors(i, column)) > magnitude(lu.factors(pivot, column))) pivot = i;
    }
    if (!(magnitude(lu.factors(pivot, column)) > T(0))) {
      lu.regular = false;
      return lu;
    }
    if (pivot != column) {
      for (int k = 0; k < N; ++k) {
        const T upper = lu.factors(column, k);
        lu.factors(column, k) = lu.factors(pivot, k);
        lu.factors(pivot, k) = upper;
      }
      const int upper = lu.row[column];
      lu.row[column] = lu.row[pivot];
      lu.row[pivot] = upper;
    }
    for (int i = column + 1; i < N; ++i) {
      const T factor = lu.factors(i, column) / lu.factors(column, column);
      lu.factors(i, column) = factor;
      for (int k = column + 1; k < N; ++k) lu.factors(i, k) -= factor * lu.factors(column, k);
    }
  }
  return lu;
}

}  // namespace weft
