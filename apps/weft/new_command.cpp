#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/text_file.hpp"

#include "command.hpp"
#include "output_file.hpp"
#include "templates.hpp"

namespace weft::app {
namespace {

struct NewOptions {
  std::string name, file;
  bool list = false, force = false;
};

const Template& find_template(const std::string& name) {
  std::vector<std::string> all;
  for (const Template& t : templates()) {
    if (t.name == name) return t;
    all.emplace_back(t.name);
  }
  const std::string near = closest_match(name, all);
  throw InputError(fmt::format("there is no template \"{}\"", name),
                   (near.empty() ? "" : fmt::format("did you mean \"{}\"? ", near)) +
                       fmt::format("the templates are {}", fmt::join(all, ", ")));
}

void write_new(const Communicator& comm, const NewOptions& options) {
  if (options.list || options.name.empty()) {
    if (!comm.is_root()) return;
    for (const Template& t : templates()) fmt::print("{:20} {}\n", t.name, t.title());
    return;
  }
  const Template& chosen = find_template(options.name);
  const std::string file = options.file.empty() ? std::string(chosen.name) + ".toml" : options.file;
  expect_new_file(comm, file, options.force);
  agreed(comm, [&] {
    if (comm.is_root()) io::write_text(file, chosen.text);
  });
  if (comm.is_root()) fmt::print("wrote {}; run it with: weft run {}\n", file, file);
}

}  // namespace

void add_new(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("new", "Write a commented case to start from; without a name, list the templates");
  auto options = std::make_shared<NewOptions>();
  command->add_option("template", options->name, "Name of the template")->type_name("TEMPLATE");
  command->add_option("file", options->file, "File to write (default: <template>.toml)")->type_name("FILE");
  command->footer("Examples:\n  weft new\n  weft new naca0012\n  weft new wedge cases/mine.toml");
  command->add_flag("--list", options->list, "List the templates");
  command->add_flag("--force", options->force, "Replace the file if it is there");
  command->callback([options, &request] {
    request.action = [options](const Communicator& comm) {
      write_new(comm, *options);
      return Exit::done;
    };
  });
}

}  // namespace weft::app
