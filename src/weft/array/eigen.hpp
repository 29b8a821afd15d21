#pragma once
/// Eigen on an array's memory, without copies. Maps are views: used only while the array is neither resized nor destroyed.
#include <Eigen/Core>

#include <type_traits>

#include "weft/array/array.hpp"

namespace weft {

static_assert(Dynamic == Eigen::Dynamic, "widths are handed to Eigen as they are");

namespace detail {
/// Eigen::Map of a Rows x Columns matrix that is const where T is.
template <class T, int Rows, int Columns, bool RowMajor, class Stride = Eigen::Stride<0, 0>>
using MatrixMap = Eigen::Map<
    std::conditional_t<
        std::is_const_v<T>,
        const Eigen::Matrix<std::remove_const_t<T>, Rows, Columns, RowMajor && Columns != 1 ? Eigen::RowMajor : Eigen::ColMajor>,
        Eigen::Matrix<std::remove_const_t<T>, Rows, Columns, RowMajor && Columns != 1 ? Eigen::RowMajor : Eigen::ColMajor>>,
    Eigen::Unaligned, Stride>;
}  // namespace detail

/// The whole table as a rows x width matrix: row-major for an AoS view, column-major for a SoA one.
template <class T, int Width, class LayoutTag, int RowAlign>
[[nodiscard]] auto eigen_matrix(View<T, Width, LayoutTag, space::host, RowAlign> view) {
  static_assert(Width != 1 || RowAlign == kNoRowAlign, "a padded column is no Eigen vector");
  using Map = detail::MatrixMap<T, Eigen::Dynamic, Width, std::is_same_v<LayoutTag, Aos>, Eigen::OuterStride<>>;
  return Map(view.data(), view.rows(), view.row_size(), Eigen::OuterStride<>(static_cast<Eigen::Index>(view.stride())));
}

/// One row of an AoS view as a column vector.
template <class T, int Width, int RowAlign, RowIndex I>
[[nodiscard]] auto eigen_row(View<T, Width, Aos, space::host, RowAlign> view, I row) {
  return detail::MatrixMap<T, Width, 1, false>(view.row(row).data(), view.row_size(), 1);
}

/// One row of an AoS view as a Rows x Columns matrix, its entries row after row. @pre the row has Rows * Columns entries.
template <int Rows, int Columns, class T, int Width, int RowAlign, RowIndex I>
[[nodiscard]] auto eigen_row_matrix(View<T, Width, Aos, space::host, RowAlign> view, I row) {
  static_assert(Width == Dynamic || Width == Rows * Columns, "the matrix must hold exactly one row");
  WEFT_EXPECTS(view.row_size() == Rows * Columns);
  return detail::MatrixMap<T, Rows, Columns, true>(view.row(row).data());
}

}  // namespace weft
