#pragma once
/// The block Jacobi preconditioner of a block-sparse matrix: the inverse of its diagonal blocks, on hosts and GPUs with the same
/// digits.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/kernels/linear/batched_lu.hpp"
#include "weft/kernels/linear/bsr_matrix.hpp"
#include "weft/kernels/linear/preconditioner.hpp"

namespace weft::kernels {

/// The LU factors of the diagonal blocks of a matrix with at most as many rows as columns. A row whose diagonal block is singular
/// or not stored is reported by singular_rows() or first_singular(), and apply() copies its entries.
///
///     BlockJacobi<double, 5> jacobi(pattern.rows(), Backend::cuda);   // memory, once
///     jacobi.factor(space::cuda{}, stream, a.view<space::cuda>());    // for each new matrix
///     jacobi.apply(space::cuda{}, stream, r, z);                      // z = D^-1 r
template <LinearScalar T, int B>
  requires BlockSize<B>
class BlockJacobi final : public Preconditioner<T> {
 public:
  /// Allocates memory for the factors of `rows` blocks, about B * B * sizeof(T) bytes for each, on the host with Backend::host
  /// and on the device otherwise. @throws DeviceError or std::bad_alloc where memory is exhausted.
  BlockJacobi(std::int32_t rows, Backend backend);

  /// Factorises the diagonal blocks of `a`. @pre a.pattern.rows is the number of rows of this object.
  /// @cost on a GPU one kernel, one read of the diagonal blocks and one write of the factors; a host copies the blocks first.
  void factor(const BsrView<const T, B>& a, Team& team = calling_thread());
  void factor(space::cuda, Stream& stream, const BsrView<const T, B>& a);

  /// Computes z = D^-1 r. @pre factor() has been called; as lu_solve(). @cost that of lu_solve().
  void apply(std::span<const T> r, std::span<T> z, Team& team = calling_thread()) override;
  void apply(space::cuda, Stream& stream, std::span<const T> r, std::span<T> z) override;

  /// Returns the rows without a regular diagonal block, in ascending order. Blocks the host until `before` has completed.
  [[nodiscard]] std::vector<std::int64_t> singular_rows(const After& before = {});
  /// Stores the first row without a regular diagonal block, or the number of rows, at a device address in stream order.
  void first_singular(space::cuda, Stream& stream, std::int64_t* result);

 private:
  template <Space S>
  [[nodiscard]] LuBatch<T> batch() {
    const Side side = detail::linear_side<S>(factors_.backend());
    return {B, factors_.read_write(side), pivots_.read_write(side), status_.read_write(side)};
  }

  HostDeviceVector<T> factors_;
  HostDeviceVector<std::uint8_t> pivots_, status_;
};

}  // namespace weft::kernels
