#pragma once
/// Transposition of dense matrices.
#include <algorithm>
#include <cstdint>
#include <span>

#include "weft/base/contracts.hpp"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

namespace detail {
/// Returns true if size = rows * columns. The computation cannot overflow.
[[nodiscard]] constexpr bool is_matrix(std::size_t size, std::int64_t rows, std::int64_t columns) {
  if (rows < 0 || columns < 0) return false;
  if (rows == 0) return size == 0;
  return size % static_cast<std::size_t>(rows) == 0 && size / static_cast<std::size_t>(rows) == static_cast<std::size_t>(columns);
}
/// Returns true if size = matrices * rows * columns. The computation cannot overflow.
[[nodiscard]] constexpr bool are_matrices(std::size_t size, std::int64_t matrices, std::int64_t rows, std::int64_t columns) {
  if (matrices < 0 || rows < 0 || columns < 0) return false;
  if (matrices == 0) return size == 0;
  return size % static_cast<std::size_t>(matrices) == 0 && is_matrix(size / static_cast<std::size_t>(matrices), rows, columns);
}
}  // namespace detail

/// Transposes each of `matrices` row-major matrices of `rows` x `columns` entries, which are contiguous, one after the other:
/// out[(m * columns + j) * rows + i] = in[(m * rows + i) * columns + j]. transpose.cuh has an overload for GPUs, for .cu files.
/// @pre matrices, rows, columns >= 0; `in` and `out` have matrices * rows * columns entries and do not overlap (checked in every
/// build). @cost O(entries), by tiles that fit in a cache.
template <class T>
void transpose_batch(std::span<const T> in, std::int64_t matrices, std::int64_t rows, std::int64_t columns, std::span<T> out,
                     Team& team = calling_thread()) {
  WEFT_EXPECTS(detail::are_matrices(in.size(), matrices, rows, columns) && out.size() == in.size());
  detail::refuse_overlap(in, out, "in and out of transpose");
  constexpr std::int64_t kTile = 32, kSmallest = 64;  // tiles below which threads are not worth their start
  if (in.empty()) return;
  const std::int64_t column_tiles = (columns + kTile - 1) / kTile, of_matrix = (rows + kTile - 1) / kTile * column_tiles;
  detail::split(team, matrices * of_matrix, kSmallest, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t tile = begin; tile < end; ++tile) {
      const std::int64_t first = tile / of_matrix * rows * columns, in_matrix = tile % of_matrix;
      const std::int64_t first_row = in_matrix / column_tiles * kTile, last_row = std::min(first_row + kTile, rows);
      const std::int64_t first_column = in_matrix % column_tiles * kTile, last_column = std::min(first_column + kTile, columns);
      for (std::int64_t j = first_column; j < last_column; ++j) {
        for (std::int64_t i = first_row; i < last_row; ++i) {
          out[first + j * rows + i] = in[first + i * columns + j];
        }
      }
    }
  });
}

/// Transposes a row-major matrix of `rows` x `columns` entries: out[j * rows + i] = in[i * columns + j]. Example: the 2 x 3
/// matrix {1, 2, 3, 4, 5, 6} gives {1, 4, 2, 5, 3, 6}. transpose.cuh has an overload for GPUs, for .cu files.
/// @pre rows, columns >= 0; `in` and `out` have rows * columns entries and do not overlap (checked in every build). @cost O(rows
/// columns), by tiles that fit in a cache.
template <class T>
void transpose(std::span<const T> in, std::int64_t rows, std::int64_t columns, std::span<T> out, Team& team = calling_thread()) {
  transpose_batch(in, 1, rows, columns, out, team);
}

}  // namespace weft::kernels
