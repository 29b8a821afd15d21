#pragma once
/// A matrix for tests of preconditioners, whose graph has triangles, so that incomplete factors differ from the blocks.
#include <cstdint>
#include <cstdlib>

#include "weft/base/mix.hpp"

#include "kernels/block_sparse.hpp"

namespace weft::kernels::test {

/// Returns a matrix of random blocks with a large diagonal. Row r is coupled with rows r +- 1, r +- 2, and pseudo-randomly with
/// others in both directions.
template <class T, int B>
BlockList<T> coupled_rows(std::int32_t rows) {
  BlockList<T> list;
  list.rows = list.columns = rows;
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t column = 0; column < rows; ++column) {
      const std::int64_t low = row < column ? row : column, high = row < column ? column : row;
      const bool coupled = high - low <= 2 || mix_bits(static_cast<std::uint64_t>(low * rows + high)) % 9 == 0;
      if (!coupled) continue;
      for (int e = 0; e < B * B; ++e) {
        const T entry = number<T>(static_cast<std::uint64_t>((std::int64_t{row} * rows + column) * B * B + e));
        list.blocks.push_back(entry + (row == column && e % (B + 1) == 0 ? T(12) : T(0)));
      }
      list.column.push_back(column);
    }
    list.offsets.push_back(static_cast<std::int64_t>(list.column.size()));
  }
  return list;
}

}  // namespace weft::kernels::test
