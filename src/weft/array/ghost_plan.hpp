#pragma once
/// GhostPlan: which rows of other ranks this rank keeps copies of, and where. Indices only; one plan serves every array on its
/// index space.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/array/layout.hpp"
#include "weft/array/row_offsets.hpp"
#include "weft/comm/communicator.hpp"

namespace weft {

/// A row that this rank wants to read. image 0 is the row itself; any other number names a periodic copy of it, which gets a
/// ghost row of its own even where this rank owns `row`.
struct GhostRequest {
  GlobalRow row;
  std::int32_t image = 0;
  friend bool operator==(GhostRequest, GhostRequest) = default;
  friend auto operator<=>(GhostRequest, GhostRequest) = default;
};

/// Owned rows come first (0 ... owned_rows() - 1), ghost rows after them. Ghosts are sorted by (owner, owner's local row, image)
/// and appear once, however often they were requested; so the ghosts of one neighbour are one run of rows.
///
/// Example, 2 ranks with 3 rows each (global 0-2 and 3-5):
///   rank 0 requests 5, 3, 1, 5:  local_of = 4, 3, 1, 4     ghosts: row 3 = global 3, row 4 = global 5
///   rank 1 requests 2:           local_of = 3              ghosts: row 3 = global 2
///   rank 0's neighbour 1: ghosts [3, 5), send_rows {2};  rank 1's neighbour 0: ghosts [3, 4), send_rows {0, 2}
///
/// Immutable, and cheap to copy (copies share everything).
class GhostPlan {
 public:
  /// One rank's side of the traffic between two ranks; or of the copies within this rank (periodic images).
  struct Neighbour {
    Rank rank;
    IdRange<LocalRow> ghosts;             ///< local rows that hold copies of `rank`'s rows
    std::span<const LocalRow> send_rows;  ///< owned rows of which `rank` holds copies, in the order of its ghosts
  };

  /// No rows, no ghosts, one rank.
  GhostPlan();

  /// @param requests  in any order, repeated at will; rows owned here (image 0) get no ghost.
  /// @throws LimitError on every rank if a requested row does not exist on any of them.
  /// @collective  @cost O(n log n) for n requests; one all-to-all of the ghost rows' numbers. With the number of ranks grows
  /// the table of first rows alone (RowOffsets: 8 B per rank), which arrives from all ranks.
  [[nodiscard]] static GhostPlan build(const Communicator& comm, std::int32_t owned_rows, std::span<const GhostRequest> requests);
  [[nodiscard]] static GhostPlan build(const Communicator& comm, std::int32_t owned_rows, std::span<const GlobalRow> requests);

  [[nodiscard]] std::int32_t owned_rows() const;
  [[nodiscard]] std::int32_t ghost_rows() const;
  [[nodiscard]] std::int32_t rows() const { return owned_rows() + ghost_rows(); }
  /// @throws ContractError if the plan was never built.
  [[nodiscard]] const Communicator& comm() const;
  [[nodiscard]] const RowOffsets& offsets() const;

  /// The local row that holds requests[i] of build().
  [[nodiscard]] LocalRow local_of(std::size_t request) const;
  /// The local row that holds (row, image): owned, ghost, or invalid() where this rank has neither. O(log ghosts).
  [[nodiscard]] LocalRow find(GlobalRow row, std::int32_t image = 0) const;
  /// What a local row is a copy of. An owned row is image 0 of itself.
  [[nodiscard]] GhostRequest ghost(LocalRow row) const;
  [[nodiscard]] GlobalRow global(LocalRow row) const { return ghost(row).row; }
  [[nodiscard]] Rank owner(LocalRow row) const;

  /// By rank, ascending; without ranks that neither send nor receive. Contains this rank only for periodic images of its own
  /// rows.
  [[nodiscard]] std::span<const Neighbour> neighbours() const;

  /// Whether this is a built plan or its copy, and of the same index space as `other`.
  [[nodiscard]] bool same_as(const GhostPlan& other) const { return body_ == other.body_; }
  /// Number of this plan, equal on every rank, different for every plan of a run.
  [[nodiscard]] std::int64_t serial() const;

 private:
  struct Body;
  explicit GhostPlan(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
  std::shared_ptr<const Body> body_;
};

}  // namespace weft
