#pragma once
/// Accesses of the tasks of a graph to its data: parts of the rows, modes.
#include <cstdint>

#include "weft/array/reduce.hpp"
#include "weft/base/id.hpp"

namespace weft::task {

struct DataTag;
/// Number of an array or a number in its Graph, in the order of addition.
using DataId = Id<DataTag, std::int32_t>;

struct SubsetTag;
/// Number of a named subset of an array in its Graph, in the order of addition.
using SubsetId = Id<SubsetTag, std::int32_t>;

/// A set of rows of an array. inner: owned rows that are computed without ghost rows; border: the other owned rows; ghost: copies
/// of rows of other ranks; boundary: rows of this rank that no exchange changes. A number consists of its owned part. Further
/// bits stand for rows of subsets in a compiled graph (DataShape::subset_parts).
enum class Part : std::uint64_t { none = 0, inner = 1, border = 2, owned = 3, ghost = 4, boundary = 8, all = 15 };

[[nodiscard]] constexpr Part operator|(Part a, Part b) {
  return static_cast<Part>(static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b));
}
[[nodiscard]] constexpr Part operator&(Part a, Part b) {
  return static_cast<Part>(static_cast<std::uint64_t>(a) & static_cast<std::uint64_t>(b));
}
[[nodiscard]] constexpr Part without(Part a, Part b) {
  return static_cast<Part>(static_cast<std::uint64_t>(a) & ~static_cast<std::uint64_t>(b));
}
[[nodiscard]] constexpr bool contains(Part a, Part b) { return (a & b) == b; }
[[nodiscard]] constexpr bool overlap(Part a, Part b) { return (a & b) != Part::none; }

/// The rows of a part that are not in a subset: without(Part::owned, inlet).
struct PartWithout {
  Part part;
  SubsetId subset;
};
[[nodiscard]] constexpr PartWithout without(Part part, SubsetId subset) { return {part, subset}; }

/// Checks of a plan while it runs, for debugging. accesses: after each task, that it has read and written nothing but what it
/// states; tasks are executed one after the other by one thread, and all data are copied for each.
enum class Check : std::uint8_t { none, accesses };

/// How iterations after the first execute the tasks on a GPU. as_graphs: the second one records their work as CUDA graphs, which
/// the others launch without calling bodies. by_bodies: each calls them, which may then allocate memory and use values that
/// change, such as bodies of Python that create arrays.
enum class Launch : std::uint8_t { as_graphs, by_bodies };

/// The stream of a task on a device. Streams are executed concurrently. main: for most tasks. urgent: one of high priority, which
/// also has the exchanges and the tasks that they wait for: for short tasks between exchanges. aside: for tasks whose results are
/// needed much later, such as sums for a report.
enum class DeviceStream : std::uint8_t { main, urgent, aside };

/// read: the rows are only read. write: every row is overwritten, and none is read. read_write: both. reduce: the task combines
/// values with owned and ghost rows (or with a number); the graph adds up what all ranks contribute.
enum class Mode : std::uint8_t { read, write, read_write, reduce };
/// Returns whether an access changes values.
[[nodiscard]] constexpr bool changes(Mode mode) { return mode != Mode::read; }

/// One access of a task.
struct Access {
  DataId data;
  Mode mode = Mode::read;
  Part part = Part::all;
  Reduce op = Reduce::add;  ///< the operation for Mode::reduce
  SubsetId subset{};        ///< valid: the rows of this subset, or, with `outside`, those of `part` that are not in it
  bool outside = false;     ///< with a valid subset: its rows are left out of `part`, instead of being the rows
};

/// Declares that a task reads rows; ghost rows are then those of the owners' present values.
[[nodiscard]] constexpr Access reads(DataId data, Part part = Part::all) { return {data, Mode::read, part}; }
/// Declares that a task overwrites all these rows. A task that writes ghost rows gives them the values of their owners.
[[nodiscard]] constexpr Access writes(DataId data, Part part = Part::owned) { return {data, Mode::write, part}; }
/// Declares that a task reads and changes these rows.
[[nodiscard]] constexpr Access reads_writes(DataId data, Part part = Part::owned) { return {data, Mode::read_write, part}; }
/// Declares that a task reads the rows of a subset of the array, which are owned and boundary rows.
[[nodiscard]] constexpr Access reads(DataId data, SubsetId subset) {
  return {.data = data, .mode = Mode::read, .subset = subset};
}
/// Declares that a task overwrites all rows of a subset.
[[nodiscard]] constexpr Access writes(DataId data, SubsetId subset) {
  return {.data = data, .mode = Mode::write, .subset = subset};
}
/// Declares that a task reads and changes rows of a subset.
[[nodiscard]] constexpr Access reads_writes(DataId data, SubsetId subset) {
  return {.data = data, .mode = Mode::read_write, .subset = subset};
}
/// Declares that a task reads the rows of a part that are not in a subset; ghost rows, if the part has them, are all included.
[[nodiscard]] constexpr Access reads(DataId data, PartWithout rest) {
  return {.data = data, .mode = Mode::read, .part = rest.part, .subset = rest.subset, .outside = true};
}
/// Declares that a task overwrites them, ghost rows of the part as well.
[[nodiscard]] constexpr Access writes(DataId data, PartWithout rest) {
  return {.data = data, .mode = Mode::write, .part = rest.part, .subset = rest.subset, .outside = true};
}
/// Declares that a task reads and changes them, ghost rows of the part as well.
[[nodiscard]] constexpr Access reads_writes(DataId data, PartWithout rest) {
  return {.data = data, .mode = Mode::read_write, .part = rest.part, .subset = rest.subset, .outside = true};
}
/// Declares that a task combines values with owned and ghost rows, or with a number, by `op` (add, min, max). Before the first of
/// such tasks, ghost rows and numbers have the value that `op` leaves others unchanged with (0, the largest, the smallest); owned
/// rows keep theirs. Before the next access of another kind, which is one of another task, the contributions of all ranks are
/// combined.
[[nodiscard]] constexpr Access reduces(DataId data, Reduce op) { return {data, Mode::reduce, Part::owned | Part::ghost, op}; }

}  // namespace weft::task
