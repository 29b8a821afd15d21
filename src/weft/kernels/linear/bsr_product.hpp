#pragma once
/// Products of block-sparse matrices and vectors, alone or fused with the addition of a vector and with scalar products, on hosts
/// and GPUs with the same digits.
///
/// A vector has B contiguous entries for each block row or column, as an array of rows in Layout::aos. On a distributed matrix y
/// has the owned rows and x the owned and ghost rows, which the caller exchanges before. Each entry of A x is the sum over the
/// blocks of its row in ascending order of the columns, and within a block over its columns, from 0 on in the arithmetic of T.
///
/// The overloads for GPUs enqueue kernels in the stream and never wait; they can be captured in a Graph. All views and spans then
/// refer to memory that the current GPU can access. Without CUDA they throw DeviceError (see no_gpu()).
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/device/space.hpp"
#include "weft/device/stream.hpp"
#include "weft/kernels/linear/bsr_matrix.hpp"
#include "weft/kernels/primitives/disjoint.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

/// Scalar products of the result y of a product.
struct ProductDots {
  double zy = 0;  ///< (z, y)
  double yy = 0;  ///< (y, y)

  friend bool operator==(const ProductDots&, const ProductDots&) = default;
};

/// Computes y = A x.
/// @pre x has B columns entries, y has B rows entries; they do not overlap each other or the matrix.
/// @cost one read of the blocks and of their column indices, of x and the row sizes, and one write of y.
template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply(const BsrView<const T, B>& a, std::span<const std::type_identity_t<T>> x, std::span<std::type_identity_t<T>> y,
              Team& team = calling_thread());
template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply(space::cuda, Stream& stream, const BsrView<const T, B>& a, std::span<const std::type_identity_t<T>> x,
              std::span<std::type_identity_t<T>> y);

/// Computes y = A x and the scalar products of y with z and itself, in double and in the order of dot<T, double>(), so that they
/// have the digits of multiply() followed by dot().
/// @pre as multiply(); z has the size of y and does not overlap it. z may be x.
/// @cost that of multiply() and one read of z; on the host another one of y.
template <LinearScalar T, int B>
  requires BlockSize<B>
[[nodiscard]] ProductDots multiply_and_dot(const BsrView<const T, B>& a, std::span<const std::type_identity_t<T>> x,
                                           std::span<std::type_identity_t<T>> y, std::span<const std::type_identity_t<T>> z,
                                           Team& team = calling_thread());
/// Stores the scalar products at a device address, in stream order.
/// @cost as on the host, in one to three kernels; multiply_and_dot_workspace() bytes from the pool of the stream.
template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_and_dot(space::cuda, Stream& stream, const BsrView<const T, B>& a, std::span<const std::type_identity_t<T>> x,
                      std::span<std::type_identity_t<T>> y, std::span<const std::type_identity_t<T>> z, ProductDots* result);
/// Returns the bytes of temporary memory of multiply_and_dot() and multiply_add_and_dot() on a GPU. Needs no GPU.
[[nodiscard]] std::size_t multiply_and_dot_workspace(std::int32_t rows, int block_size);

/// Computes y = alpha A x + beta b. Each entry is alpha times that of multiply() plus beta times that of b, in the arithmetic of
/// T. Example, the residual b - A x: alpha = -1 and beta = 1, which has the digits of the subtraction.
/// @pre as multiply(); b has the size of y, and is y or does not overlap it. b is read for beta = 0, too, and so is A x for
/// alpha = 0: products of 0 and NaN or infinity are NaN.
/// @cost that of multiply() and one read of b.
template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_add(std::type_identity_t<T> alpha, const BsrView<const T, B>& a, std::span<const std::type_identity_t<T>> x,
                  std::type_identity_t<T> beta, std::span<const std::type_identity_t<T>> b, std::span<std::type_identity_t<T>> y,
                  Team& team = calling_thread());
template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_add(space::cuda, Stream& stream, std::type_identity_t<T> alpha, const BsrView<const T, B>& a,
                  std::span<const std::type_identity_t<T>> x, std::type_identity_t<T> beta,
                  std::span<const std::type_identity_t<T>> b, std::span<std::type_identity_t<T>> y);

/// Computes y = alpha A x + beta b and the scalar products of y with z and itself, with the digits of multiply_add() followed by
/// dot().
/// @pre as multiply_add(); z has the size of y and does not overlap it. z may be x, or b if that is not y.
/// @cost that of multiply_add() and one read of z; on the host another one of y.
template <LinearScalar T, int B>
  requires BlockSize<B>
[[nodiscard]] ProductDots multiply_add_and_dot(std::type_identity_t<T> alpha, const BsrView<const T, B>& a,
                                               std::span<const std::type_identity_t<T>> x, std::type_identity_t<T> beta,
                                               std::span<const std::type_identity_t<T>> b, std::span<std::type_identity_t<T>> y,
                                               std::span<const std::type_identity_t<T>> z, Team& team = calling_thread());
/// Stores the scalar products at a device address, in stream order.
/// @cost as on the host, in one to three kernels; multiply_and_dot_workspace() bytes from the pool of the stream.
template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_add_and_dot(space::cuda, Stream& stream, std::type_identity_t<T> alpha, const BsrView<const T, B>& a,
                          std::span<const std::type_identity_t<T>> x, std::type_identity_t<T> beta,
                          std::span<const std::type_identity_t<T>> b, std::span<std::type_identity_t<T>> y,
                          std::span<const std::type_identity_t<T>> z, ProductDots* result);

/// Computes y = A^T x. Each entry of y is the sum over the blocks of its column in ascending order of the rows, and within a
/// block over its rows.
/// @param transpose  of the pattern of A, in the same space.
/// @pre x has B rows entries, y has B columns entries; they do not overlap. On a distributed matrix the caller adds the entries
/// of ghost columns to those of their owners.
/// @cost as multiply(), and 12 bytes per block more for the transposed pattern. Blocks are read in pieces of B entries.
template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_transposed(const BsrView<const T, B>& a, const BsrTransposeView& transpose,
                         std::span<const std::type_identity_t<T>> x, std::span<std::type_identity_t<T>> y,
                         Team& team = calling_thread());
template <LinearScalar T, int B>
  requires BlockSize<B>
void multiply_transposed(space::cuda, Stream& stream, const BsrView<const T, B>& a, const BsrTransposeView& transpose,
                         std::span<const std::type_identity_t<T>> x, std::span<std::type_identity_t<T>> y);

namespace detail {
/// Adds scalar products.
struct AddDots {
  WEFT_HD ProductDots operator()(const ProductDots& a, const ProductDots& b) const { return {a.zy + b.zy, a.yy + b.yy}; }
};

/// The entries of y = A x from those of A x.
template <class T>
struct PlainProduct {
  WEFT_HD T operator()(std::int64_t /*entry*/, T product) const { return product; }
};

/// The entries of y = alpha A x + beta b from those of A x.
template <class T>
struct ProductPlusVector {
  T alpha, beta;
  const T* b;
  WEFT_HD T operator()(std::int64_t entry, T product) const { return alpha * product + beta * b[entry]; }
};

/// Returns true if the spans have the sizes of the vectors of a product (of the transposed matrix: with rows and columns
/// exchanged) and do not overlap.
template <class T>
[[nodiscard]] bool are_vectors_of(std::int32_t rows, std::int32_t columns, int block_size, std::span<const T> x, std::span<T> y) {
  const auto entries = [&](std::int32_t n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(block_size); };
  return x.size() == entries(columns) && y.size() == entries(rows) && disjoint(x, y);
}

/// Returns true if b may be added to a product with the result y.
template <class T>
[[nodiscard]] bool can_be_added(std::span<const T> b, std::span<T> y) {
  return b.size() == y.size() && disjoint_or_same(b, y);
}

/// Returns true if z may be a factor of scalar products with the result y.
template <class T>
[[nodiscard]] bool can_be_factor(std::span<const T> z, std::span<T> y) {
  return z.size() == y.size() && disjoint(z, y);
}
}  // namespace detail

}  // namespace weft::kernels
