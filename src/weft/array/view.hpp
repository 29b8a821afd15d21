#pragma once
/// Views: trivially copyable references to the rows of an array, for kernels. Layout and memory space are known at compile
/// time. A view is valid while its array is neither resized nor destroyed.
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weft/array/layout.hpp"
#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/device/space.hpp"

namespace weft {

/// Rows of equal width: n x Width, Width known at compile time or Dynamic. `T` is const for a read-only view.
template <class T, int Width, class LayoutTag = Aos, class Space = space::host, int RowAlign = kNoRowAlign>
class View {
 public:
  using value_type = T;
  using LayoutType = LayoutTag;
  using SpaceType = Space;
  static constexpr int kWidth = Width;

  constexpr View() = default;
  WEFT_HD constexpr View(T* data, std::int32_t rows, int width) : data_(data), rows_(rows), width_(width) {}
  /// Converts to a read-only view of the same rows.
  template <class U>
    requires(std::is_same_v<U, const T> && !std::is_const_v<T>)
  WEFT_HD constexpr operator View<U, Width, LayoutTag, Space, RowAlign>() const {
    return {data_, rows_, width_};
  }

  [[nodiscard]] WEFT_HD constexpr std::int32_t rows() const { return rows_; }
  [[nodiscard]] WEFT_HD constexpr int row_size() const {
    if constexpr (Width >= 1) {
      return Width;
    } else {
      return width_;
    }
  }
  /// Returns the number of elements between entry k of consecutive rows (AoS), or between entries k and k + 1 of a row (SoA).
  [[nodiscard]] WEFT_HD constexpr std::size_t stride() const {
    if constexpr (std::is_same_v<LayoutTag, Soa>) {
      return static_cast<std::size_t>(rows_);
    } else {
      return row_stride<T, RowAlign>(row_size());
    }
  }
  [[nodiscard]] WEFT_HD constexpr T* data() const { return data_; }

  template <RowIndex I>
  [[nodiscard]] WEFT_HD constexpr T& operator()(I row, int k) const {
    WEFT_EXPECTS(to_index(row) < static_cast<std::size_t>(rows_));
    WEFT_EXPECTS(k >= 0 && k < row_size());
    if constexpr (std::is_same_v<LayoutTag, Soa>) {
      return data_[static_cast<std::size_t>(k) * stride() + to_index(row)];
    } else {
      return data_[to_index(row) * stride() + static_cast<std::size_t>(k)];
    }
  }
  /// Returns the only entry of a row of width 1.
  template <RowIndex I>
    requires(Width == 1)
  [[nodiscard]] WEFT_HD constexpr T& operator()(I row) const {
    return (*this)(row, 0);
  }
  /// Returns all entries of a row (AoS only).
  template <RowIndex I>
    requires(std::is_same_v<LayoutTag, Aos>)
  [[nodiscard]] WEFT_HD constexpr auto row(I row) const {
    WEFT_EXPECTS(to_index(row) < static_cast<std::size_t>(rows_));
    T* const first = data_ + to_index(row) * stride();
    if constexpr (Width >= 1) {
      return std::span<T, static_cast<std::size_t>(Width)>(first, static_cast<std::size_t>(Width));
    } else {
      return std::span<T>(first, width_);
    }
  }

 private:
  T* data_ = nullptr;
  std::int32_t rows_ = 0;
  std::int32_t width_ = Width >= 1 ? Width : 0;
};

/// Rows of different lengths, padded to one width (StaticMax, Max).
template <class T, int Width, class LayoutTag = Aos, class Space = space::host, int RowAlign = kNoRowAlign>
class PaddedView {
 public:
  using value_type = T;
  using LayoutType = LayoutTag;
  using SpaceType = Space;

  constexpr PaddedView() = default;
  WEFT_HD constexpr PaddedView(View<T, Width, LayoutTag, Space, RowAlign> table, const std::int32_t* row_sizes)
      : table_(table), row_sizes_(row_sizes) {}
  WEFT_HD constexpr operator PaddedView<const T, Width, LayoutTag, Space, RowAlign>() const
    requires(!std::is_const_v<T>)
  {
    return {table_, row_sizes_};
  }

  [[nodiscard]] WEFT_HD constexpr std::int32_t rows() const { return table_.rows(); }
  /// Returns the maximum number of entries of a row.
  [[nodiscard]] WEFT_HD constexpr int row_max() const { return table_.row_size(); }
  template <RowIndex I>
  [[nodiscard]] WEFT_HD constexpr std::int32_t row_size(I row) const {
    WEFT_EXPECTS(to_index(row) < static_cast<std::size_t>(rows()));
    return row_sizes_[to_index(row)];
  }
  template <RowIndex I>
  [[nodiscard]] WEFT_HD constexpr T& operator()(I row, int k) const {
    WEFT_EXPECTS(k < row_size(row));
    return table_(row, k);
  }
  template <RowIndex I>
    requires(std::is_same_v<LayoutTag, Aos>)
  [[nodiscard]] WEFT_HD constexpr std::span<T> row(I row) const {
    return {table_.row(row).data(), static_cast<std::size_t>(row_size(row))};
  }

 private:
  View<T, Width, LayoutTag, Space, RowAlign> table_;
  const std::int32_t* row_sizes_ = nullptr;
};

/// Contiguous rows of different lengths (Csr).
template <class T, class Space = space::host>
class CsrView {
 public:
  using value_type = T;
  using LayoutType = Aos;
  using SpaceType = Space;

  constexpr CsrView() = default;
  WEFT_HD constexpr CsrView(T* entries, const std::int64_t* offsets, std::int32_t rows)
      : entries_(entries), offsets_(offsets), rows_(rows) {}
  WEFT_HD constexpr operator CsrView<const T, Space>() const
    requires(!std::is_const_v<T>)
  {
    return {entries_, offsets_, rows_};
  }

  [[nodiscard]] WEFT_HD constexpr std::int32_t rows() const { return rows_; }
  template <RowIndex I>
  [[nodiscard]] WEFT_HD constexpr std::int32_t row_size(I row) const {
    WEFT_EXPECTS(to_index(row) < static_cast<std::size_t>(rows_));
    return static_cast<std::int32_t>(offsets_[to_index(row) + 1] - offsets_[to_index(row)]);
  }
  template <RowIndex I>
  [[nodiscard]] WEFT_HD constexpr T& operator()(I row, int k) const {
    WEFT_EXPECTS(k >= 0 && k < row_size(row));
    return entries_[offsets_[to_index(row)] + k];
  }
  template <RowIndex I>
  [[nodiscard]] WEFT_HD constexpr std::span<T> row(I row) const {
    return {entries_ + offsets_[to_index(row)], static_cast<std::size_t>(row_size(row))};
  }
  /// Returns the position of the first entry of row i; offset(rows()) is the number of entries.
  [[nodiscard]] WEFT_HD constexpr std::int64_t offset(std::int32_t i) const { return offsets_[i]; }
  [[nodiscard]] WEFT_HD constexpr T* entries() const { return entries_; }

 private:
  T* entries_ = nullptr;
  const std::int64_t* offsets_ = nullptr;
  std::int32_t rows_ = 0;
};

}  // namespace weft
