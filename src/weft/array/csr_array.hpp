#pragma once
/// The fifth layout of Array: compressed rows of different lengths (CSR). Included by array.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/array/array.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft {

/// Contiguous rows in entries(), row i from offsets()[i] to offsets()[i + 1]. No padding; always AoS.
///
/// Example, the rows {7, 8}, {} and {9}:
///     offsets()  0 2 2 3        row 1 is empty: offsets()[1] == offsets()[2]
///     entries()  7 8 9          entry k of row i is entries()[offsets()[i] + k]: entry 0 of row 2 is entries()[2] = 9
/// decompress(), resize_row(LocalRow(1), 1) and compress() yield offsets() 0 2 3 4 and entries() 7 8 0 9.
///
/// Row lengths are changed by decompress(), resize_row() and compress(). The rows of a decompressed array can be read and
/// written, but it has no entries(), offsets() or views. push_row() and assign() require a compressed array.
template <class T>
class Array<T, NonUniform, NonUniform, kNoRowAlign> {
  static_assert(std::is_trivially_copyable_v<T>, "entries travel between ranks and devices as bytes");
  static_assert(!std::is_same_v<T, bool>, "use std::uint8_t: rows of std::vector<bool> have no memory to point at");

 public:
  static constexpr RowKind kKind = RowKind::csr;
  using value_type = T;
  template <class U, class LayoutTag, class S>
  using ViewOf = CsrView<U, S>;

  Array() : Array(0) {}
  /// Creates `rows` empty rows.
  explicit Array(std::int64_t rows, Backend backend = Backend::host) : offsets_(1, backend), entries_(0, backend) {
    cache_addresses();
    resize(rows);
  }
  /// Takes offsets and entries. @throws ContractError unless the offsets start at 0, do not decrease and end at
  /// entries.size().
  Array(std::span<const std::int64_t> offsets, std::span<const T> entries, Backend backend = Backend::host) : Array(0, backend) {
    assign(offsets, entries);
  }
  Array(const std::vector<std::int64_t>& offsets, const std::vector<T>& entries, Backend backend = Backend::host)
      : Array(std::span(offsets), std::span(entries), backend) {}
  Array(Array&& other) noexcept : Array(NoMemory{}) { swap(other); }
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
    std::swap(rows_, other.rows_);
    std::swap(used_, other.used_);
    std::swap(compressed_, other.compressed_);
    std::swap(host_offsets_, other.host_offsets_);
    std::swap(host_, other.host_);
  }
  /// Returns an independent copy without spare capacity.
  [[nodiscard]] Array clone() const {
    Array copy(0, backend());
    if (compressed_) {
      copy.assign(offsets(), entries());
    } else {
      copy.edited_ = edited_;
      copy.rows_ = rows_;
      copy.compressed_ = false;
    }
    return copy;
  }

  /// Replaces all rows, also by offsets or entries of this array; it is compressed afterwards. @throws ContractError as the
  /// constructor; LimitError.
  void assign(std::span<const std::int64_t> offsets, std::span<const T> entries) {
    if (!offsets.empty() && offsets.back() != static_cast<std::int64_t>(entries.size())) {
      detail::throw_bad_offsets(static_cast<std::int64_t>(offsets.size()) - 1);
    }
    replace(offsets, kernels::calling_thread(), [&](T* to) { std::copy(entries.begin(), entries.end(), to); });
  }
  void assign(const std::vector<std::int64_t>& offsets, const std::vector<T>& entries) {
    assign(std::span(offsets), std::span(entries));
  }
  /// Replaces all rows by rows of these lengths, whose entries are value-initialised: for callers that compute entries() in
  /// place.
  /// @param team  threads that touch the memory first, one contiguous share each.
  /// @throws ContractError unless the offsets start at 0 and do not decrease; LimitError.
  void assign_offsets(std::span<const std::int64_t> offsets, Team& team = kernels::calling_thread()) {
    replace(offsets, team, [](T* /*entries*/) {});
  }
  /// Appends a row, also one of this array, in amortised constant time; the capacity grows by half.
  /// @throws ContractError if decompressed.
  void push_row(std::span<const T> row) {
    expect_compressed("push_row", true);
    const std::int32_t count = checked_local(std::int64_t{rows_} + 1, "rows of an array");
    std::vector<T> copy;
    if (used_ + row.size() > entries_.size()) {  // the memory of a row of this array is freed below
      copy.assign(row.begin(), row.end());
      row = copy;
    }
    make_room(static_cast<std::size_t>(count), used_ + row.size());
    std::copy(row.begin(), row.end(), entries_.data() + used_);
    used_ += row.size();
    rows_ = count;
    offsets_.data()[rows_] = static_cast<std::int64_t>(used_);
  }
  void reserve(std::int64_t rows, std::int64_t entries) {
    if (static_cast<std::size_t>(rows) + 1 > offsets_.size()) offsets_.resize(static_cast<std::size_t>(rows) + 1);
    if (static_cast<std::size_t>(entries) > entries_.size()) entries_.resize(entries);
    cache_addresses();
  }
  /// Removes rows at the end or appends empty rows.
  void resize(std::int64_t rows) {
    const std::int32_t count = checked_local(rows, "rows of an array");
    if (!compressed_) {
      edited_.resize(count);
    } else {
      if (count < rows_) used_ = static_cast<std::size_t>(offsets_.data()[count]);
      if (static_cast<std::size_t>(count) + 1 > offsets_.size()) offsets_.resize(static_cast<std::size_t>(count) + 1);
      for (std::int32_t i = rows_; i < count; ++i) offsets_.data()[i + 1] = static_cast<std::int64_t>(used_);
      cache_addresses();
    }
    rows_ = count;
  }

  [[nodiscard]] Backend backend() const { return entries_.backend(); }
  /// Sets the name for error messages.
  void set_name(const std::string& name) {
    entries_.set_name(name);
    offsets_.set_name(name + " offsets");
  }
  [[nodiscard]] bool compressed() const { return compressed_; }
  /// Makes row lengths editable; values are preserved. @cost O(rows) allocations.
  void decompress() {
    if (!compressed_) return;
    std::vector<std::vector<T>> rows_now;
    rows_now.reserve(rows_);
    for (std::int32_t i = 0; i < rows_; ++i) rows_now.emplace_back(row(i).begin(), row(i).end());
    Array nothing(0, backend());
    nothing.set_name(entries_.name());
    nothing.rows_ = rows_;
    nothing.edited_ = std::move(rows_now);
    nothing.compressed_ = false;
    swap(nothing);
  }
  void compress() {
    if (compressed_) return;
    std::vector<std::int64_t> offsets(1, 0);
    std::vector<T> entries;
    offsets.reserve(edited_.size() + 1);
    for (const auto& row : edited_) offsets.push_back(offsets.back() + static_cast<std::int64_t>(row.size()));
    entries.reserve(offsets.back());
    for (const auto& row : edited_) entries.insert(entries.end(), row.begin(), row.end());
    assign(offsets, entries);
  }
  /// Changes the length of one row; new entries are value-initialised.
  /// @throws ContractError if compressed, or if the row does not exist.
  template <RowIndex I>
  void resize_row(I row, int size) {
    expect_compressed("resize_row", false);
    detail::check_row(static_cast<std::int64_t>(to_index(row)), rows());
    detail::check_width(size);
    edited_[to_index(row)].resize(size);
  }

  [[nodiscard]] std::int32_t rows() const { return rows_; }
  [[nodiscard]] bool empty() const { return rows_ == 0; }
  [[nodiscard]] static constexpr Layout layout() { return Layout::aos; }
  template <RowIndex I>
  [[nodiscard]] std::int32_t row_size(I row_index) const {
    return static_cast<std::int32_t>(row(row_index).size());
  }
  template <RowIndex I>
  [[nodiscard]] std::span<T> row(I row) {
    WEFT_EXPECTS(to_index(row) < static_cast<std::size_t>(rows_));
    if (!compressed_) return edited_[to_index(row)];
    const std::int64_t* const at = (host_offsets_ != nullptr ? host_offsets_ : offsets_.span().data()) + to_index(row);
    return {(host_offsets_ != nullptr ? host_ : entries_.data()) + at[0], static_cast<std::size_t>(at[1] - at[0])};
  }
  template <RowIndex I>
  [[nodiscard]] std::span<const T> row(I row) const {
    WEFT_EXPECTS(to_index(row) < static_cast<std::size_t>(rows_));
    if (!compressed_) return edited_[to_index(row)];
    const std::int64_t* const at = (host_offsets_ != nullptr ? host_offsets_ : offsets_.span().data()) + to_index(row);
    return {(host_offsets_ != nullptr ? host_ : entries_.data()) + at[0], static_cast<std::size_t>(at[1] - at[0])};
  }
  template <RowIndex I>
  [[nodiscard]] T& operator()(I row_index, int k) {
    WEFT_EXPECTS(k >= 0 && k < row_size(row_index));
    return row(row_index)[k];
  }
  template <RowIndex I>
  [[nodiscard]] const T& operator()(I row_index, int k) const {
    WEFT_EXPECTS(k >= 0 && k < row_size(row_index));
    return row(row_index)[k];
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

  /// Returns rows() + 1 positions in entries(). @throws ContractError if decompressed, like entries, storage, data and view.
  [[nodiscard]] std::span<const std::int64_t> offsets() const {
    expect_compressed("offsets", true);
    static constexpr std::int64_t kNone = 0;
    if (offsets_.empty()) return {&kNone, 1};  // after a move
    return offsets_.span().first(static_cast<std::size_t>(rows_) + 1);
  }
  [[nodiscard]] std::span<const T> entries() const {
    expect_compressed("entries", true);
    return entries_.span().first(used_);
  }
  [[nodiscard]] std::span<T> entries() {
    expect_compressed("entries", true);
    return entries_.span().first(used_);
  }
  [[nodiscard]] std::span<const T> storage() const { return entries(); }
  [[nodiscard]] std::span<T> storage() { return entries(); }
  [[nodiscard]] const T* data() const { return entries().data(); }
  [[nodiscard]] T* data() { return entries().data(); }

  /// Returns a view for kernels. @throws ContractError if LayoutTag is not Aos or the array has no side in S; DeviceError if
  /// that side is stale.
  template <class LayoutTag = Aos, Space S = space::host>
  [[nodiscard]] CsrView<T, S> view() {
    detail::check_layout(LayoutTag::kLayout, Layout::aos);
    expect_compressed("view", true);
    const Side side = detail::side_in<S>(backend());
    return {entries_.read_write(side).data(), offsets_.read(side).data(), rows_};
  }
  template <class LayoutTag = Aos, Space S = space::host>
  [[nodiscard]] CsrView<const T, S> view() const {
    detail::check_layout(LayoutTag::kLayout, Layout::aos);
    expect_compressed("view", true);
    const Side side = detail::side_in<S>(backend());
    return {entries_.read(side).data(), offsets_.read(side).data(), rows_};
  }

  /// Copies all rows to the other side after `before` has completed. No effect with Backend::host.
  /// @throws DeviceError if the source side is stale; ContractError if decompressed.
  Event to_device(const After& before) {
    expect_compressed("to_device", true);
    return entries_.to_device(After(offsets_.to_device(before)));
  }
  Event to_host(const After& before) {
    expect_compressed("to_host", true);
    if (!offsets_.fresh(Side::host)) offsets_.to_host(before);
    return entries_.to_host(before);
  }
  /// Starts copies of the offsets and of those entries of these rows that are stale on side `to`. Waits for offsets that are
  /// stale on the host. No effect with Backend::host. Returns the event of the last copy, or that of `before` if there is none.
  /// @throws DeviceError where one is stale on both sides; ContractError if decompressed.
  Event bring(Side to, const After& before, IdRange<LocalRow> range) {
    expect_compressed("bring", true);
    if (range.empty()) return before.event();
    if (!offsets_.fresh(Side::host)) offsets_.bring(Side::host, before, 0, offsets_.size()).wait();
    const auto at = [&](LocalRow row) { return static_cast<std::size_t>(std::as_const(offsets_)[row.index()]); };
    const Event done = offsets_.bring(to, before, 0, offsets_.size());
    return entries_.bring(to, After(done), at(range.first()), at(range.last()) - at(range.first()));
  }
  /// Returns true if no entry or offset is stale on this side. @throws ContractError if decompressed.
  [[nodiscard]] bool fresh(Side side) const {
    expect_compressed("fresh", true);
    return offsets_.fresh(side) && entries_.fresh(side);
  }

 private:
  friend struct detail::ArrayAccess;
  struct NoMemory {};
  explicit Array(NoMemory /*unused*/) noexcept {}

  template <RowIndex I>
  void check(I row, int k) const {
    detail::check_row(static_cast<std::int64_t>(to_index(row)), rows());
    detail::check_entry(k, row_size(row));
  }
  void expect_compressed(const char* call, bool wanted) const {
    if (compressed_ != wanted) detail::throw_wrong_csr_state(call, compressed_);
  }

  /// Replaces all rows by rows with these offsets, whose entries are value-initialised and then set by fill(entries). The old
  /// memory is freed at the end, so that the arguments may be in it.
  template <class Fill>
  void replace(std::span<const std::int64_t> offsets, Team& team, const Fill& fill) {
    if (offsets.empty() || offsets.front() != 0) detail::throw_bad_offsets(0);
    for_indices(team, std::ssize(offsets) - 1, [&](std::int64_t i) {
      if (offsets[i + 1] < offsets[i]) detail::throw_bad_offsets(i + 1);
    });
    const std::int32_t count = checked_local(static_cast<std::int64_t>(offsets.size()) - 1, "rows of an array");
    const auto used = static_cast<std::size_t>(offsets.back());
    HostDeviceVector<std::int64_t> new_offsets(0, backend(), offsets_.name());
    HostDeviceVector<T> new_entries(0, backend(), entries_.name());
    new_offsets.resize(offsets.size(), team);
    new_entries.resize(used, team);
    std::int64_t* const to = new_offsets.data();
    for_indices(team, std::ssize(offsets), [&](std::int64_t i) { to[i] = offsets[i]; });
    fill(new_entries.data());
    offsets_ = std::move(new_offsets);
    entries_ = std::move(new_entries);
    rows_ = count;
    used_ = used;
    edited_ = {};
    compressed_ = true;
    cache_addresses();
  }

  /// Reserves memory for this many rows and entries; grows by half, so that push_row has amortised constant cost.
  void make_room(std::size_t rows, std::size_t entries) {
    if (rows + 1 > offsets_.size()) offsets_.resize(std::max(rows + 1, offsets_.size() + offsets_.size() / 2));
    if (entries > entries_.size()) entries_.resize(std::max(entries, entries_.size() + entries_.size() / 2));
    cache_addresses();
  }
  void cache_addresses() {
    if (backend() != Backend::host) return;
    host_offsets_ = offsets_.data();
    host_ = entries_.data();
  }

  HostDeviceVector<std::int64_t> offsets_;  // the first rows_ + 1 are used
  HostDeviceVector<T> entries_;             // the first used_ are used
  std::vector<std::vector<T>> edited_;      // rows while decompressed
  std::int32_t rows_ = 0;
  std::size_t used_ = 0;
  bool compressed_ = true;
  // Addresses with Backend::host, as in the other layouts.
  const std::int64_t* host_offsets_ = nullptr;
  T* host_ = nullptr;
};

}  // namespace weft
