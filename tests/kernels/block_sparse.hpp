#pragma once
/// Block-sparse matrices for tests.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/base/mix.hpp"
#include "weft/kernels/linear/bsr_matrix.hpp"

namespace weft::kernels::test {

/// A matrix in compressed rows with row-major blocks.
template <class T>
struct BlockList {
  std::int32_t rows = 0, columns = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> column;
  std::vector<T> blocks;

  [[nodiscard]] std::shared_ptr<const BsrPattern> pattern(Backend backend = Backend::host) const {
    return std::make_shared<const BsrPattern>(offsets, column, columns, backend);
  }
};

/// Returns a number in [-1, 1) with a random mantissa.
template <class T>
T number(std::uint64_t seed) {
  return static_cast<T>(static_cast<double>(mix_bits(seed) >> 11U) * 0x1p-52 - 1);
}

template <class T>
std::vector<T> numbers(std::size_t n, std::uint64_t seed) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = number<T>(i * 977 + seed);
  return values;
}

/// Returns a matrix whose rows have 0 to 6 random blocks and the diagonal; every ninth row is empty, and row 5 has up to 40
/// blocks.
template <class T, int B>
BlockList<T> random_matrix(std::int32_t rows, std::int32_t columns, std::uint64_t seed = 1) {
  BlockList<T> list;
  list.rows = rows;
  list.columns = columns;
  for (std::int32_t row = 0; row < rows; ++row) {
    const std::uint64_t bits = mix_bits(seed + static_cast<std::uint64_t>(row));
    const std::uint64_t wanted = row == 5 ? 40 : bits % 7;
    for (std::int32_t column = 0; column < columns && row % 9 != 8; ++column) {
      const bool chosen = mix_bits(bits + static_cast<std::uint64_t>(column)) % static_cast<std::uint64_t>(columns) < wanted;
      if (chosen || column == row) list.column.push_back(column);
    }
    list.offsets.push_back(static_cast<std::int64_t>(list.column.size()));
  }
  list.blocks = numbers<T>(list.column.size() * B * B, seed + 3);
  return list;
}

template <class T>
std::span<const T> view(const std::vector<T>& values) {
  return values;
}

}  // namespace weft::kernels::test
