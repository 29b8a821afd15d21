#include "weft/task/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "weft/base/error.hpp"

namespace weft::task {
namespace {

[[noreturn]] void reject(const TaskShape& task, const DataShape& data, const std::string& problem, const std::string& remedy) {
  throw ContractError(fmt::format("task '{}' and '{}': {}", task.name, data.name, problem), remedy);
}

/// Checks an access to a subset.
void check_subset(std::span<const DataShape> data, const TaskShape& task, const Access& access) {
  const DataShape& shape = data[access.data.index()];
  if (!access.subset.valid()) {
    if (access.outside) reject(task, shape, "an access is to the rows outside of no subset", "pass an id of add_subset()");
    return;
  }
  if (shape.find(access.subset) == nullptr) {
    for (const DataShape& other : data) {
      if (const SubsetShape* const subset = other.find(access.subset)) {
        reject(task, shape, fmt::format("the subset '{}' is one of '{}'", subset->name, other.name),
               "add a subset of these data, too");
      }
    }
    reject(task, shape, "an access is to a subset that the graph does not have",
           "use the ids that add_subset() of this graph returned");
  }
  if (access.mode == Mode::reduce) {
    reject(task, shape, "contributions to a subset cannot be combined separately", "reduce into the array");
  }
}

/// Returns whether a task may access an array by both: in a subset, and there or elsewhere.
[[nodiscard]] bool together(const TaskShape& task, const Access& a, const Access& b) {
  if (!a.subset.valid() && !b.subset.valid()) return false;
  return !task.divisible || (!changes(a.mode) && !changes(b.mode));
}

void check(std::span<const DataShape> data, const TaskShape& task) {
  for (std::size_t i = 0; i < task.accesses.size(); ++i) {
    const Access& access = task.accesses[i];
    if (!access.data.valid() || access.data.index() >= data.size()) {
      throw ContractError(fmt::format("access {} of task '{}' is to data that the graph does not have", i, task.name),
                          "use the ids that add_array() and add_number() of this graph returned");
    }
    const DataShape& shape = data[access.data.index()];
    check_subset(data, task, access);
    if (access.part == Part::none) reject(task, shape, "no rows are accessed", "name at least one part, or omit the access");
    if (task.side == Side::device && !shape.on_device) {
      reject(task, shape, "a task on a device accesses data without a device side",
             shape.is_array ? "make the array with Backend::cuda, or execute the task on the host"
                            : "add a HostDeviceVector of one element as the number");
    }
    if (task.side == Side::host && !shape.on_host) {
      if (shape.is_memory) reject(task, shape, "a task on the host accesses memory of a device", "execute the task on(device)");
      reject(task, shape, "a task on the host accesses an array that has no memory there",
             "execute the task on(device), or call to_host() before the graph is compiled");
    }
    if (access.mode == Mode::reduce && shape.is_memory) {
      reject(task, shape, "contributions to memory of which only accesses are known cannot be combined",
             "reduce into an array or a number");
    }
    if (access.mode == Mode::reduce && access.op == Reduce::insert) {
      reject(task, shape, "insert is no reduction of contributions", "use add, min or max");
    }
    for (std::size_t j = 0; j < i; ++j) {
      const Access& other = task.accesses[j];
      if (other.data != access.data) continue;
      if (other.mode == Mode::reduce || access.mode == Mode::reduce) {
        reject(task, shape, "is reduced and accessed otherwise, and a reduction begins with the neutral value",
               "access it otherwise in another task");
      }
      if (together(task, access, other)) continue;
      if (task.divisible || changes(other.mode) == changes(access.mode)) {
        reject(task, shape, "is listed twice", "use reads_writes(), or give the task a body without a range of rows");
      }
    }
    if (task.divisible && !shape.is_array && access.mode == Mode::write) {
      reject(task, shape, "a task that is divided by rows overwrites a number in each of its parts",
             "use reduces(), or give it a body without a range of rows");
    }
    if (!task.divisible || !shape.is_array) continue;
    if (access.mode == Mode::reduce) {
      reject(task, shape, "a task that is divided by rows cannot reduce into ghost rows",
             "give it a body without a range of rows");
    }
    if (changes(access.mode) && (access.part != Part::owned || access.subset.valid())) {
      reject(task, shape, "a task that is divided by rows writes all owned rows and no others",
             "give it a body without a range of rows");
    }
  }
}
}  // namespace

Access refined(const DataShape& shape, Access access) {
  if (!shape.is_array) return access;
  access.part = shape.refined(access.part);
  if (access.subset.valid()) {
    const Part rows = shape.find(access.subset)->rows;
    access.part = access.outside ? without(access.part, rows) : rows;
  }
  access.subset = SubsetId::invalid();
  access.outside = false;
  return access;
}

std::vector<Operation> operations(std::span<const DataShape> data, std::span<const TaskShape> tasks) {
  std::vector<Operation> list;
  for (int t = 0; t < std::ssize(tasks); ++t) {
    const TaskShape& task = tasks[t];
    check(data, task);
    const bool divided = task.divisible && std::ranges::any_of(task.accesses, [&](const Access& a) {
                           return changes(a.mode) && data[a.data.index()].is_array && data[a.data.index()].has_inner;
                         });
    std::vector<Access> accesses;
    for (const Access& access : task.accesses) accesses.push_back(refined(data[access.data.index()], access));
    std::erase_if(accesses, [](const Access& access) { return access.part == Part::none; });  // a subset without rows
    if (!divided) {
      list.push_back({t, Part::owned, std::move(accesses), task.side});
      continue;
    }
    for (const Part half : {Part::inner, Part::border}) {
      Operation operation{t, half, {}, task.side};
      for (Access access : accesses) {
        if (const DataShape& shape = data[access.data.index()]; shape.is_array) {
          if (changes(access.mode)) access.part = access.part & shape.refined(half);
          if (!changes(access.mode) && half == Part::inner) access.part = without(access.part, Part::ghost);
        }
        if (access.part != Part::none) operation.accesses.push_back(access);
      }
      list.push_back(std::move(operation));
    }
  }
  return list;
}

std::string name_of(const TaskShape& task, Part rows) {
  if (rows == Part::owned) return task.name;
  return task.name + (rows == Part::inner ? " (inner)" : " (border)");
}

}  // namespace weft::task
