#pragma once
/// The command line as data, read from the parser, for completion scripts and the manual page.
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace weft::app {

/// Kind of a word of the command line, determined by its type in the help: CASE, MESH, RESULTS, FILE, TEMPLATE, GENERATOR,
/// KERNELS, KEY=VALUE or {one,of,these}.
enum class WordKind { none, any, one_of, case_file, mesh_file, folder, file, case_key };

/// An option or a positional argument.
struct CommandWord {
  std::vector<std::string> names;  ///< "-n", "--ranks"; for a positional argument its name in the help
  std::string type;                ///< type in the help; empty for a flag
  std::string help;
  WordKind kind = WordKind::none;    ///< none: a flag
  std::vector<std::string> choices;  ///< for one_of
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

/// Returns the keys of a case with fixed names, "numerics.cfl", without those of zones and other names of the user.
[[nodiscard]] std::vector<std::string> case_keys();

}  // namespace weft::app
