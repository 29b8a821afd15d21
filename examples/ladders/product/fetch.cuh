#pragma once
/// Asynchronous copies of tiles of a matrix, for steps 5 and 6.
#include <cuda_pipeline_primitives.h>

#include <cstdint>

namespace ladder {

/// A thread's part of the copies of consecutive tiles of a matrix, kRows x kColumns entries, by a block of kThreads threads in
/// pieces of kPiece entries.
template <class T, int kThreads, int kPiece, int kRows, int kColumns>
struct Fetch {
  static constexpr int kPieces = kColumns / kPiece, kStep = kThreads / kPieces;  // pieces per row, rows at a time
  const T* from;                                                                 ///< its first piece in the next tile
  int rows, columns;  ///< rows and columns of the matrix from there to the end; at most 0: outside

  __device__ static int x() { return static_cast<int>(threadIdx.x) % kPieces * kPiece; }
  __device__ static int y() { return static_cast<int>(threadIdx.x) / kPieces; }
  /// @param row, column  of the first tile in `matrix`, which has m x n entries.
  __device__ Fetch(const T* matrix, int m, int n, int row, int column)
      : from(matrix + std::int64_t{row + y()} * n + column + x()), rows(m - row - y()), columns(n - column - x()) {}

  /// Starts the copies; entries outside the matrix become zero. @param n  its columns.  @param valid  any valid address.
  template <int kRow>
  __device__ void start(T (&tile)[kRows][kRow], int n, const T* valid) const {
#pragma unroll
    for (int r = 0; r < kRows; r += kStep) {
      const bool inside = r < rows && columns > 0;
      const T* const piece = inside ? from + std::int64_t{r} * n : valid;
      if constexpr (kPiece * sizeof(T) >= 4) {
        __pipeline_memcpy_async(&tile[y() + r][x()], piece, kPiece * sizeof(T), inside ? 0 : kPiece * sizeof(T));
      } else {  // asynchronous copies have at least 4 bytes
        tile[y() + r][x()] = inside ? *piece : T(0.0F);
      }
    }
  }
};

}  // namespace ladder
