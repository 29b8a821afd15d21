#pragma once
// Inputs and rows of the kernels for linear algebra, for GPUs and the host.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "inputs.hpp"
#include "kernels/box_matrix.hpp"

namespace bench {

[[nodiscard]] inline bool wants_products(const Bench& bench) {
  for (const char* const name : {"multiply", "multiply_add", "multiply_and_dot", "multiply_transposed", "block_jacobi"}) {
    if (bench.wants(name)) return true;
  }
  return false;
}

/// Returns the edge of the box of cells whose seven-point matrix has about n entries in blocks of `block` rows; at least 2.
[[nodiscard]] inline std::int32_t box_edge(std::int64_t n, int block) {
  const double cells = static_cast<double>(n) / (7.0 * block * block);
  return std::max(2, static_cast<std::int32_t>(std::cbrt(cells)));
}

/// Numbers of entries, and the minimum traffic in bytes of products of doubles: one read of every block and its column index
/// and of each row size, of x, and one write of y.
struct ProductTraffic {
  double entries;     ///< entries of the blocks
  double diagonal;    ///< entries of the diagonal blocks
  double vector;      ///< bytes of a vector
  double product;     ///< bytes of y = A x
  double transposed;  ///< bytes of y = A^T x, which reads 8 bytes more for each block

  ProductTraffic(const Box& box, int block) {
    const auto rows = static_cast<double>(box.offsets.size() - 1), blocks = static_cast<double>(box.columns.size());
    entries = blocks * block * block;
    diagonal = rows * block * block;
    vector = 8 * rows * block;
    product = 8 * entries + 4 * blocks + 4 * rows + 2 * vector;
    transposed = product + 8 * blocks;
  }
};

/// Adds `diagonal` to the entries on the diagonals of row-major matrices of n rows.
template <class T>
struct AddToDiagonal {
  T* x;
  std::int64_t n;
  T diagonal;
  WEFT_HD void operator()(std::int64_t row) const { x[row / n * n * n + row % n * (n + 1)] += diagonal; }
};

/// Returns copies of random regular matrices of n rows, whose diagonals dominate.
template <class T>
Copies<T> random_matrices(weft::Stream& stream, int copies, std::int64_t matrices, std::int64_t n) {
  Copies<T> x = random<T>(stream, copies, matrices * n * n, 1000);
  for (int k = 0; k < copies; ++k) {
    weft::parallel_for(MeasuredSpace{}, stream, matrices * n, AddToDiagonal<T>{x[k].data(), n, static_cast<T>(1000 * n)});
  }
  return x;
}

/// Reports LU factors and solutions of doubles; one read of every input and one write of every output.
inline void report_lu(const Bench& bench, std::int64_t matrices, int n, std::vector<std::pair<std::string, Times>> factor,
                      std::vector<std::pair<std::string, Times>> solve) {
  const auto count = static_cast<double>(matrices);
  const double entries = count * n * n, of_pivots = count * (n + 1), of_vectors = 8 * count * n;
  const std::string input = std::to_string(n) + " x " + std::to_string(n);
  if (bench.wants("lu_factor")) {
    bench.report({"lu_factor", "double", input, entries, 16 * entries + of_pivots, 2.0 / 3 * n * entries, std::move(factor)});
  }
  if (bench.wants("lu_solve")) {
    bench.report({"lu_solve", "double", input, entries, 8 * entries + of_pivots + 2 * of_vectors, 2 * entries, std::move(solve)});
  }
}

/// Reports C = A B and C = C + A B of doubles.
inline void report_products(const Bench& bench, std::int64_t matrices, int n, std::vector<std::pair<std::string, Times>> product,
                            std::vector<std::pair<std::string, Times>> sum) {
  const double entries = static_cast<double>(matrices) * n * n;
  const std::string input = std::to_string(n) + " x " + std::to_string(n);
  if (bench.wants("multiply_batch")) {
    bench.report({"multiply_batch", "double", input, entries, 24 * entries, 2.0 * n * entries, std::move(product)});
  }
  if (bench.wants("multiply_add_batch")) {
    bench.report({"multiply_add_batch", "double", input, entries, 32 * entries, 2.0 * n * entries, std::move(sum)});
  }
}

}  // namespace bench
