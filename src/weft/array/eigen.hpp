#pragma once
/// Eigen maps of host views of arrays, without copies: of all rows, of a range such as the owned rows, and of one row, for every
/// kind of row and layout. Maps of a view of const elements are const. Maps are views: they are valid while the array is neither
/// resized nor destroyed, and writing through them is recorded when the array's view is requested.
///
///     ArrayPair<double, 3> u(plan);                                    // AoS: velocities of owned and ghost rows
///     const auto view = u.view();
///     auto owned = eigen_matrix(view, u.space().owned());              // owned_rows() x 3, row-major
///     const Eigen::RowVector3d mean = owned.colwise().mean();
///     owned.rowwise() -= mean;                                         // writes u
///     eigen_row(view, LocalRow(0)).normalize();                        // 3 x 1
///
///     Array<double, 9> gradient(rows, Layout::soa);
///     eigen_row_matrix<3, 3>(gradient.view<Soa>(), 4).trace();         // entries 0, 4 and 8 of row 4
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

/// Returns these rows as a rows x width matrix, row-major for an AoS view and column-major for a SoA view.
template <class T, int Width, class LayoutTag, int RowAlign>
[[nodiscard]] auto eigen_matrix(View<T, Width, LayoutTag, space::host, RowAlign> view, IdRange<LocalRow> rows) {
  constexpr bool kAos = std::is_same_v<LayoutTag, Aos>;
  WEFT_EXPECTS(rows.first().valid() && rows.first() <= rows.last() && rows.last().value() <= view.rows());
  T* const first = view.data() + rows.first().index() * (kAos ? view.stride() : 1);
  const auto stride = static_cast<Eigen::Index>(view.stride());
  if constexpr (Width == 1 && RowAlign != kNoRowAlign && kAos) {  // a vector with padding between its entries
    using Map = detail::MatrixMap<T, Eigen::Dynamic, 1, false, Eigen::InnerStride<>>;
    return Map(first, rows.size(), 1, Eigen::InnerStride<>(stride));
  } else {
    using Map = detail::MatrixMap<T, Eigen::Dynamic, Width, kAos, Eigen::OuterStride<>>;
    return Map(first, rows.size(), view.row_size(), Eigen::OuterStride<>(stride));
  }
}
/// Returns all rows, like the rows of a range.
template <class T, int Width, class LayoutTag, int RowAlign>
[[nodiscard]] auto eigen_matrix(View<T, Width, LayoutTag, space::host, RowAlign> view) {
  return eigen_matrix(view, {LocalRow(0), LocalRow(view.rows())});
}

/// Returns one row as a column vector, contiguous for AoS and strided for SoA.
template <class T, int Width, class LayoutTag, int RowAlign, RowIndex I>
[[nodiscard]] auto eigen_row(View<T, Width, LayoutTag, space::host, RowAlign> view, I row) {
  WEFT_EXPECTS(to_index(row) < static_cast<std::size_t>(view.rows()));
  if constexpr (std::is_same_v<LayoutTag, Aos>) {
    return detail::MatrixMap<T, Width, 1, false>(view.row(row).data(), view.row_size(), 1);
  } else {
    using Map = detail::MatrixMap<T, Width, 1, false, Eigen::InnerStride<>>;
    return Map(view.data() + to_index(row), view.row_size(), 1, Eigen::InnerStride<>(view.rows()));
  }
}
/// Returns the entries of one row of a padded or CSR array as a column vector of their number.
template <class T, int Width, int RowAlign, RowIndex I>
[[nodiscard]] auto eigen_row(PaddedView<T, Width, Aos, space::host, RowAlign> view, I row) {
  return detail::MatrixMap<T, Eigen::Dynamic, 1, false>(view.row(row).data(), view.row_size(row), 1);
}
template <class T, int Width, int RowAlign, RowIndex I>
[[nodiscard]] auto eigen_row(PaddedView<T, Width, Soa, space::host, RowAlign> view, I row) {
  using Map = detail::MatrixMap<T, Eigen::Dynamic, 1, false, Eigen::InnerStride<>>;
  T* const first = view.row_size(row) > 0 ? &view(row, 0) : nullptr;
  return Map(first, view.row_size(row), 1, Eigen::InnerStride<>(view.rows()));
}
template <class T, RowIndex I>
[[nodiscard]] auto eigen_row(CsrView<T, space::host> view, I row) {
  return detail::MatrixMap<T, Eigen::Dynamic, 1, false>(view.row(row).data(), view.row_size(row), 1);
}

/// Returns one row as a row-major Rows x Columns matrix. @pre the row has Rows * Columns entries.
template <int Rows, int Columns, class T, int Width, class LayoutTag, int RowAlign, RowIndex I>
[[nodiscard]] auto eigen_row_matrix(View<T, Width, LayoutTag, space::host, RowAlign> view, I row) {
  static_assert(Width == Dynamic || Width == Rows * Columns, "the matrix must hold exactly one row");
  WEFT_EXPECTS(view.row_size() == Rows * Columns);
  WEFT_EXPECTS(to_index(row) < static_cast<std::size_t>(view.rows()));
  if constexpr (std::is_same_v<LayoutTag, Aos>) {
    return detail::MatrixMap<T, Rows, Columns, true>(view.row(row).data());
  } else {
    using Stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    const Eigen::Index step = view.rows();
    // A vector is column-major: its entries are one inner step apart.
    return detail::MatrixMap<T, Rows, Columns, true, Stride>(view.data() + to_index(row), Stride(Columns * step, step));
  }
}

}  // namespace weft
