#pragma once
/// Compiled task graphs as text, for Graphviz and as JSON. stage_picture.hpp draws them.
#include <string>

#include "weft/task/schedule.hpp"

namespace weft::task {

/// Returns the nodes of both stages with what each waits for, and the reason for each inserted node.
[[nodiscard]] std::string schedule_text(const Schedule& schedule);
/// Returns a stage in the language of Graphviz: dot -Tsvg.
[[nodiscard]] std::string stage_dot(const Stage& stage);
/// Returns both stages as JSON, as Plan::json().
[[nodiscard]] std::string schedule_json(const Schedule& schedule);

}  // namespace weft::task
