#pragma once
/// The compiler of task graphs: from tasks in their order of recording to nodes, inserted communication and dependencies. It
/// neither communicates nor touches data, so that it can be used for any number of pretended ranks.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/array/reduce.hpp"
#include "weft/device/host_device_bytes.hpp"
#include "weft/task/access.hpp"

namespace weft::task {

/// The parts that every array has, in the order of the rows: inner, border, ghost, boundary. Part p is bit p.
inline constexpr std::array kSingleParts{Part::inner, Part::border, Part::ghost, Part::boundary};
[[nodiscard]] constexpr Part single_part(std::size_t p) { return static_cast<Part>(std::uint64_t{1} << p); }
/// Most sets into which subsets can divide the rows of an array that they contain.
inline constexpr std::size_t kMostSubsetParts = 64 - kSingleParts.size();

/// A named subset of the rows of an array.
struct SubsetShape {
  SubsetId id;
  std::string name;
  Part rows = Part::none;  ///< bits of subset parts; none if no rank has rows in it
};

/// Properties of an array, a number or other memory of a device that the compiler uses. Equal on all ranks.
///
/// Subsets divide the rows of an array: a single part is a set of rows that are in the same one of the four parts and in the same
/// subsets. Bits 0 to 3 of a Part stand for the rows of the four parts that are in no subset, further bits for the others.
///
/// Example: subset 'inlet' has inner and border rows, subset 'wall' has border rows, one of which is in 'inlet', too:
///     bit            4                5                6               7
///     rows           inner in inlet   border in inlet  border in wall  border in inlet and wall
///     subset_parts   inner            border           border          border
///     inlet is bits 4, 5 and 7, wall bits 6 and 7, refined(border) bits 1, 5, 6 and 7
struct DataShape {
  std::string name;
  bool is_array = true;
  bool is_memory = false;    ///< only accesses are known: it is neither exchanged nor copied
  int space = 0;             ///< number of the ghost plan among those of the graph; arrays of one plan share messages
  Part sent = Part::owned;   ///< rows of which other ranks have copies: border if, on every rank, no inner row is sent; with
                             ///< subsets, the single parts of which some rank sends a row
  bool has_inner = false;    ///< some rank has inner rows
  bool on_host = true;       ///< has memory on the host
  bool on_device = false;    ///< has memory on a device, which is not that of the host
  Part present = Part::all;  ///< parts of which some rank has rows; those of subsets always are
  std::vector<Part> subset_parts{};    ///< by bit from 4: the part with these rows
  std::vector<SubsetShape> subsets{};  ///< in the order of addition

  /// Returns the number of single parts.
  [[nodiscard]] std::size_t parts() const { return kSingleParts.size() + subset_parts.size(); }
  /// Returns all single parts of a union of the four parts.
  [[nodiscard]] Part refined(Part part) const;
  /// Returns the subset with this number; null if it is not one of this array.
  [[nodiscard]] const SubsetShape* find(SubsetId id) const;
};

/// A recorded task.
struct TaskShape {
  std::string name;
  std::vector<Access> accesses;
  bool divisible = false;  ///< the body takes a range of rows
  Side side = Side::host;  ///< where the body computes
  DeviceStream stream = DeviceStream::main;
  double cost = 0;  ///< s that the body takes; 0 if not known
  int every = 1;    ///< the body is called in one of so many iterations, and then reads only
};

enum class Kind : std::uint8_t {
  task,        ///< body of a task, for all its rows, its inner rows or its border rows
  neutralize,  ///< sets ghost rows to the neutral value of a reduction
  reset,       ///< sets a number to the neutral value of a reduction
  start,       ///< starts an exchange
  finish,      ///< ends an exchange
  all_reduce,  ///< combines a number over the ranks
  copy,        ///< copies rows or a number to the other side
  segment      ///< work of a device that is launched together (segments.hpp); not in a Schedule
};

/// Node of the graph of one iteration.
struct Node {
  Kind kind = Kind::task;
  int index = 0;            ///< task: its number; start, finish: the exchange; otherwise the number of the data
  Part rows = Part::owned;  ///< task: owned (all rows), inner or border; copy: what is copied
  Reduce op = Reduce::add;
  Side side = Side::host;  ///< where it is executed; copy: the side that receives the values
  bool urgent = false;     ///< a direct successor is communication: on a device, in the stream of high priority (Stage::urgency,
                           ///< for the host, also counts indirect successors)
  DeviceStream stream = DeviceStream::main;  ///< used by a task on a device
  int graph = -1;                            ///< in a plan: the segment whose graph contains the node
  int every = 1;                             ///< copy: made in one of so many iterations
  double cost = 0;                           ///< s; of a divided task, that of the inner half
  std::string name{};
  std::string reason{};  ///< why the compiler inserted the node; empty for tasks
};

/// One exchange of a schedule: a pull, or a push by `op`, of arrays of one plan.
struct ExchangeShape {
  bool push = false;
  Reduce op = Reduce::add;
  std::vector<DataId> arrays;
  Side side = Side::host;  ///< the one whose rows are sent and received
  friend bool operator==(const ExchangeShape&, const ExchangeShape&) = default;
};

/// Nodes of an iteration in an order that respects all dependencies, and the dependencies.
struct Stage {
  std::vector<Node> nodes;
  std::vector<int> predecessors;                 ///< by node: how many nodes it waits for
  std::vector<int> first_successor, successors;  ///< successors of node i: [first_successor[i], first_successor[i + 1])
  std::vector<int> communication;                ///< start and all_reduce nodes, in the order in which every rank begins them
  std::vector<std::uint8_t> levels;              ///< in a plan, by node: see levels.hpp; empty without costs
  std::vector<std::uint8_t> urgency;             ///< in a plan, by node: see levels.hpp; empty if no node is urgent
  std::vector<std::string> subsets;              ///< in a Schedule, by node: "writes 'inlet' of 'u'"; empty without subsets

  /// Returns the accesses of a node to subsets; empty if there are none.
  [[nodiscard]] std::string subsets_of(int node) const;
  [[nodiscard]] std::span<const int> successors_of(int node) const;
};

/// The sides on which the single parts of an array are fresh, bit 1 for the host and 2 for the device; 0: a part that no task
/// accesses. A number is its border part.
struct Residence {
  std::vector<std::uint8_t> sides;
  /// Returns the sides of a single part.
  [[nodiscard]] std::uint8_t of(Part part) const;
};
[[nodiscard]] constexpr std::uint8_t bit(Side side) { return side == Side::host ? 1 : 2; }
inline constexpr std::uint8_t kBothSides = 3;

/// A compiled graph: the nodes of the first iteration, when all ghost rows are stale, and those of each further one.
struct Schedule {
  std::vector<ExchangeShape> exchanges;
  Stage first, repeated;
  std::vector<Residence> begin, end;  ///< by data: where the first iteration needs values, where every iteration leaves them
  std::vector<std::string> subsets;   ///< a line of text for each subset: its rows, and whether a change makes ghost rows stale
};

/// Compiles. Every rank obtains the same schedule from the same arguments.
///
/// Ghost rows, where there are any, are stale after a change of the rows that are sent. A task that reads stale ghost rows waits
/// for a pull, which starts after the last task that changed sent rows and the last one that used the old ghost rows. Exchanges
/// of one plan, direction and operation are merged if one of them can start before the other must have ended. Reductions into
/// ghost rows end with a push. A divisible task of a graph with inner rows becomes two nodes; that of the inner rows needs no
/// ghost rows. Tasks that access disjoint subsets do not wait for each other.
///
/// The host side and the device side of an array are two memories. Where a task needs rows whose current values are on the other
/// side only, a copy precedes it; each part that another task changed is a copy of its own. For a task of one in n iterations the
/// copy is made in these iterations, and other tasks have copies of their own. A pull is executed on the side where
/// the rows that are sent were changed, a push where the contributions are. Numbers are combined over ranks on the host.
/// @param ranks  with one rank, a number that is reduced on a device stays there.
/// @throws ContractError for accesses that are not possible: naming the task and the data.
/// @cost O(accesses).
[[nodiscard]] Schedule compile(std::span<const DataShape> data, std::span<const TaskShape> tasks, int ranks = 2);

[[nodiscard]] const char* to_string(Reduce op);
[[nodiscard]] const char* to_string(Side side);

}  // namespace weft::task
