#pragma once
/// Batches of small matrices for tests.
#include <cstdint>
#include <limits>
#include <vector>

#include "weft/kernels/linear/batched_lu.hpp"

#include "kernels/block_sparse.hpp"

namespace weft::kernels::test {

/// A batch with its memory. The matrices are random, and every third one has equal magnitudes in its first column.
template <class T>
struct Batch {
  int n;
  std::vector<T> factors;
  std::vector<std::uint8_t> pivots, status;

  Batch(int rows, std::size_t size)
      : n(rows),
        factors(numbers<T>(size * static_cast<std::size_t>(rows * rows), 11)),
        pivots(size * static_cast<std::size_t>(rows), 99),
        status(size, 99) {
    const auto width = static_cast<std::size_t>(rows);
    for (std::size_t m = 0; m < size; m += 3) {
      for (std::size_t i = 0; i < width; ++i) factors[(m * width + i) * width] = i % 2 == 0 ? T(0.5) : T(-0.5);
    }
  }
  [[nodiscard]] LuBatch<T> view() { return {n, factors, pivots, status}; }
};

/// Makes matrices 1, 3, 4 and 6 of 9 singular: by zeros in the last column, zeros everywhere, an entry that is not a number, and
/// an infinite entry. Returns the status that lu_factor() then computes.
template <class T>
std::vector<int> make_singular(Batch<T>& batch) {
  const auto n = static_cast<std::size_t>(batch.n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      batch.factors[(1 * n + i) * n + k] *= k == n - 1 ? T(0) : T(1);
      batch.factors[(3 * n + i) * n + k] = T(0);
    }
  }
  batch.factors[4 * n * n] = std::numeric_limits<T>::quiet_NaN();
  batch.factors[6 * n * n + (n - 1) * n] = -std::numeric_limits<T>::infinity();
  return {0, batch.n, 0, 1, 1, 0, 1, 0, 0};
}

}  // namespace weft::kernels::test
