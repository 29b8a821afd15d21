#include "weft/task/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>
#include <utility>

#include "weft/task/inserted_communication.hpp"
#include "weft/task/operation.hpp"
#include "weft/task/part_text.hpp"
#include "weft/task/stage_builder.hpp"

namespace weft::task {
namespace {

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

void add_copies(StageBuilder& builder, std::span<const DataShape> data, const std::vector<SideCopy>& copies) {
  for (const SideCopy& copy : copies) {
    const DataShape& of = data[copy.data.index()];
    const int node =
        builder.add({.kind = Kind::copy,
                     .index = copy.data.value(),
                     .rows = copy.part,
                     .side = copy.to,
                     .every = copy.every,
                     .name = fmt::format("copy {}{} to the {}", of.name,
                                         of.is_array ? fmt::format(" ({})", part_text(of, copy.part)) : "", to_string(copy.to)),
                     .reason = copy.reason});
    const Part part = of.is_array ? copy.part : Part::owned;
    builder.access(node, copy.data, part, false, copy.to == Side::host ? Side::device : Side::host);
    builder.access(node, copy.data, part, true, copy.to);
  }
}

void add_exchange(StageBuilder& builder, std::span<const DataShape> data, const PlacedExchange& placed,
                  std::vector<ExchangeShape>& exchanges) {
  const std::string what = fmt::format("{} {}", placed.shape.push ? fmt::format("push {}", to_string(placed.shape.op)) : "pull",
                                       names(data, placed.shape.arrays));
  const int exchange = number_of(exchanges, placed.shape);
  add_copies(builder, data, placed.copies);
  for (const Kind kind : {Kind::start, Kind::finish}) {
    const int node = builder.add({.kind = kind,
                                  .index = exchange,
                                  .op = placed.shape.op,
                                  .side = placed.shape.side,
                                  .name = (kind == Kind::start ? "start " : "finish ") + what,
                                  .reason = placed.reason});
    for (const DataId id : placed.shape.arrays) {
      builder.access(node, id, data[id.index()].sent, placed.shape.push, placed.shape.side);
      builder.access(node, id, Part::ghost, true, placed.shape.side);
      builder.exchange(node, id);
    }
  }
}

[[nodiscard]] Stage assemble(std::span<const DataShape> data, std::span<const TaskShape> tasks,
                             std::span<const Operation> operations, const InsertedCommunication& communication,
                             std::vector<ExchangeShape>& exchanges) {
  StageBuilder builder(data);
  auto exchange = communication.exchanges.begin();
  auto reduction = communication.reductions.begin();
  const auto at_slot = [&](int slot) {
    for (; exchange != communication.exchanges.end() && exchange->slot == slot; ++exchange)
      add_exchange(builder, data, *exchange, exchanges);
    for (; reduction != communication.reductions.end() && reduction->slot == slot; ++reduction) {
      add_copies(builder, data, reduction->copies);
      const int node =
          builder.add({.kind = Kind::all_reduce,
                       .index = reduction->data.value(),
                       .op = reduction->op,
                       .name = fmt::format("{} of {} over ranks", to_string(reduction->op), data[reduction->data.index()].name),
                       .reason = reduction->reason});
      builder.access(node, reduction->data, Part::owned, true, Side::host);
    }
  };
  for (int k = 0; k < std::ssize(operations); ++k) {
    const Operation& operation = operations[k];
    const TaskShape& task = tasks[operation.task];
    at_slot(k);
    if (!communication.neutral_before.empty()) {
      for (const Access& access : communication.neutral_before[k]) {
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
    add_copies(builder, data, communication.copies_before[k]);
    const int node = builder.add({.index = operation.task,
                                  .rows = operation.rows,
                                  .side = operation.side,
                                  .stream = task.stream,
                                  .cost = operation.rows == Part::border ? 0 : task.cost,
                                  .name = name_of(task, operation.rows)});
    builder.name_subsets(node, subset_text(data, task));
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
  const int first = first_successor[node];
  return std::span(successors).subspan(first, first_successor[node + 1] - first);
}

std::string Stage::subsets_of(int node) const { return subsets.empty() ? "" : subsets[node]; }

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

Part DataShape::refined(Part part) const {
  Part rows = part & Part::all;
  for (std::size_t i = 0; i < subset_parts.size(); ++i) {
    if (overlap(part, subset_parts[i])) rows = rows | single_part(kSingleParts.size() + i);
  }
  return rows;
}

const SubsetShape* DataShape::find(SubsetId id) const {
  const auto found = std::ranges::find(subsets, id, &SubsetShape::id);
  return found == subsets.end() ? nullptr : &*found;
}

std::uint8_t Residence::of(Part part) const { return sides.at(std::countr_zero(static_cast<std::uint64_t>(part))); }

Schedule compile(std::span<const DataShape> data, std::span<const TaskShape> tasks, int ranks) {
  const std::vector<Operation> list = operations(data, tasks);
  Schedule schedule;
  const InsertedCommunication first(data, tasks, list, unknown_states(data), ranks);
  schedule.first = assemble(data, tasks, list, first, schedule.exchanges);
  const InsertedCommunication repeated(data, tasks, list, first.states(), ranks);
  schedule.repeated = assemble(data, tasks, list, repeated, schedule.exchanges);
  schedule.begin = first.begin;
  for (const DataState& state : repeated.states()) {
    schedule.end.emplace_back();
    for (const DataState::Location& location : state.where) schedule.end.back().sides.push_back(location.sides);
  }
  for (const DataShape& of : data) {
    for (const SubsetShape& subset : of.subsets) schedule.subsets.push_back(subset_line(of, subset));
  }
  return schedule;
}

}  // namespace weft::task
