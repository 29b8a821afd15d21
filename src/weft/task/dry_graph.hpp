#pragma once
/// DryGraph: a task graph of one rank of any number of pretended ranks, without data, bodies and MPI.
#include <cstdint>
#include <string>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/comm/traffic.hpp"
#include "weft/task/access.hpp"
#include "weft/task/schedule.hpp"

namespace weft::task {

/// Rows of a pretended rank and of its neighbours, as a GhostPlan has them.
struct PretendedRows {
  struct Neighbour {
    Rank rank;
    std::int64_t sent = 0;    ///< rows of this rank of which `rank` has copies
    std::int64_t ghosts = 0;  ///< copies of rows of `rank` on this rank
  };
  std::int64_t owned = 0, inner = 0;
  bool inner_is_sent = false;  ///< some rank has copies of inner rows of another
  bool has_ghosts = true;      ///< some rank has ghost rows
  std::vector<Neighbour> neighbours;
};

/// Communication and memory of a plan on one pretended rank.
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
  std::int64_t array_bytes = 0;    ///< owned and ghost rows of all arrays
  std::int64_t message_bytes = 0;  ///< messages that are sent and received, of all exchanges at the same time

  /// Returns nodes, messages and memory as a table.
  [[nodiscard]] std::string text() const;
};

/// Records what Graph records, for a rank that is not there: rows and bytes instead of arrays, no bodies.
///
///     DryGraph g;
///     const int cells = g.add_rows(block_of(rank));
///     const DataId u = g.add_array("u", cells, 5 * sizeof(double)), r = g.add_array("r", cells, 5 * sizeof(double));
///     g.add_task("rate", {reads(u), writes(r)}, true);
///     fmt::print("{}", g.compile().text());
class DryGraph {
 public:
  /// Adds rows that arrays have in common. Returns their number. @throws ContractError for negative or impossible numbers of
  /// rows.
  int add_rows(PretendedRows rows);
  /// Adds an array. @param rows  a number that add_rows() returned.  @param row_bytes  bytes of a row in messages, > 0.
  /// @throws ContractError if there are no such rows.
  DataId add_array(std::string name, int rows, std::int64_t row_bytes);
  DataId add_number(std::string name);
  /// Adds a task. @param divisible  its body would take a range of rows.
  void add_task(std::string name, std::vector<Access> accesses, bool divisible = false);

  /// Compiles what Graph::compile() would on that rank. @throws ContractError for impossible accesses. @cost O(accesses).
  [[nodiscard]] DryPlan compile() const;

 private:
  struct Array {
    int rows;
    std::int64_t row_bytes;
  };
  DataId add(DataShape shape, Array array);

  std::vector<PretendedRows> rows_;
  std::vector<DataShape> shapes_;
  std::vector<Array> arrays_;  ///< by data; of numbers without meaning
  std::vector<TaskShape> tasks_;
};

}  // namespace weft::task
