// weft completion: completion scripts of shells, generated from the options of the parser.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weft/mesh/io/read_mesh.hpp"

#include "command.hpp"
#include "command_tree.hpp"
#include "standard_output.hpp"

namespace weft::app {
namespace {

/// Returns the extensions of the mesh files that are read, without their dots.
std::vector<std::string> mesh_endings() {
  std::vector<std::string> endings;
  for (const mesh::MeshReaderRow& row : mesh::kMeshReaders.rows) endings.emplace_back(row.extension.substr(1));
  return endings;
}

void visit(const CommandNode& node, const std::function<void(const CommandNode&)>& action) {
  action(node);
  for (const CommandNode& command : node.commands) visit(command, action);
}

std::vector<std::string> names_of(const std::vector<CommandNode>& commands) {
  std::vector<std::string> names;
  for (const CommandNode& command : commands) names.push_back(command.name());
  return names;
}

std::vector<std::string> names_of(const std::vector<CommandWord>& options) {
  std::vector<std::string> names;
  for (const CommandWord& option : options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

/// Returns a word that the shells do not interpret.
std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4) text.replace(at, 1, "'\\''");
  return "'" + text + "'";
}

// ---- bash

constexpr const char* kBash = R"bash(
_weft() {
  # Words are split at blanks only, because bash also splits at = and :.
  local -a words
  local line=${COMP_LINE:0:COMP_POINT} path=weft kind= commands= options= word current i at=0
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current=${words[-1]}
  COMPREPLY=()
  _weft_command
  for ((i = 1; i < ${#words[@]} - 1; ++i)); do
    word=${words[i]}
    if [[ -n $kind ]]; then
      kind=
    elif [[ $word == -* ]]; then
      [[ $word == *=* ]] || _weft_value "$word"
    elif [[ " $commands " == *" $word "* ]]; then
      path+=" $word"
      at=0
      _weft_command
    else
      ((++at))
    fi
  done
  if [[ -z $kind && $current == --*=* ]]; then
    _weft_value "${current%%=*}"
    current=${current#*=}
  elif [[ -z $kind && $current == -* ]]; then
    kind="words $options"
  elif [[ -z $kind && -n $commands ]]; then
    kind="words $commands"
  elif [[ -z $kind ]]; then
    _weft_word
  fi
  case $kind in
  words*) mapfile -t COMPREPLY < <(compgen -W "${kind#words}" -- "$current") ;;
  keys)
    [[ $current == *=* ]] || mapfile -t COMPREPLY < <(compgen -S = -W "$_weft_keys" -- "$current")
    compopt -o nospace 2>/dev/null
    ;;
  files*)
    local ending
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
    for ending in ${kind#files}; do
      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X "!*.$ending" -- "$current")
    done
    ;;
  file)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    ;;
  esac
}
complete -F _weft weft
)bash";

std::string bash_kind(const CommandWord& word) {
  switch (word.kind) {
    case WordKind::none:
      return "";
    case WordKind::any:
      return "any";
    case WordKind::one_of:
      return fmt::format("words {}", fmt::join(word.choices, " "));
    case WordKind::case_file:
      return "files toml";
    case WordKind::mesh_file:
      return fmt::format("files {}", fmt::join(mesh_endings(), " "));
    case WordKind::folder:
      return "files";
    case WordKind::file:
      return "file";
    case WordKind::case_key:
      break;
  }
  return "keys";
}

std::string bash(const CommandNode& root) {
  std::string commands, values, words;
  visit(root, [&](const CommandNode& node) {
    commands += fmt::format("  {}) commands={} options={} ;;\n", quoted(node.path),
                            quoted(fmt::format("{}", fmt::join(names_of(node.commands), " "))),
                            quoted(fmt::format("{}", fmt::join(names_of(node.options), " "))));
    for (const CommandWord& option : node.options) {
      if (option.kind == WordKind::none) continue;
      for (const std::string& name : option.names)
        values += fmt::format("  {}) kind={} ;;\n", quoted(node.path + " " + name), quoted(bash_kind(option)));
    }
    for (std::size_t at = 0; at < node.positionals.size(); ++at)
      words +=
          fmt::format("  {}) kind={} ;;\n", quoted(fmt::format("{} {}", node.path, at)), quoted(bash_kind(node.positionals[at])));
  });
  std::string text = "# bash completion for weft, printed by: weft completion bash\n";
  text += fmt::format("_weft_keys={}\n\n", quoted(fmt::format("{}", fmt::join(case_keys(), " "))));
  text += fmt::format("_weft_command() {{\n  commands= options=\n  case $path in\n{}  esac\n}}\n\n", commands);
  text += fmt::format("_weft_value() {{\n  kind=\n  case \"$path $1\" in\n{}  esac\n}}\n\n", values);
  text += fmt::format("_weft_word() {{\n  kind=\n  case \"$path $at\" in\n{}  esac\n}}\n", words);
  return text + kBash;
}

// ---- zsh

/// Quotes text within a specification of _arguments.
std::string zsh_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_action(const CommandWord& word) {
  switch (word.kind) {
    case WordKind::none:
    case WordKind::any:
      return " ";
    case WordKind::one_of:
      return fmt::format("({})", fmt::join(word.choices, " "));
    case WordKind::case_file:
      return "_files -g \"*.toml\"";
    case WordKind::mesh_file:
      return fmt::format("_files -g \"*.({})\"", fmt::join(mesh_endings(), "|"));
    case WordKind::folder:
      return "_files -/";
    case WordKind::file:
      return "_files";
    case WordKind::case_key:
      break;
  }
  return "_weft_key";
}

std::string zsh_function(const CommandNode& node) {
  std::string name = node.path;
  std::replace(name.begin(), name.end(), ' ', '_');
  return "_" + name;
}

std::string zsh(const CommandNode& root) {
  std::string text = "#compdef weft\n# zsh completion for weft, printed by: weft completion zsh\n\n";
  text += fmt::format("_weft_key() {{\n  local -a keys=({})\n  compadd -S = -q -- $keys\n}}\n\n", fmt::join(case_keys(), " "));
  visit(root, [&](const CommandNode& node) {
    std::string arguments;
    for (const CommandWord& option : node.options) {
      for (const std::string& name : option.names) {
        const std::string value =
            option.kind == WordKind::none ? "" : fmt::format(":{}:{}", zsh_text(option.type), zsh_action(option));
        arguments += fmt::format(" \\\n    {}", quoted(fmt::format("*{}[{}]{}", name, zsh_text(option.help), value)));
      }
    }
    for (const CommandWord& word : node.positionals)
      arguments += fmt::format(" \\\n    {}", quoted(fmt::format(":{}:{}", zsh_text(word.names.front()), zsh_action(word))));
    if (node.commands.empty()) {
      text += fmt::format("{}() {{\n  _arguments{}\n}}\n\n", zsh_function(node), arguments);
      return;
    }
    std::string described, cases;
    for (const CommandNode& command : node.commands) {
      described += fmt::format("\n    {}", quoted(fmt::format("{}:{}", command.name(), zsh_text(command.help))));
      cases += fmt::format("\n        {}) {} ;;", command.name(), zsh_function(command));
    }
    text += fmt::format(
        "{}() {{\n  local state line\n  local -a commands=({}\n  )\n  _arguments -C{} \\\n    '1:command:->command' \\\n"
        "    '*::word:->word'\n  case $state in\n    command) _describe command commands ;;\n    word)\n      case $line[1] "
        "in{}\n"
        "      esac\n      ;;\n  esac\n}}\n\n",
        zsh_function(node), described, arguments, cases);
  });
  return text + "if [[ $funcstack[1] == _weft ]]; then _weft \"$@\"; else compdef _weft weft; fi\n";
}

// ---- fish

constexpr const char* kFish = R"fish(
# Succeeds if the current words select this command.
function __weft_at
    set -l path weft
    for word in (commandline -opc)[2..]
        contains -- "$path $word" $__weft_commands; and set path "$path $word"
    end
    test "$path" = "$argv"
end

complete -c weft -f
)fish";

std::string fish_value(const CommandWord& word) {
  switch (word.kind) {
    case WordKind::none:
      return "";
    case WordKind::any:
      return " -x";
    case WordKind::one_of:
      return fmt::format(" -x -a {}", quoted(fmt::format("{}", fmt::join(word.choices, " "))));
    case WordKind::case_file:
      return " -x -a '(__fish_complete_suffix .toml)'";
    case WordKind::mesh_file: {
      std::string endings;
      for (const std::string& ending : mesh_endings()) endings += " ." + ending;
      return fmt::format(" -x -a '(__fish_complete_suffix{})'", endings);
    }
    case WordKind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case WordKind::file:
      return " -r -F";
    case WordKind::case_key:
      break;
  }
  return fmt::format(" -x -a {}", quoted("$__weft_keys="));
}

std::string fish(const CommandNode& root) {
  std::vector<std::string> paths;
  std::string lines;
  visit(root, [&](const CommandNode& node) {
    paths.push_back(quoted(node.path));
    const std::string at = fmt::format("complete -c weft -n {}", quoted("__weft_at " + node.path));
    for (const CommandNode& command : node.commands)
      lines += fmt::format("{} -a {} -d {}\n", at, command.name(), quoted(command.help));
    for (const CommandWord& option : node.options) {
      lines += at;
      for (const std::string& name : option.names)
        lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      lines += fmt::format("{} -d {}\n", fish_value(option), quoted(option.help));
    }
    for (const CommandWord& word : node.positionals) {
      if (word.kind == WordKind::any) continue;
      // -x and -r belong to options; -a adds words and -F adds files.
      std::string value = fish_value(word);
      for (const std::string_view of_option : {" -x", " -r"})
        if (value.starts_with(of_option)) value.erase(0, of_option.size());
      lines += at + value + "\n";
    }
  });
  return "# fish completion for weft, printed by: weft completion fish\n" +
         fmt::format("set -g __weft_commands {}\nset -g __weft_keys {}\n", fmt::join(paths, " "), fmt::join(case_keys(), " ")) +
         kFish + lines;
}

}  // namespace

void add_completion(CLI::App& app, Request& request) {
  CLI::App* command =
      app.add_subcommand("completion", "Print what a shell needs to complete commands, options, names and files of weft");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "The shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n  weft completion bash > ~/.local/share/bash-completion/completions/weft\n"
      "  weft completion fish > ~/.config/fish/completions/weft.fish");
  command->callback([shell, &app, &request] {
    request.without_mpi = [shell, &app] {
      const CommandNode tree = command_tree(app);
      if (rank_of_environment() == 0) print_out(*shell == "bash" ? bash(tree) : *shell == "zsh" ? zsh(tree) : fish(tree));
      return Exit::done;
    };
  });
}

}  // namespace weft::app
