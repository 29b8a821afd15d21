#pragma once
/// Products of many small square matrices, on hosts and GPUs with the same digits.
///
/// Matrices have 1 to 32 rows and are stored one after the other, each row-major, as those of batched_lu.hpp. Sizes 1 to 8 are
/// compiled with their loops unrolled; on a GPU a thread multiplies two such matrices, and for another size it computes four rows
/// (float: eight) of four columns. The GPU versions load and store contiguous memory, for more than 8 rows by up to 16 bytes at a
/// time where the addresses and the bytes of a row are multiples of them.
///
/// The overloads for GPUs enqueue one kernel in the stream and never wait; they can be captured in a Graph and need no temporary
/// memory. Without CUDA they throw DeviceError (see no_gpu()).
#include <cstdint>
#include <span>

#include "weft/device/space.hpp"
#include "weft/device/stream.hpp"
#include "weft/kernels/linear/bsr_pattern.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

/// The largest number of rows of a factor.
inline constexpr int kProductRows = 32;

/// The factors and results of a batch of products C = A B: a view of memory of the caller.
///
/// Example, n = 2, A = {{1, 2}, {3, 4}} and B = {{0, 1}, {1, 0}}: multiply_batch() sets c = {2, 1, 4, 3}, and a following
/// multiply_add_batch() c = {4, 2, 8, 6}.
template <LinearScalar T>
struct ProductBatch {
  int n = 0;             ///< rows and columns of each matrix, 1 ... 32
  std::span<const T> a;  ///< n * n entries for each matrix
  std::span<const T> b;  ///< as many; may be the same as `a`
  std::span<T> c;        ///< as many

  /// Returns the number of products. @pre n > 0
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(c.size()) / (n * n); }
};

/// Computes C = A B for each matrix of the batch; each entry is summed in ascending order of the inner index by fused
/// multiply-add operations, which round once.
/// @pre 1 <= n <= 32; the spans have the same size, a multiple of n * n; `c` overlaps neither `a` nor `b`.
/// @cost one read of A and B and one write of C, 2 n^3 operations each.
template <LinearScalar T>
void multiply_batch(const ProductBatch<T>& batch, Team& team = calling_thread());
template <LinearScalar T>
void multiply_batch(space::cuda, Stream& stream, const ProductBatch<T>& batch);

/// Computes C = C + A B: adds each entry of the product to that of C once it is summed. @pre as multiply_batch().
/// @cost as multiply_batch(), and one read of C.
template <LinearScalar T>
void multiply_add_batch(const ProductBatch<T>& batch, Team& team = calling_thread());
template <LinearScalar T>
void multiply_add_batch(space::cuda, Stream& stream, const ProductBatch<T>& batch);

namespace detail {
/// Returns true if the sizes of a batch agree and its results do not overlap its factors.
template <class T>
[[nodiscard]] bool is_batch(const ProductBatch<T>& batch);
}  // namespace detail

}  // namespace weft::kernels
