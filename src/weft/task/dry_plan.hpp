#pragma once
/// DryPlan: the communication and memory of a graph on one of any number of pretended ranks.
#include <cstdint>
#include <string>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/comm/traffic.hpp"
#include "weft/task/schedule.hpp"

namespace weft::task {

/// Rows of an array on a pretended rank and on its neighbours, as a GhostPlan has them.
struct PretendedRows {
  struct Neighbour {
    Rank rank;
    std::int64_t sent = 0;    ///< rows of this rank of which `rank` has copies
    std::int64_t ghosts = 0;  ///< copies of rows of `rank` on this rank
    friend bool operator==(const Neighbour&, const Neighbour&) = default;
  };
  std::int64_t owned = 0, inner = 0, boundary = 0;
  std::int64_t images = 0;              ///< ghost rows that are periodic images of rows of this rank
  bool inner_is_sent = false;           ///< some rank has copies of inner rows of another
  bool others_have_inner = false;       ///< another rank has inner rows
  bool others_have_ghosts = false;      ///< another rank has ghost rows
  std::vector<Neighbour> neighbours{};  ///< other ranks, each once

  /// Rows of some rank that are in the same part, inner, border or boundary, and in the same subsets.
  struct InSubsets {
    Part part;
    std::vector<SubsetId> subsets;
    bool sent = false;  ///< some rank has copies of such rows of another
  };
  /// Sets of rows of subsets, each once and the same on all pretended ranks. Empty: those of the rows that this rank has in the
  /// subsets of the graph, of which border rows are sent, and inner rows if inner_is_sent.
  std::vector<InSubsets> in_subsets{};

  [[nodiscard]] std::int64_t ghosts() const;
};

/// Messages and memory of a plan on one pretended rank.
struct DryPlan {
  /// Messages of this rank to one other rank in a repeated iteration.
  struct Sent {
    Rank to;
    Traffic traffic;
  };
  Schedule schedule;
  std::vector<Sent> sent;          ///< in the order of ranks
  Traffic first, repeated;         ///< to all neighbours, in the first and in each further iteration
  int reductions = 0;              ///< over all ranks, in a repeated iteration
  std::int64_t array_bytes = 0;    ///< owned, ghost and boundary rows of all arrays, on one side
  std::int64_t message_bytes = 0;  ///< messages that are sent and received, of all exchanges at the same time

  /// Returns nodes, messages and memory as a table.
  [[nodiscard]] std::string text() const;
};

}  // namespace weft::task
