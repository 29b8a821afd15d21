#pragma once
// The pattern of a box of cells and a Poisson matrix on it, for benchmarks of products and solvers.
#include <cstdint>
#include <limits>
#include <vector>

#include "weft/base/macros.hpp"
#include "weft/kernels/linear/bsr_matrix.hpp"

namespace bench {

/// Returns the number of blocks of the seven-point matrix of a box of n^3 cells.
[[nodiscard]] constexpr std::int64_t box_blocks(std::int64_t n) { return 7 * n * n * n - 6 * n * n; }

/// Returns the largest number of cells per edge of a box that has at most 2^31 - 1 cells, which a BsrPattern can have, and whose
/// seven-point matrix has at most `most_blocks` blocks.
[[nodiscard]] constexpr std::int32_t largest_box(std::int64_t most_blocks = std::numeric_limits<std::int64_t>::max()) {
  constexpr std::int64_t kMostCells = std::numeric_limits<std::int32_t>::max();
  std::int64_t n = 1;
  while ((n + 1) * (n + 1) * (n + 1) <= kMostCells && box_blocks(n + 1) <= most_blocks) ++n;
  return static_cast<std::int32_t>(n);
}

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
