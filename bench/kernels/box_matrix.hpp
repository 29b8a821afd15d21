#pragma once
// The pattern of a box of cells and a Poisson matrix on it, for benchmarks of products and solvers.
#include <cstdint>
#include <vector>

#include "weft/base/macros.hpp"
#include "weft/kernels/linear/bsr_matrix.hpp"

namespace bench {

/// The seven-point pattern of a box of n^3 cells, in compressed rows.
struct Box {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> columns;

  explicit Box(std::int32_t n) {
    for (std::int32_t c = 0; c < n * n * n; ++c) {
      const std::int32_t i = c % n, j = c / n % n, k = c / n / n;
      const auto add = [&](bool exists, std::int32_t column) {
        if (exists) columns.push_back(column);
      };
      add(k > 0, c - n * n);
      add(j > 0, c - n);
      add(i > 0, c - 1);
      add(true, c);
      add(i < n - 1, c + 1);
      add(j < n - 1, c + n);
      add(k < n - 1, c + n * n);
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
    }
  }
};

/// Fills the blocks of a row with those of the seven-point Laplace operator, for each of B variables.
template <class T, int B>
struct FillPoisson {
  weft::kernels::BsrView<T, B> a;
  WEFT_HD void operator()(std::int32_t row) const {
    for (std::int32_t k = 0; k < a.pattern.sizes[row]; ++k) {
      const std::int64_t slot = a.pattern.slot(row, k);
      for (int e = 0; e < B * B; ++e) {
        a(slot, e / B, e % B) = e % (B + 1) != 0 ? T(0) : a.pattern.column[slot] == row ? T(6) : T(-1);
      }
    }
  }
};

}  // namespace bench
