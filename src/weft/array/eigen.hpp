#pragma once
/// Eigen maps of array memory, without copies. Maps are views: they are valid while the array is neither resized nor
/// destroyed.
#include <Eigen/Core>

#include <type_traits>

#include "weft/array/array.hpp"

namespace weft {

static_assert(Dynamic == Eigen::Dynamic, "Eigen uses the same value for dynamic widths");

namespace detail {
/// Eigen::Map of a Rows x Columns matrix, const if T is const.
template <class T, int Rows, int Columns, bool RowMajor, class Stride = Eigen::Stride<0, 0>>
using MatrixMap = Eigen::Map<
    std::conditional_t<
        std::is_const_v<T>,
        const Eigen::Matrix<std::remove_const_t<T>, Rows, Columns, RowMajor && Columns != 1 ? Eigen::RowMajor : Eigen::ColMajor>,
        Eigen::Matrix<std::remove_const_t<T>, Rows, Columns, RowMajor && Columns != 1 ? Eigen::RowMajor : Eigen::ColMajor>>,
    Eigen::Unaligned, Stride>;
}  // namespace detail

/// Returns the table as a rows x width matrix, row-major for an AoS view and column-major for a SoA view.
template <class T, int Width, class LayoutTag, int RowAlign>
[[nodiscard]] auto eigen_matrix(View<T, Width, LayoutTag, space::host, RowAlign> view) {
  static_assert(Width != 1 || RowAlign == kNoRowAlign, "Eigen vectors have no padding between entries");
  using Map = detail::MatrixMap<T, Eigen::Dynamic, Width, std::is_same_v<LayoutTag, Aos>, Eigen::OuterStride<>>;
  return Map(view.data(), view.rows(), view.row_size(), Eigen::OuterStride<>(static_cast<Eigen::Index>(view.stride())));
}

/// Returns one row of an AoS view as a column vector.
template <class T, int Width, int RowAlign, RowIndex I>
[[nodiscard]] auto eigen_row(View<T, Width, Aos, space::host, RowAlign> view, I row) {
  return detail::MatrixMap<T, Width, 1, false>(view.row(row).data(), view.row_size(), 1);
}

/// Returns one row of an AoS view as a row-major Rows x Columns matrix. @pre the row has Rows * Columns entries.
template <int Rows, int Columns, class T, int Width, int RowAlign, RowIndex I>
[[nodiscard]] auto eigen_row_matrix(View<T, Width, Aos, space::host, RowAlign> view, I row) {
  static_assert(Width == Dynamic || Width == Rows * Columns, "the matrix must hold exactly one row");
  WEFT_EXPECTS(view.row_size() == Rows * Columns);
  return detail::MatrixMap<T, Rows, Columns, true>(view.row(row).data());
}

}  // namespace weft
