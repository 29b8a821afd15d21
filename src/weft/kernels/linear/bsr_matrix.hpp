#pragma once
/// Block-sparse matrices with square blocks of 4 to 7 rows.
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "weft/kernels/linear/bsr_pattern.hpp"

namespace weft::kernels {

/// True for the block sizes for which the functions of this folder are compiled.
template <int B>
concept BlockSize = B >= 4 && B <= 7;

/// The values of a block-sparse matrix for functions and kernels.
///
/// Within a group of 32 slots (see BsrPattern) the values are stored column by column of the blocks, and for each column j by
/// slot and row: entry (i, j) of slot s is values[((s / 32 * B + j) * 32 + s % 32) * B + i]. Scalar row r B + i of the matrix
/// thus reads, for each k and j, the entry next to that of scalar row r B + i - 1.
/// @tparam T  float or double, const where the values may not be changed.
template <class T, int B>
struct BsrView {
  BsrPatternView pattern;
  T* values = nullptr;

  /// Returns the index of entry (i, j) of the block in `slot`.
  [[nodiscard]] WEFT_HD static constexpr std::int64_t index(std::int64_t slot, int i, int j) {
    return ((slot / kBsrSlice * B + j) * kBsrSlice + slot % kBsrSlice) * B + i;
  }
  /// Returns entry (i, j) of the block in `slot`.
  [[nodiscard]] WEFT_HD T& operator()(std::int64_t slot, int i, int j) const { return values[index(slot, i, j)]; }
};

/// A block-sparse matrix: a pattern and its values, on host and device.
///
///     auto pattern = std::make_shared<const BsrPattern>(offsets, columns, column_count, Backend::cuda);
///     BsrMatrix<double, 5> a(pattern);                      // zero
///     assemble(stream, a.values<space::cuda>());            // a kernel of the caller writes the device side
///     multiply(space::cuda{}, stream, a.view<space::cuda>(), x, y);
template <LinearScalar T, int B>
  requires BlockSize<B>
class BsrMatrix {
 public:
  /// Creates a matrix of zeros: on the device side if the backend of the pattern has one, otherwise by the threads of the team.
  explicit BsrMatrix(std::shared_ptr<const BsrPattern> pattern, Team& team = calling_thread())
      : pattern_(std::move(pattern)),
        values_(detail::initialised<T>(static_cast<std::size_t>(pattern_->slots()) * B * B, pattern_->backend(),
                                       "values of a block-sparse matrix",
                                       pattern_->backend() == Backend::host ? Side::host : Side::device, team)) {}
  /// Creates a matrix of these blocks in the order of the pattern's list, each row-major, on the host side.
  /// @throws InputError unless there are B * B values for each block.
  BsrMatrix(std::shared_ptr<const BsrPattern> pattern, std::span<const T> blocks);

  [[nodiscard]] const BsrPattern& pattern() const { return *pattern_; }

  /// Returns a view for reading in S. @throws DeviceError where the values are stale there; ContractError if S cannot access
  /// memory of the backend.
  template <Space S = space::host>
  [[nodiscard]] BsrView<const T, B> view() const {
    return {pattern_->view<S>(), values_.read(detail::linear_side<S>(pattern_->backend())).data()};
  }
  /// Returns a view for reading and writing in S; the values of the other side are stale afterwards. @throws as view().
  template <Space S = space::host>
  [[nodiscard]] BsrView<T, B> values() {
    return {pattern_->view<S>(), values_.read_write(detail::linear_side<S>(pattern_->backend())).data()};
  }
  /// Copies the values to the other side in stream order. @throws DeviceError where they are stale.
  Event to_device(Stream& stream) { return values_.to_device(stream); }
  Event to_host(Stream& stream) { return values_.to_host(stream); }

 private:
  std::shared_ptr<const BsrPattern> pattern_;
  HostDeviceVector<T> values_;
};

}  // namespace weft::kernels
