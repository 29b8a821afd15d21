#pragma once
/// Array in the fifth layout: compressed rows of different lengths. Included by array.hpp.
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/array/array.hpp"

namespace weft {

/// Rows one after the other in entries(), row i at offsets()[i]. No padding; always AoS.
///
/// To change row lengths: decompress(), resize_row(), compress(). A decompressed array reads and writes its rows, but has no
/// entries(), offsets() or views. push_row() and assign() work on a compressed array.
template <class T>
class Array<T, NonUniform, NonUniform, kNoRowAlign> {
  static_assert(std::is_trivially_copyable_v<T>, "entries travel between ranks and devices as bytes");
  static_assert(!std::is_same_v<T, bool>, "use std::uint8_t: rows of std::vector<bool> have no memory to point at");

 public:
  static constexpr RowKind kKind = RowKind::csr;
  using value_type = T;
  template <class U, class LayoutTag, class Space>
  using ViewOf = CsrView<U, Space>;

  Array() = default;
  /// `rows` empty rows.
  explicit Array(std::int64_t rows) { resize(rows); }
  /// @throws ContractError unless offsets start at 0, never fall and end at entries.size().
  Array(std::vector<std::int64_t> offsets, std::vector<T> entries) { assign(std::move(offsets), std::move(entries)); }
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
    std::swap(offsets_, other.offsets_);
    std::swap(entries_, other.entries_);
    std::swap(edited_, other.edited_);
    std::swap(compressed_, other.compressed_);
  }
  [[nodiscard]] Array clone() const {
    Array copy;
    copy.offsets_ = offsets_;
    copy.entries_ = entries_;
    copy.edited_ = edited_;
    copy.compressed_ = compressed_;
    return copy;
  }

  /// Replaces everything; the array is compressed afterwards. @throws ContractError as the constructor; LimitError.
  void assign(std::vector<std::int64_t> offsets, std::vector<T> entries) {
    if (offsets.empty() || offsets.front() != 0) detail::throw_bad_offsets(0);
    for (std::size_t i = 1; i < offsets.size(); ++i) {
      if (offsets[i] < offsets[i - 1]) detail::throw_bad_offsets(static_cast<std::int64_t>(i));
    }
    if (offsets.back() != static_cast<std::int64_t>(entries.size())) {
      detail::throw_bad_offsets(static_cast<std::int64_t>(offsets.size()) - 1);
    }
    (void)checked_local(static_cast<std::int64_t>(offsets.size()) - 1, "rows of an array");
    offsets_ = std::move(offsets);
    entries_ = std::move(entries);
    edited_.clear();
    compressed_ = true;
  }
  /// Appends a row. Amortised constant time. @throws ContractError if decompressed.
  void push_row(std::span<const T> row) {
    expect_compressed("push_row", true);
    (void)checked_local(static_cast<std::int64_t>(offsets_.size()), "rows of an array");
    entries_.insert(entries_.end(), row.begin(), row.end());
    offsets_.push_back(static_cast<std::int64_t>(entries_.size()));
  }
  void reserve(std::int64_t rows, std::int64_t entries) {
    offsets_.reserve(static_cast<std::size_t>(rows) + 1);
    entries_.reserve(static_cast<std::size_t>(entries));
  }
  /// Cuts rows off, or appends empty ones.
  void resize(std::int64_t rows) {
    const auto count = static_cast<std::size_t>(checked_local(rows, "rows of an array"));
    if (!compressed_) {
      edited_.resize(count);
      return;
    }
    if (count < offsets_.size()) entries_.resize(static_cast<std::size_t>(offsets_[count]));
    offsets_.resize(count + 1, static_cast<std::int64_t>(entries_.size()));
  }

  [[nodiscard]] bool compressed() const { return compressed_; }
  /// Makes row lengths editable; values stay. O(rows) allocations.
  void decompress() {
    if (!compressed_) return;
    edited_.reserve(offsets_.size() - 1);
    for (std::int32_t i = 0; i < rows(); ++i) edited_.emplace_back(row(i).begin(), row(i).end());
    offsets_.assign(1, 0);
    entries_.clear();
    compressed_ = false;
  }
  void compress() {
    if (compressed_) return;
    std::size_t total = 0;
    for (const auto& row : edited_) total += row.size();
    offsets_.reserve(edited_.size() + 1);
    entries_.reserve(total);
    for (const auto& row : edited_) {
      entries_.insert(entries_.end(), row.begin(), row.end());
      offsets_.push_back(static_cast<std::int64_t>(entries_.size()));
    }
    edited_ = {};
    compressed_ = true;
  }
  /// Changes the length of one row; new entries are value-initialised.
  /// @throws ContractError if compressed, or if the row does not exist.
  template <RowIndex I>
  void resize_row(I row, int size) {
    expect_compressed("resize_row", false);
    detail::check_row(static_cast<std::int64_t>(to_index(row)), rows());
    detail::check_width(size);
    edited_[to_index(row)].resize(static_cast<std::size_t>(size));
  }

  [[nodiscard]] std::int32_t rows() const {
    return static_cast<std::int32_t>(compressed_ ? offsets_.size() - 1 : edited_.size());
  }
  [[nodiscard]] bool empty() const { return rows() == 0; }
  [[nodiscard]] static constexpr Layout layout() { return Layout::aos; }
  template <RowIndex I>
  [[nodiscard]] std::int32_t row_size(I row) const {
    WEFT_EXPECTS(to_index(row) < static_cast<std::size_t>(rows()));
    return static_cast<std::int32_t>(compressed_ ? offsets_[to_index(row) + 1] - offsets_[to_index(row)]
                                                 : static_cast<std::int64_t>(edited_[to_index(row)].size()));
  }
  template <RowIndex I>
  [[nodiscard]] std::span<T> row(I row) {
    const std::span<const T> found = std::as_const(*this).row(row);
    return {const_cast<T*>(found.data()), found.size()};
  }
  template <RowIndex I>
  [[nodiscard]] std::span<const T> row(I row) const {
    WEFT_EXPECTS(to_index(row) < static_cast<std::size_t>(rows()));
    if (!compressed_) return edited_[to_index(row)];
    return {entries_.data() + offsets_[to_index(row)],
            static_cast<std::size_t>(offsets_[to_index(row) + 1] - offsets_[to_index(row)])};
  }
  template <RowIndex I>
  [[nodiscard]] T& operator()(I row_index, int k) {
    WEFT_EXPECTS(k >= 0 && k < row_size(row_index));
    return row(row_index)[static_cast<std::size_t>(k)];
  }
  template <RowIndex I>
  [[nodiscard]] const T& operator()(I row_index, int k) const {
    WEFT_EXPECTS(k >= 0 && k < row_size(row_index));
    return row(row_index)[static_cast<std::size_t>(k)];
  }
  /// As operator(), but checked in every build. @throws ContractError
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

  /// rows() + 1 positions in entries(). @throws ContractError if decompressed (as do entries, storage, data and view).
  [[nodiscard]] std::span<const std::int64_t> offsets() const {
    expect_compressed("offsets", true);
    return offsets_;
  }
  [[nodiscard]] std::span<const T> entries() const {
    expect_compressed("entries", true);
    return entries_;
  }
  [[nodiscard]] std::span<T> entries() {
    expect_compressed("entries", true);
    return entries_;
  }
  [[nodiscard]] std::span<const T> storage() const { return entries(); }
  [[nodiscard]] std::span<T> storage() { return entries(); }
  [[nodiscard]] const T* data() const { return entries().data(); }
  [[nodiscard]] T* data() { return entries().data(); }

  /// For kernels. @throws ContractError if LayoutTag is not Aos.
  template <class LayoutTag = Aos, class Space = space::host>
  [[nodiscard]] CsrView<T, Space> view() {
    detail::check_layout(LayoutTag::kLayout, Layout::aos);
    return {data(), offsets_.data(), rows()};
  }
  template <class LayoutTag = Aos, class Space = space::host>
  [[nodiscard]] CsrView<const T, Space> view() const {
    detail::check_layout(LayoutTag::kLayout, Layout::aos);
    return {data(), offsets_.data(), rows()};
  }

 private:
  template <RowIndex I>
  void check(I row, int k) const {
    detail::check_row(static_cast<std::int64_t>(to_index(row)), rows());
    detail::check_entry(k, row_size(row));
  }
  void expect_compressed(const char* call, bool wanted) const {
    if (compressed_ != wanted) detail::throw_wrong_csr_state(call, compressed_);
  }

  std::vector<std::int64_t> offsets_ = std::vector<std::int64_t>(1, 0);
  std::vector<T> entries_;
  std::vector<std::vector<T>> edited_;  // rows while decompressed
  bool compressed_ = true;
};

}  // namespace weft
