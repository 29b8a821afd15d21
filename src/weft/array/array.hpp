#pragma once
/// Array: rows of entries in one of five layouts, see RowKind. This header defines the four rectangular layouts;
/// csr_array.hpp, included at the end, defines the fifth.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "weft/array/array_errors.hpp"
#include "weft/array/layout.hpp"
#include "weft/array/view.hpp"
#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/device/host_device_vector.hpp"

namespace weft {

/// A table of rows() rows with entries of the trivially copyable type T.
///
///   Array<double, 5> u(rows);                    // 5 per row
///   Array<double, Dynamic> w(rows, width);       // width per row
///   Array<Id, NonUniform, 8> c(rows);            // up to 8 per row
///   Array<Id, NonUniform, Dynamic> x(rows, max); // up to max per row
///   Array<Id, NonUniform> s;                     // CSR
///
/// Entries of new rows are value-initialised; new rows of NonUniform arrays are empty. An array made with Side::device has
/// memory on the device only, until a copy or an access asks for the host side; its shape cannot be changed before to_host().
/// RowAlign pads AoS rows so that each starts at a multiple of that number of bytes (at most 64). Copies are explicit: clone().
/// operator() checks its indices in builds with contracts, at() in all builds.
template <class T, int RowSize = 1, int RowMax = RowSize, int RowAlign = kNoRowAlign>
class Array {
  static_assert(std::is_trivially_copyable_v<T>, "entries travel between ranks and devices as bytes");
  static_assert(RowAlign == kNoRowAlign || (RowAlign > 0 && RowAlign <= 64 && (RowAlign & (RowAlign - 1)) == 0),
                "a row alignment is a power of two up to 64 bytes");

 public:
  static constexpr RowKind kKind = row_kind<RowSize, RowMax>();
  /// Width known at compile time, or Dynamic.
  static constexpr int kWidth = kKind == RowKind::static_fixed ? RowSize : (kKind == RowKind::static_max ? RowMax : Dynamic);
  static constexpr bool kPadded = kKind == RowKind::static_max || kKind == RowKind::max;
  static constexpr int kRowAlign = RowAlign;
  using value_type = T;
  template <class U, class LayoutTag, class Space>
  using ViewOf =
      std::conditional_t<kPadded, PaddedView<U, kWidth, LayoutTag, Space, RowAlign>, View<U, kWidth, LayoutTag, Space, RowAlign>>;

  Array() = default;
  /// Creates `rows` value-initialised rows. @throws LimitError if `rows` exceeds the range of a local id.
  explicit Array(std::int64_t rows, Layout layout = Layout::aos, Backend backend = Backend::host)
    requires(kWidth != Dynamic)
      : entries_(0, backend), row_sizes_(0, backend), layout_(layout) {
    reshape(rows, kWidth);
  }
  Array(std::int64_t rows, int width, Layout layout = Layout::aos, Backend backend = Backend::host)
    requires(kWidth == Dynamic)
      : entries_(0, backend), row_sizes_(0, backend), layout_(layout) {
    reshape(rows, width);
  }
  /// Wraps registered memory of others (RegisteredMemory) as the host side, without a copy: all of it, as whole rows with
  /// padding. Element access is checked and therefore slower than in other arrays; loops use view(). The array cannot be resized.
  /// @throws ContractError if the memory does not hold whole, aligned rows, or is wrapped already; as HostDeviceVector.
  explicit Array(const RegisteredMemory& memory, Layout layout = Layout::aos, Backend backend = Backend::host)
    requires(kWidth != Dynamic && !kPadded)
      : Array(memory, layout, backend, kWidth) {}
  Array(const RegisteredMemory& memory, int width, Layout layout = Layout::aos, Backend backend = Backend::host)
    requires(kWidth == Dynamic && !kPadded)
      : Array(memory, layout, backend, width) {}
  /// Uses memory of others as the device side, without a copy, as HostDeviceVector: all of it, as whole rows. Exchanges do not
  /// let other processes map it. @throws ContractError if the memory does not hold whole rows.
  Array(std::span<T> on_device, int width, Layout layout, Backend backend)
    requires(kWidth == Dynamic && !kPadded)
      : entries_(on_device, backend), width_(width), layout_(layout) {
    detail::check_whole_rows(on_device.size(), width);
    rows_ = checked_local(static_cast<std::int64_t>(on_device.size()) / width, "rows of an array");
  }
  /// Creates `rows` value-initialised rows on the side `first`; the other side is stale, and without memory until it is accessed.
  Array(std::int64_t rows, Layout layout, Backend backend, Side first)
    requires(kWidth != Dynamic && !kPadded)
      : entries_(0, backend), row_sizes_(0, backend), layout_(layout) {
    create(rows, kWidth, first);
  }
  Array(std::int64_t rows, int width, Layout layout, Backend backend, Side first)
    requires(kWidth == Dynamic && !kPadded)
      : entries_(0, backend), row_sizes_(0, backend), layout_(layout) {
    create(rows, width, first);
  }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    Array taken(std::move(other));
    swap(taken);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() = default;

  void swap(Array& other) noexcept {
    std::swap(entries_, other.entries_);
    std::swap(row_sizes_, other.row_sizes_);
    std::swap(rows_, other.rows_);
    std::swap(width_, other.width_);
    std::swap(layout_, other.layout_);
    std::swap(host_, other.host_);
    std::swap(host_sizes_, other.host_sizes_);
  }
  /// Returns an independent copy in the same or another layout.
  [[nodiscard]] Array clone() const { return clone(layout_); }
  [[nodiscard]] Array clone(Layout layout) const {
    Array copy;
    copy.layout_ = layout;
    copy.width_ = width_;
    copy.rows_ = rows_;
    copy.row_sizes_ = row_sizes_;
    if (layout == layout_) {
      copy.entries_ = entries_;
      copy.cache_addresses();
    } else {
      copy.entries_ = HostDeviceVector<T>(storage_size(rows_, width_, layout), backend(), entries_.name());
      copy.cache_addresses();
      copy.copy_rows(*this, rows_, width_);
    }
    return copy;
  }

  /// Changes the number of rows; preserves the values of the remaining rows and entries. Invalidates views.
  void resize(std::int64_t rows) { reshape(rows, width_); }
  void resize(std::int64_t rows, int width)
    requires(kWidth == Dynamic)
  {
    reshape(rows, width);
  }

  [[nodiscard]] std::int32_t rows() const { return rows_; }
  [[nodiscard]] bool empty() const { return rows_ == 0; }
  [[nodiscard]] Layout layout() const { return layout_; }
  [[nodiscard]] Backend backend() const { return entries_.backend(); }
  /// Sets the name for error messages.
  void set_name(const std::string& name) {
    entries_.set_name(name);
    row_sizes_.set_name(name + " row sizes");
  }
  /// Returns the entries per row; for NonUniform rows the maximum number.
  [[nodiscard]] int width() const {
    if constexpr (kWidth != Dynamic) {
      return kWidth;
    } else {
      return width_;
    }
  }
  template <RowIndex I>
  [[nodiscard]] std::int32_t row_size(I row) const {
    WEFT_EXPECTS(to_index(row) < static_cast<std::size_t>(rows_));
    if constexpr (kPadded) {
      return host_sizes_ != nullptr ? host_sizes_[to_index(row)] : row_sizes_[to_index(row)];
    } else {
      return width();
    }
  }
  /// Sets the number of entries of one row; stored values beyond the previous size are preserved.
  /// @throws ContractError if the row does not exist or `size` exceeds width().
  template <RowIndex I>
  void resize_row(I row, int size)
    requires(kPadded)
  {
    detail::check_row(static_cast<std::int64_t>(to_index(row)), rows_);
    detail::check_row_size(size, width());
    row_sizes_[to_index(row)] = size;
  }
  [[nodiscard]] std::span<const std::int32_t> row_sizes() const
    requires(kPadded)
  {
    return row_sizes_.span();
  }

  template <RowIndex I>
  [[nodiscard]] T& operator()(I row, int k) {
    const std::size_t at = position(row, k);
    return host_ != nullptr ? host_[at] : entries_[at];
  }
  template <RowIndex I>
  [[nodiscard]] const T& operator()(I row, int k) const {
    const std::size_t at = position(row, k);
    return host_ != nullptr ? host_[at] : entries_[at];
  }
  /// Returns the only entry of a row of width 1.
  template <RowIndex I>
    requires(RowSize == 1)
  [[nodiscard]] T& operator()(I row) {
    return (*this)(row, 0);
  }
  template <RowIndex I>
    requires(RowSize == 1)
  [[nodiscard]] const T& operator()(I row) const {
    return (*this)(row, 0);
  }
  /// Returns an entry like operator(); checks the indices in all builds. @throws ContractError
  template <RowIndex I>
  [[nodiscard]] T& at(I row, int k) {
    check(row, k);
    return (*this)(row, k);
  }
  template <RowIndex I>
  [[nodiscard]] const T& at(I row, int k) const {
    check(row, k);
    return (*this)(row, k);
  }
  /// Returns the entries of a row. @pre layout() == Layout::aos
  template <RowIndex I>
  [[nodiscard]] auto row(I row) {
    return row_of<T>(data(), row);
  }
  template <RowIndex I>
  [[nodiscard]] auto row(I row) const {
    return row_of<const T>(data(), row);
  }

  /// Returns the number of elements between the starts of two rows (AoS) or of two entries of a row (SoA).
  [[nodiscard]] std::size_t stride() const {
    return layout_ == Layout::soa ? static_cast<std::size_t>(rows_) : row_stride<T, RowAlign>(width());
  }
  /// Returns the entire storage including padding: stride() * rows() elements (AoS) or rows() * width() (SoA).
  [[nodiscard]] std::span<T> storage() { return entries_.span(); }
  [[nodiscard]] std::span<const T> storage() const { return entries_.span(); }
  [[nodiscard]] T* data() { return host_ != nullptr ? host_ : entries_.data(); }
  [[nodiscard]] const T* data() const { return host_ != nullptr ? host_ : entries_.data(); }

  /// Returns a view for kernels. A writable view makes the other side stale.
  /// @throws ContractError if LayoutTag is not the layout of this array, or it has no side in Space; DeviceError if that is
  /// stale.
  template <class LayoutTag = Aos, Space S = space::host>
  [[nodiscard]] ViewOf<T, LayoutTag, S> view() {
    detail::check_layout(LayoutTag::kLayout, layout_);
    return view_of<T, LayoutTag, S>(entries_.read_write(detail::side_in<S>(backend())).data());
  }
  template <class LayoutTag = Aos, Space S = space::host>
  [[nodiscard]] ViewOf<const T, LayoutTag, S> view() const {
    detail::check_layout(LayoutTag::kLayout, layout_);
    return view_of<const T, LayoutTag, S>(entries_.read(detail::side_in<S>(backend())).data());
  }

  /// Copies a range of rows, or all rows, to the other side after `before` has completed. No effect with Backend::host.
  /// @throws DeviceError if the rows are stale on the source side.
  Event to_device(const After& before, IdRange<LocalRow> range) {
    Event done = before.event();
    for_each_piece(*this, range, [&](auto& side, auto first, auto n) { done = side.to_device(After(done), first, n); });
    return done;
  }
  Event to_host(const After& before, IdRange<LocalRow> range) {
    Event done = before.event();
    for_each_piece(*this, range, [&](auto& side, auto first, auto n) { done = side.to_host(After(done), first, n); });
    return done;
  }
  Event to_device(const After& before) { return to_device(before, all_rows()); }
  Event to_host(const After& before) { return to_host(before, all_rows()); }
  /// Copies the rows that are stale on side `to`, as to_device() and to_host() do. @throws DeviceError where one is stale on
  /// both sides.
  Event bring(Side to, const After& before, IdRange<LocalRow> range) {
    Event done = before.event();
    for_each_piece(*this, range, [&](auto& side, auto first, auto n) { done = side.bring(to, After(done), first, n); });
    return done;
  }
  /// Returns true if no entry of these rows, or of any row, is stale on this side.
  [[nodiscard]] bool fresh(Side side, IdRange<LocalRow> range) const {
    bool all = true;
    for_each_piece(*this, range, [&](const auto& piece, auto first, auto n) { all = all && piece.fresh(side, first, n); });
    return all;
  }
  [[nodiscard]] bool fresh(Side side) const { return fresh(side, all_rows()); }

 private:
  friend struct detail::ArrayAccess;

  Array(const RegisteredMemory& memory, Layout layout, Backend backend, int width)
      : entries_(memory, backend, "array", std::max<std::size_t>(alignof(T), RowAlign)), width_(width), layout_(layout) {
    const int row = layout == Layout::soa ? width : static_cast<int>(row_stride<T, RowAlign>(width));
    detail::check_whole_rows(entries_.size(), row);
    rows_ = checked_local(static_cast<std::int64_t>(entries_.size()) / row, "rows of an array");
  }
  static constexpr std::size_t storage_size(std::int64_t rows, int width, Layout layout) {
    const std::size_t n = rows;
    return n * (layout == Layout::soa ? static_cast<std::size_t>(width) : row_stride<T, RowAlign>(width));
  }
  template <RowIndex I>
  [[nodiscard]] std::size_t position(I row, int k) const {
    WEFT_EXPECTS(k >= 0 && k < row_size(row));
    const std::size_t entry = k;
    return layout_ == Layout::soa ? entry * static_cast<std::size_t>(rows_) + to_index(row)
                                  : to_index(row) * row_stride<T, RowAlign>(width()) + entry;
  }
  template <RowIndex I>
  void check(I row, int k) const {
    detail::check_row(static_cast<std::int64_t>(to_index(row)), rows_);
    detail::check_entry(k, row_size(row));
  }
  template <class U, RowIndex I>
  [[nodiscard]] auto row_of(U* data, I row) const {
    WEFT_EXPECTS(layout_ == Layout::aos);
    WEFT_EXPECTS(to_index(row) < static_cast<std::size_t>(rows_));
    U* const first = data + to_index(row) * row_stride<T, RowAlign>(width());
    if constexpr (kKind == RowKind::static_fixed) {
      return std::span<U, static_cast<std::size_t>(RowSize)>(first, static_cast<std::size_t>(RowSize));
    } else {
      return std::span<U>(first, row_size(row));
    }
  }
  template <class U, class LayoutTag, class S>
  [[nodiscard]] ViewOf<U, LayoutTag, S> view_of(U* data) const {
    const View<U, kWidth, LayoutTag, S, RowAlign> table(data, rows_, width());
    if constexpr (kPadded) {
      return {table, row_sizes_.read(detail::side_in<S>(backend())).data()};
    } else {
      return table;
    }
  }
  void create(std::int64_t rows, int width, Side first) {
    rows_ = checked_local(rows, "rows of an array");
    detail::check_width(width);
    width_ = width;
    entries_ = HostDeviceVector<T>(storage_size(rows, width, layout_), backend(), entries_.name(), first);
    cache_addresses();
  }
  void reshape(std::int64_t rows, int width) {
    const std::int32_t count = checked_local(rows, "rows of an array");
    detail::check_width(width);
    if (entries_.borrowed() && count == rows_ && width == width_) return;
    if (entries_.borrowed()) detail::throw_borrowed_resize();
    if ((layout_ == Layout::aos && width == width_) || rows_ == 0) {
      entries_.resize(storage_size(rows, width, layout_));
      rows_ = count;
      width_ = width;
      cache_addresses();
    } else {
      (void)std::as_const(entries_).span();  // throws where it is stale, before anything has changed
      Array old;
      swap(old);
      layout_ = old.layout_;
      row_sizes_ = std::move(old.row_sizes_);
      entries_ = HostDeviceVector<T>(storage_size(rows, width, layout_), old.backend(), old.entries_.name());
      rows_ = count;
      width_ = width;
      cache_addresses();
      copy_rows(old, std::min(rows_, old.rows_), std::min(width, old.width_));
    }
    if constexpr (kPadded) {
      row_sizes_.resize(count);
      for (std::int32_t& size : row_sizes_.span()) size = std::min(size, width);
      cache_addresses();
    }
  }
  /// Copies the first `width` stored entries of the first `rows` rows between any two layouts.
  void copy_rows(const Array& from, std::int32_t rows, int width) {
    const auto at = [](const Array& a, std::int32_t i, int k) {
      const std::size_t row = i, entry = k;
      return a.layout_ == Layout::soa ? entry * static_cast<std::size_t>(a.rows_) + row
                                      : row * row_stride<T, RowAlign>(a.width_) + entry;
    };
    const std::span<T> to = storage();
    const std::span<const T> source = from.storage();
    for (std::int32_t i = 0; i < rows; ++i) {
      for (int k = 0; k < width; ++k) to[at(*this, i, k)] = source[at(from, i, k)];
    }
  }
  void cache_addresses() {
    if (backend() != Backend::host) return;
    host_ = entries_.data();
    host_sizes_ = row_sizes_.data();
  }
  [[nodiscard]] IdRange<LocalRow> all_rows() const { return {LocalRow(0), LocalRow(rows_)}; }
  /// Calls f(vector, first, count) for each contiguous piece of memory of these rows of `self`.
  template <class Self, class F>
  static void for_each_piece(Self& self, IdRange<LocalRow> range, const F& f) {
    WEFT_EXPECTS(range.first().valid() && range.first() <= range.last() && range.last().value() <= self.rows_);
    const std::size_t first = range.first().index(), count = range.last().index() - first;
    if (self.layout_ == Layout::soa) {
      for (int k = 0; k < self.width(); ++k) f(self.entries_, static_cast<std::size_t>(k) * self.stride() + first, count);
    } else {
      f(self.entries_, first * self.stride(), count * self.stride());
    }
    if constexpr (kPadded) f(self.row_sizes_, first, count);
  }

  HostDeviceVector<T> entries_;
  HostDeviceVector<std::int32_t> row_sizes_;  // NonUniform only
  std::int32_t rows_ = 0;
  int width_ = kWidth == Dynamic ? 0 : kWidth;
  Layout layout_ = Layout::aos;
  // Addresses of entries and row sizes with Backend::host, which has no stale side to check. The access functions of
  // HostDeviceVector are too slow for operator().
  T* host_ = nullptr;
  std::int32_t* host_sizes_ = nullptr;
};

}  // namespace weft

#include "weft/array/csr_array.hpp"
