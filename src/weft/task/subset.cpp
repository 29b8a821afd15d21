#include "weft/task/subset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "weft/base/error.hpp"

namespace weft::task {
namespace {

using Rows = IdRange<LocalRow>;

/// Appends rows that follow those of a list.
void append(std::vector<Rows>& list, Rows rows) {
  if (rows.empty()) return;
  if (!list.empty() && list.back().last() == rows.first()) {
    list.back() = {list.back().first(), rows.last()};
  } else {
    list.push_back(rows);
  }
}

/// Returns what is wrong with rows [first, last) of a subset; empty if nothing is.
[[nodiscard]] std::string problem_of(const PairRef& array, std::int64_t first, std::int64_t last) {
  if (first > last) return fmt::format("the interval [{}, {}) ends before it begins", first, last);
  if (first == last) return {};
  const std::int64_t owned = array.plan().owned_rows(), local = array.plan().rows(), all = array.rows();
  if (first < 0 || last > all) {
    return fmt::format("row {} is none of the {} rows of this rank", first < 0 ? first : last - 1, all);
  }
  const std::int64_t ghost = std::max(first, owned);
  if (ghost >= std::min(last, local)) return {};
  return fmt::format("row {} is a ghost row: ghost rows are rows {} to {}", ghost, owned, local - 1);
}

}  // namespace

void Subset::set(const PairRef& array, std::span<const LocalRow> list) {
  for (std::size_t i = 0; i < list.size() && problem.empty(); ++i) {
    const LocalRow row = list[i];
    problem = problem_of(array, row.value(), std::int64_t{row.value()} + 1);
    if (problem.empty() && i > 0 && row <= list[i - 1]) {
      problem = row == list[i - 1] ? fmt::format("row {} is listed twice", row.value())
                                   : fmt::format("row {} follows row {}", row.value(), list[i - 1].value());
    }
    if (problem.empty()) append(rows, {row, LocalRow(row.value() + 1)});
  }
}

void Subset::set(const PairRef& array, std::span<const Rows> intervals) {
  LocalRow end(0);
  for (const Rows interval : intervals) {
    if (problem.empty()) problem = problem_of(array, interval.first().value(), interval.last().value());
    if (problem.empty() && !interval.empty() && interval.first() < end) {
      problem = fmt::format("the interval [{}, {}) follows one that ends at row {}", interval.first().value(),
                            interval.last().value(), end.value());
    }
    if (!problem.empty()) return;
    append(rows, interval);
    if (!interval.empty()) end = interval.last();
  }
}

bool is_part_name(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames{"all", "owned", "inner", "border", "ghost", "ghosts", "boundary"};
  return std::ranges::find(kNames, name) != kNames.end();
}

RowSetKey row_set_key(Part part, const std::vector<std::size_t>& subsets) {
  auto key = static_cast<RowSetKey>(std::ranges::find(kSingleParts, part) - kSingleParts.begin());
  for (const std::size_t subset : subsets) key |= RowSetKey{4} << subset;
  return key;
}

RowSets row_sets(const PairRef& array, std::int32_t inner_rows, std::span<const Subset> subsets) {
  std::vector<std::pair<std::int32_t, RowSetKey>> changes;  // rows from which on these subsets do or do not have the rows
  for (std::size_t s = 0; s < subsets.size(); ++s) {
    for (const Rows rows : subsets[s].rows) {
      changes.emplace_back(rows.first().value(), RowSetKey{4} << s);
      changes.emplace_back(rows.last().value(), RowSetKey{4} << s);
    }
  }
  const std::array last{inner_rows, array.plan().owned_rows(), array.plan().rows(), array.rows()};
  for (const std::int32_t row : last) changes.emplace_back(row, 0);
  std::ranges::sort(changes);
  RowSets sets;
  RowSetKey in = 0;
  std::int32_t row = 0;
  for (const auto& [to, subset] : changes) {
    if (to > row) {
      const auto part = static_cast<RowSetKey>(std::ranges::upper_bound(last, row) - last.begin());
      append(sets[in | part], {LocalRow(row), LocalRow(to)});
    }
    row = to;
    in ^= subset;
  }
  return sets;
}

std::vector<std::vector<RowSetKey>> agreed_keys(const Communicator& comm, const std::vector<const RowSets*>& arrays,
                                                const std::vector<std::string>& names) {
  constexpr RowSetKey kNone = std::numeric_limits<RowSetKey>::max();
  std::vector<std::vector<RowSetKey>> keys(arrays.size());
  while (true) {
    std::vector<RowSetKey> next(arrays.size(), kNone);  // the smallest that is not agreed on yet
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      const auto found = arrays[a]->upper_bound(keys[a].empty() ? 3 : keys[a].back());
      if (found != arrays[a]->end()) next[a] = found->first;
    }
    comm.min(std::span(next));
    if (std::ranges::count(next, kNone) == std::ssize(next)) return keys;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      if (next[a] == kNone) continue;
      keys[a].push_back(next[a]);
      if (keys[a].size() <= kMostSubsetParts) continue;
      throw ContractError(
          fmt::format("the subsets of array '{}' divide its rows into more than {} sets (of rows in the same part "
                      "and the same subsets)",
                      names[a], kMostSubsetParts),
          "use fewer subsets, or subsets that do not overlap");
    }
  }
}

void set_subsets(DataShape& shape, std::span<const Subset> subsets, std::span<const RowSetKey> keys) {
  for (const RowSetKey key : keys) shape.subset_parts.push_back(part_of(key));
  for (std::size_t s = 0; s < subsets.size(); ++s) {
    SubsetShape subset{.id = subsets[s].id, .name = subsets[s].name};
    for (const RowSetKey key : keys) {
      if ((key & RowSetKey{4} << s) != 0) subset.rows = subset.rows | single_part_of(key, keys);
    }
    shape.subsets.push_back(std::move(subset));
  }
}

Part single_part_of(RowSetKey key, std::span<const RowSetKey> keys) {
  if (!in_subsets(key)) return part_of(key);
  const auto found = std::ranges::lower_bound(keys, key);
  if (found == keys.end() || *found != key) return Part::none;
  return single_part(kSingleParts.size() + static_cast<std::size_t>(found - keys.begin()));
}

PartRows::PartRows(const RowSets& sets, std::span<const RowSetKey> keys) : rows_(kSingleParts.size() + keys.size()) {
  for (const auto& [key, rows] : sets) {
    const Part single = single_part_of(key, keys);
    for (std::size_t p = 0; p < rows_.size(); ++p) {
      if (single_part(p) == single) rows_[p] = rows;
    }
  }
}

std::vector<Rows> PartRows::of(Part part) const {
  std::vector<Rows> all;
  for (std::size_t p = 0; p < rows_.size(); ++p) {
    if (overlap(part, single_part(p))) all.insert(all.end(), rows_[p].begin(), rows_[p].end());
  }
  std::ranges::sort(all, {}, &Rows::first);
  std::vector<Rows> merged;
  for (const Rows rows : all) append(merged, rows);
  return merged;
}

}  // namespace weft::task
