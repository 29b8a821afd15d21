#pragma once
/// LU factorisation with partial pivoting of many small matrices, and solution with them, on hosts and GPUs with the same digits.
///
/// Matrices have 1 to 32 rows and are stored one after the other, each row-major. On a GPU a thread factorises a matrix of 1 to 7
/// rows in registers; of larger ones, a lane has a row, and a warp one matrix, or two of up to 16 rows, or four of 8 rows. On
/// hosts the loops of sizes 4 to 7 are unrolled.
///
/// The overloads for GPUs enqueue one kernel in the stream and never wait; they can be captured in a Graph and need no temporary
/// memory. Without CUDA they throw DeviceError (see no_gpu()).
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "weft/device/space.hpp"
#include "weft/device/stream.hpp"
#include "weft/kernels/linear/bsr_pattern.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

/// The largest number of rows of a matrix of a batch.
inline constexpr int kLuRows = 32;

/// A batch of factorised matrices P A = L U: a view of memory of the caller.
///
/// Example, n = 2 and A = {{0, 2}, {4, 2}}: the pivot of column 0 is 4 in row 1, so pivots = {1, 1} and the factors are
/// {4, 2, 0, 2}; L is the identity.
template <LinearScalar T>
struct LuBatch {
  int n = 0;                       ///< rows and columns of each matrix, 1 ... 32
  std::span<T> factors;            ///< n * n entries for each matrix: U, and below the diagonal L without its unit diagonal
  std::span<std::uint8_t> pivots;  ///< n for each matrix: the row that was exchanged with row c in step c
  std::span<std::uint8_t> status;  ///< one for each matrix: 0, or 1 + the first column without a finite pivot other than 0

  /// Returns the number of matrices.
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(status.size()); }
};

/// Factorises the matrices in `factors` in place. The pivot of a column is its entry of the largest magnitude on or below the
/// diagonal, the first of several (Golub and Van Loan, Matrix Computations, algorithm 3.4.1). Where it is 0, infinite or not a
/// number, the matrix counts as singular: `status` is 1 + the column, and its factors are undefined.
/// @pre 1 <= n <= 32; the spans have the sizes that their members state and do not overlap.
/// @cost one read and one write of the matrices, about 2/3 n^3 operations each.
template <LinearScalar T>
void lu_factor(const LuBatch<T>& batch, Team& team = calling_thread());
template <LinearScalar T>
void lu_factor(space::cuda, Stream& stream, const LuBatch<T>& batch);

/// Solves A x = b for each matrix of a factorised batch. Substitution proceeds column by column, forwards with L and backwards
/// with U. For a singular matrix x is a copy of b, because there is no solution to return.
/// @pre `b` and `x` have n entries for each matrix, and are the same or do not overlap; neither overlaps the batch.
/// @cost one read of the batch and of b and one write of x, 2 n^2 operations for each matrix.
template <LinearScalar T>
void lu_solve(const LuBatch<T>& batch, std::span<const std::type_identity_t<T>> b, std::span<std::type_identity_t<T>> x,
              Team& team = calling_thread());
template <LinearScalar T>
void lu_solve(space::cuda, Stream& stream, const LuBatch<T>& batch, std::span<const std::type_identity_t<T>> b,
              std::span<std::type_identity_t<T>> x);

/// Returns the indices of the singular matrices in ascending order. On a GPU kernels/primitives/select.cuh has select().
[[nodiscard]] std::vector<std::int64_t> singular_matrices(std::span<const std::uint8_t> status);

/// Stores the index of the first singular matrix, or their number if there is none, at a device address in stream order.
/// @cost one read of the status; reduce_scratch(size) * 8 bytes from the pool of the stream.
void first_singular(space::cuda, Stream& stream, std::span<const std::uint8_t> status, std::int64_t* result);

namespace detail {
/// Returns true if the sizes of a batch agree and its parts do not overlap.
template <class T>
[[nodiscard]] bool is_batch(const LuBatch<T>& batch);
/// Returns true if the vectors have the sizes for a batch and overlap neither it nor, unless they are the same, each other.
template <class T>
[[nodiscard]] bool are_vectors_of(const LuBatch<T>& batch, std::span<const T> b, std::span<T> x);
}  // namespace detail

}  // namespace weft::kernels
