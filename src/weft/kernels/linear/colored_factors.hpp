#pragma once
/// ILU(0) and LU-SGS by colours: preconditioners that solve with triangular factors of a block-sparse matrix, on hosts and GPUs
/// with the same digits.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/device/host_device_vector.hpp"
#include "weft/kernels/linear/batched_lu.hpp"
#include "weft/kernels/linear/bsr_matrix.hpp"
#include "weft/kernels/linear/preconditioner.hpp"
#include "weft/kernels/linear/row_colors.hpp"

namespace weft::kernels {

/// The factors of a matrix A = L + D + U, whose rows are ordered by colour: M = (L + D) D^-1 (D + U).
enum class Factors : std::uint8_t {
  lu_sgs,  ///< the blocks of A: a symmetric block Gauss-Seidel sweep (Jameson and Yoon, AIAA J. 25, 1987)
  ilu0,    ///< incomplete LU factors: M has the blocks of A at all positions of A (Saad, Iterative Methods, 10.3.2)
};

namespace detail {
/// The factors for functions and kernels, with rows and columns numbered by their positions in RowColors::order().
template <class T, int B>
struct ColoredView {
  BsrView<T, B> lower, upper;
  const std::int64_t *lower_source = nullptr, *upper_source = nullptr;  ///< slot in A of each slot
  const std::int32_t* order = nullptr;                                  ///< row of A at each position
  T* diagonal = nullptr;                                                ///< D, then its LU factors: row-major blocks
  std::uint8_t *pivots = nullptr, *status = nullptr;
  T* inverse = nullptr;  ///< D^-1, block p in slot p of a BsrView
};
struct Triangles;
}  // namespace detail

/// ILU(0) or LU-SGS of a block-sparse matrix by colours. Rows of one colour are computed concurrently; there is one kernel per
/// colour and direction. Columns of ghost rows are ignored, so that on several ranks this is a block Jacobi preconditioner of the
/// parts of the ranks.
///
///     const RowColors colors(space::cuda{}, stream, *pattern);
///     ColoredFactors<double, 5> ilu(*pattern, colors, Factors::ilu0);      // memory, once
///     ilu.factor(space::cuda{}, stream, a.view<space::cuda>());            // for each new matrix
///     solver.start(space::cuda{}, stream, a.view<space::cuda>(), &ilu, b, x, 1e-8);
///
/// Its application multiplies by inverses of the diagonal blocks, so that each scalar row has a thread of its own. A row whose
/// diagonal block is singular or not stored is reported by singular_rows(), and has the identity in their place.
template <LinearScalar T, int B>
  requires BlockSize<B>
class ColoredFactors final : public Preconditioner<T> {
 public:
  /// Allocates memory with the backend of the pattern: a copy of the blocks, two more diagonals, and 8 bytes per block.
  /// @pre `colors` are those of this pattern. @throws DeviceError or std::bad_alloc where memory is exhausted; LimitError.
  /// @cost O(blocks log(blocks per row)) on the host, divided over the threads, on whose number the factors do not depend.
  ColoredFactors(const BsrPattern& pattern, const RowColors& colors, Factors kind, Team& team = calling_thread());
  ColoredFactors(const ColoredFactors&) = delete;
  ColoredFactors& operator=(const ColoredFactors&) = delete;

  /// Computes the factors of a matrix with this pattern.
  /// @pre a.pattern has the rows and blocks of the pattern of this object. @cost one read of A and one write of the factors; with
  /// ilu0 for each block of L one read of a row of U. On a GPU 3 kernels, with ilu0 3 for each colour.
  void factor(const BsrView<const T, B>& a, Team& team = calling_thread());
  void factor(space::cuda, Stream& stream, const BsrView<const T, B>& a);

  /// Computes z = M^-1 r. @pre factor() has been called; as Preconditioner. Uses memory of this object: one application at a
  /// time.
  /// @cost one read of L, U and r, two reads of D^-1 and one write of z; two kernels per colour.
  void apply(std::span<const T> r, std::span<T> z, Team& team = calling_thread()) override;
  void apply(space::cuda, Stream& stream, std::span<const T> r, std::span<T> z) override;

  /// Returns the rows without a regular diagonal block, in ascending order. Blocks the host until `before` has completed.
  [[nodiscard]] std::vector<std::int32_t> singular_rows(const After& before = {});

 private:
  ColoredFactors(const BsrPattern& pattern, const RowColors& colors, Factors kind, const detail::Triangles& triangles,
                 Team& team);
  template <Space S>
  [[nodiscard]] detail::ColoredView<T, B> view();
  /// Returns the diagonal blocks at positions first ... last - 1.
  template <Space S>
  [[nodiscard]] LuBatch<T> diagonal(std::int32_t first, std::int32_t last);
  template <class Machine, Space S>
  void factor_by(const Machine& machine, S, const BsrView<const T, B>& a);
  [[nodiscard]] bool are_vectors(std::span<const T> r, std::span<T> z) const;

  Factors kind_;
  std::vector<std::int32_t> offsets_;
  HostDeviceVector<std::int32_t> order_;
  BsrMatrix<T, B> lower_, upper_;
  HostDeviceVector<std::int64_t> lower_source_, upper_source_;
  HostDeviceVector<T> diagonal_, inverse_, y_;
  HostDeviceVector<std::uint8_t> pivots_, status_;
};

}  // namespace weft::kernels
