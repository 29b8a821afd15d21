#pragma once
/// Graph: tasks that state which data they read and write. Communication and the order of execution follow from that.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/array/pair_ref.hpp"
#include "weft/base/id_vector.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/device/host_device_vector.hpp"
#include "weft/device/stream.hpp"
#include "weft/task/access.hpp"
#include "weft/task/dry_plan.hpp"
#include "weft/task/operation_count.hpp"
#include "weft/task/plan.hpp"
#include "weft/task/snapshot.hpp"

namespace weft::task {

struct Subset;

/// Rows of which a body computes a part of its task.
using Rows = IdRange<LocalRow>;

/// Where a task executes: on(device), on(device_urgent) or on(device_aside), see DeviceStream.
struct DevicePlace {
  DeviceStream stream = DeviceStream::main;
};
inline constexpr DevicePlace device{}, device_urgent{DeviceStream::urgent}, device_aside{DeviceStream::aside};
[[nodiscard]] constexpr DevicePlace on(DevicePlace place) { return place; }

/// Tasks that write data to files, see add_task(): io, or io_every(n) for one in n iterations.
struct IoPlace {
  int every = 1;
};
inline constexpr IoPlace io{};
[[nodiscard]] constexpr IoPlace io_every(int iterations) { return {iterations}; }

/// Records one iteration of a program on distributed arrays.
///
///     Graph g(comm);
///     const DataId u = g.add_array("u", u_pair, mesh.inner_cells), v = g.add_array("v", v_pair, mesh.inner_cells);
///     g.add_task("smooth", {reads(u), writes(v)}, [&](Rows rows) { smooth(mesh, u_pair, v_pair, rows); });
///     g.add_task("copy", {reads(v, Part::owned), writes(u)}, [&](Rows rows) { copy(v_pair, u_pair, rows); });
///     Plan plan = g.compile();  // inserts the pull of u, during which the inner rows are smoothed
///     plan.run(100);
///
/// Tasks have the meaning of their order: the results are those of executing them one after the other, each with the ghost rows
/// that it reads up to date. Tasks that do not depend on each other may run at the same time on different threads, so that a body
/// must access no other data than its task states. Every rank records the same data and tasks in the same order.
///
/// A task on a device enqueues its work in the stream that it is given, and must not wait for it:
///
///     g.add_task("smooth", {reads(u), writes(v)}, on(device), [&](Stream& stream, Rows rows) {
///       parallel_for(space::cuda{}, stream, rows.size(), Smooth{u_view, v_view, rows.first()});
///     });
///
/// Where a task needs rows whose values are on the other side, the plan copies them. Its body is called in the first iteration
/// and a second time to record its work as a CUDA graph, which further iterations repeat. What changes between iterations is
/// therefore kept in arrays and in numbers with a device side, not in the arguments of kernels. With Backend::mirror the body is
/// called in each iteration. While a plan is executed its arrays can be accessed on both sides without the checks of freshness
/// that they have otherwise, and bodies must not copy them.
class Graph {
 public:
  /// Creates an empty graph of the ranks of `comm`.
  explicit Graph(Communicator comm);
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  /// Adds an ArrayPair of Backend::host, mirror or cuda. It must live as long as the plans of this graph, and may be moved.
  /// @param inner_rows  owned rows 0 ... inner_rows - 1 are those that tasks compute without ghost rows (Mesh::inner_cells);
  ///   0 where nothing is known, which is always right.
  /// @throws ContractError if the host and the device share the memory of the array, if it was added before, has fewer owned rows
  ///   than inner_rows, or is on another kind of device than data before.
  DataId add_array(std::string name, PairRef array, std::int32_t inner_rows = 0);
  /// Adds a named subset of the owned and boundary rows of an array, such as the cells at an inlet, which tasks access by
  /// reads(array, subset), writes() and reads_writes(), and the other rows by without(Part::owned, subset). Tasks that access
  /// subsets without common rows are not ordered; a change of rows that no rank sends leaves ghost rows fresh; copies between
  /// host and device are of the rows of the subset alone, one for each interval of consecutive rows. Subsets may overlap. Every
  /// rank adds the same subsets, with its own rows, or none.
  ///
  ///     const SubsetId inlet = g.add_subset(u, "inlet", inlet_rows);
  ///     g.add_task("inflow", {reads(t), writes(u, inlet)}, [&] { for (const LocalRow row : inlet_rows) u_pair(row, 0) = ...; });
  ///
  /// @param rows  ascending, each once; or disjoint, ascending intervals, of which some may be empty. compile() throws a
  ///   ContractError on every rank for others, and if the subsets of an array divide its rows into more than kMostSubsetParts
  ///   sets of rows in the same part and the same subsets.
  /// @throws ContractError if the array is not one of the graph, has a subset of this name or kMostSubsetParts subsets, or if a
  ///   part has the name.
  /// @cost O(rows or intervals), without communication; compile() then reduces once over the ranks for each of these sets.
  SubsetId add_subset(DataId array, std::string name, std::span<const LocalRow> rows);
  SubsetId add_subset(DataId array, std::string name, std::span<const Rows> intervals);
  /// Returns a subset by its name, such as one of a graph that was added. @throws ContractError if the array has none of this
  /// name.
  [[nodiscard]] SubsetId subset(DataId array, const std::string& name) const;

  /// Adds a number, such as the length of a time step: the same on every rank, except while tasks reduce into it.
  DataId add_number(std::string name, double& number);
  /// Adds a number that tasks on devices access too: the only element of `number`, which must not be moved.
  /// @throws ContractError unless it has one element, and as add_array().
  DataId add_number(std::string name, HostDeviceVector<double>& number);

  /// Adds memory of a device that is no array of the library, or a part of an array that is accessed independently of the others.
  /// Tasks on the device state their accesses to it, from which their order follows; it is neither exchanged nor copied. Check::
  /// accesses cannot guard it.
  DataId add_memory(std::string name);
  /// As above, for memory that stays where it is while plans of this graph exist, and which Check::accesses guards like a row of
  /// an array: a task with writes() overwrites all of it. Elements that are no floating-point numbers are compared, but reads of
  /// them are not found.
  template <class T>
  DataId add_memory(std::string name, std::span<T> memory) {
    return add_memory(std::move(name), std::as_writable_bytes(memory), std::is_floating_point_v<T> ? sizeof(T) : 0);
  }

  /// Adds a task, which is executed as a whole.
  void add_task(std::string name, std::vector<Access> accesses, std::function<void()> body);
  /// Adds a task that can be divided: `body` computes the given owned rows of every array that the task writes; for rows below
  /// inner_rows it must read no ghost row. It is called for disjoint ranges of rows, at least once per iteration: on the host for
  /// 8192 inner rows or more at a time, so that messages make progress in between, on a device at most twice.
  void add_task(std::string name, std::vector<Access> accesses, std::function<void(Rows)> body);
  // Both functions add a task on the device of the data, with a body that enqueues its work.
  void add_task(std::string name, std::vector<Access> accesses, DevicePlace place, std::function<void(Stream&)> body);
  void add_task(std::string name, std::vector<Access> accesses, DevicePlace place, std::function<void(Stream&, Rows)> body);

  /// Adds a task that writes data while other tasks go on. When it is due, a copy of the rows that it reads is taken on the host,
  /// in its place of the order (the host side of an array of a device is stale otherwise, if no other task of the host reads it),
  /// and a thread of the plan calls `body` with it; tasks that change the data wait for the copy only. Bodies of all such tasks
  /// are called one after the other, and two copies are pending at most, a third one waits. Plan::run(), repeat_until(), finish()
  /// and close() wait for the bodies; what one throws, or a LimitError if the thread cannot be started, is thrown as by other
  /// tasks, but not by close(). A body must not communicate, nor access data of the graph.
  /// @param accesses  reads() only; those of ghost rows cause a pull.
  /// @throws ContractError for other accesses, or a number of iterations below 1.
  void add_task(std::string name, std::vector<Access> accesses, IoPlace place, std::function<void(const Snapshot&)> body);

  /// States how long the body of a task takes: ready tasks of the host are executed in the order of the time that remains after
  /// them, the longest first, which shortens iterations on several threads if tasks differ. Tasks without a cost count as 0 s,
  /// and a graph without costs has no such order. A divided task has its cost in the inner half.
  /// @param task  its name; of all tasks of this name.  @param seconds  on one thread, above 0; may differ between ranks.
  /// @throws ContractError if there is no such task, or for another number of seconds.
  void set_cost(const std::string& task, double seconds);

  /// States the work of a task on this rank in one iteration, from which summaries of traces compute its rates. Divided tasks
  /// have it in proportion to their rows. Without effect on the execution.
  /// @param task  its name; of all tasks of this name.  @throws ContractError if there is no such task, or for a number that is
  ///   negative or not finite.
  void set_count(const std::string& task, const OperationCount& count);

  /// Adds the tasks that another graph has now, in this place of the order: the meaning is that of recording them here. Their
  /// names are "name/task". Data that both graphs have, such as an array that was added to both, are shared; other data of
  /// `other` are added as by add_data_of(). `other` may be added several times, and may be extended, compiled or destroyed
  /// afterwards.
  ///
  ///     g.add_graph("predict", half_step);
  ///     g.add_task("average", ...);
  ///     g.add_graph("correct", half_step);
  ///
  /// @return the ids in this graph, by those in `other`.  @throws as add_data_of().  @cost O(tasks + data), no communication.
  IdVector<DataId, DataId> add_graph(const std::string& name, const Graph& other);
  /// Adds the data of another graph that this one does not have, as "name/data"; memory of a device keeps its name, by which it
  /// is identified, and so do subsets of an array.
  /// @return the ids in this graph, by those in `other`.
  /// @throws ContractError if `other` is this graph, was moved from, has other ranks or another kind of device, has an array that
  ///   was destroyed, or a shared array with another number of inner rows or a subset of the same name with other rows. This
  ///   graph is then unchanged.
  IdVector<DataId, DataId> add_data_of(const std::string& name, const Graph& other);

  /// Compiles the graph and sets up its exchanges. The graph may be extended and compiled again afterwards.
  /// @param threads  threads that execute tasks, including the calling one, which also communicates.
  /// @param check  Check::accesses: run() throws ContractError for a task that accesses other data than it states, and compile()
  ///   if the graph has memory without an address.
  /// @param transport  of the exchanges, as in ArrayTransformer. For arrays with a device side it applies to exchanges on its
  ///   own side, host or device; on the device side others are automatic, on the host side they use Transport::host.
  /// @param launch  whether device tasks are recorded as CUDA graphs or their bodies are called in each iteration. Without a
  ///   GPU the bodies are always called.
  /// @throws ContractError on every rank for impossible accesses, such as that of a task on a device to data without a device
  ///   side, and for arrays that were destroyed; InputError on every rank if the transport cannot be used; CommError on every
  ///   rank if the ranks recorded different programs, naming the first difference, or pass different options other than the
  ///   number of threads; LimitError on every rank if the threads of one cannot be started. @collective
  /// @cost O(accesses), and the set-up of the exchanges.
  [[nodiscard]] Plan compile(int threads = 1, Check check = Check::none, Transport transport = Transport::automatic,
                             Launch launch = Launch::as_graphs) const;

  /// Compiles what compile() would on one of any number of ranks that need not exist, and counts the messages, bytes and memory
  /// of that rank. The graph is recorded as ever, also on one rank with arrays of few rows; no body is called, nothing
  /// communicates.
  ///
  ///     const DryPlan plan = g.dry(65536, [&](DataId, const PairRef&) { return rows_of_block(rank); });
  ///     fmt::print("{}", plan.text());
  ///
  /// @param ranks  number of pretended ranks.
  /// @param rows  returns the rows on the pretended rank of an array that was added; called once for each.
  /// @throws ContractError for impossible rows or accesses, arrays of one plan with different neighbours, arrays that were
  ///   destroyed or resized, and CSR arrays, whose rows have the sizes of the present ranks only.
  /// @cost O(accesses + neighbours), whatever the number of ranks.
  [[nodiscard]] DryPlan dry(int ranks, const std::function<PretendedRows(DataId, const PairRef&)>& rows) const;

 private:
  struct Body;
  DataId add_memory(std::string name, std::span<std::byte> memory, std::size_t width);
  /// Ids in this graph of the data and the subsets of another, by those in the other.
  struct AddedData {
    IdVector<DataId, DataId> data;
    std::vector<SubsetId> subsets;
  };
  AddedData add_all_data_of(const std::string& name, const Graph& other);
  std::vector<SubsetId> add_subsets_of(const Graph& other, const IdVector<DataId, DataId>& ids);
  /// Checks a new subset and returns a place for it.
  Subset& new_subset(DataId array, std::string name);
  template <class Set>
  void set_property(const std::string& task, const char* name, const Set& set);
  void expect_same_device(const std::string& name, Backend backend) const;
  std::unique_ptr<Body> body_;
};

}  // namespace weft::task
