#pragma once
/// The command line as data, read from the parser: what completion scripts and the manual page are made of.
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace weft::app {

/// What a word of the command line can be. A word's type in the help decides: CASE, MESH, RESULTS, FILE, TEMPLATE, GENERATOR,
/// KEY=VALUE or {one,of,these}.
enum class WordKind { none, any, one_of, case_file, mesh_file, folder, file, case_key };

/// An option, or a word without a name.
struct CommandWord {
  std::vector<std::string> names;  ///< "-n", "--ranks"; of a word without a name what the help calls it
  std::string type;                ///< as in the help; empty for a flag
  std::string help;
  WordKind kind = WordKind::none;    ///< none: a flag
  std::vector<std::string> choices;  ///< of one_of
  bool required = false;
};

struct CommandNode {
  std::string path;  ///< "weft mesh info"
  std::string help, footer;
  std::vector<CommandWord> options, positionals;
  std::vector<CommandNode> commands;

  [[nodiscard]] std::string name() const { return path.substr(path.rfind(' ') + 1); }
};

[[nodiscard]] CommandNode command_tree(const CLI::App& app);

/// Keys of a case whose names are fixed: "numerics.cfl". Those of zones and of other names that users choose are left out.
[[nodiscard]] std::vector<std::string> case_keys();

}  // namespace weft::app
