#pragma once
/// Checks of array arguments in all builds, defined in a .cpp file to keep the headers small.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "weft/array/layout.hpp"
#include "weft/device/host_device_vector.hpp"
#include "weft/device/space.hpp"

namespace weft::detail {

/// Gives exchanges access to the memory of an array.
struct ArrayAccess;

// Each function throws ContractError with the value and its bound.
[[noreturn]] void throw_bad_row(std::int64_t row, std::int64_t rows);
[[noreturn]] void throw_bad_entry(int k, int row_size);
[[noreturn]] void throw_bad_row_size(int size, int row_max);
[[noreturn]] void throw_bad_width(int width);
[[noreturn]] void throw_bad_layout(Layout wanted, Layout actual);
[[noreturn]] void throw_no_device_side();
[[noreturn]] void throw_borrowed_resize();
[[noreturn]] void throw_bad_offsets(std::int64_t position);
[[noreturn]] void throw_wrong_csr_state(const char* call, bool compressed);
[[noreturn]] void throw_bad_pair_rows(std::int64_t rows, std::int64_t wanted);
[[noreturn]] void throw_not_whole_rows(std::size_t elements, int width);

inline void check_whole_rows(std::size_t elements, int width) {
  if (width < 1 || elements % static_cast<std::size_t>(width) != 0) throw_not_whole_rows(elements, width);
}
[[noreturn]] void throw_bad_boundary_rows(std::int64_t rows);
inline void check_boundary_rows(std::int64_t rows) {
  if (rows < 0) throw_bad_boundary_rows(rows);
}
inline void check_pair_rows(std::int64_t rows, std::int64_t wanted) {
  if (rows != wanted) throw_bad_pair_rows(rows, wanted);
}
inline void check_row(std::int64_t row, std::int64_t rows) {
  if (row < 0 || row >= rows) throw_bad_row(row, rows);
}
inline void check_entry(int k, int row_size) {
  if (k < 0 || k >= row_size) throw_bad_entry(k, row_size);
}
inline void check_row_size(int size, int row_max) {
  if (size < 0 || size > row_max) throw_bad_row_size(size, row_max);
}
inline void check_width(int width) {
  if (width < 0) throw_bad_width(width);
}
/// Returns the side of an array with this backend that a view in S accesses.
template <Space S>
[[nodiscard]] Side side_in(Backend backend) {
  if constexpr (std::is_same_v<S, space::host>) return Side::host;
  if (!sees_device_side<S>(backend)) throw_no_device_side();
  return Side::device;
}
inline void check_layout(Layout wanted, Layout actual) {
  if (wanted != actual) throw_bad_layout(wanted, actual);
}

}  // namespace weft::detail
