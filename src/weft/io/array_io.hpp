#pragma once
/// Arrays of all layouts in HDF5, written by some ranks and read by the same or other ranks.
///
/// An array is a group with the attributes Element ("float64x3"), Shape ("fixed" or "ragged") and Width, and the datasets
/// rows_of_rank, entries and, for rows of different lengths, row_start. Padding and the memory layout (AoS or SoA) are not
/// stored, so that an array may be read into another layout of the same element type.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/array/array.hpp"
#include "weft/array/element_type.hpp"
#include "weft/array/pair_link.hpp"
#include "weft/array/par_array.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"

namespace weft::io {

namespace detail {

/// Element type, shape and width of a stored or requested array. Width: entries per row; for ragged arrays, the maximum.
struct ArrayShape {
  ElementType element{};
  bool ragged = false;
  std::int32_t width = 0;
};

/// The rows of a stored array that this rank reads.
struct ArrayPart {
  std::int64_t first = 0, rows = 0;
  std::int32_t width = 0;
};

void write_array_shape(Hdf5File& file, const std::string& name, const ArrayShape& shape, std::int32_t rows);
/// Returns the global position of the first entry of each row. @collective
void write_row_starts(Hdf5File& file, const std::string& name, const std::vector<std::int64_t>& row_sizes);

/// Compares the stored array with `wanted` and distributes its rows. wanted.width 0 accepts any width.
/// @throws IoError: missing array; wrong element type, shape or width; inconsistent numbers of rows.  @collective
[[nodiscard]] ArrayPart read_array_shape(const Hdf5File& file, const std::string& name, const ArrayShape& wanted,
                                         std::optional<std::int64_t> rows);
/// Returns the starts of this rank's rows and the end of the last, counted from the first entry of the file.
/// @throws IoError on every rank: rows that are not contiguous, or longer than the stored width.  @collective
[[nodiscard]] std::vector<std::int64_t> read_row_starts(const Hdf5File& file, const std::string& name, const ArrayPart& part);

/// Returns an array without rows that has the width, layout, backend and name of another, which may be stale.
template <class T, int RowSize, int RowMax, int RowAlign>
[[nodiscard]] Array<T, RowSize, RowMax, RowAlign> empty_like(const Array<T, RowSize, RowMax, RowAlign>& array) {
  using A = Array<T, RowSize, RowMax, RowAlign>;
  A empty;
  if constexpr (A::kKind == RowKind::csr) {
    empty = A(0, array.backend());
  } else if constexpr (A::kWidth == Dynamic) {
    empty = A(0, array.width(), array.layout(), array.backend());
  } else {
    empty = A(0, array.layout(), array.backend());
  }
  empty.set_name(weft::detail::ArrayAccess::name(array));
  return empty;
}

/// Replaces an array by a new one, which fill(new) resizes and fills. An array of memory of others is filled in its place.
/// @throws what fill() throws, on every rank; an array that was to be replaced is unchanged.  @collective
template <class A, class Fill>
void replace_rows(const Communicator& comm, A& array, const Fill& fill) {
  const bool in_place = weft::detail::ArrayAccess::borrowed(array);
  A fresh;
  agreed(comm, [&] {
    if (in_place) return fill(array);
    fresh = empty_like(array);
    fill(fresh);
  });
  if (!in_place) array = std::move(fresh);
}

}  // namespace detail

/// Writes the rows of all ranks, in the order of the ranks, to the new group `name`.
/// @throws on every rank: IoError (write error, the name exists), DeviceError (the host side is stale).  @collective
/// @cost a copy of this rank's entries.
template <class T, int RowSize, int RowMax, int RowAlign>
void write_array(Hdf5File& file, const std::string& name, const Array<T, RowSize, RowMax, RowAlign>& array) {
  constexpr RowKind kKind = Array<T, RowSize, RowMax, RowAlign>::kKind;
  constexpr bool kRagged = kKind != RowKind::static_fixed && kKind != RowKind::fixed;
  std::vector<T> entries;
  std::vector<std::int64_t> row_sizes;
  std::int32_t width = 0;
  agreed(file.comm(), [&] {
    for (std::int32_t i = 0; i < array.rows(); ++i) {
      const std::int32_t size = array.row_size(i);
      for (std::int32_t k = 0; k < size; ++k) entries.push_back(array(i, k));
      row_sizes.push_back(size);
      width = std::max(width, size);
    }
  });
  if constexpr (!kRagged) width = array.width();
  detail::write_array_shape(file, name, {element_type<T>, kRagged, width}, array.rows());
  if constexpr (kRagged) {
    detail::write_row_starts(file, name, row_sizes);
    width = 1;
  }
  // An array of width 0 has an empty dataset.
  file.write_rows(name + "/entries", std::span<const T>(entries), std::max(width, 1));
}

/// Writes an array whose offsets are known. @collective
template <class T, int RowSize, int RowMax, int RowAlign>
void write_array(Hdf5File& file, const std::string& name, const ParArray<T, RowSize, RowMax, RowAlign>& array) {
  write_array(file, name, array.local());
}

/// Replaces the rows of the array by stored ones. Their number is `rows` if given (one number per rank, whose sum is that of
/// the file); otherwise that which this rank wrote, if as many ranks wrote the file; otherwise an even share. Neither side of the
/// array need be fresh; the host side is so afterwards.
/// @throws on every rank: IoError as read_array_shape(), or for a row longer than the maximum of the array; ContractError for
/// another number of rows than that of an array of memory of others. The array is unchanged, unless it is of such memory.
/// @collective
template <class T, int RowSize, int RowMax, int RowAlign>
void read_array(const Hdf5File& file, const std::string& name, Array<T, RowSize, RowMax, RowAlign>& array,
                std::optional<std::int64_t> rows = std::nullopt) {
  using A = Array<T, RowSize, RowMax, RowAlign>;
  constexpr bool kRagged = A::kKind != RowKind::static_fixed && A::kKind != RowKind::fixed;
  std::int32_t wanted = 0;
  if constexpr (A::kKind != RowKind::csr) wanted = array.width();
  const detail::ArrayPart part = detail::read_array_shape(file, name, {element_type<T>, kRagged, wanted}, rows);
  const auto count = static_cast<std::int32_t>(part.rows);
  if constexpr (!kRagged) {
    const std::vector<T> entries =
        file.read_rows<T>(name + "/entries", part.first, part.width > 0 ? part.rows : 0, std::max(part.width, 1));
    detail::replace_rows(file.comm(), array, [&](A& to) {
      if constexpr (A::kKind == RowKind::fixed) {
        to.resize(part.rows, part.width);
      } else {
        to.resize(part.rows);
      }
      weft::detail::ArrayAccess::for_each_vector(to, [](auto& vector) { (void)vector.write(Side::host); });
      auto entry = entries.begin();
      for (std::int32_t i = 0; i < count; ++i) {
        for (std::int32_t k = 0; k < part.width; ++k) to(i, k) = *entry++;
      }
    });
  } else {
    std::vector<std::int64_t> starts = detail::read_row_starts(file, name, part);
    const std::int64_t base = starts.front();
    const std::vector<T> entries = file.read_rows<T>(name + "/entries", base, starts.back() - base);
    for (std::int64_t& start : starts) start -= base;
    detail::replace_rows(file.comm(), array, [&](A& to) {
      if constexpr (A::kKind == RowKind::csr) {
        to.assign(starts, entries);
      } else {
        if constexpr (A::kKind == RowKind::max) {
          to.resize(part.rows, std::max(wanted, part.width));
        } else {
          to.resize(part.rows);
        }
        for (std::int32_t i = 0; i < count; ++i) {
          const auto size = static_cast<std::int32_t>(starts[i + 1] - starts[i]);
          to.resize_row(i, size);
          for (std::int32_t k = 0; k < size; ++k) to(i, k) = entries[starts[i] + k];
        }
      }
    });
  }
}

/// Reads an array and sets its offsets, as above; the rows are in memory of the array's own afterwards. @collective
template <class T, int RowSize, int RowMax, int RowAlign>
void read_array(const Hdf5File& file, const std::string& name, ParArray<T, RowSize, RowMax, RowAlign>& array,
                std::optional<std::int64_t> rows = std::nullopt) {
  auto content = agreed(file.comm(), [&] { return detail::empty_like(array.local()); });
  read_array(file, name, content, rows);
  array.assign(std::move(content));
}

}  // namespace weft::io
