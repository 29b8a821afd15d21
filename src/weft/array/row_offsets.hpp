#pragma once
/// RowOffsets: the global rows of each rank, for contiguous ranges of rows.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "weft/array/layout.hpp"
#include "weft/base/contracts.hpp"
#include "weft/comm/communicator.hpp"

namespace weft {

/// Returns the first row of part `part` if `rows` rows are distributed evenly to `parts` parts. @pre 0 <= part <= parts.
[[nodiscard]] constexpr std::int64_t even_start(std::int64_t rows, int part, int parts) {
  return rows / parts * part + rows % parts * part / parts;
}

/// Rank r owns the global rows first(r) ... first(r) + rows_of(r) - 1; ranks may own none. Immutable; copies share the table.
///
/// Example, 3 ranks with 2, 0 and 3 rows: table() is {0, 2, 2, 5}. Rank 2 owns the rows 2, 3 and 4, so that owner(GlobalRow(3))
/// is rank 2, where local(GlobalRow(3)) is 1. RowOffsets::even(comm, 5) is {0, 1, 3, 5}.
///
/// The table limits the number of ranks: every rank stores 8 B per rank (512 kB for 65,536) in each plan and twice in each
/// redistribution.
class RowOffsets {
 public:
  /// Constructs the offsets of one rank without rows.
  RowOffsets();
  /// Constructs the offsets from the number of rows of this rank.
  /// @throws ContractError on every rank if a number is negative, LimitError if it exceeds the range of a local id.
  /// @collective  @cost one all-gather of 4 B per rank; memory of 8 B per rank, 12 B at the peak.
  RowOffsets(const Communicator& comm, std::int64_t owned_rows);
  /// Returns the offsets of `global_rows` rows that are distributed evenly (even_start()). @throws LimitError as above.
  [[nodiscard]] static RowOffsets even(const Communicator& comm, std::int64_t global_rows);

  [[nodiscard]] std::int64_t global_rows() const { return offsets_->back(); }
  [[nodiscard]] std::int32_t local_rows() const { return static_cast<std::int32_t>(last_ - first_); }
  [[nodiscard]] std::int32_t rows_of(Rank rank) const {
    return static_cast<std::int32_t>((*offsets_)[rank.index() + 1] - (*offsets_)[rank.index()]);
  }
  [[nodiscard]] GlobalRow first() const { return GlobalRow(first_); }
  [[nodiscard]] GlobalRow first(Rank rank) const { return GlobalRow((*offsets_)[rank.index()]); }
  [[nodiscard]] int ranks() const { return static_cast<int>(offsets_->size()) - 1; }
  /// Returns ranks() + 1 numbers: the first row of each rank, then global_rows().
  [[nodiscard]] std::span<const std::int64_t> table() const { return *offsets_; }

  [[nodiscard]] bool contains(GlobalRow row) const { return row.valid() && row.value() < global_rows(); }
  /// Returns true if this rank owns the row.
  [[nodiscard]] bool owns(GlobalRow row) const { return first_ <= row.value() && row.value() < last_; }
  /// Returns the global number of a row of this rank.
  [[nodiscard]] GlobalRow global(LocalRow row) const { return GlobalRow(first_ + row.value()); }
  /// Returns the local number of a row of this rank.
  [[nodiscard]] LocalRow local(GlobalRow row) const {
    WEFT_EXPECTS(owns(row));
    return LocalRow(row.value() - first_);
  }
  /// Returns the owner of a row. @pre contains(row).  @cost O(log ranks), O(1) for a row of this rank.
  [[nodiscard]] Rank owner(GlobalRow row) const {
    WEFT_EXPECTS(contains(row));
    if (owns(row)) return rank_;
    const auto after = std::upper_bound(offsets_->begin(), offsets_->end(), row.value());
    return Rank(after - offsets_->begin() - 1);
  }
  /// Returns the owner of a row and its local number there. @cost O(log ranks).
  /// @throws LimitError if the row does not exist.
  [[nodiscard]] std::pair<Rank, LocalRow> find(GlobalRow row) const;

 private:
  RowOffsets(std::vector<std::int64_t> offsets, Rank rank);

  std::shared_ptr<const std::vector<std::int64_t>> offsets_;
  Rank rank_{0};
  std::int64_t first_ = 0, last_ = 0;  ///< rows of this rank
};

}  // namespace weft
