#pragma once
/// transpose on a GPU, for .cu files.
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "weft/device/cuda.cuh"
#include "weft/device/space.hpp"
#include "weft/kernels/transpose.hpp"

namespace weft::kernels {

namespace detail {

inline constexpr int kTransposeTile = 64;  ///< rows and columns of a block's tile
inline constexpr int kTransposeThreads = 256;

template <std::size_t kBytes>
using Word = std::conditional_t<kBytes == 16, uint4, std::conditional_t<kBytes == 8, uint2, unsigned>>;

/// A tile of 64 x 64 goes through shared memory, row j of which is row j of the tile of `out`. Each thread moves squares of
/// kWidth x kWidth entries: reads their rows, exchanges rows and columns in its registers, and stores them, a word of kWidth
/// entries each. Words are kept where row and position combined by xor say, so that the words that a warp reads or writes at
/// once lie in different banks. E is the word of one entry, whatever its type. Tiles are dealt to blocks down a column of tiles,
/// then the next column: blocks that run at the same time write neighbouring parts of the same rows of `out`.
/// @pre rows and columns are multiples of kWidth, in and out are aligned to words.
template <class E, int kWidth>
__global__ void __launch_bounds__(kTransposeThreads)
    transpose_kernel(const E* in, std::int64_t rows, std::int64_t columns, E* out, unsigned row_tiles) {
  using W = Word<kWidth * sizeof(E)>;
  constexpr int kWords = kTransposeTile / kWidth;              // of a row of the tile
  constexpr int kBankRow = 128 / static_cast<int>(sizeof(W));  // words that lie in different banks
  constexpr int kAtOnce = kTransposeThreads / kWords;
  constexpr int kSquares = kWords / kAtOnce;  // of a thread
  static_assert(kWords % kBankRow == 0 && kTransposeThreads % kWords == 0 && kWords % kAtOnce == 0);
  __shared__ W tile[kTransposeTile * kWords];
  const auto place = [](int j, int word) { return j * kWords + (word ^ (j / kWidth % kBankRow)); };

  const std::int64_t first_row = std::int64_t{kTransposeTile} * (blockIdx.x % row_tiles);
  const std::int64_t first_column = std::int64_t{kTransposeTile} * (blockIdx.x / row_tiles);
  const int across = static_cast<int>(threadIdx.x) % kWords, down = static_cast<int>(threadIdx.x) / kWords;
  let_next_kernel_begin();
  wait_for_earlier_kernels();

  W read[kSquares][kWidth];
  const bool column_is_there = first_column + across * kWidth < columns;
#pragma unroll
  for (int s = 0; s < kSquares; ++s) {
    const std::int64_t i = first_row + (down + s * kAtOnce) * kWidth;
    if (column_is_there && i < rows) {
      const E* const from = in + i * columns + first_column + across * kWidth;
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
      E turned[kWidth];
#pragma unroll
      for (int i = 0; i < kWidth; ++i) turned[i] = square[i][j];
      memcpy(&tile[place(across * kWidth + j, down + s * kAtOnce)], turned, sizeof turned);
    }
  }
  __syncthreads();
  if (first_row + across * kWidth >= rows) return;
#pragma unroll
  for (int j = down; j < kTransposeTile; j += kAtOnce) {
    if (first_column + j >= columns) return;
    *reinterpret_cast<W*>(out + (first_column + j) * rows + first_row + across * kWidth) = tile[place(j, across)];
  }
}

template <int kWidth, class E>
void launch_transpose(Stream& stream, const E* in, std::int64_t rows, std::int64_t columns, E* out) {
  const auto is_word = [](const E* p) { return reinterpret_cast<std::uintptr_t>(p) % (kWidth * sizeof(E)) == 0; };
  if constexpr (kWidth > 1) {
    if (rows % kWidth != 0 || columns % kWidth != 0 || !is_word(in) || !is_word(out)) {
      launch_transpose<kWidth / 2>(stream, in, rows, columns, out);
      return;
    }
  }
  const auto tiles = [](std::int64_t n) { return (n + kTransposeTile - 1) / kTransposeTile; };
  launch(stream, "transpose", {.blocks = tiles(rows) * tiles(columns), .threads = kTransposeThreads}, transpose_kernel<E, kWidth>,
         in, rows, columns, out, static_cast<unsigned>(tiles(rows)));
}

}  // namespace detail

/// The same as work of `stream`, on memory that the current GPU reaches. One kernel, which reads and writes every entry once. It
/// moves words of 16 bytes where rows and columns are multiples of 16 / sizeof(T) and both addresses of 16, words of 8 or 4 else.
/// Entries are trivially copyable, of 4 or 8 bytes. Of matrices with fewer than 64 rows or columns it fills its tiles only in
/// part.
/// @pre as on the host; a stream of the current GPU. @throws DeviceError where the launch is refused.
template <class T>
void transpose(space::cuda, Stream& stream, std::span<const T> in, std::int64_t rows, std::int64_t columns, std::span<T> out) {
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) == sizeof(T),
                "entries of 4 or 8 bytes, aligned to their size");
  WEFT_EXPECTS(!stream.is_host());
  WEFT_EXPECTS(detail::is_matrix(in.size(), rows, columns) && out.size() == in.size());
  WEFT_EXPECTS(detail::disjoint(in, out));
  if (in.empty()) return;
  using Entry = detail::Word<sizeof(T)>;
  detail::launch_transpose<16 / sizeof(T)>(stream, reinterpret_cast<const Entry*>(in.data()), rows, columns,
                                           reinterpret_cast<Entry*>(out.data()));
}

}  // namespace weft::kernels
