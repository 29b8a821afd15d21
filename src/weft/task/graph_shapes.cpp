#include "weft/task/graph_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "weft/array/ghost_plan.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"

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

namespace {

/// Returns, for each single part of an array with subsets, 1 if this rank has rows of it, and after these, 1 if it sends some.
[[nodiscard]] std::vector<std::int32_t> present_and_sent(const Datum& datum) {
  const std::size_t parts = datum.shape.parts();
  std::vector<std::int32_t> flags(2 * parts);
  std::vector<std::uint8_t> part_of_row(datum.array->rows());
  for (std::size_t p = 0; p < parts; ++p) {
    for (const IdRange<LocalRow> rows : datum.rows.of(single_part(p))) {
      flags[p] = 1;
      std::fill_n(part_of_row.begin() + rows.first().value(), rows.size(), static_cast<std::uint8_t>(p));
    }
  }
  for (const GhostPlan::Neighbour& neighbour : datum.array->plan().neighbours()) {
    for (const LocalRow row : neighbour.send_rows) flags[parts + part_of_row[row.index()]] = 1;
  }
  return flags;
}

/// Sets what subsets change in the shapes and rows of data. @collective, without communication if there are no subsets.
void divide_by_subsets(const Communicator& comm, std::vector<Datum>& data) {
  std::vector<Datum*> arrays;
  std::vector<std::string> names;
  for (Datum& datum : data) {
    if (datum.subsets.empty()) continue;
    arrays.push_back(&datum);
    names.push_back(datum.name);
  }
  if (arrays.empty()) return;
  agreed(comm, [&] { std::ranges::for_each(data, expect_possible_subsets); });
  std::vector<RowSets> sets;
  std::vector<const RowSets*> of_arrays;
  for (const Datum* datum : arrays) sets.push_back(row_sets(*datum->array, datum->inner_rows, datum->subsets));
  for (const RowSets& of : sets) of_arrays.push_back(&of);
  const std::vector<std::vector<RowSetKey>> keys = agreed_keys(comm, of_arrays, names);
  std::vector<std::int32_t> flags;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    set_subsets(arrays[a]->shape, arrays[a]->subsets, keys[a]);
    arrays[a]->rows = PartRows(sets[a], keys[a]);
    const std::vector<std::int32_t> here = present_and_sent(*arrays[a]);
    flags.insert(flags.end(), here.begin(), here.end());
  }
  comm.max(std::span(flags));
  std::size_t at = 0;
  for (Datum* const datum : arrays) {
    DataShape& shape = datum->shape;
    shape.present = shape.sent = Part::none;
    for (std::size_t p = 0; p < shape.parts(); ++p) {
      if (flags[at + p] != 0) shape.present = shape.present | single_part(p);
      if (flags[at + shape.parts() + p] != 0) shape.sent = shape.sent | single_part(p);
    }
    at += 2 * shape.parts();
  }
}

}  // namespace

void expect_alive(const Datum& datum) {
  if (!datum.array || !datum.array->destroyed()) return;
  throw ContractError(fmt::format("array '{}' was destroyed", datum.name),
                      "keep arrays as long as the graphs and plans that have them");
}

void expect_possible_subsets(const Datum& datum) {
  for (const Subset& subset : datum.subsets) {
    if (subset.problem.empty()) continue;
    throw ContractError(fmt::format("subset '{}' of array '{}': {}", subset.name, datum.name, subset.problem),
                        "pass owned and boundary rows of this rank, ascending and each once");
  }
}

void set_shapes(const Communicator& comm, std::vector<Datum>& data) {
  const std::vector<int> space = spaces(data);
  std::vector<std::int32_t> flags;  // for each array: some inner row is sent; there are inner, border, ghost, boundary rows;
                                    // the array has no memory on the host
  constexpr std::size_t kFlags = 6;
  for (std::size_t d = 0; d < data.size(); ++d) {
    Datum& datum = data[d];
    datum.shape = {.name = datum.name,
                   .is_array = datum.array.has_value(),
                   .is_memory = datum.is_memory,
                   .space = space[d],
                   .on_device = datum.on_device() || datum.is_memory};
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
  for (std::size_t i = 0; i < data.size(); ++i) {
    DataShape& shape = data[i].shape;
    const auto of_array = std::span(flags).subspan(kFlags * i, kFlags);
    shape.sent = shape.is_array && of_array[0] == 0 ? Part::border : Part::owned;
    shape.has_inner = of_array[1] != 0;
    shape.on_host = of_array[5] == 0;
    shape.present = Part::none;
    for (std::size_t p = 0; p < kSingleParts.size(); ++p) {
      if (of_array[1 + p] != 0) shape.present = shape.present | kSingleParts[p];
    }
    if (data[i].array && data[i].subsets.empty()) data[i].rows = PartRows(row_sets(*data[i].array, data[i].inner_rows, {}), {});
  }
  divide_by_subsets(comm, data);
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
