#include "weft/kernels/linear/bsr_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/id.hpp"

namespace weft::kernels {

namespace {

/// Checks the compressed rows and returns their number.
std::int32_t checked_rows(std::span<const std::int64_t> offsets, std::span<const std::int32_t> columns,
                          std::int32_t column_count) {
  if (offsets.empty() || offsets.front() != 0) {
    throw InputError("the offsets of the block rows do not begin with 0", "pass rows + 1 offsets, the first of which is 0");
  }
  const std::int32_t rows = checked_local(static_cast<std::int64_t>(offsets.size()) - 1, "block rows of a matrix");
  if (column_count < 0) throw InputError(fmt::format("the number of block columns is {}", column_count), "pass at least 0");
  const auto blocks = static_cast<std::int64_t>(columns.size());
  for (std::int32_t row = 0; row < rows; ++row) {
    const std::int64_t first = offsets[to_index(row)], last = offsets[to_index(row) + 1];
    if (last < first || last > blocks) {
      throw InputError(fmt::format("block row {} has the offsets {} and {}, but there are {} columns", row, first, last, blocks),
                       "pass ascending offsets that end at the number of columns");
    }
    for (std::int64_t k = first; k < last; ++k) {
      const std::int32_t column = columns[to_index(k)];
      if (column < 0 || column >= column_count) {
        throw InputError(fmt::format("block {} of block row {} has column {}, which is outside 0 ... {}", k - first, row, column,
                                     column_count - 1),
                         "pass columns below the number of block columns");
      }
      if (k > first && column <= columns[to_index(k - 1)]) {
        throw InputError(fmt::format("block {} of block row {} has column {} after column {}", k - first, row, column,
                                     columns[to_index(k - 1)]),
                         "sort the columns of each row, and add blocks at the same position");
      }
    }
  }
  if (offsets.back() != blocks) {
    throw InputError(fmt::format("the offsets of the block rows end at {}, but there are {} columns", offsets.back(), blocks),
                     "pass the number of columns as the last offset");
  }
  return rows;
}

}  // namespace

Side detail::linear_side(bool wants_device, bool has_device) {
  if (!wants_device) return Side::host;
  if (!has_device) {
    throw ContractError("the device side of a block-sparse matrix was requested, but its backend has none in this space",
                        "create the pattern with the backend of the device");
  }
  return Side::device;
}

BsrPattern::BsrPattern(std::span<const std::int64_t> offsets, std::span<const std::int32_t> columns, std::int32_t column_count,
                       Backend backend)
    : backend_(backend), rows_(checked_rows(offsets, columns, column_count)), columns_(column_count) {
  const auto named = [&]<class T>(HostDeviceVector<T>& vector, std::size_t size, const char* name) {
    vector = HostDeviceVector<T>(size, backend, std::string("block-sparse pattern, ") + name);
  };
  const std::size_t rows = to_index(rows_), slices = (rows + kBsrSlice - 1) / kBsrSlice;
  named(slices_, slices + 1, "slices");
  named(sizes_, rows, "sizes");
  named(diagonal_, rows, "diagonal");
  const std::span<std::int64_t> first_slot = slices_.span();
  for (std::size_t slice = 0; slice < slices; ++slice) {
    std::int64_t longest = 0;
    for (std::size_t row = slice * kBsrSlice; row < std::min(rows, (slice + 1) * kBsrSlice); ++row) {
      longest = std::max(longest, offsets[row + 1] - offsets[row]);
    }
    first_slot[slice + 1] = first_slot[slice] + longest * kBsrSlice;
  }
  named(column_, to_index(first_slot.back()), "columns");
  named(offsets_of_transpose_, to_index(columns_) + 1, "offsets of the transpose");
  named(rows_of_transpose_, columns.size(), "rows of the transpose");
  named(slots_of_transpose_, columns.size(), "slots of the transpose");
  fill_slots(offsets, columns);
  fill_transpose();
  for (HostDeviceVector<std::int64_t>* vector : {&slices_, &offsets_of_transpose_, &slots_of_transpose_}) {
    vector->to_device(After()).wait();
  }
  for (HostDeviceVector<std::int32_t>* vector : {&sizes_, &diagonal_, &column_, &rows_of_transpose_}) {
    vector->to_device(After()).wait();
  }
}

void BsrPattern::fill_slots(std::span<const std::int64_t> offsets, std::span<const std::int32_t> columns) {
  const std::span<const std::int64_t> first_slot = slices_.span();
  const std::span<std::int32_t> sizes = sizes_.span(), diagonal = diagonal_.span(), column = column_.span();
  for (std::size_t row = 0; row < sizes.size(); ++row) {
    sizes[row] = static_cast<std::int32_t>(offsets[row + 1] - offsets[row]);
    diagonal[row] = -1;
    for (std::int32_t k = 0; k < sizes[row]; ++k) {
      const std::int32_t at = columns[to_index(offsets[row] + k)];
      if (static_cast<std::size_t>(at) == row) diagonal[row] = k;
      column[to_index(first_slot[row / kBsrSlice] + std::int64_t{k} * kBsrSlice) + row % kBsrSlice] = at;
    }
  }
}

void BsrPattern::fill_transpose() {
  const BsrPatternView pattern = view();
  const std::span<std::int64_t> offsets = offsets_of_transpose_.span(), slots = slots_of_transpose_.span();
  const std::span<std::int32_t> rows = rows_of_transpose_.span();
  const auto for_each_block = [&](const auto& call) {
    for (std::int32_t row = 0; row < rows_; ++row) {
      for (int k = 0; k < pattern.sizes[row]; ++k) call(row, pattern.slot(row, k));
    }
  };
  for_each_block([&](std::int32_t, std::int64_t slot) { ++offsets[to_index(pattern.column[slot]) + 1]; });
  for (std::size_t column = 1; column < offsets.size(); ++column) offsets[column] += offsets[column - 1];
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  for_each_block([&](std::int32_t row, std::int64_t slot) {
    const std::size_t at = to_index(next[to_index(pattern.column[slot])]++);
    rows[at] = row;
    slots[at] = slot;
  });
}

}  // namespace weft::kernels
