// weft man: the manual page, generated from the commands and options of the parser.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "command.hpp"
#include "command_tree.hpp"
#include "standard_output.hpp"

namespace weft::app {
namespace {

/// Escapes text for roff: hyphens that can be copied, and no line that is a request.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) {
      escaped += std::string("\\&") + c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string names(const CommandWord& word) {
  std::string text;
  for (const std::string& name : word.names) text += fmt::format("{}\\fB{}\\fR", text.empty() ? "" : ", ", roff(name));
  return word.type.empty() ? text : fmt::format("{} \\fI{}\\fR", text, roff(word.type.substr(0, word.type.find(":POS"))));
}

std::string synopsis(const CommandNode& node) {
  std::string text = fmt::format("\\fB{}\\fR", roff(node.path));
  if (node.options.size() > 1) text += " [\\fIoptions\\fR]";
  for (const CommandWord& word : node.positionals)
    text += fmt::format(" {1}\\fI{0}\\fR{2}", roff(word.names.front()), word.required ? "" : "[", word.required ? "" : "]");
  return text;
}

void describe(const CommandNode& node, std::string& text) {
  if (node.commands.empty()) {
    text += fmt::format(".SS {}\n{}.\n", synopsis(node), roff(node.help));
    for (const CommandWord& word : node.positionals) {
      if (!word.help.empty()) text += fmt::format(".TP\n\\fI{}\\fR\n{}\n", roff(word.names.front()), roff(word.help));
    }
    for (const CommandWord& option : node.options) {
      if (option.names.back() != "--help") text += fmt::format(".TP\n{}\n{}\n", names(option), roff(option.help));
    }
    if (!node.footer.empty()) text += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(node.footer));
  }
  for (const CommandNode& command : node.commands) describe(command, text);
}

std::string man_page(const CommandNode& root) {
  std::string text = fmt::format(
      ".\\\" Printed by: weft man\n.TH WEFT 1 \"\" \"weft {0}\" \"User Commands\"\n.SH NAME\nweft \\- {1}\n.SH SYNOPSIS\n"
      "\\fBweft\\fR \\fIcommand\\fR [\\fIoptions\\fR]\n.SH DESCRIPTION\n"
      "Computes inviscid compressible flow on unstructured meshes, on one rank or many, on processors or GPUs. A case is a TOML "
      "file; "
      "results go to the folder that it names. Every command has \\fB\\-\\-help\\fR.\n.SH COMMANDS\n",
      WEFT_VERSION, roff(root.help.substr(root.help.find(' ') + 1)));
  describe(root, text);
  text += ".SH EXIT STATUS\n";
  for (const ExitMeaning& each : kExitMeanings) text += fmt::format(".TP\n.B {}\n{}\n", each.code, roff(each.meaning));
  text +=
      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nLines are not coloured where it is set and not empty.\n"
      ".SH SEE ALSO\n.BR mpirun (1)\n";
  return text;
}

}  // namespace

void add_man(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("man", "Print the manual page");
  command->footer("Examples:\n  weft man | man -l -");
  command->callback([&app, &request] {
    request.without_mpi = [&app] {
      if (rank_of_environment() == 0) print_out(man_page(command_tree(app)));
      return Exit::done;
    };
  });
}

}  // namespace weft::app
