#pragma once
/// RowOffsets: the global rows of each rank, for contiguous ranges of rows.
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "weft/array/layout.hpp"
#include "weft/comm/communicator.hpp"

namespace weft {

/// Rank r owns the global rows first(r) ... first(r) + rows_of(r) - 1; ranks may own none. Immutable; copies share the table.
/// The table limits the number of ranks: every rank stores 8 B per rank (512 kB for 65,536) in each plan and twice in each
/// redistribution.
class RowOffsets {
 public:
  /// Constructs the offsets of one rank without rows.
  RowOffsets();
  /// @collective  @cost one all-gather of 4 B per rank; memory of 8 B per rank, 12 B at the peak.
  RowOffsets(const Communicator& comm, std::int32_t owned_rows);

  [[nodiscard]] std::int64_t global_rows() const { return offsets_->back(); }
  [[nodiscard]] std::int32_t local_rows() const { return rows_of(rank_); }
  [[nodiscard]] std::int32_t rows_of(Rank rank) const {
    return static_cast<std::int32_t>((*offsets_)[rank.index() + 1] - (*offsets_)[rank.index()]);
  }
  [[nodiscard]] GlobalRow first() const { return first(rank_); }
  [[nodiscard]] GlobalRow first(Rank rank) const { return GlobalRow((*offsets_)[rank.index()]); }
  [[nodiscard]] int ranks() const { return static_cast<int>(offsets_->size()) - 1; }
  /// Returns ranks() + 1 numbers: the first row of each rank, then global_rows().
  [[nodiscard]] std::span<const std::int64_t> table() const { return *offsets_; }

  [[nodiscard]] bool contains(GlobalRow row) const { return row.valid() && row.value() < global_rows(); }
  /// Returns the global number of a row of this rank.
  [[nodiscard]] GlobalRow global(LocalRow row) const { return GlobalRow(first().value() + row.value()); }
  /// Returns the owner of a row and its local number there. @cost O(log ranks).
  /// @throws LimitError if the row does not exist.
  [[nodiscard]] std::pair<Rank, LocalRow> find(GlobalRow row) const;

 private:
  std::shared_ptr<const std::vector<std::int64_t>> offsets_;
  Rank rank_{0};
};

}  // namespace weft
