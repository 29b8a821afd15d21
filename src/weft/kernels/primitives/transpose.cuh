#pragma once
/// The overload of transpose for GPUs, for .cu files.
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "weft/device/cuda.cuh"
#include "weft/device/space.hpp"
#include "weft/kernels/layout/banks.hpp"
#include "weft/kernels/layout/inverse.hpp"
#include "weft/kernels/layout/static_layout.hpp"
#include "weft/kernels/primitives/aos_soa.cuh"
#include "weft/kernels/primitives/transpose.hpp"
#include "weft/kernels/primitives/transpose_small.cuh"
#include "weft/kernels/primitives/transpose_unaligned.cuh"

namespace weft::kernels {

namespace detail {

inline constexpr int kTransposeTile = 64;  ///< rows and columns of a block's tile
inline constexpr int kTransposeThreads = 256;

/// An unsigned type of kBytes bytes.
template <std::size_t kBytes>
using Word = std::conditional_t<kBytes == 16, uint4, std::conditional_t<kBytes == 8, uint2, unsigned>>;

/// The tile of a block: words of kWidth entries of type E, and their positions in shared memory.
template <class E, int kWidth>
struct TransposeTile {
  using W = Word<kWidth * sizeof(E)>;
  static constexpr int kBytes = sizeof(W);
  static constexpr int kWords = kTransposeTile / kWidth;    ///< words per row of the tile
  static constexpr int kStep = kTransposeThreads / kWords;  ///< rows of squares per pass
  static constexpr int kSquares = kWords / kStep;           ///< squares per thread
  static_assert(kTransposeThreads % kWords == 0 && kWords % kStep == 0);

  /// (row, word) -> position. The number of a word is combined with the row of its square, as far as words span all banks.
  static constexpr layout::Layout kShared = layout::swizzled(
      {std::countr_zero(unsigned{layout::kBanks * layout::kBankBytes / kBytes}), 0, std::countr_zero(unsigned{kTransposeTile})},
      layout::row_major({kTransposeTile, kWords}));

  /// Thread -> position, of the threads of a warp that store transposed rows of their squares, or load words by rows.
  static constexpr int kColumns = kWords < layout::kWarp ? kWords : layout::kWarp;
  static constexpr layout::IntTuple kThreads{kColumns, layout::kWarp / kColumns};
  static constexpr layout::Layout kStores = layout::composition(
      kShared,
      layout::Layout(kThreads, {kWidth, kTransposeTile}));  // square (row, column) begins at word `row` of row kWidth * column
  static constexpr layout::Layout kLoads = layout::composition(kShared, layout::Layout(kThreads, {kTransposeTile, 1}));
  static_assert(layout::is_bijective(kShared));
  static_assert(layout::bank_conflicts(kStores, kBytes, kBytes).conflicts() == 0);
  static_assert(layout::bank_conflicts(kLoads, kBytes, kBytes).conflicts() == 0);
};

/// Transposes a tile of 64 x 64 entries per block through shared memory, in which row j is row j of the tile of `out`. Each
/// thread moves squares of kWidth x kWidth entries: it loads their rows as words of kWidth entries, transposes them in registers,
/// and stores words. The swizzle of TransposeTile avoids bank conflicts without padding. Blocks traverse the tiles column by
/// column, so that concurrent blocks write adjacent parts of the same rows of `out`, and matrix by matrix.
/// @tparam E  an unsigned word of the size of an entry.
/// @pre rows and columns are multiples of kWidth; `in` and `out` are aligned to words.
template <class E, int kWidth>
__global__ void __launch_bounds__(kTransposeThreads)
    transpose_kernel(const E* in, std::int64_t rows, std::int64_t columns, E* out, unsigned row_tiles, unsigned tiles) {
  using Tile = TransposeTile<E, kWidth>;
  using W = typename Tile::W;
  constexpr int kWords = Tile::kWords, kStep = Tile::kStep, kSquares = Tile::kSquares;
  __shared__ W tile[layout::cosize(Tile::kShared)];
  constexpr layout::StaticLayout<Tile::kShared> kSlot;

  const unsigned in_matrix = blockIdx.x % tiles;
  const std::int64_t matrix = blockIdx.x / tiles * rows * columns;  // its first entry
  in += matrix;
  out += matrix;
  const std::int64_t first_row = std::int64_t{kTransposeTile} * (in_matrix % row_tiles);
  const std::int64_t first_column = std::int64_t{kTransposeTile} * (in_matrix / row_tiles);
  const int column = static_cast<int>(threadIdx.x) % kWords, row = static_cast<int>(threadIdx.x) / kWords;  // column in words
  trigger_dependent_launch();
  grid_dependency_sync();

  W read[kSquares][kWidth];
  const bool in_columns = first_column + column * kWidth < columns;
#pragma unroll
  for (int s = 0; s < kSquares; ++s) {
    const std::int64_t i = first_row + (row + s * kStep) * kWidth;
    if (in_columns && i < rows) {
      const E* const from = in + i * columns + first_column + column * kWidth;
#pragma unroll
      for (int k = 0; k < kWidth; ++k) read[s][k] = *reinterpret_cast<const W*>(from + k * columns);
    }
  }
#pragma unroll
  for (int s = 0; s < kSquares; ++s) {
    E square[kWidth][kWidth];
    memcpy(square, read[s], sizeof square);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      E transposed[kWidth];
#pragma unroll
      for (int i = 0; i < kWidth; ++i) transposed[i] = square[i][j];
      memcpy(&tile[kSlot(column * kWidth + j, row + s * kStep)], transposed, sizeof transposed);
    }
  }
  __syncthreads();
  if (first_row + column * kWidth >= rows) return;
#pragma unroll
  for (int j = row; j < kTransposeTile; j += kStep) {
    if (first_column + j >= columns) return;
    *reinterpret_cast<W*>(out + (first_column + j) * rows + first_row + column * kWidth) = tile[kSlot(j, column)];
  }
}

/// Launches the kernel with words of kWidth entries. @pre as the kernel.
template <int kWidth, class E>
void launch_transpose(Stream& stream, const E* in, std::int64_t matrices, std::int64_t rows, std::int64_t columns, E* out) {
  const auto tiles = [](std::int64_t n) { return (n + kTransposeTile - 1) / kTransposeTile; };
  const std::int64_t of_matrix = tiles(rows) * tiles(columns);
  launch(stream, "transpose", {.blocks = matrices * of_matrix, .threads = kTransposeThreads}, transpose_kernel<E, kWidth>, in,
         rows, columns, out, static_cast<unsigned>(tiles(rows)), static_cast<unsigned>(of_matrix));
}

/// Bytes of a row or a column up to which matrices are converted as rows to components or back.
inline constexpr std::int64_t kThinMatrixBytes = 288;

}  // namespace detail

/// Transposes each matrix of a batch in stream order in memory accessible to the current GPU. Entries are trivially copyable and
/// have 4 or 8 bytes.
/// @pre as on the host; a stream of the current GPU. @throws DeviceError where the launch is rejected.
/// @cost one kernel, which reads and writes every entry once. By tiles of 64 x 64 entries and words of 16 bytes if both addresses
/// are multiples of 16 bytes and rows and columns multiples of 64. Otherwise by whole matrices if there are several of at most 72
/// kB (with an odd stride of rows); as aos_to_soa() or soa_to_aos() if a row or a column has at most 288 bytes; and else by
/// tiles, of words where the addresses permit them and rows and columns are multiples of 16 / sizeof(T), or of entries.
template <class T>
void transpose_batch(space::cuda, Stream& stream, std::span<const T> in, std::int64_t matrices, std::int64_t rows,
                     std::int64_t columns, std::span<T> out) {
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) == sizeof(T),
                "entries of 4 or 8 bytes, aligned to their size");
  WEFT_EXPECTS(!stream.is_host());
  WEFT_EXPECTS(detail::are_matrices(in.size(), matrices, rows, columns) && out.size() == in.size());
  detail::refuse_overlap(in, out, "in and out of transpose");
  if (in.empty()) return;
  using Entry = detail::Word<sizeof(T)>;
  constexpr int kWidth = 16 / sizeof(T);
  constexpr std::int64_t kThin = detail::kThinMatrixBytes / sizeof(T);
  const auto* const from = reinterpret_cast<const Entry*>(in.data());
  auto* const to = reinterpret_cast<Entry*>(out.data());
  const auto is_aligned = [](const Entry* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  const bool has_words = rows % kWidth == 0 && columns % kWidth == 0 && is_aligned(from) && is_aligned(to);
  if (has_words && rows % detail::kTransposeTile == 0 && columns % detail::kTransposeTile == 0) {
    detail::launch_transpose<kWidth>(stream, from, matrices, rows, columns, to);
  } else if (matrices > 1 && detail::is_small_matrix(rows, columns, sizeof(T))) {
    detail::launch_transpose_small(stream, from, matrices, rows, columns, to);
  } else if (columns <= kThin) {
    detail::convert_rows<true>(stream, from, matrices, rows, columns, rows, to);
  } else if (rows <= kThin) {
    detail::convert_rows<false>(stream, from, matrices, columns, rows, columns, to);
  } else if (has_words) {
    detail::launch_transpose<kWidth>(stream, from, matrices, rows, columns, to);
  } else {
    detail::launch_transpose_unaligned(stream, from, matrices, rows, columns, to);
  }
}

/// Transposes one matrix. @pre, @throws, @cost as transpose_batch().
template <class T>
void transpose(space::cuda gpu, Stream& stream, std::span<const T> in, std::int64_t rows, std::int64_t columns,
               std::span<T> out) {
  transpose_batch(gpu, stream, in, 1, rows, columns, out);
}

}  // namespace weft::kernels
