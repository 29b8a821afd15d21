#include "weft/task/graph_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "weft/array/ghost_plan.hpp"
#include "weft/base/error.hpp"

namespace weft::task {

void set_rows(const std::vector<Datum>& data, Task& task) {
  if (!task.shape.divisible) return;
  const Datum* first = nullptr;
  const auto consider = [&](bool writes) {
    for (const Access& access : task.shape.accesses) {
      const Datum& datum = data[access.data.index()];
      if (!datum.array || (access.mode != Mode::read) != writes) continue;
      const std::int32_t rows = datum.array->plan().owned_rows();
      if (first == nullptr) {
        first = &datum;
        task.owned = {LocalRow(0), LocalRow(rows)};
        task.inner = {LocalRow(0), LocalRow(datum.inner_rows)};
      } else if (writes && (rows != task.owned.size() || datum.inner_rows != task.inner.size())) {
        throw ContractError(
            fmt::format("task '{}' writes '{}' with {} owned rows, {} of them inner, and '{}' with {} and {}", task.shape.name,
                        first->name, task.owned.size(), task.inner.size(), datum.name, rows, datum.inner_rows),
            "divide it into a task for each, or give it a body without a range of rows");
      }
    }
  };
  consider(true);
  if (first == nullptr) consider(false);
  if (first == nullptr) {
    throw ContractError(fmt::format("task '{}' has a body that takes rows, but accesses no array", task.shape.name),
                        "give it a body without a range of rows");
  }
}

std::vector<int> spaces(std::span<const Datum> data) {
  std::vector<GhostPlan> plans;
  std::vector<int> list;
  for (const Datum& datum : data) {
    list.push_back(0);
    if (!datum.array) continue;
    const auto found = std::ranges::find_if(plans, [&](const GhostPlan& other) { return other.same_as(datum.array->plan()); });
    list.back() = static_cast<int>(found - plans.begin());
    if (found == plans.end()) plans.push_back(datum.array->plan());
  }
  return list;
}

std::vector<DataShape> shapes(const Communicator& comm, const std::vector<Datum>& data) {
  const std::vector<int> space = spaces(data);
  std::vector<std::int32_t> flags;  // for each array: some inner row is sent; there are inner, border, ghost, boundary rows;
                                    // the array has no memory on the host
  constexpr std::size_t kFlags = 6;
  std::vector<DataShape> list;
  for (const Datum& datum : data) {
    list.push_back({.name = datum.name,
                    .is_array = datum.array.has_value(),
                    .is_memory = datum.is_memory,
                    .space = space[list.size()],
                    .on_device = datum.on_device() || datum.is_memory});
    std::int32_t inner_is_sent = 0, border = 0, ghosts = 0, boundary = 0, no_host = 0;
    if (datum.array) {
      const GhostPlan& plan = datum.array->plan();
      for (const GhostPlan::Neighbour& neighbour : plan.neighbours()) {
        for (const LocalRow row : neighbour.send_rows) inner_is_sent |= static_cast<std::int32_t>(row.value() < datum.inner_rows);
      }
      border = plan.owned_rows() - datum.inner_rows;
      ghosts = plan.ghost_rows();
      boundary = datum.array->rows() - plan.rows();
      no_host = static_cast<std::int32_t>(!datum.array->allocated(Side::host));
    }
    if (datum.is_memory) no_host = 1;
    flags.insert(flags.end(), {inner_is_sent, datum.inner_rows, border, ghosts, boundary, no_host});
  }
  comm.max(std::span(flags));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto of_array = std::span(flags).subspan(kFlags * i, kFlags);
    list[i].sent = list[i].is_array && of_array[0] == 0 ? Part::border : Part::owned;
    list[i].has_inner = of_array[1] != 0;
    list[i].on_host = of_array[5] == 0;
    list[i].present = Part::none;
    for (std::size_t p = 0; p < kSingleParts.size(); ++p) {
      if (of_array[1 + p] != 0) list[i].present = list[i].present | kSingleParts[p];
    }
  }
  return list;
}

std::vector<TaskShape> shapes(const std::vector<Datum>& data, const std::vector<Task>& tasks) {
  const bool has_device = std::ranges::any_of(data, &Datum::on_device);
  std::vector<TaskShape> list;
  for (const Task& task : tasks) {
    if (task.shape.side == Side::device && !has_device) {
      throw ContractError(
          fmt::format("task '{}' executes on a device, but no data of the graph have a device side", task.shape.name),
          "make its arrays with Backend::cuda (in a build with CUDA) or Backend::mirror");
    }
    list.push_back(task.shape);
  }
  return list;
}

}  // namespace weft::task
