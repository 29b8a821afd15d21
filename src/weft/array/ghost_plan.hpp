#pragma once
/// GhostPlan: the rows of other ranks of which this rank has copies, and their local numbers. It contains indices only; one
/// plan serves all arrays of its index space.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/array/layout.hpp"
#include "weft/array/row_offsets.hpp"
#include "weft/comm/communicator.hpp"

namespace weft {

/// A row that this rank wants to read. Image 0 is the row itself; any other number denotes a periodic image, which has a
/// ghost row of its own even if this rank owns `row`.
struct GhostRequest {
  GlobalRow row;
  std::int32_t image = 0;
  friend bool operator==(GhostRequest, GhostRequest) = default;
  friend auto operator<=>(GhostRequest, GhostRequest) = default;
};

/// Numbering of owned rows (0 ... owned_rows() - 1) and ghost rows after them. Ghost rows are sorted by (owner, local row of
/// the owner, image) and unique, so that the ghost rows of each neighbour are contiguous.
///
/// Example, 2 ranks with 3 rows each (global 0-2 and 3-5):
///   rank 0 requests 5, 3, 1, 5:  local_of = 4, 3, 1, 4     ghosts: row 3 = global 3, row 4 = global 5
///   rank 1 requests 2:           local_of = 3              ghosts: row 3 = global 2
///   rank 0's neighbour 1: ghosts [3, 5), send_rows {2};  rank 1's neighbour 0: ghosts [3, 4), send_rows {0, 2}
///
/// Immutable; copies share the data.
class GhostPlan {
 public:
  /// Traffic between this rank and one other rank, or the copies within this rank (periodic images).
  struct Neighbour {
    Rank rank;
    IdRange<LocalRow> ghosts;             ///< local rows that are copies of rows of `rank`
    std::span<const LocalRow> send_rows;  ///< owned rows of which `rank` has copies, in the order of its ghost rows
  };

  /// Constructs an empty plan of one rank.
  GhostPlan();

  /// Creates a plan. @param requests  in any order, also repeated; owned rows with image 0 get no ghost row.
  /// @throws LimitError on every rank if a requested row of any rank does not exist.
  /// @collective  @cost O(n log n) for n requests; one all-to-all of the numbers of ghost rows. Only the table of first rows
  /// (RowOffsets, 8 B per rank) grows with the number of ranks.
  [[nodiscard]] static GhostPlan build(const Communicator& comm, std::int32_t owned_rows, std::span<const GhostRequest> requests);
  [[nodiscard]] static GhostPlan build(const Communicator& comm, std::int32_t owned_rows, std::span<const GlobalRow> requests);

  [[nodiscard]] std::int32_t owned_rows() const;
  [[nodiscard]] std::int32_t ghost_rows() const;
  [[nodiscard]] std::int32_t rows() const { return owned_rows() + ghost_rows(); }
  /// Returns the communicator. @throws ContractError if the plan is empty.
  [[nodiscard]] const Communicator& comm() const;
  [[nodiscard]] const RowOffsets& offsets() const;

  /// Returns the local row of each request of build().
  [[nodiscard]] LocalRow local_of(std::size_t request) const;
  /// Returns the local row of (row, image): owned, ghost, or invalid() if this rank has neither. @cost O(log ghosts).
  [[nodiscard]] LocalRow find(GlobalRow row, std::int32_t image = 0) const;
  /// Returns the global row and image of a local row. An owned row is image 0 of itself.
  [[nodiscard]] GhostRequest ghost(LocalRow row) const;
  [[nodiscard]] GlobalRow global(LocalRow row) const { return ghost(row).row; }
  [[nodiscard]] Rank owner(LocalRow row) const;

  /// Returns the ranks with which rows are exchanged, ascending. Contains this rank only for periodic images of its own rows.
  [[nodiscard]] std::span<const Neighbour> neighbours() const;

  /// Returns true if this plan and `other` are copies of one plan.
  [[nodiscard]] bool same_as(const GhostPlan& other) const { return body_ == other.body_; }
  /// Returns the number of this plan, equal on all ranks and unique among the plans of a run.
  [[nodiscard]] std::int64_t serial() const;
  /// Returns how often it was called before for this plan: a number for an exchange, which with serial() is the same on all
  /// ranks if they call it in the same order. @collective without communication
  [[nodiscard]] int number_exchange() const;

 private:
  struct Body;
  explicit GhostPlan(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
  std::shared_ptr<const Body> body_;
};

}  // namespace weft
