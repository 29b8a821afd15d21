#pragma once
/// Positions of the blocks of a block-sparse matrix, and the order in which their values are stored.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"
#include "weft/device/host_device_vector.hpp"
#include "weft/device/space.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

/// Block rows per slice: the rows whose blocks are interleaved.
inline constexpr int kBsrSlice = 32;

/// Scalar types of matrices: float and double.
template <class T>
concept LinearScalar = std::same_as<T, float> || std::same_as<T, double>;

namespace detail {
/// Returns the side that code in S accesses. @throws ContractError if memory of this backend is not accessible in S.
[[nodiscard]] Side linear_side(bool wants_device, bool has_device);
template <Space S>
[[nodiscard]] Side linear_side(Backend backend) {
  return linear_side(!std::same_as<S, space::host>, sees_device_side<S>(backend));
}
/// Returns HostDeviceVector<T>(size, backend, name, first), of which the threads of the team initialise elements on the host.
template <class T>
[[nodiscard]] HostDeviceVector<T> initialised(std::size_t size, Backend backend, std::string name, Side first, Team& team) {
  if (first == Side::device && !sides_share_memory(backend)) return HostDeviceVector<T>(size, backend, std::move(name), first);
  HostDeviceVector<T> vector(0, backend, std::move(name));
  vector.resize(size, team);
  if (first == Side::device) (void)vector.write(Side::device);
  return vector;
}
}  // namespace detail

/// The pattern of a block-sparse matrix for functions and kernels; see BsrPattern.
struct BsrPatternView {
  std::int32_t rows = 0, columns = 0;      ///< numbers of block rows and block columns
  const std::int64_t* slices = nullptr;    ///< first slot of each slice
  const std::int32_t* sizes = nullptr;     ///< number of blocks of each row
  const std::int32_t* diagonal = nullptr;  ///< index of the diagonal block in each row; -1: not stored
  const std::int32_t* column = nullptr;    ///< block column of each slot; 0 in padding

  /// Returns the slot of block k of a row.
  [[nodiscard]] WEFT_HD std::int64_t slot(std::int32_t row, int k) const {
    return slices[row / kBsrSlice] + std::int64_t{k} * kBsrSlice + row % kBsrSlice;
  }
};

/// The transposed pattern: for each block column the rows and slots of its blocks in ascending order of the rows.
struct BsrTransposeView {
  const std::int64_t* offsets = nullptr;  ///< first block of each column; columns + 1 entries
  const std::int32_t* row = nullptr;      ///< block row of each block
  const std::int64_t* slot = nullptr;     ///< slot of each block
};

/// An immutable pattern of rows() x columns() blocks, shared by all matrices with these positions.
///
/// Slots: the rows are divided into slices of 32. A slice has as many groups of 32 slots as its longest row has blocks, and block
/// k of row r is slot r % 32 of group k, so that the threads of a GPU that compute adjacent rows read adjacent memory. Slots of
/// rows that are shorter than the longest one of their slice are padding, which is never read.
///
/// Example, rows {0, 1}, {1} and {0, 2} of three columns, one slice of two groups:
///     slots 0 to 31     column 0 1 0 and padding      first blocks of the rows
///     slots 32 to 63    column 1 - 2 and padding      second blocks; row 1 has none
///     slices 0 64, sizes 2 1 2, diagonal 0 0 1
class BsrPattern {
 public:
  /// Takes the rows in compressed form: row r has the blocks offsets[r] to offsets[r + 1] - 1 with the columns columns[...].
  /// With a backend of a device, its side is filled before the constructor returns.
  /// @param column_count  number of block columns. On a distributed matrix rows are the owned rows and columns the owned and
  ///   ghost rows of the vectors.
  /// @throws InputError naming the first block row and block that are wrong, unless the offsets ascend from 0 to columns.size()
  /// and the columns of each row ascend strictly within 0 ... column_count - 1; LimitError for more than 2^31 - 1 rows.
  /// @cost O(blocks), divided by rows and columns over the threads; with several threads also a sort of the blocks of each
  /// column. The pattern and the error do not depend on their number.
  BsrPattern(std::span<const std::int64_t> offsets, std::span<const std::int32_t> columns, std::int32_t column_count,
             Backend backend = Backend::host, Team& team = calling_thread());

  [[nodiscard]] std::int32_t rows() const { return rows_; }
  [[nodiscard]] std::int32_t columns() const { return columns_; }
  /// Returns the number of blocks without padding.
  [[nodiscard]] std::int64_t blocks() const { return static_cast<std::int64_t>(rows_of_transpose_.size()); }
  /// Returns the number of slots, a multiple of 32 that includes padding.
  [[nodiscard]] std::int64_t slots() const { return static_cast<std::int64_t>(column_.size()); }
  [[nodiscard]] Backend backend() const { return backend_; }

  /// Returns the view for code that runs in S. @throws ContractError if S cannot access memory of this backend.
  template <Space S = space::host>
  [[nodiscard]] BsrPatternView view() const {
    const Side side = detail::linear_side<S>(backend_);
    return {rows_,
            columns_,
            slices_.read(side).data(),
            sizes_.read(side).data(),
            diagonal_.read(side).data(),
            column_.read(side).data()};
  }
  /// Returns the view of the transposed pattern. @throws ContractError as view().
  template <Space S = space::host>
  [[nodiscard]] BsrTransposeView transpose() const {
    const Side side = detail::linear_side<S>(backend_);
    return {offsets_of_transpose_.read(side).data(), rows_of_transpose_.read(side).data(), slots_of_transpose_.read(side).data()};
  }

 private:
  void fill_slots(std::span<const std::int64_t> offsets, std::span<const std::int32_t> columns, Team& team);
  void fill_transpose(Team& team);

  Backend backend_;
  std::int32_t rows_ = 0, columns_ = 0;
  HostDeviceVector<std::int64_t> slices_;
  HostDeviceVector<std::int32_t> sizes_, diagonal_, column_;
  HostDeviceVector<std::int64_t> offsets_of_transpose_, slots_of_transpose_;
  HostDeviceVector<std::int32_t> rows_of_transpose_;
};

}  // namespace weft::kernels
