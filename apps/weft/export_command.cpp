#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/counted.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/app/export.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/io/text_file.hpp"

#include "command.hpp"
#include "output_file.hpp"

namespace weft::app {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string results, format = "vtu", time = "last", folder;
  bool force = false;
};

/// Returns the names of the subfolders that hold a run, as those of a sweep do.
std::vector<std::string> runs_below(const fs::path& folder) {
  std::vector<std::string> runs;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (fs::exists(entry.path() / "case.toml", failed)) runs.push_back(entry.path().filename().string());
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

[[noreturn]] void refuse_folder(const fs::path& folder) {
  constexpr std::size_t kMostNamed = 8;
  std::vector<std::string> runs = runs_below(folder);
  if (runs.empty())
    throw InputError("this folder holds no field file (fields_*.hdf)", "give the results folder of a run",
                     {.file = folder.string()});
  const std::string first = (folder / runs.front()).string(), count = counted(static_cast<std::int64_t>(runs.size()), "folder");
  const std::size_t more = runs.size() - std::min(runs.size(), kMostNamed);
  runs.resize(runs.size() - more);
  throw InputError(fmt::format("this folder holds no field file itself, but {} with results: {}{}", count, fmt::join(runs, ", "),
                               more == 0 ? "" : fmt::format(" and {} more", more)),
                   fmt::format("give one of them: weft export {}", first), {.file = folder.string()});
}

/// Returns the field files of a results folder in the order of their steps, or the one file that is named.
std::vector<fs::path> field_files(const fs::path& results) {
  std::error_code failed;
  if (!fs::exists(results, failed))
    throw InputError("there is no such folder or file", "check the path", {.file = results.string()});
  if (!fs::is_directory(results, failed)) {
    if (results.extension() == ".hdf" || results.extension() == ".vtkhdf") return {results};
    throw InputError("is not a field file (fields_*.hdf, walls_*.hdf or boundary.hdf)",
                     "give one, or the results folder of a run; histories (*.csv) are tables already",
                     {.file = results.string()});
  }
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(results)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kPrefix = "fields_";
    const bool of_a_step = name.starts_with(kPrefix) && std::isdigit(static_cast<unsigned char>(name[kPrefix.size()])) != 0;
    if (of_a_step && entry.path().extension() == ".hdf") files.push_back(entry.path());
  }
  if (files.empty()) refuse_folder(results);
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    const std::string x = a.filename().string(), y = b.filename().string();
    return std::pair(x.size(), x) < std::pair(y.size(), y);
  });
  return files;
}

/// Returns the boundary zones of a file of fields if its folder holds them, as a run writes them. Called on one rank.
std::optional<flow::ExportedZones> zones_of(const fs::path& fields) {
  const fs::path boundary = fields.parent_path() / "boundary.hdf";
  std::error_code failed;
  if (!fields.filename().string().starts_with("fields_") || !fs::exists(boundary, failed)) return std::nullopt;
  std::ifstream in(fields.parent_path() / flow::kRecordFile);
  const nlohmann::json record = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
  flow::ExportedZones zones{.boundary = boundary, .names = {}};
  try {
    const nlohmann::json& mesh = record.at("mesh");
    for (const nlohmann::json& zone : mesh.at("zones")) {  // periodic zones have no faces, and are not part of the boundary
      if (zone.at("dim") == mesh.at("dim").get<int>() - 1 && zone.at("elements") > 0)
        zones.names.push_back(zone.at("name").get<std::string>());
    }
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return zones;
}

Exit export_results(const Communicator& comm, const ExportOptions& options) {
  std::vector<fs::path> files = agreed(comm, [&] { return field_files(options.results); });
  if (options.time == "last") files = {files.back()};
  const flow::ExportFormatRow& row = row_of(kind_named<flow::ExportFormat>(options.format));
  for (const fs::path& file : files) {
    fs::path to = file;
    to.replace_extension("." + options.format);
    if (!options.folder.empty()) to = fs::path(options.folder) / to.filename();
    expect_new_file(comm, to.string(), options.force);
    fs::path index = to;
    if (!row.index.empty()) expect_new_file(comm, index.replace_extension(row.index).string(), options.force);
    agreed(comm, [&] {
      if (!comm.is_root()) return;
      if (!options.folder.empty()) io::make_directories(options.folder);
      const std::optional<flow::ExportedZones> zones = zones_of(file);
      const flow::Exported done = row.write(file, to, zones);
      fmt::print("wrote {}: {}, {}\n", to.string(), counted(done.cells, "cell"), counted(done.points, "point"));
      if (zones && !row.index.empty())
        fmt::print("wrote {}: these cells and {}\n", index.string(), counted(std::ssize(zones->names), "boundary zone"));
    });
  }
  return Exit::done;
}

}  // namespace

void add_export(CLI::App& app, Request& request) {
  const auto formats = names<flow::ExportFormat>();
  CLI::App* command =
      app.add_subcommand("export", fmt::format("Write the fields of a run in a format of other programs ({})", one_of(formats)));
  auto options = std::make_shared<ExportOptions>();
  command->add_option("results", options->results, "Results folder, or one of its fields_*.hdf or walls_*.hdf")->required();
  command->add_option("--format", options->format, one_of(formats))
      ->check(CLI::IsMember(std::vector<std::string>(formats.begin(), formats.end())))
      ->capture_default_str();
  command->add_option("--time", options->time, "Which field files of the folder: last or all")
      ->check(CLI::IsMember({"last", "all"}))
      ->capture_default_str();
  command->add_option("--output", options->folder, "Folder to write to; default: the folder of the field files")
      ->check(not_empty());
  command->add_flag("--force", options->force, "Replace files that are there");
  command->footer("Example: weft export results/naca0012 --format cgns --time all");
  command->callback(
      [options, &request] { request.action = [options](const Communicator& comm) { return export_results(comm, *options); }; });
}

}  // namespace weft::app
