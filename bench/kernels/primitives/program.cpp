#include "program.hpp"

#include <charconv>
#include <cstdio>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_space.hpp"

namespace bench {
namespace {

void print_line(const Json& line) {
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

Json to_json(const Times& times) { return {{"median", times.median}, {"least", times.least}, {"largest", times.largest}}; }

/// Returns the words of "a,b".
std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  return words;
}

/// Reads a whole number from 1 on.
bool read_number(std::string_view word, std::int64_t& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && number > 0;
}

/// Returns the options; nothing after a message if an argument is wrong.
std::optional<ProgramOptions> program_options(int argc, const char* const* argv) {
  ProgramOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--quick") {
      options.quick = true;
    } else if (word == "--tiles") {
      options.settings.tiles = true;
    } else if (word == "--machine") {
      options.only_machine = true;
    } else if (word == "--only" && i + 1 < argc) {
      options.settings.only = words_of(argv[++i]);
    } else if (word == "--entries" && i + 1 < argc && read_number(argv[i + 1], options.entries)) {
      ++i;
    } else {
      std::fprintf(stderr, "weft: error: %s: unknown option; run weft bench kernels, which runs this program\n", argv[i]);
      return std::nullopt;
    }
  }
  if (options.quick || options.entries > 0) options.settings.runs = weft::app::kQuickRuns;
  return options;
}

}  // namespace

int measure_all(const ProgramOptions& options, weft::Stream& stream, const Machine& machine) {
  if (options.only_machine) {
    print_line(machine.description);
    return 0;
  }
  const Bench bench(stream, machine.cache_bytes, options.settings);
  Json first = machine.description;
  first["runs"] = bench.runs();
  first["copy"] = to_json(measure_copy(bench, machine.copy_bytes));
  first["copy"]["bytes"] = 2 * machine.copy_bytes;
  print_line(first);
  const auto measure = [&](std::int64_t n) {
    measure_sums(bench, n);
    measure_scans(bench, n);
    measure_sorts(bench, n);
    measure_segmented_sorts(bench, n);
    measure_selections(bench, n);
    measure_moves(bench, n);
    measure_stencils(bench, n);
    measure_products(bench, n);
    measure_batches(bench, n);
  };
  if (options.entries > 0) {
    measure(options.entries);
  } else if (options.quick) {
    measure(machine.quick_entries);
  } else {
    for (const std::int64_t n : machine.entries) measure(n);
  }
  return 0;
}

void Bench::report(const KernelRow& row) const {
  Json times = Json::object();
  for (const auto& [candidate, of_candidate] : row.times) times[candidate] = to_json(of_candidate);
  print_line({{"kernel", row.kernel},
              {"type", row.type},
              {"input", row.input},
              {"entries", row.entries},
              {"bytes", row.bytes},
              {"operations", row.operations},
              {"times", times}});
}

int run_program(int argc, const char* const* argv, int (*run)(const ProgramOptions& options)) {
  try {
    const std::optional<ProgramOptions> options = program_options(argc, argv);
    return options ? run(*options) : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weft: error: %s\n", error.what());
    return 1;
  }
}

}  // namespace bench
