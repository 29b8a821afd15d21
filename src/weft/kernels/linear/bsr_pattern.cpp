#include "weft/kernels/linear/bsr_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "weft/base/error.hpp"
#include "weft/base/id.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/kernels/primitives/sum_up.hpp"

namespace weft::kernels {

namespace {

/// Checks a block row. A negative offset has an error in a row before it, which another thread may check, so that its own message
/// is never seen.
void check_row(std::int32_t row, std::span<const std::int64_t> offsets, std::span<const std::int32_t> columns,
               std::int32_t column_count) {
  const auto blocks = static_cast<std::int64_t>(columns.size());
  const std::int64_t first = offsets[to_index(row)], last = offsets[to_index(row) + 1];
  if (first < 0 || last < first || last > blocks) {
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
      throw InputError(
          fmt::format("block {} of block row {} has column {} after column {}", k - first, row, column, columns[to_index(k - 1)]),
          "sort the columns of each row, and add blocks at the same position");
    }
  }
}

/// Checks the compressed rows and returns their number.
std::int32_t checked_rows(std::span<const std::int64_t> offsets, std::span<const std::int32_t> columns, std::int32_t column_count,
                          Team& team) {
  if (offsets.empty() || offsets.front() != 0) {
    throw InputError("the offsets of the block rows do not begin with 0", "pass rows + 1 offsets, the first of which is 0");
  }
  const std::int32_t rows = checked_local(static_cast<std::int64_t>(offsets.size()) - 1, "block rows of a matrix");
  if (column_count < 0) throw InputError(fmt::format("the number of block columns is {}", column_count), "pass at least 0");
  for_indices(team, rows, [&](std::int64_t row) { check_row(static_cast<std::int32_t>(row), offsets, columns, column_count); });
  if (to_index(offsets.back()) != columns.size()) {
    throw InputError(
        fmt::format("the offsets of the block rows end at {}, but there are {} columns", offsets.back(), columns.size()),
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
                       Backend backend, Team& team)
    : backend_(backend), rows_(checked_rows(offsets, columns, column_count, team)), columns_(column_count) {
  const auto named = [&]<class T>(HostDeviceVector<T>& vector, std::size_t size, const char* name) {
    vector = detail::initialised<T>(size, backend, std::string("block-sparse pattern, ") + name, Side::host, team);
  };
  const std::size_t rows = to_index(rows_), slices = (rows + kBsrSlice - 1) / kBsrSlice;
  named(slices_, slices + 1, "slices");
  named(sizes_, rows, "sizes");
  named(diagonal_, rows, "diagonal");
  const std::span<std::int64_t> first_slot = slices_.span();
  for_indices(team, static_cast<std::int64_t>(slices), [&](std::int64_t slice) {
    const std::size_t first = to_index(slice) * kBsrSlice;
    std::int64_t longest = 0;
    for (std::size_t row = first; row < std::min(rows, first + kBsrSlice); ++row) {
      longest = std::max(longest, offsets[row + 1] - offsets[row]);
    }
    first_slot[to_index(slice) + 1] = longest * kBsrSlice;
  });
  sum_up(first_slot, team);
  named(column_, to_index(first_slot.back()), "columns");
  named(offsets_of_transpose_, to_index(columns_) + 1, "offsets of the transpose");
  named(rows_of_transpose_, columns.size(), "rows of the transpose");
  named(slots_of_transpose_, columns.size(), "slots of the transpose");
  fill_slots(offsets, columns, team);
  fill_transpose(team);
  for (HostDeviceVector<std::int64_t>* vector : {&slices_, &offsets_of_transpose_, &slots_of_transpose_}) {
    vector->to_device(After()).wait();
  }
  for (HostDeviceVector<std::int32_t>* vector : {&sizes_, &diagonal_, &column_, &rows_of_transpose_}) {
    vector->to_device(After()).wait();
  }
}

void BsrPattern::fill_slots(std::span<const std::int64_t> offsets, std::span<const std::int32_t> columns, Team& team) {
  const std::span<const std::int64_t> first_slot = slices_.span();
  const std::span<std::int32_t> sizes = sizes_.span(), diagonal = diagonal_.span(), column = column_.span();
  for_indices(team, rows_, [&](std::int64_t number) {
    const std::size_t row = to_index(number);
    sizes[row] = static_cast<std::int32_t>(offsets[row + 1] - offsets[row]);
    diagonal[row] = -1;
    for (std::int32_t k = 0; k < sizes[row]; ++k) {
      const std::int32_t at = columns[to_index(offsets[row] + k)];
      if (at == number) diagonal[row] = k;
      column[to_index(first_slot[row / kBsrSlice] + std::int64_t{k} * kBsrSlice) + row % kBsrSlice] = at;
    }
  });
}

void BsrPattern::fill_transpose(Team& team) {
  const BsrPatternView pattern = view();
  const std::span<std::int64_t> offsets = offsets_of_transpose_.span(), slots = slots_of_transpose_.span();
  const std::span<std::int32_t> rows = rows_of_transpose_.span();
  const auto for_each_block = [&](const auto& call) {
    for_indices(team, rows_, [&](std::int64_t row) {
      for (std::int32_t k = 0; k < pattern.sizes[row]; ++k) {
        call(static_cast<std::int32_t>(row), k, pattern.slot(static_cast<std::int32_t>(row), k));
      }
    });
  };
  // Enters each block at the next place of its column, as its row and id(row, k, slot). add(n) increments n and returns its value
  // before. offsets[column + 1] is the next place of a column: at first its begin, at last its end.
  const auto enter = [&](const auto& add, const auto& id) {
    for_each_block([&](std::int32_t, std::int32_t, std::int64_t slot) {
      const std::size_t column = to_index(pattern.column[slot]);
      if (column + 2 < offsets.size()) add(offsets[column + 2]);
    });
    sum_up(offsets, team);
    for_each_block([&](std::int32_t row, std::int32_t k, std::int64_t slot) {
      const std::size_t at = to_index(add(offsets[to_index(pattern.column[slot]) + 1]));
      rows[at] = row;
      slots[at] = id(row, k, slot);
    });
  };
  if (team.size() == 1) {
    return enter([](std::int64_t& number) { return number++; },
                 [](std::int32_t, std::int32_t, std::int64_t slot) { return slot; });
  }
  // Threads enter the blocks of a column in any order, as row and k in one number to sort by.
  enter([](std::int64_t& number) { return std::atomic_ref(number).fetch_add(1, std::memory_order_relaxed); },
        [](std::int32_t row, std::int32_t k, std::int64_t) { return std::int64_t{row} << 32U | k; });
  for_indices(team, columns_, [&](std::int64_t column) {
    const std::size_t first = to_index(offsets[to_index(column)]), last = to_index(offsets[to_index(column) + 1]);
    std::sort(slots.begin() + first, slots.begin() + last);
    for (std::size_t n = first; n < last; ++n) {
      rows[n] = static_cast<std::int32_t>(slots[n] >> 32U);
      slots[n] = pattern.slot(rows[n], static_cast<std::int32_t>(slots[n] & 0xffff'ffff));
    }
  });
}

}  // namespace weft::kernels
