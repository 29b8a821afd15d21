#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/counted.hpp"
#include "weft/base/error.hpp"
#include "weft/base/team.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/comm/thread_cores.hpp"
#include "weft/flow/app/case.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/io/text_file.hpp"
#include "weft/mesh/generate/generate_by_name.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/io/write_mesh.hpp"
#include "weft/mesh/mesh_stats.hpp"
#include "weft/mesh/partition/partition_mesh.hpp"
#include "weft/mesh/refine.hpp"
#include "weft/mesh/vtk_cells.hpp"

#include "command.hpp"
#include "drawing_tools.hpp"
#include "json_output.hpp"
#include "output_file.hpp"
#include "standard_output.hpp"

namespace weft::app {
namespace {

namespace fs = std::filesystem;

struct MeshOptions {
  std::string input, output, picture, generator, format, partitioner = "automatic", balance = "cells", weight = "1";
  std::vector<std::string> parameters;
  double scale = 1;
  bool force = false, json = false;
  int parts = 0, times = 1;

  [[nodiscard]] mesh::PartitionOptions partition() const {
    return {.partitioner = kind_named<mesh::Partitioner>(partitioner),
            .weight = flow::cell_weight(balance == "cost", weight, Where{.key = "--weight"})};
  }
};

std::string mesh_file_help() { return "Mesh file: " + mesh::readable_meshes(); }
std::string output_help() { return "File to write (" + mesh::writable_extensions() + ")"; }
constexpr const char* kFormats = "Format of the file to write (default: by extension)";

void add_partition_options(CLI::App& command, MeshOptions& options) {
  command.add_option("--partitioner", options.partitioner, describe_choices<mesh::Partitioner>())
      ->type_name(choices_type<mesh::Partitioner>());
  command.add_option("--balance", options.balance, "What ranks get equal shares of: cells, or their measured cost")
      ->check(CLI::IsMember({"cells", "cost"}));
  command.add_option("--weight", options.weight, "Work of a cell as a formula of its place: \"1 + 3*(x<0)\"")
      ->type_name("FORMULA");
}

mesh::GeneratorParameters parse_parameters(const std::vector<std::string>& words) {
  mesh::GeneratorParameters parameters;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw InputError(fmt::format("\"{}\" is not a parameter", word), "write name=value, as in nx=64");
    parameters[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return parameters;
}

void add_force(CLI::App& command, MeshOptions& options) {
  command.add_flag("--force", options.force, "Replace the file to write if it is there");
}

mesh::MeshFormat output_format(const MeshOptions& options) {
  return options.format.empty() ? mesh::mesh_format_of(options.output) : kind_named<mesh::MeshFormat>(options.format);
}

/// Prints the warnings of a mesh's reader to standard error. On rank 0.
void print_mesh_warnings(const std::string& source, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) print_error(fmt::format("weft: warning: mesh {}: {}\n", source, warning));
}

/// Prints the warnings and notes of the mesh's reader.
void print_remarks(const Communicator& comm, const mesh::MeshBlock& block) {
  if (!comm.is_root()) return;
  print_mesh_warnings(block.source, block.warnings);
  for (const std::string& note : block.notes) fmt::print("mesh {}: {}\n", block.source, note);
}

/// Writes the mesh that `make(team)` returns. Errors of the output file are detected before the mesh is created.
template <class Make>
Exit write(const Communicator& comm, const MeshOptions& options, Make&& make) {
  const mesh::MeshFormat format = output_format(options);
  expect_new_file(comm, options.output, options.force);
  Team team(share_of_cores(comm));
  mesh::MeshBlock block = make(team);
  print_remarks(comm, block);
  flow::MeshChoice choice;
  choice.scale = options.scale;
  choice.where_scale = {.key = "--scale"};
  flow::scale_mesh(block, choice, team);
  mesh::write_mesh(comm, block, options.output, format);
  const auto cells = comm.sum(block.cells.size());
  const auto nodes = comm.sum(static_cast<std::int64_t>(block.coords.size()));
  if (comm.is_root()) fmt::print("wrote {}: {}, {}\n", options.output, counted(cells, "cell"), counted(nodes, "node"));
  return Exit::done;
}

Exit cut(const Communicator& comm, const MeshOptions& options) {
  if (output_format(options) != mesh::MeshFormat::weft)
    throw InputError(fmt::format("only Weft's own format keeps parts, not that of {}", options.output), "end its name in .h5");
  expect_new_file(comm, options.output, options.force);
  Team team(share_of_cores(comm));
  const mesh::MeshBlock block =
      mesh::partition_mesh(comm, mesh::read_mesh(comm, options.input, team), options.parts, options.partition());
  print_remarks(comm, block);
  mesh::write_mesh(comm, block, options.output, mesh::MeshFormat::weft);
  const auto [fewest, most] = std::minmax_element(block.parts.cells.begin(), block.parts.cells.end());
  if (comm.is_root())
    fmt::print("wrote {}: {} of {} to {} cells\n", options.output, counted(options.parts, "part"), *fewest, *most);
  return Exit::done;
}

/// A folder for temporary files, removed with its contents.
class TemporaryFolder {
 public:
  /// @param neighbour  a file in a folder that all ranks can access; the temporary folder is created there
  /// @throws IoError if it cannot be created.  @collective
  TemporaryFolder(const Communicator& comm, const fs::path& neighbour) : comm_(comm) {
    std::string made;
    agreed(comm_, [&] {
      if (!comm_.is_root()) return;
      made = (fs::absolute(neighbour).parent_path() / ".weft-picture-XXXXXX").string();
      if (mkdtemp(made.data()) == nullptr)
        throw IoError(fmt::format("cannot create a temporary folder in its folder ({})", std::strerror(errno)),
                      "use a file in an existing, writable folder", {.file = neighbour.string()});
    });
    comm_.broadcast(made);
    path_ = made;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (comm_.is_root()) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  const Communicator& comm_;
  fs::path path_;
};

/// Draws the cells and boundary zones of a mesh, from files like those in the results folder of a run.
Exit draw(const Communicator& comm, const mesh::Mesh& built, const mesh::MeshStats& stats, const std::string& picture) {
  const TemporaryFolder folder(comm, picture);
  mesh::write_cells(built, folder.path() / "fields_00000000.hdf");
  mesh::write_boundary(built, folder.path() / "boundary.hdf");
  if (!comm.is_root()) return Exit::done;
  io::write_text(folder.path() / flow::kRecordFile, nlohmann::ordered_json{{"mesh", to_json(stats)}}.dump());
  std::fflush(stdout);
  return run_drawing_tool({"plot", folder.path().string(), "--zones", "--output", picture});
}

void list_generators(const std::string& name) {
  for (const mesh::GeneratorInfo& info : mesh::generators()) {
    if (!name.empty() && info.name != name) continue;
    fmt::print("{:17} {}. Zones: {}.\n", info.name, info.text, info.zones);
    if (name.empty()) continue;
    for (const mesh::GeneratorParameter& p : info.parameters) {
      fmt::print("  {:13} {} [{}{}; {}]\n", p.name, p.text, p.initial, p.unit.empty() ? "" : " " + p.unit, p.range);
    }
  }
}

void add_info(CLI::App& command, const std::shared_ptr<MeshOptions>& options, Request& request) {
  CLI::App* info = command.add_subcommand("info", "Say what a mesh file holds: cells, zones, extent, quality, balance");
  info->footer(
      "Examples:\n  weft mesh info wing.msh\n  weft mesh info wing.h5 -n 8 --partitioner hilbert\n  weft mesh info naca.su2 "
      "--picture "
      "naca.png");
  info->add_option("input", options->input, mesh_file_help())->type_name("MESH")->required();
  add_json_option(*info, options->json);
  info->add_option("--picture", options->picture, "Also draw the mesh, its boundary zones in colour: a PNG, PDF or SVG file")
      ->type_name("FILE")
      ->check(picture_file())
      ->excludes("--json");
  add_partition_options(*info, *options);
  add_launch_options(*info, request);
  info->callback([options, &request] {
    request.action = [options](const Communicator& comm) {
      mesh::BuildOptions build;
      build.partition = options->partition();
      build.threads = share_of_cores(comm);
      Team team(build.threads);
      const mesh::Mesh built = mesh::build(comm, mesh::read_mesh(comm, options->input, team), build);
      const mesh::MeshStats stats = mesh::measure(built, team);
      if (comm.is_root() && !options->json) fmt::print("{}", mesh::describe(stats));
      if (comm.is_root() && options->json) {
        print_mesh_warnings(stats.source, stats.warnings);
        print_json("mesh info", to_json(stats));
      }
      return options->picture.empty() ? Exit::done : draw(comm, built, stats, options->picture);
    };
  });
}

void add_generate(CLI::App& command, const std::shared_ptr<MeshOptions>& options, Request& request) {
  CLI::App* generate = command.add_subcommand("generate", "Generate a mesh; without an output file, show the generators");
  generate->footer("Examples:\n  weft mesh generate\n  weft mesh generate naca wing.msh -p digits=2412 -p around=128");
  generate->add_option("generator", options->generator, "Name of the generator")->type_name("GENERATOR")->check(not_empty());
  generate->add_option("output", options->output, output_help())->type_name("FILE")->check(not_empty());
  generate->add_option("-p,--parameter", options->parameters, "A parameter of the generator: -p nx=64")
      ->type_name("NAME=VALUE")
      ->take_all();
  generate->add_option("--format", options->format, kFormats)->type_name(choices_type<mesh::MeshFormat>())->check(not_empty());
  generate->add_option("--scale", options->scale, "Multiply the coordinates")->check(positive());
  add_force(*generate, *options);
  add_launch_options(*generate, request);
  generate->callback([options, &request] {
    request.action = [options](const Communicator& comm) {
      if (!options->output.empty())
        return write(comm, *options, [&](Team& team) {
          return mesh::generate(comm, options->generator, parse_parameters(options->parameters), team);
        });
      if (!options->generator.empty()) (void)mesh::generator_spec(options->generator, {});
      if (comm.is_root()) list_generators(options->generator);
      return Exit::done;
    };
  });
}

void add_convert(CLI::App& command, const std::shared_ptr<MeshOptions>& options, Request& request) {
  CLI::App* convert = command.add_subcommand("convert", "Convert a mesh file to another format");
  convert->footer("Examples:\n  weft mesh convert wing.msh wing.h5\n  weft mesh convert wing.msh wing.su2 --scale 0.001");
  convert->add_option("input", options->input, mesh_file_help())->type_name("MESH")->required();
  convert->add_option("output", options->output, output_help())->type_name("FILE")->required();
  convert->add_option("--format", options->format, kFormats)->type_name(choices_type<mesh::MeshFormat>())->check(not_empty());
  convert->add_option("--scale", options->scale, "Multiply the coordinates: 0.001 from mm to m")->check(positive());
  add_force(*convert, *options);
  add_launch_options(*convert, request);
  convert->callback([options, &request] {
    request.action = [options](const Communicator& comm) {
      return write(comm, *options, [&](Team& team) { return mesh::read_mesh(comm, options->input, team); });
    };
  });
}

void add_refine(CLI::App& command, const std::shared_ptr<MeshOptions>& options, Request& request) {
  CLI::App* refine = command.add_subcommand("refine", "Halve every edge of a mesh, once or several times");
  refine->footer("Examples:\n  weft mesh refine coarse.msh fine.h5 --times 2");
  refine->add_option("input", options->input, mesh_file_help())->type_name("MESH")->required();
  refine->add_option("output", options->output, output_help())->type_name("FILE")->required();
  refine->add_option("--times", options->times, "How often")->check(CLI::Range(1, 20));
  refine->add_option("--format", options->format, kFormats)->type_name(choices_type<mesh::MeshFormat>())->check(not_empty());
  add_force(*refine, *options);
  add_launch_options(*refine, request);
  refine->callback([options, &request] {
    request.action = [options](const Communicator& comm) {
      return write(comm, *options,
                   [&](Team& team) { return mesh::refine(comm, mesh::read_mesh(comm, options->input, team), options->times); });
    };
  });
}

void add_partition(CLI::App& command, const std::shared_ptr<MeshOptions>& options, Request& request) {
  CLI::App* partition =
      command.add_subcommand("partition", "Partition a mesh and store its cells by part, so that runs need not partition it");
  partition->footer("Examples:\n  weft mesh partition wing.msh wing.h5 --ranks 64");
  partition->add_option("input", options->input, mesh_file_help())->type_name("MESH")->required();
  partition->add_option("output", options->output, "File to write (.h5)")->type_name("FILE")->required();
  partition->add_option("--ranks", options->parts, "Number of ranks that runs will have, each of which gets a part")
      ->required()
      ->check(CLI::Range(1, 1 << 20));
  add_partition_options(*partition, *options);
  add_force(*partition, *options);
  add_launch_options(*partition, request, "-n", "Partition it on this many MPI ranks (through mpirun)");
  partition->callback(
      [options, &request] { request.action = [options](const Communicator& comm) { return cut(comm, *options); }; });
}

}  // namespace

void add_mesh(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("mesh", "Look at, generate, convert, refine and partition meshes");
  command->require_subcommand(1);
  auto options = std::make_shared<MeshOptions>();

  add_info(*command, options, request);
  add_generate(*command, options, request);
  add_convert(*command, options, request);
  add_refine(*command, options, request);
  add_partition(*command, options, request);
}

}  // namespace weft::app
