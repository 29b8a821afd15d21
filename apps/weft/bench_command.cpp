// weft bench: measurements of this machine.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"
#include "weft/flow/app/case_errors.hpp"
#include "weft/io/text_file.hpp"

#include "build_commit.hpp"
#include "command.hpp"
#include "drawing_tools.hpp"
#include "json_output.hpp"
#include "kernel_results.hpp"
#include "kernel_space.hpp"
#include "kernel_tuning.hpp"
#include "measuring_program.hpp"
#include "standard_output.hpp"

namespace weft::app {
namespace {

namespace fs = std::filesystem;

struct KernelBenchOptions {
  std::vector<std::string> only;
  std::string device = "cuda", json, picture, cache;
  bool quick = false, tune = false;
};

template <class List>
bool contains(const List& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Checks, before the measurement, that the folder permits writing a file; an existing regular file is replaced. @throws IoError
void expect_writable(const std::string& file) {
  if (file.empty()) return;
  std::error_code failed;
  if (fs::exists(file, failed) && !fs::is_regular_file(file, failed)) {
    throw IoError("this is not a regular file, and is not replaced", "give the name of a file", {.file = file});
  }
  const fs::path folder = fs::absolute(file).parent_path();
  if (!fs::is_directory(folder, failed))
    throw IoError("its folder does not exist", "create it, or choose another", {.file = file});
  if (access(folder.c_str(), W_OK) != 0) {
    throw IoError(fmt::format("its folder cannot be written ({})", std::strerror(errno)), "choose another", {.file = file});
  }
}

/// Measures and prints the table as its rows come. Returns nothing if the program has failed and printed why.
std::optional<KernelResults> measure_kernels(const MeasuringProgram& program, std::vector<std::string> arguments) {
  KernelResults results;
  const bool good = program.run(std::move(arguments), [&](const Json& line) {
    if (results.machine.is_null()) {
      print_out(table_head(line));
      results.machine = line;
    } else {
      results.rows.push_back(kernel_row(line));
      print_out(table_lines(results.rows.back(), copy_rate(results.machine)));
    }
  });
  if (!good) return std::nullopt;
  return results;
}

/// Returns the names of the kernels in the declared space.
std::vector<std::string_view> tuned_kernels() {
  std::vector<std::string_view> names;
  for (const TuningInput& input : kTuningSpace) {
    if (names.empty() || names.back() != input.kernel) names.push_back(input.kernel);
  }
  return names;
}

/// Returns the measurements of the declared space, from the cache if it has them. Returns nothing as measure_kernels().
std::optional<TuningRun> tune_kernels(const MeasuringProgram& program, const std::string& cache_file) {
  TuningCache cache(cache_file.empty() ? TuningCache::default_file() : fs::path(cache_file));
  TuningRun run{.commit = kCommit,
                .program = fmt::format("{:016x}", hash_text(io::read_text(program.path()))),
                .date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))),
                .results = {}};
  const auto read_machine = [&](const Json& line) {
    run.results.machine = line;
    (void)(line.at("gpu").get<std::string>() + line.at("cuda").get<std::string>());
  };
  if (!program.run({"--machine"}, read_machine)) return std::nullopt;
  if (cache.find(run)) {
    print_out(fmt::format("from the cache {}, measured {}; remove it to measure again\n", cache.file().string(), run.date));
    print_out(table_head(run.results.machine));
    for (const KernelRow& row : run.results.rows) print_out(table_lines(row, copy_rate(run.results.machine)));
  } else {
    print_out(fmt::format("searching: both providers on {} inputs, with {} entries, and {} tile sizes of the sort\n",
                          std::size(kTuningSpace), fmt::join(kMeasuredEntries, " and "),
                          kSortTiles4.size() + kSortTiles8.size()));
    std::optional<KernelResults> results =
        measure_kernels(program, {"--tiles", "--only", fmt::format("{}", fmt::join(tuned_kernels(), ","))});
    if (!results) return std::nullopt;
    run.results = std::move(*results);
    (void)choose_providers(run);  // throws if an input is missing, so that such a run is not kept
    cache.store(run);
  }
  return run;
}

/// A file that is removed with this object, unless keep() was called.
class TemporaryDocument {
 public:
  /// @throws IoError if it cannot be written.
  explicit TemporaryDocument(const std::string& text) : path_((fs::temp_directory_path() / "weft-kernels-XXXXXX").string()) {
    const int made = mkstemp(path_.data());
    if (made < 0) {
      throw IoError(fmt::format("cannot be written ({})", std::strerror(errno)), "set TMPDIR to a folder with space",
                    {.file = path_});
    }
    close(made);
    io::write_text(path_, text, io::Durable::no);
  }
  TemporaryDocument(const TemporaryDocument&) = delete;
  TemporaryDocument& operator=(const TemporaryDocument&) = delete;
  ~TemporaryDocument() {
    if (!kept_) std::remove(path_.c_str());
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

Exit bench_kernels(const KernelBenchOptions& options) {
  expect_writable(options.json);
  expect_writable(options.picture);
  const MeasuringProgram program(options.device == "host" ? MeasuredOn::host : MeasuredOn::gpu);
  std::optional<KernelResults> results;
  std::optional<std::vector<KernelChoice>> choices;
  if (options.tune) {
    std::optional<TuningRun> run = tune_kernels(program, options.cache);
    if (!run) return Exit::failed;
    choices = choose_providers(*run);
    print_out("\n" + describe_choices(*choices) + tile_choices(run->results));
    results = std::move(run->results);
  } else {
    std::vector<std::string> arguments;
    if (options.quick) arguments.emplace_back("--quick");
    if (!options.only.empty()) arguments.insert(arguments.end(), {"--only", fmt::format("{}", fmt::join(options.only, ","))});
    results = measure_kernels(program, std::move(arguments));
    if (!results) return Exit::failed;
  }
  if (options.json.empty() && options.picture.empty()) return Exit::done;
  Json content{{"commit", kCommit}, {"machine", results->machine}, {"rows", Json::array()}};
  for (const KernelRow& row : results->rows) content["rows"].push_back(to_json(row));
  if (choices) {
    content["choices"] = Json::array();
    for (const KernelChoice& choice : *choices) content["choices"].push_back(to_json(choice));
  }
  const std::string document = json_document("bench kernels", content);
  if (!options.json.empty()) io::write_text(options.json, document);
  if (options.picture.empty()) return Exit::done;
  TemporaryDocument drawn(document);
  const Exit exit = run_drawing_tool({"kernels", drawn.path(), "--output", options.picture});
  if (exit == Exit::done) return exit;
  if (options.json.empty()) {
    drawn.keep();
    print_out(fmt::format("the measurements are in {}; draw them in Python by weft.plot.kernels(path)\n", drawn.path()));
  }
  return exit;
}

/// Checks the name of a kernel.
CLI::Validator kernel_name() {
  return CLI::Validator(
      [](const std::string& name) {
        if (contains(kMeasuredKernels, name) || contains(kHostKernels, name)) return std::string();
        return fmt::format("there is no kernel \"{}\"; the names are {}, and with --device host {}", name,
                           fmt::join(kMeasuredKernels, ", "), fmt::join(kHostKernels, ", "));
      },
      "");
}

/// Checks the name of a device.
CLI::Validator device_name() {
  return CLI::Validator(
      [](const std::string& name) {
        if (name == "cuda" || name == "host") return std::string();
        return fmt::format("kernels are measured on cuda or host, not \"{}\"", name);
      },
      "");
}

/// Checks that the kernels exist on the machine. @throws CLI::ValidationError
void expect_kernels_on(const KernelBenchOptions& options) {
  for (const std::string& name : options.only) {
    if (options.device == "cuda" && contains(kHostKernels, name)) {
      throw CLI::ValidationError("--only", fmt::format("{} is measured on the host alone; add --device host", name));
    }
  }
  if (options.device == "host" && options.tune) {
    throw CLI::ValidationError("--tune", "searches providers on a GPU; leave out --device host");
  }
}

}  // namespace

void add_bench(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("bench", "Measure the speed of this machine's GPU or processor");
  command->require_subcommand(1);
  command->footer("Examples:\n  weft bench kernels --quick");
  CLI::App* kernels = command->add_subcommand(
      "kernels", "Measure kernels on the GPU or the host: Weft's, those of libraries, and a copy of the same number of bytes");
  kernels->footer(
      "Examples:\n  weft bench kernels --picture kernels.png --json kernels.json\n  weft bench kernels --only sort,histogram "
      "--quick\n"
      "  weft bench kernels --device host --quick\n"
      "  weft bench kernels --tune");
  auto options = std::make_shared<KernelBenchOptions>();
  CLI::Option* only = kernels
                          ->add_option("--only", options->only,
                                       fmt::format("Measure these kernels only, of {}; with --device host also of {}",
                                                   fmt::join(kMeasuredKernels, ", "), fmt::join(kHostKernels, ", ")))
                          ->delimiter(',')
                          ->type_name("KERNELS")
                          ->check(kernel_name());
  kernels->add_option("--device", options->device, "Where kernels are measured: cuda or host (one thread)")
      ->type_name("TEXT:{cuda,host}")
      ->check(device_name());
  CLI::Option* quick = kernels->add_flag("--quick", options->quick, "One number of entries, and fewer runs");
  kernels->add_option("--json", options->json, "Also write the results to this file")->type_name("FILE")->check(not_empty());
  kernels->add_option("--picture", options->picture, "Also draw the results, below the rate of the copy: a PNG, PDF or SVG file")
      ->type_name("FILE")
      ->check(picture_file());
  CLI::Option* tune =
      kernels
          ->add_flag("--tune", options->tune, "Search the fastest provider for each row of the table of defaults, and print it")
          ->excludes(only)
          ->excludes(quick);
  kernels->add_option("--cache", options->cache, "Cache of the search (~/.cache/weft/kernel_tuning.json)")
      ->type_name("FILE")
      ->check(not_empty())
      ->needs(tune);
  kernels->callback([options, &request] {
    expect_kernels_on(*options);
    request.without_mpi = [options] {
      if (rank_of_environment() != 0) return Exit::done;
      try {
        return bench_kernels(*options);
      } catch (const std::exception& error) {
        print_error(flow::error_lines(error));
        return Exit::failed;
      }
    };
  });
}

}  // namespace weft::app
