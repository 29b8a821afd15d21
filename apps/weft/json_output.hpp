#pragma once
/// JSON documents of commands, with --json on standard output. docs/guide/command_line.md lists the members.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>

#include "weft/flow/app/case_check.hpp"
#include "weft/mesh/mesh_stats.hpp"

namespace weft::app {

using Json = nlohmann::ordered_json;

void add_json_option(CLI::App& command, bool& json);

/// Returns a document with the members of `content` after the common ones: format, version, command.
[[nodiscard]] std::string json_document(const std::string& command, const Json& content);

/// Prints such a document. On rank 0.
void print_json(const std::string& command, const Json& content);

[[nodiscard]] Json to_json(const Vec3& vector);
[[nodiscard]] Json to_json(const mesh::MeshStats& stats);
[[nodiscard]] Json to_json(const flow::CaseCheck& check);

}  // namespace weft::app
