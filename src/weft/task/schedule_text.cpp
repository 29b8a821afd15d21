#include "weft/task/schedule_text.hpp"

#include <fmt/format.h>

#include <vector>

#include "weft/task/json_text.hpp"

namespace weft::task {
namespace {

[[nodiscard]] const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::task:
      return "task";
    case Kind::neutralize:
      return "neutralize";
    case Kind::reset:
      return "reset";
    case Kind::start:
      return "start";
    case Kind::finish:
      return "finish";
    case Kind::all_reduce:
      return "all_reduce";
    case Kind::copy:
      return "copy";
    case Kind::segment:
      return "segment";
  }
  return "";
}

[[nodiscard]] std::vector<std::vector<int>> waits_for(const Stage& stage) {
  std::vector<std::vector<int>> list(stage.nodes.size());
  for (int i = 0; i < std::ssize(stage.nodes); ++i) {
    for (const int successor : stage.successors_of(i)) list[successor].push_back(i);
  }
  return list;
}

[[nodiscard]] std::string joined(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

[[nodiscard]] std::string stage_text(const Stage& stage) {
  const auto before = waits_for(stage);
  std::string text;
  for (std::size_t i = 0; i < stage.nodes.size(); ++i) {
    const Node& node = stage.nodes[i];
    text += fmt::format("{:4}  {}", i, node.name);
    if (node.graph >= 0) text += fmt::format("  on the device in graph {}", node.graph);
    if (node.graph < 0 && node.kind != Kind::copy && node.side == Side::device) text += "  on the device";
    if (const std::string subsets = stage.subsets_of(static_cast<int>(i)); !subsets.empty()) text += "  " + subsets;
    if (!before[i].empty()) text += fmt::format("  after {}", joined(before[i]));
    if (!node.reason.empty()) text += fmt::format("\n      because {}", node.reason);
    text += '\n';
  }
  return text;
}

[[nodiscard]] std::string stage_json(const Stage& stage) {
  const auto before = waits_for(stage);
  std::string text = "{\"nodes\": [";
  for (std::size_t i = 0; i < stage.nodes.size(); ++i) {
    const Node& node = stage.nodes[i];
    const std::string subsets = stage.subsets_of(static_cast<int>(i));
    text += fmt::format(
        "{}\n  {{\"name\": {}, \"kind\": \"{}\", \"side\": \"{}\", \"graph\": {}, \"reason\": {}{}, \"waits_for\": [{}]}}",
        i == 0 ? "" : ",", json_text(node.name), name_of(node.kind), to_string(node.side), node.graph, json_text(node.reason),
        subsets.empty() ? "" : ", \"subsets\": " + json_text(subsets), joined(before[i]));
  }
  return text + "]}";
}

}  // namespace

std::string schedule_text(const Schedule& schedule) {
  std::string text =
      "first iteration\n" + stage_text(schedule.first) + "each further iteration\n" + stage_text(schedule.repeated);
  if (!schedule.subsets.empty()) text += "subsets\n";
  for (const std::string& subset : schedule.subsets) text += "      " + subset + '\n';
  return text;
}

std::string stage_dot(const Stage& stage) {
  std::string text = "digraph tasks {\n  rankdir = LR;\n  node [shape = box];\n";
  for (int i = 0; i < std::ssize(stage.nodes); ++i) {
    const Node& node = stage.nodes[i];
    const std::string subsets = stage.subsets_of(i);
    text += fmt::format("  {} [label = {}{}{}];\n", i, json_text(node.name + (subsets.empty() ? "" : ": " + subsets)),
                        node.kind == Kind::task ? "" : ", style = rounded, tooltip = " + json_text(node.reason),
                        node.side == Side::device ? ", color = blue" : "");
    for (const int successor : stage.successors_of(i)) text += fmt::format("  {} -> {};\n", i, successor);
  }
  return text + "}\n";
}

std::string schedule_json(const Schedule& schedule) {
  std::string subsets;
  for (const std::string& subset : schedule.subsets) subsets += (subsets.empty() ? "" : ", ") + json_text(subset);
  return "{\"first\": " + stage_json(schedule.first) + ",\n\"repeated\": " + stage_json(schedule.repeated) +
         (subsets.empty() ? "" : ",\n\"subsets\": [" + subsets + "]") + "}\n";
}

}  // namespace weft::task
