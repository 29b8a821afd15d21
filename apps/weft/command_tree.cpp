#include "command_tree.hpp"

#include <algorithm>
#include <sstream>

#include "weft/flow/app/case.hpp"
#include "weft/mesh/generate/generate_by_name.hpp"

#include "kernel_space.hpp"
#include "templates.hpp"

namespace weft::app {
namespace {

struct TypeKind {
  const char* type;
  WordKind kind;
};
constexpr TypeKind kKinds[] = {{"CASE", WordKind::case_file},     {"MESH", WordKind::mesh_file},
                               {"RESULTS", WordKind::folder},     {"FILE", WordKind::file},
                               {"KEY=VALUE", WordKind::case_key}, {"KEY=VALUES", WordKind::case_key}};

/// Splits "TEXT:{cells,cost}" into cells, cost.
std::vector<std::string> choices_of(const std::string& type) {
  if (type == "TEMPLATE") {
    std::vector<std::string> names;
    for (const Template& t : templates()) names.emplace_back(t.name);
    return names;
  }
  if (type == "GENERATOR") {
    std::vector<std::string> names;
    for (const mesh::GeneratorInfo& info : mesh::generators()) names.emplace_back(info.name);
    return names;
  }
  if (type == "KERNELS") {
    std::vector<std::string> names(kMeasuredKernels.begin(), kMeasuredKernels.end());
    names.insert(names.end(), kHostKernels.begin(), kHostKernels.end());
    return names;
  }
  const std::size_t open = type.find('{'), close = type.rfind('}');
  return open == std::string::npos || close == std::string::npos
             ? std::vector<std::string>()
             : CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

CommandWord word_of(const CLI::Option& option) {
  CommandWord word;
  for (const std::string& name : option.get_snames()) word.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) word.names.push_back("--" + name);
  if (word.names.empty()) word.names.push_back(option.get_name(true));
  word.help = option.get_description();
  word.required = option.get_required();
  if (option.get_items_expected_max() == 0) return word;  // a flag
  word.type = option.get_type_name();
  word.choices = choices_of(word.type);
  word.kind = word.choices.empty() ? WordKind::any : WordKind::one_of;
  for (const TypeKind& known : kKinds)
    if (word.type == known.type) word.kind = known.kind;
  return word;
}

CommandNode node_of(const CLI::App& app, const std::string& path) {
  CommandNode node{
      .path = path, .help = app.get_description(), .footer = app.get_footer(), .options = {}, .positionals = {}, .commands = {}};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? node.positionals : node.options).push_back(word_of(*option));
  if (app.get_prefix_command()) {  // another program parses the words: a drawing tool
    node.positionals.push_back(
        {.names = {"results"}, .type = "RESULTS", .help = "Results folder of a run", .kind = WordKind::folder, .choices = {}});
  }
  for (const CLI::App* command : app.get_subcommands({}))
    node.commands.push_back(node_of(*command, path + " " + command->get_name()));
  return node;
}

}  // namespace

CommandNode command_tree(const CLI::App& app) { return node_of(app, app.get_name()); }

std::vector<std::string> case_keys() {
  std::vector<std::string> keys;
  std::istringstream reference(flow::case_reference());
  std::string section;
  for (std::string line; std::getline(reference, line);) {
    if (line.starts_with("## ")) {
      const std::size_t open = line.find("`["), close = line.find("]`");
      section = open == std::string::npos ? "" : line.substr(open + 2, close - open - 2) + ".";
    } else if (line.starts_with("| `")) {
      const std::string key = section + line.substr(3, line.find('`', 3) - 3);
      const bool fixed = key.find_first_of("<[") == std::string::npos;
      if (fixed && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

}  // namespace weft::app
