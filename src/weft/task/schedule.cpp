#include "weft/task/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "weft/base/error.hpp"

namespace weft::task {
namespace {

/// Producer of values that an earlier iteration or the program before has left.
constexpr int kBefore = -1;
/// Producer of ghost rows that a pull has written.
constexpr int kPull = -2;

/// A task, or its inner or border half, with the accesses of that half.
struct Operation {
  int task;
  Part rows;
  std::vector<Access> accesses;
  Side side;
};

/// Where the values of one part of an array are.
struct Location {
  std::uint8_t sides = 0;  ///< bits of the sides on which the values are; 0: nothing is known
  Side changed_on = Side::host;
  int producer = kBefore;  ///< the operation that changed them last
  std::string changed_by;
};

/// State of an array or a number at one place of the sequence. Places are numbers of operations; a slot k is the place
/// before operation k.
struct State {
  bool fresh = false;             ///< the ghost rows have the values of their owners
  std::optional<Reduce> partial;  ///< contributions that have not been combined yet
  int first_slot = 0;             ///< earliest slot of an exchange: after the last change of sent rows and the last use of ghosts
  std::optional<std::size_t> push;  ///< the group that combined the last contributions
  std::string last_change;          ///< name of the task that changed sent rows last
  std::array<Location, kSingleParts.size()> where;
};

/// A copy between the two sides.
struct SideCopy {
  DataId data;
  Part part;
  Side to;
  std::string reason;
};

/// An exchange to be placed.
struct Group {
  ExchangeShape shape;
  int space, slot, latest;
  bool fixed;  ///< a pull depends on the slot
  std::string reason;
  std::vector<SideCopy> copies;  ///< that precede the start
};

/// Reduction of a number over the ranks to be placed.
struct Sum {
  DataId data;
  Reduce op;
  int slot;
  std::string reason;
  std::vector<SideCopy> copies;
};

[[nodiscard]] std::string quoted(const std::string& name) { return "'" + name + "'"; }

[[noreturn]] void reject(const TaskShape& task, const DataShape& data, const std::string& problem, const std::string& remedy) {
  throw ContractError(fmt::format("task '{}' and '{}': {}", task.name, data.name, problem), remedy);
}

[[nodiscard]] bool changes(Mode mode) { return mode != Mode::read; }

void check(std::span<const DataShape> data, const TaskShape& task) {
  for (std::size_t i = 0; i < task.accesses.size(); ++i) {
    const Access& access = task.accesses[i];
    if (!access.data.valid() || access.data.index() >= data.size()) {
      throw ContractError(fmt::format("access {} of task '{}' is to data that the graph does not have", i, task.name),
                          "use the ids that add_array() and add_number() of this graph returned");
    }
    const DataShape& shape = data[access.data.index()];
    if (access.part == Part::none) reject(task, shape, "no rows are accessed", "name at least one part, or omit the access");
    if (task.side == Side::device && !shape.on_device) {
      reject(task, shape, "a task on a device accesses data without a device side",
             shape.is_array ? "make the array with Backend::cuda, or execute the task on the host"
                            : "add a HostDeviceVector of one element as the number");
    }
    if (task.side == Side::host && !shape.on_host) {
      reject(task, shape, "a task on the host accesses an array that has no memory there",
             "execute the task on(device), or call to_host() before the graph is compiled");
    }
    if (access.mode == Mode::reduce && access.op == Reduce::insert) {
      reject(task, shape, "insert is no reduction of contributions", "use add, min or max");
    }
    for (std::size_t j = 0; j < i; ++j) {
      const Access& other = task.accesses[j];
      if (other.data != access.data) continue;
      if (task.divisible || changes(other.mode) == changes(access.mode)) {
        reject(task, shape, "is listed twice", "use reads_writes(), or give the task a body without a range of rows");
      }
    }
    if (!task.divisible || !shape.is_array) continue;
    if (access.mode == Mode::reduce) {
      reject(task, shape, "a task that is divided by rows cannot reduce into ghost rows",
             "give it a body without a range of rows");
    }
    if (changes(access.mode) && access.part != Part::owned) {
      reject(task, shape, "a task that is divided by rows writes all owned rows and no others",
             "give it a body without a range of rows");
    }
  }
}

/// Divides the divisible tasks of arrays with inner rows.
[[nodiscard]] std::vector<Operation> operations(std::span<const DataShape> data, std::span<const TaskShape> tasks) {
  std::vector<Operation> list;
  for (int t = 0; t < std::ssize(tasks); ++t) {
    const TaskShape& task = tasks[static_cast<std::size_t>(t)];
    check(data, task);
    const bool divided = task.divisible && std::ranges::any_of(task.accesses, [&](const Access& a) {
                           return changes(a.mode) && data[a.data.index()].is_array && data[a.data.index()].has_inner;
                         });
    if (!divided) {
      list.push_back({t, Part::owned, task.accesses, task.side});
      continue;
    }
    for (const Part half : {Part::inner, Part::border}) {
      Operation operation{t, half, {}, task.side};
      for (Access access : task.accesses) {
        if (data[access.data.index()].is_array) {
          if (changes(access.mode)) access.part = access.part & half;
          if (!changes(access.mode) && half == Part::inner) access.part = without(access.part, Part::ghost);
        }
        if (access.part != Part::none) operation.accesses.push_back(access);
      }
      list.push_back(std::move(operation));
    }
  }
  return list;
}

[[nodiscard]] std::string name_of(const TaskShape& task, Part rows) {
  if (rows == Part::owned) return task.name;
  return task.name + (rows == Part::inner ? " (inner)" : " (border)");
}

/// Finds the exchanges and reductions that an iteration needs.
class Communication {
 public:
  Communication(std::span<const DataShape> data, std::span<const TaskShape> tasks, std::span<const Operation> operations,
                std::vector<State> states, int ranks)
      : copies_before(operations.size()),
        begin(data.size()),
        data_(data),
        tasks_(tasks),
        operations_(operations),
        states_(std::move(states)),
        ranks_(ranks) {
    for (State& state : states_) {
      state.first_slot = 0;
      state.push.reset();
      for (Location& location : state.where) location.producer = kBefore;
    }
    for (int k = 0; k < std::ssize(operations_); ++k) {
      const std::vector<Access>& accesses = operations_[static_cast<std::size_t>(k)].accesses;
      for (const Access& access : accesses) complete(k, access);
      for (const Access& access : accesses) refresh(k, access);
      for (const Access& access : accesses) {
        if (access.mode != Mode::write) bring(k, access);
      }
      for (const Access& access : accesses) after(k, access);
    }
    for (int d = 0; d < std::ssize(data_); ++d) combine(std::ssize(operations_), DataId(d), "the iteration ends");
    std::ranges::stable_sort(groups, {}, [](const Group& group) { return std::pair(group.slot, !group.shape.push); });
    std::ranges::stable_sort(sums, {}, &Sum::slot);
  }

  std::vector<Group> groups;
  std::vector<Sum> sums;
  std::vector<std::vector<Access>> neutral_before;   ///< by operation: reductions that begin there
  std::vector<std::vector<SideCopy>> copies_before;  ///< by operation
  std::vector<Residence> begin;                      ///< by data: where values are needed that nothing has changed before
  [[nodiscard]] const std::vector<State>& states() const { return states_; }

 private:
  [[nodiscard]] const DataShape& shape(DataId id) const { return data_[id.index()]; }
  [[nodiscard]] State& state(DataId id) { return states_[id.index()]; }
  [[nodiscard]] std::string reader(std::ptrdiff_t k) const {
    const Operation& operation = operations_[static_cast<std::size_t>(k)];
    return quoted(name_of(tasks_[static_cast<std::size_t>(operation.task)], operation.rows));
  }

  /// Combines what must be combined before an access, or begins a reduction.
  void complete(int k, const Access& access) {
    State& s = state(access.data);
    if (access.mode == Mode::reduce && s.partial == access.op) return;
    combine(k, access.data, reader(k) + " accesses " + quoted(shape(access.data).name));
    const DataShape& of = shape(access.data);
    if (access.mode != Mode::reduce || (of.is_array && !has_ghosts(access.data))) return;
    neutral_before.resize(operations_.size());
    neutral_before[static_cast<std::size_t>(k)].push_back(access);
    set_location(access.data, of.is_array ? Part::ghost : Part::all, side_of(k), k, "its neutral value");
  }

  [[nodiscard]] bool has_ghosts(DataId id) const { return shape(id).is_array && overlap(shape(id).present, Part::ghost); }
  [[nodiscard]] Side side_of(int k) const { return operations_[static_cast<std::size_t>(k)].side; }

  /// Calls f(location, part, place of the part) for the parts that exist.
  template <class F>
  void for_each_part(DataId id, Part part, const F& f) {
    const DataShape& of = shape(id);
    const Part of_data = of.is_array ? part & of.present : Part::border;
    for (std::size_t p = 0; p < kSingleParts.size(); ++p) {
      if (overlap(of_data, kSingleParts[p])) f(state(id).where[p], kSingleParts[p], p);
    }
  }

  void set_location(DataId id, Part part, Side side, int producer, const std::string& by) {
    for_each_part(id, part, [&](Location& location, Part /*part*/, std::size_t /*p*/) {
      location = {.sides = bit(side), .changed_on = side, .producer = producer, .changed_by = by};
    });
  }

  /// Lists the copies that make parts fresh on `side`: one for all that have the same producer.
  [[nodiscard]] std::vector<SideCopy> copies_to(Side side, DataId id, Part part, const std::string& reader) {
    std::vector<SideCopy> copies;
    std::vector<int> producers;
    for_each_part(id, part, [&](Location& location, Part single, std::size_t p) {
      if (location.sides == 0) {
        begin[id.index()].sides[p] = bit(side);
        location.changed_on = side;
      } else if ((location.sides & bit(side)) == 0) {
        const auto same = std::ranges::find(producers, location.producer);
        if (same != producers.end()) {
          Part& copied = copies[static_cast<std::size_t>(same - producers.begin())].part;
          copied = copied | single;
        } else {
          const std::string changed =
              location.changed_by.empty()
                  ? fmt::format("whose values were used on the {}", to_string(location.changed_on))
                  : fmt::format("which {} changed on the {}", location.changed_by, to_string(location.changed_on));
          producers.push_back(location.producer);
          copies.push_back(
              {id, single, side, fmt::format("{} needs '{}' on the {}, {}", reader, shape(id).name, to_string(side), changed)});
        }
      }
      location.sides |= bit(side);
    });
    return copies;
  }

  /// Places the copies that an access needs.
  void bring(int k, const Access& access) {
    std::vector<SideCopy>& list = copies_before[static_cast<std::size_t>(k)];
    const std::vector<SideCopy> needed = copies_to(side_of(k), access.data, access.part, reader(k));
    list.insert(list.end(), needed.begin(), needed.end());
  }

  /// Places the pull that an access needs.
  void refresh(int k, const Access& access) {
    State& s = state(access.data);
    const bool reads = access.mode == Mode::read || access.mode == Mode::read_write;
    if (!has_ghosts(access.data) || !reads || !overlap(access.part, Part::ghost) || s.fresh) return;
    if (s.push) {  // the push that precedes must not be merged with a later one any more
      groups[*s.push].fixed = true;
      s.first_slot = std::max(s.first_slot, groups[*s.push].slot);
    }
    const std::string changed = s.last_change.empty() ? "may have changed before" : "was changed by " + quoted(s.last_change);
    std::uint8_t changed_on = 0;
    for_each_part(access.data, shape(access.data).sent, [&](const Location& location, Part /*part*/, std::size_t /*p*/) {
      if (location.sides != 0) changed_on |= bit(location.changed_on);
    });
    Side side = changed_on == 0 ? side_of(k) : (changed_on == bit(Side::host) ? Side::host : Side::device);
    const int slot = changed_on == 3 ? k : s.first_slot;  // rows of both sides: some are copied first
    const std::vector<SideCopy> copies = copies_to(side, access.data, shape(access.data).sent, "the pull");
    const std::size_t group =
        place({.push = false, .op = Reduce::insert, .arrays = {access.data}, .side = side}, slot, k,
              fmt::format("{} reads ghost rows of '{}', which {}", reader(k), shape(access.data).name, changed));
    groups[group].copies.insert(groups[group].copies.end(), copies.begin(), copies.end());
    set_location(access.data, Part::ghost, side, kPull, "the pull");
    s.fresh = true;
  }

  void after(int k, const Access& access) {
    State& s = state(access.data);
    const DataShape& of = shape(access.data);
    if (changes(access.mode)) {
      set_location(access.data, access.part, side_of(k), k,
                   quoted(tasks_[static_cast<std::size_t>(operations_[static_cast<std::size_t>(k)].task)].name));
    }
    const bool sent = overlap(access.part, of.sent);
    if (access.mode == Mode::reduce) {
      s.partial = access.op;
    } else if (changes(access.mode) && contains(access.part, Part::ghost)) {
      s.fresh = true;
    }
    if (changes(access.mode) && sent) {
      if (!overlap(access.part, Part::ghost) || access.mode == Mode::reduce) s.fresh = false;
      s.last_change = tasks_[static_cast<std::size_t>(operations_[static_cast<std::size_t>(k)].task)].name;
    }
    if ((changes(access.mode) && sent) || overlap(access.part, Part::ghost)) s.first_slot = k + 1;
  }

  /// Combines open contributions before operation k.
  void combine(std::ptrdiff_t k, DataId id, const std::string& why) {
    State& s = state(id);
    if (!s.partial) return;
    const Reduce op = *std::exchange(s.partial, std::nullopt);
    Side side = Side::host;  // the one that has the contributions
    for_each_part(id, Part::owned | Part::ghost,
                  [&](const Location& location, Part /*part*/, std::size_t /*p*/) { side = location.changed_on; });
    if (shape(id).is_array && !has_ghosts(id)) return;
    if (!shape(id).is_array) {
      if (side == Side::device && ranks_ == 1) return;
      sums.push_back({id, op, s.first_slot, why, copies_to(Side::host, id, Part::all, "the reduction over ranks")});
      set_location(id, Part::all, Side::host, kPull, "the reduction over ranks");
      return;
    }
    s.push = place({.push = true, .op = op, .arrays = {id}, .side = side}, s.first_slot, static_cast<int>(k), why);
    set_location(id, Part::owned, side, kPull, "the push");
  }

  /// Adds an exchange that can start at `slot` and must have ended before operation `latest`; merges it with another if possible.
  /// Returns the number of its group.
  std::size_t place(ExchangeShape exchange, int slot, int latest, std::string reason) {
    const int space = shape(exchange.arrays.front()).space;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      Group& group = groups[g];
      if (group.fixed && slot > group.slot) continue;
      if (group.space != space || group.shape.push != exchange.push || group.shape.op != exchange.op ||
          group.shape.side != exchange.side || slot > group.latest)
        continue;
      if (std::ranges::find(group.shape.arrays, exchange.arrays.front()) != group.shape.arrays.end()) continue;
      group.shape.arrays.push_back(exchange.arrays.front());
      group.slot = std::max(group.slot, slot);
      group.reason += "; " + reason;
      return g;
    }
    groups.push_back({std::move(exchange), space, slot, latest, false, std::move(reason), {}});
    return groups.size() - 1;
  }

  std::span<const DataShape> data_;
  std::span<const TaskShape> tasks_;
  std::span<const Operation> operations_;
  std::vector<State> states_;
  int ranks_;
};

/// Adds nodes in sequence and derives their dependencies: a node waits for the last ones that wrote what it accesses, and for
/// those that read what it writes. Both sides of an array are memories of their own.
class StageBuilder {
 public:
  explicit StageBuilder(std::size_t data) : used_(data) {}

  int add(Node node) {
    stage_.nodes.push_back(std::move(node));
    waits_for_.emplace_back();
    return static_cast<int>(stage_.nodes.size()) - 1;
  }
  void access(int node, DataId data, Part part, bool write, Side side) {
    for (std::size_t p = 0; p < kSingleParts.size(); ++p) {
      if (!overlap(part, kSingleParts[p])) continue;
      note(node, used_[data.index()].parts[2 * p + (side == Side::device ? 1 : 0)], write);
    }
  }
  /// Orders a node after other exchanges of the array: one at a time, be it on this side or on the other.
  void exchange(int node, DataId data) { note(node, used_[data.index()].exchanges, true); }

  [[nodiscard]] Stage build() {
    const std::size_t n = stage_.nodes.size();
    stage_.predecessors.resize(n);
    stage_.first_successor.assign(n + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<int>& list = waits_for_[i];
      std::ranges::sort(list);
      list.erase(std::ranges::unique(list).begin(), list.end());
      std::erase(list, static_cast<int>(i));
      // All that it follows, the start node follows as well; so the communicating thread alone makes it ready.
      if (stage_.nodes[i].kind == Kind::finish) list = {static_cast<int>(i) - 1};
      stage_.predecessors[i] = static_cast<int>(list.size());
      for (const int before : list) ++stage_.first_successor[static_cast<std::size_t>(before) + 1];
    }
    for (std::size_t i = 0; i < n; ++i) stage_.first_successor[i + 1] += stage_.first_successor[i];
    stage_.successors.resize(static_cast<std::size_t>(stage_.first_successor[n]));
    std::vector<int> next(stage_.first_successor.begin(), stage_.first_successor.end() - 1);
    for (std::size_t i = 0; i < n; ++i) {
      const Kind kind = stage_.nodes[i].kind;
      const bool communicates = kind == Kind::start || kind == Kind::all_reduce;
      if (communicates) stage_.communication.push_back(static_cast<int>(i));
      for (const int before : waits_for_[i]) {
        stage_.successors[static_cast<std::size_t>(next[static_cast<std::size_t>(before)]++)] = static_cast<int>(i);
        if (communicates) stage_.nodes[static_cast<std::size_t>(before)].urgent = true;
      }
    }
    return std::move(stage_);
  }

 private:
  struct Use {
    int writer = -1;
    std::vector<int> readers;
  };
  struct DataUse {
    std::array<Use, 2 * kSingleParts.size()> parts;  ///< for each part the host side, the device side
    Use exchanges;
  };
  void note(int node, Use& use, bool write) {
    if (use.writer >= 0) waits_for_.back().push_back(use.writer);
    if (write) {
      for (const int reader : use.readers) waits_for_.back().push_back(reader);
      use = {.writer = node, .readers = {}};
    } else {
      use.readers.push_back(node);
    }
  }

  Stage stage_;
  std::vector<std::vector<int>> waits_for_;
  std::vector<DataUse> used_;
};

[[nodiscard]] std::string names(std::span<const DataShape> data, const std::vector<DataId>& ids) {
  std::string text;
  for (const DataId id : ids) text += (text.empty() ? "" : ", ") + data[id.index()].name;
  return text;
}

[[nodiscard]] int number_of(std::vector<ExchangeShape>& exchanges, const ExchangeShape& shape) {
  const auto found = std::ranges::find(exchanges, shape);
  if (found != exchanges.end()) return static_cast<int>(found - exchanges.begin());
  exchanges.push_back(shape);
  return static_cast<int>(exchanges.size()) - 1;
}

[[nodiscard]] std::string name_of(Part part) {
  std::string text;
  for (const auto& [single, name] :
       {std::pair(Part::owned, "owned"), std::pair(Part::inner, "inner"), std::pair(Part::border, "border"),
        std::pair(Part::ghost, "ghost"), std::pair(Part::boundary, "boundary")}) {
    if (!contains(part, single)) continue;
    text += (text.empty() ? "" : ", ") + std::string(name);
    part = without(part, single);
  }
  return text;
}

void add_copies(StageBuilder& builder, std::span<const DataShape> data, const std::vector<SideCopy>& copies) {
  for (const SideCopy& copy : copies) {
    const DataShape& of = data[copy.data.index()];
    const int node =
        builder.add({.kind = Kind::copy,
                     .index = copy.data.value(),
                     .rows = copy.part,
                     .side = copy.to,
                     .name = fmt::format("copy {}{} to the {}", of.name,
                                         of.is_array ? fmt::format(" ({})", name_of(copy.part)) : "", to_string(copy.to)),
                     .reason = copy.reason});
    const Part part = of.is_array ? copy.part : Part::owned;
    builder.access(node, copy.data, part, false, copy.to == Side::host ? Side::device : Side::host);
    builder.access(node, copy.data, part, true, copy.to);
  }
}

void add_exchange(StageBuilder& builder, std::span<const DataShape> data, const Group& group,
                  std::vector<ExchangeShape>& exchanges) {
  const std::string what = fmt::format("{} {}", group.shape.push ? fmt::format("push {}", to_string(group.shape.op)) : "pull",
                                       names(data, group.shape.arrays));
  const int exchange = number_of(exchanges, group.shape);
  add_copies(builder, data, group.copies);
  for (const Kind kind : {Kind::start, Kind::finish}) {
    const int node = builder.add({.kind = kind,
                                  .index = exchange,
                                  .op = group.shape.op,
                                  .side = group.shape.side,
                                  .name = (kind == Kind::start ? "start " : "finish ") + what,
                                  .reason = group.reason});
    for (const DataId id : group.shape.arrays) {
      builder.access(node, id, data[id.index()].sent, group.shape.push, group.shape.side);
      builder.access(node, id, Part::ghost, true, group.shape.side);
      builder.exchange(node, id);
    }
  }
}

[[nodiscard]] Stage assemble(std::span<const DataShape> data, std::span<const TaskShape> tasks,
                             std::span<const Operation> operations, const Communication& communication,
                             std::vector<ExchangeShape>& exchanges) {
  StageBuilder builder(data.size());
  auto group = communication.groups.begin();
  auto next_sum = communication.sums.begin();
  const auto at_slot = [&](int slot) {
    for (; group != communication.groups.end() && group->slot == slot; ++group) add_exchange(builder, data, *group, exchanges);
    for (; next_sum != communication.sums.end() && next_sum->slot == slot; ++next_sum) {
      const Sum& sum = *next_sum;
      add_copies(builder, data, sum.copies);
      const int node = builder.add({.kind = Kind::all_reduce,
                                    .index = sum.data.value(),
                                    .op = sum.op,
                                    .name = fmt::format("{} of {} over ranks", to_string(sum.op), data[sum.data.index()].name),
                                    .reason = sum.reason});
      builder.access(node, sum.data, Part::owned, true, Side::host);
    }
  };
  for (int k = 0; k < std::ssize(operations); ++k) {
    const Operation& operation = operations[static_cast<std::size_t>(k)];
    const TaskShape& task = tasks[static_cast<std::size_t>(operation.task)];
    at_slot(k);
    if (!communication.neutral_before.empty()) {
      for (const Access& access : communication.neutral_before[static_cast<std::size_t>(k)]) {
        const DataShape& of = data[access.data.index()];
        const int node = builder.add({.kind = of.is_array ? Kind::neutralize : Kind::reset,
                                      .index = access.data.value(),
                                      .op = access.op,
                                      .side = operation.side,
                                      .name = of.is_array ? "neutralize ghosts of " + of.name : "reset " + of.name,
                                      .reason = fmt::format("'{}' begins a reduction by {}", task.name, to_string(access.op))});
        builder.access(node, access.data, of.is_array ? Part::ghost : Part::owned, true, operation.side);
      }
    }
    add_copies(builder, data, communication.copies_before[static_cast<std::size_t>(k)]);
    const int node = builder.add(
        {.index = operation.task, .rows = operation.rows, .side = operation.side, .name = name_of(task, operation.rows)});
    for (const Access& access : operation.accesses) {
      const Part part = data[access.data.index()].is_array ? access.part : Part::owned;
      builder.access(node, access.data, part, changes(access.mode), operation.side);
    }
  }
  at_slot(static_cast<int>(std::ssize(operations)));
  return builder.build();
}

}  // namespace

std::span<const int> Stage::successors_of(int node) const {
  const auto first = static_cast<std::size_t>(first_successor[static_cast<std::size_t>(node)]);
  const auto last = static_cast<std::size_t>(first_successor[static_cast<std::size_t>(node) + 1]);
  return std::span(successors).subspan(first, last - first);
}

const char* to_string(Reduce op) {
  switch (op) {
    case Reduce::insert:
      return "insert";
    case Reduce::add:
      return "sum";
    case Reduce::min:
      return "minimum";
    case Reduce::max:
      return "maximum";
  }
  return "";
}

const char* to_string(Side side) { return side == Side::host ? "host" : "device"; }

std::uint8_t Residence::of(Part part) const {
  return sides[static_cast<std::size_t>(std::ranges::find(kSingleParts, part) - kSingleParts.begin())];
}

Schedule compile(std::span<const DataShape> data, std::span<const TaskShape> tasks, int ranks) {
  const std::vector<Operation> list = operations(data, tasks);
  Schedule schedule;
  const Communication first(data, tasks, list, std::vector<State>(data.size()), ranks);
  schedule.first = assemble(data, tasks, list, first, schedule.exchanges);
  const Communication repeated(data, tasks, list, first.states(), ranks);
  schedule.repeated = assemble(data, tasks, list, repeated, schedule.exchanges);
  schedule.begin = first.begin;
  for (const State& state : repeated.states()) {
    schedule.end.emplace_back();
    for (std::size_t p = 0; p < kSingleParts.size(); ++p) schedule.end.back().sides[p] = state.where[p].sides;
  }
  return schedule;
}

}  // namespace weft::task
