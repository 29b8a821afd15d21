#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "weft/base/counted.hpp"
#include "weft/base/error.hpp"
#include "weft/base/team.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/comm/thread_cores.hpp"
#include "weft/flow/app/case_guess.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/io/text_file.hpp"
#include "weft/mesh/io/read_mesh.hpp"

#include "command.hpp"
#include "output_file.hpp"
#include "templates.hpp"

namespace weft::app {
namespace {

struct NewOptions {
  std::string name, file, mesh;
  std::optional<double> scale;
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

constexpr std::string_view kFromFile = "from_file";

/// Returns a case for a mesh file, and on rank 0 prints the messages of the reader. @collective
flow::GuessedCase guess(const Communicator& comm, const std::string& mesh_file, const std::string& case_file, double scale) {
  mesh::BuildOptions options;
  options.threads = share_of_cores(comm);
  Team team(options.threads);
  mesh::MeshBlock block = mesh::read_mesh(comm, mesh_file, team);
  flow::MeshChoice choice;
  choice.scale = scale;
  choice.where_scale = {.key = "--scale"};
  flow::scale_mesh(block, choice, team);
  const mesh::Mesh mesh = mesh::build(comm, std::move(block), options);
  if (comm.is_root()) {
    for (const std::string& warning : mesh.warnings) fmt::print(stderr, "weft: warning: mesh {}: {}\n", mesh.source, warning);
    for (const std::string& note : mesh.notes) fmt::print("mesh {}: {}\n", mesh.source, note);
  }
  return flow::guess_case(mesh, mesh_file, case_file, scale);
}

void write_new(const Communicator& comm, const NewOptions& options) {
  if (options.scale && options.mesh.empty())
    throw InputError("a scale is for the mesh of the template from_file", "write weft new from_file CASE --mesh FILE --scale S");
  if (options.list || options.name.empty()) {
    if (!options.mesh.empty())
      throw InputError("a mesh is for the template from_file", "write weft new from_file CASE --mesh FILE");
    if (!comm.is_root()) return;
    for (const Template& t : templates()) fmt::print("{:20} {}\n", t.name, t.title());
    return;
  }
  const Template& chosen = find_template(options.name);
  if (!options.mesh.empty() && chosen.name != kFromFile) {
    throw InputError(fmt::format("the template \"{}\" is no case for any mesh", chosen.name),
                     fmt::format("write weft new {} CASE --mesh {}", kFromFile, options.mesh));
  }
  if (options.mesh.empty() && chosen.name == kFromFile) {
    const std::filesystem::path given = options.file;
    throw InputError(
        "this case is written for a mesh, and none is given",
        mesh::has_mesh_extension(given)
            ? fmt::format("write weft new {} {}.toml --mesh {}", kFromFile, given.stem().string(), given.string())
            : fmt::format("write weft new {} CASE --mesh FILE, where FILE is a mesh: {}", kFromFile, mesh::readable_meshes()));
  }
  const std::string file = options.file.empty() ? std::string(chosen.name) + ".toml" : options.file;
  expect_new_file(comm, file, options.force);
  const flow::GuessedCase guessed =
      options.mesh.empty() ? flow::GuessedCase{} : guess(comm, options.mesh, file, options.scale.value_or(1));
  agreed(comm, [&] {
    if (comm.is_root()) io::write_text(file, options.mesh.empty() ? chosen.text : guessed.text);
  });
  if (!comm.is_root()) return;
  if (guessed.to_choose.empty()) {
    fmt::print("wrote {}; run it with: weft run {}\n", file, file);
  } else {
    fmt::print("wrote {}; replace {} by a kind for {}: {}; then: weft check {}\n", file, flow::kToChoose,
               counted(static_cast<std::int64_t>(guessed.to_choose.size()), "zone"), fmt::join(guessed.to_choose, ", "), file);
  }
}

}  // namespace

void add_new(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("new", "Write a commented case to start from; without a name, list the templates");
  auto options = std::make_shared<NewOptions>();
  command->add_option("template", options->name, "Name of the template")->type_name("TEMPLATE")->check(not_empty());
  command->add_option("file", options->file, "File to write (default: <template>.toml)")->type_name("FILE")->check(not_empty());
  command
      ->add_option("--mesh", options->mesh,
                   "With from_file: a mesh file, " + mesh::readable_meshes() +
                       ", for whose zones the case is written. Kinds are guessed from names and geometry")
      ->type_name("MESH")
      ->check(not_empty());
  command
      ->add_option("--scale", options->scale,
                   "With --mesh: factor from the unit of the mesh file to metres, 0.001 from millimetres; the values of the case "
                   "are those of the scaled mesh")
      ->type_name("S")
      ->check(positive());
  command->footer(
      "Examples:\n  weft new\n  weft new naca0012\n  weft new wedge cases/mine.toml\n  weft new from_file case.toml --mesh "
      "wing.msh --scale 0.001");
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
