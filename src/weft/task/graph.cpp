#include "weft/task/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/task/graph_body.hpp"
#include "weft/task/graph_shapes.hpp"
#include "weft/task/operation.hpp"

namespace weft::task {
namespace {

constexpr std::array kModeNames{"reads", "writes", "reads and writes", "reduces"};
constexpr std::array kPlaceNames{" on a device", " on a device, urgent", " on a device, aside"};

/// Returns the name of the subset of an access. Numbers of subsets need not be equal on all ranks.
[[nodiscard]] std::string subset_name(const std::vector<Datum>& data, const Access& access) {
  for (const Datum& datum : data) {
    const auto found = std::ranges::find(datum.subsets, access.subset, &Subset::id);
    if (found != datum.subsets.end()) return found->name;
  }
  return "?";
}

/// Describes the options of compile() that ranks must have in common, in a line. The number of threads may differ.
[[nodiscard]] std::string options_text(Check check, Transport transport, Launch launch) {
  return fmt::format("check of accesses '{}', transport '{}', launch '{}'\n", check == Check::none ? "none" : "accesses",
                     row_of(transport).name, launch == Launch::as_graphs ? "as_graphs" : "by_bodies");
}

/// Describes what ranks must have recorded alike, one line per array, number and task.
/// @param options  the first line.
[[nodiscard]] std::string description(std::string options, const std::vector<Datum>& data, const std::vector<Task>& tasks) {
  std::string text = std::move(options);
  for (const Datum& datum : data) {
    if (datum.array) {
      text += fmt::format("array '{}', {}, of plan {}\n", datum.name, datum.array->description(), datum.array->plan().serial());
      for (const Subset& subset : datum.subsets) text += fmt::format("subset '{}' of array '{}'\n", subset.name, datum.name);
    } else if (datum.is_memory) {
      text += fmt::format("memory '{}'\n", datum.name);
    } else {
      text += fmt::format("number '{}'{}\n", datum.name, datum.on_device() ? " with a device side" : "");
    }
  }
  for (const Task& task : tasks) {
    text += fmt::format("task '{}'{}{}{}:", task.shape.name, task.shape.divisible ? " by rows" : "",
                        task.writes ? fmt::format(" for I/O in every {}-th iteration", task.shape.every) : "",
                        task.shape.side == Side::host ? "" : kPlaceNames.at(static_cast<std::size_t>(task.shape.stream)));
    for (const Access& access : task.shape.accesses) {
      const bool known = access.data.valid() && access.data.index() < data.size();
      text += fmt::format(" {} '{}' ({}, {})", kModeNames[static_cast<std::size_t>(access.mode)],
                          known ? data[access.data.index()].name : "?", static_cast<int>(access.part), to_string(access.op));
      if (access.subset.valid()) text += fmt::format(" {} '{}'", access.outside ? "without" : "in", subset_name(data, access));
    }
    text += '\n';
  }
  return text;
}

/// @throws CommError on every rank, with the first line that differs, unless the text is the same on all. @collective
void expect_same_program(const Communicator& comm, const std::string& text) {
  const std::uint64_t hash = hash_text(text);
  if (comm.min(hash) == comm.max(hash)) return;
  std::string of_root = text;
  comm.broadcast(of_root);
  agreed(comm, [&] {
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(text, of_root).in1 - text.begin());
    if (at == text.size() && at == of_root.size()) return;
    const auto line = [at](const std::string& of) {
      const std::size_t before = at == 0 ? std::string::npos : of.rfind('\n', at - 1);
      const std::size_t begin = before == std::string::npos ? 0 : before + 1;
      return begin >= of.size() ? std::string("nothing more") : of.substr(begin, of.find('\n', begin) - begin);
    };
    if (at < text.find('\n')) {
      throw CommError(fmt::format("rank {} compiles a graph with other options than rank 0: {} instead of {}",
                                  comm.rank().value(), line(text), line(of_root)),
                      "pass the same options but the number of threads to compile() on every rank");
    }
    throw CommError(fmt::format("rank {} recorded another graph than rank 0: {} instead of {}", comm.rank().value(), line(text),
                                line(of_root)),
                    "record the same data and tasks in the same order on every rank");
  });
}

}  // namespace

Graph::Graph(Communicator comm) : body_(new Body{.comm = std::move(comm)}) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

DataId Graph::add_array(std::string name, PairRef array, std::int32_t inner_rows) {
  expect_same_device(name, array.backend());
  if (array.one_memory() && array.backend() != Backend::host) {
    throw ContractError(fmt::format("the host and the device share the memory of array '{}'", name), "use Backend::cuda");
  }
  if (inner_rows < 0 || inner_rows > array.plan().owned_rows()) {
    throw ContractError(
        fmt::format("array '{}' has {} owned rows, but {} inner rows are given", name, array.plan().owned_rows(), inner_rows));
  }
  for (const Datum& other : body_->data) {
    if (other.array && other.array->same_as(array)) {
      throw ContractError(fmt::format("array '{}' was added before as '{}'", name, other.name),
                          "use the id of the first addition");
    }
  }
  body_->data.push_back({.name = std::move(name), .array = std::move(array), .inner_rows = inner_rows});
  return DataId(std::ssize(body_->data) - 1);
}

void Graph::expect_same_device(const std::string& name, Backend backend) const {
  if (backend == Backend::host) return;
  for (const Datum& other : body_->data) {
    if (!other.on_device() || is_cuda(other.backend()) == is_cuda(backend)) continue;
    throw ContractError(fmt::format("'{}' is in {} memory, but '{}' in {} memory", name, to_string(backend), other.name,
                                    to_string(other.backend())),
                        "use one kind of device in a graph");
  }
}

DataId Graph::add_number(std::string name, HostDeviceVector<double>& number) {
  expect_same_device(name, number.backend());
  if (number.size() != 1) {
    throw ContractError(fmt::format("the number '{}' has {} elements", name, number.size()), "use a vector of one element");
  }
  if (number.backend() == Backend::host) return add_number(std::move(name), number[0]);
  if (sides_share_memory(number.backend())) {
    throw ContractError(fmt::format("the host and the device share the memory of number '{}'", name), "use Backend::cuda");
  }
  body_->data.push_back({.name = std::move(name), .on_both = &number});
  return DataId(std::ssize(body_->data) - 1);
}

DataId Graph::add_number(std::string name, double& number) {
  body_->data.push_back({.name = std::move(name), .number = &number});
  return DataId(std::ssize(body_->data) - 1);
}

DataId Graph::add_memory(std::string name) {
  body_->data.push_back({.name = std::move(name), .is_memory = true});
  return DataId(std::ssize(body_->data) - 1);
}

DataId Graph::add_memory(std::string name, std::span<std::byte> memory, std::size_t width) {
  body_->data.push_back({.name = std::move(name), .is_memory = true, .memory = memory, .memory_width = width});
  return DataId(std::ssize(body_->data) - 1);
}

void Graph::add_task(std::string name, std::vector<Access> accesses, std::function<void()> body) {
  body_->tasks.push_back({.shape = {std::move(name), std::move(accesses), false}, .whole = std::move(body)});
}

void Graph::add_task(std::string name, std::vector<Access> accesses, std::function<void(Rows)> body) {
  body_->tasks.push_back({.shape = {std::move(name), std::move(accesses), true}, .divided = std::move(body)});
}

void Graph::add_task(std::string name, std::vector<Access> accesses, DevicePlace place, std::function<void(Stream&)> body) {
  body_->tasks.push_back(
      {.shape = {std::move(name), std::move(accesses), false, Side::device, place.stream}, .whole_on_device = std::move(body)});
}

void Graph::add_task(std::string name, std::vector<Access> accesses, DevicePlace place, std::function<void(Stream&, Rows)> body) {
  body_->tasks.push_back(
      {.shape = {std::move(name), std::move(accesses), true, Side::device, place.stream}, .divided_on_device = std::move(body)});
}

void Graph::add_task(std::string name, std::vector<Access> accesses, IoPlace place, std::function<void(const Snapshot&)> body) {
  if (place.every < 1) {
    throw ContractError(fmt::format("task '{}' writes in every {}-th iteration", name, place.every), "use 1 or more");
  }
  if (std::ranges::any_of(accesses, [](const Access& access) { return access.mode != Mode::read; })) {
    throw ContractError(fmt::format("the I/O task '{}' changes data of the graph", name), "state reads() alone");
  }
  body_->tasks.push_back(
      {.shape = {.name = std::move(name), .accesses = std::move(accesses), .every = place.every}, .writes = std::move(body)});
}

void Graph::set_cost(const std::string& task, double seconds) {
  if (!(seconds > 0) || seconds > std::numeric_limits<double>::max()) {
    throw ContractError(fmt::format("the cost of task '{}' is {} s", task, seconds), "pass a time above 0");
  }
  set_property(task, "cost", [&](Task& of) { of.shape.cost = seconds; });
}

void Graph::set_count(const std::string& task, const OperationCount& count) {
  for (const double number : {count.flops, count.bytes}) {
    if (number >= 0 && number <= std::numeric_limits<double>::max()) continue;
    throw ContractError(fmt::format("the count of task '{}' is {}", task, number), "pass a number of at least 0");
  }
  set_property(task, "count", [&](Task& of) { of.count = count; });
}

/// Calls set() with each task of a name.
template <class Set>
void Graph::set_property(const std::string& task, const char* name, const Set& set) {
  bool found = false;
  for (Task& other : body_->tasks) {
    if (other.shape.name != task) continue;
    set(other);
    found = true;
  }
  if (!found) throw ContractError(fmt::format("the graph has no task '{}', which is given a {}", task, name), "add it before");
}

Plan Graph::compile(int threads, Check check, Transport transport, Launch launch) const {
  const Communicator& comm = body_->comm;
  std::vector<Task> tasks = body_->tasks;
  std::vector<Datum> data = body_->data;
  expect_same_program(comm, description(options_text(check, transport, launch), data, tasks));
  agreed(comm, [&] { std::ranges::for_each(data, expect_alive); });
  set_shapes(comm, data);
  Schedule schedule = agreed(comm, [&] {
    if (threads < 1) throw ContractError(fmt::format("{} threads were requested", threads), "request at least 1");
    std::vector<DataShape> of_data;
    for (const Datum& datum : data) {
      of_data.push_back(datum.shape);
      if (check == Check::none || !datum.is_memory || datum.memory) continue;
      throw ContractError(
          fmt::format("accesses to the memory '{}' cannot be checked, because its address is unknown", datum.name),
          "pass its address to add_memory(name, memory), or compile without Check::accesses");
    }
    Schedule compiled = task::compile(of_data, shapes(data, tasks), comm.size());
    for (Task& task : tasks) {
      set_rows(data, task);
      for (Access& access : task.shape.accesses) access = refined(of_data[access.data.index()], access);
    }
    return compiled;
  });
  return Plan(std::make_unique<Plan::Body>(comm, std::move(data), std::move(tasks), std::move(schedule), threads, check,
                                           transport, launch));
}

}  // namespace weft::task
