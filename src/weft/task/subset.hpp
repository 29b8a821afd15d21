#pragma once
/// Named subsets of the rows of arrays: their rows on this rank, and how they divide the rows of an array on all ranks.
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/array/index_space.hpp"
#include "weft/array/pair_ref.hpp"
#include "weft/base/id.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/task/access.hpp"
#include "weft/task/schedule.hpp"

namespace weft::task {

/// A named subset of an array as this rank recorded it.
struct Subset {
  SubsetId id;
  std::string name;
  std::vector<IdRange<LocalRow>> rows{};  ///< ascending, disjoint, not adjacent
  std::string problem{};                  ///< in the rows; empty if there is none. compile() reports it on all ranks

  /// Takes rows, or intervals of them, and notes the first problem.
  void set(const PairRef& array, std::span<const LocalRow> list);
  void set(const PairRef& array, std::span<const IdRange<LocalRow>> intervals);
};

/// Returns whether a name is one of a part, which a subset must not have.
[[nodiscard]] bool is_part_name(std::string_view name);

/// The number of a set of rows that are in the same part and the same subsets: the place of the part in kSingleParts, and from
/// bit 2 on one bit for each subset.
using RowSetKey = std::uint64_t;
[[nodiscard]] constexpr Part part_of(RowSetKey key) { return kSingleParts.at(key & 3); }
[[nodiscard]] constexpr bool in_subsets(RowSetKey key) { return key >> 2 != 0; }
[[nodiscard]] RowSetKey row_set_key(Part part, const std::vector<std::size_t>& subsets);

/// Rows of this rank by their key; intervals are ascending. Empty sets are left out.
using RowSets = std::map<RowSetKey, std::vector<IdRange<LocalRow>>>;

/// Divides the rows of an array. @cost O(n log n) for n intervals of subsets.
[[nodiscard]] RowSets row_sets(const PairRef& array, std::int32_t inner_rows, std::span<const Subset> subsets);

/// Returns the keys of sets in subsets that some rank has, ascending, for several arrays at once. Equal on all ranks.
/// @throws ContractError on every rank for more than kMostSubsetParts. @param names  of the arrays.
/// @collective  @cost as many reductions over the ranks as the array with the most keys has
[[nodiscard]] std::vector<std::vector<RowSetKey>> agreed_keys(const Communicator& comm, const std::vector<const RowSets*>& arrays,
                                                              const std::vector<std::string>& names);

/// Sets the subsets of a shape, and their single parts. @param keys  ascending, at most kMostSubsetParts.
void set_subsets(DataShape& shape, std::span<const Subset> subsets, std::span<const RowSetKey> keys);
/// Returns the single part of a key; none if the shape does not have it.
[[nodiscard]] Part single_part_of(RowSetKey key, std::span<const RowSetKey> keys);

/// The rows of this rank of each single part of an array.
class PartRows {
 public:
  PartRows() = default;
  /// @param keys  as set_subsets().
  PartRows(const RowSets& sets, std::span<const RowSetKey> keys);
  /// Returns the rows of a union of single parts: ascending, disjoint, not adjacent. @cost O(n log n) for n intervals.
  [[nodiscard]] std::vector<IdRange<LocalRow>> of(Part part) const;

 private:
  std::vector<std::vector<IdRange<LocalRow>>> rows_;  ///< by single part
};

}  // namespace weft::task
