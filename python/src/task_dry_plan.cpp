// weft.task.DryPlan.
#include "task_dry_plan.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "weft/task/dry_plan.hpp"
#include "weft/task/schedule_text.hpp"

#include "any_array.hpp"
#include "bindings.hpp"

namespace weft::python {
namespace {

using MessagesAndBytes = std::pair<std::int64_t, std::int64_t>;

[[nodiscard]] MessagesAndBytes pair_of(const Traffic& traffic) { return {traffic.messages, traffic.bytes}; }

}  // namespace

task::PretendedRows pretended_rows(const task::Graph& graph, task::DataId array, const PretendedFields& fields) {
  const auto& [owned, inner, boundary, images, inner_is_sent, others_have_inner, others_have_ghosts, neighbours, sets] = fields;
  task::PretendedRows rows{.owned = owned,
                           .inner = inner,
                           .boundary = boundary,
                           .images = images,
                           .inner_is_sent = inner_is_sent,
                           .others_have_inner = others_have_inner,
                           .others_have_ghosts = others_have_ghosts};
  for (const auto& [rank, sent, ghosts] : neighbours) {
    // A number that does not fit becomes one that no rank has.
    const std::int64_t number = std::min<std::int64_t>(rank, std::numeric_limits<std::int32_t>::max());
    rows.neighbours.push_back({Rank(static_cast<int>(number)), sent, ghosts});
  }
  for (const auto& [part, subsets, sent] : sets) {
    task::PretendedRows::InSubsets& set = rows.in_subsets.emplace_back();
    set.part = named(kParts, part);
    for (const std::string& name : subsets) set.subsets.push_back(graph.subset(array, name));
    set.sent = sent;
  }
  return rows;
}

void bind_task_dry_plan(nb::module_& module) {
  using task::DryPlan;
  nb::class_<DryPlan>(module, "TaskDryPlan",
                      "Messages and memory of a graph on one pretended rank. weft.task.Graph.dry() creates it.\n\n"
                      "Messages are pairs (number, bytes) of what this rank sends to others.")
      .def_prop_ro(
          "first", [](const DryPlan& plan) { return pair_of(plan.first); }, "Messages in the first iteration, (number, bytes).")
      .def_prop_ro(
          "repeated", [](const DryPlan& plan) { return pair_of(plan.repeated); },
          "Messages in each further iteration, (number, bytes).")
      .def_prop_ro(
          "sent",
          [](const DryPlan& plan) {
            std::map<int, MessagesAndBytes> by_rank;
            for (const DryPlan::Sent& sent : plan.sent) by_rank[sent.to.value()] = pair_of(sent.traffic);
            return by_rank;
          },
          "Messages in each further iteration to each rank that receives some, {rank: (number, bytes)}.")
      .def_ro("reductions", &DryPlan::reductions, "Reductions over all ranks in each further iteration.")
      .def_ro("array_bytes", &DryPlan::array_bytes, "Memory of all rows of all arrays, on one side, bytes.")
      .def_ro("message_bytes", &DryPlan::message_bytes,
              "Memory of messages that are sent and received, of all exchanges at the same time, bytes.")
      .def("text", &DryPlan::text, "Returns numbers of nodes, messages and memory as text.")
      .def(
          "json", [](const DryPlan& plan) { return task::schedule_json(plan.schedule); },
          "Returns the nodes of the first and of each further iteration as JSON text, as Plan.json().");
}

}  // namespace weft::python
