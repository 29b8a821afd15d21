#pragma once
/// The transpose of matrices whose rows begin at any address, on GPUs, for .cu files.
#include <cstdint>

#include "weft/device/cuda.cuh"
#include "weft/kernels/layout/banks.hpp"
#include "weft/kernels/layout/static_layout.hpp"

namespace weft::kernels::detail {

/// The tile of a block of transpose_unaligned_kernel, in shared memory: kAllRows rows of kColumns entries of type E, of which
/// each column contributes kRows to `out`.
/// @tparam kShifted  rows of `out` begin within sectors, so that a sector of rows before those of the tile is needed.
template <class E, bool kShifted>
struct UnalignedTile {
  static constexpr int kThreads = 512;
  static constexpr int kSector = 32 / sizeof(E);  ///< entries of a sector, which the L2 cache reads and writes as a whole
  static constexpr int kColumns = 512 / sizeof(E), kRows = kColumns;
  static constexpr int kLead = kShifted ? kSector : 0, kAllRows = kRows + kLead;
  static constexpr int kRowsApart = kThreads / kColumns;  ///< between the entries that a thread loads
  static constexpr int kLoads = (kAllRows + kRowsApart - 1) / kRowsApart;
  /// (row, column) -> position.
  static constexpr layout::Layout kShared{{kAllRows, kColumns}, {layout::conflict_free_stride(kColumns), 1}};
  static constexpr std::size_t kBytes = layout::cosize(kShared) * sizeof(E);
  static_assert(layout::bank_conflicts(layout::mode(kShared, 0), sizeof(E), sizeof(E)).conflicts() == 0);
};

/// Blocks that must fit on a multiprocessor at once, which limits their registers to 64: with one block the kernel takes 1.4
/// times as long.
inline constexpr int kUnalignedBlocks = 2;

/// Transposes a tile per block. The tile of a row of `out` is shifted so that it begins at a sector, by less than a sector, and
/// the rows of `in` that any of them needs are loaded:
///
///     rows of in      |sector|            kRows             |     -> shared memory
///     row j of out       |            kRows            |          a sector of memory begins at the left end
///     row j + 1           |            kRows            |
///
/// Whole sectors are written, except at the ends of rows of `out`. All loads of a thread are pending at once. Blocks traverse the
/// tiles column by column, so that concurrent blocks load the rows in which tiles overlap, and matrix by matrix.
/// @tparam E  an unsigned word of the size of an entry.
template <class E, class Tile>
__global__ void __launch_bounds__(Tile::kThreads, kUnalignedBlocks)
    transpose_unaligned_kernel(const E* in, std::int64_t rows, std::int64_t columns, E* out, unsigned row_tiles, unsigned tiles) {
  extern __shared__ uint4 transpose_memory[];
  E* const tile = reinterpret_cast<E*>(transpose_memory);
  constexpr layout::StaticLayout<Tile::kShared> kAt;

  const unsigned in_matrix = blockIdx.x % tiles;
  const std::int64_t matrix = blockIdx.x / tiles * rows * columns;  // its first entry
  const std::int64_t first_row = std::int64_t{Tile::kRows} * (in_matrix % row_tiles) - Tile::kLead;
  const std::int64_t first_column = std::int64_t{Tile::kColumns} * (in_matrix / row_tiles);
  const int thread = static_cast<int>(threadIdx.x), column = thread % Tile::kColumns, row = thread / Tile::kColumns;
  trigger_dependent_launch();
  grid_dependency_sync();

  if (first_column + column < columns) {
    const E* const from = in + matrix + first_column + column;
    E loaded[Tile::kLoads];
#pragma unroll
    for (int n = 0; n < Tile::kLoads; ++n) {
      const int r = row + n * Tile::kRowsApart;
      const std::int64_t i = first_row + r;
      if (r < Tile::kAllRows && i >= 0 && i < rows) loaded[n] = from[i * columns];
    }
#pragma unroll
    for (int n = 0; n < Tile::kLoads; ++n) {
      const int r = row + n * Tile::kRowsApart;
      if (r < Tile::kAllRows) tile[kAt(r, column)] = loaded[n];
    }
  }
  __syncthreads();

  for (int j = thread / 32; j < Tile::kColumns; j += Tile::kThreads / 32) {
    if (first_column + j >= columns) return;
    E* const to = out + matrix + (first_column + j) * rows + first_row;  // row 0 of the tile
    const int shift =
        static_cast<int>(-static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(to) / sizeof(E)) & (Tile::kSector - 1));
#pragma unroll
    for (int k = 0; k < Tile::kRows / 32; ++k) {
      const int r = shift + 32 * k + thread % 32;
      const std::int64_t i = first_row + r;
      if (i >= 0 && i < rows) to[r] = tile[kAt(r, j)];
    }
  }
}

/// Launches transpose_unaligned_kernel, for any sizes and addresses.
template <class E>
void launch_transpose_unaligned(Stream& stream, const E* in, std::int64_t matrices, std::int64_t rows, std::int64_t columns,
                                E* out) {
  const auto start = [&]<class Tile>(Tile) {
    const std::int64_t row_tiles = (rows + Tile::kLead + Tile::kRows - 1) / Tile::kRows;
    const std::int64_t of_matrix = row_tiles * ((columns + Tile::kColumns - 1) / Tile::kColumns);
    void (*const kernel)(const E*, std::int64_t, std::int64_t, E*, unsigned, unsigned) = transpose_unaligned_kernel<E, Tile>;
    set_max_dynamic_shared_memory(kernel, Tile::kBytes, "transpose");
    launch(stream, "transpose", {.blocks = matrices * of_matrix, .threads = Tile::kThreads, .shared_memory = Tile::kBytes},
           kernel, in, rows, columns, out, static_cast<unsigned>(row_tiles), static_cast<unsigned>(of_matrix));
  };
  const bool at_sectors = rows * sizeof(E) % 32 == 0 && reinterpret_cast<std::uintptr_t>(out) % 32 == 0;
  at_sectors ? start(UnalignedTile<E, false>()) : start(UnalignedTile<E, true>());
}

}  // namespace weft::kernels::detail
