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
    if (changes(access.mode) && access.part != Part::owned) {
      reject(task, shape, "a task that is divided by rows writes all owned rows and no others",
             "give it a body without a range of rows");
    }
  }
}
}  // namespace

std::vector<Operation> operations(std::span<const DataShape> data, std::span<const TaskShape> tasks) {
  std::vector<Operation> list;
  for (int t = 0; t < std::ssize(tasks); ++t) {
    const TaskShape& task = tasks[t];
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

std::string name_of(const TaskShape& task, Part rows) {
  if (rows == Part::owned) return task.name;
  return task.name + (rows == Part::inner ? " (inner)" : " (border)");
}

}  // namespace weft::task
