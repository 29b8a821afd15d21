#pragma once
// The measuring programs that `weft bench kernels` runs, of GPUs and of hosts: their arguments and output. Both print one line
// of JSON for the machine and one for each row; times in seconds.
//
//   PROGRAM [--only NAME,...] [--quick] [--tiles] [--entries N]     measures; --tiles: other tile sizes of the sort, too;
//                                                                   --entries: about N entries, with as many runs as --quick
//   PROGRAM --machine                                               describes the machine and measures nothing
#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>

#include "measure.hpp"

namespace bench {

using Json = nlohmann::ordered_json;

/// The arguments of a program.
struct ProgramOptions {
  Settings settings;
  bool quick = false, only_machine = false;
  std::int64_t entries = 0;  ///< 0: the numbers of the machine
};

/// A machine on which kernels are measured.
struct Machine {
  Json description;                       ///< gpu or cpu, and others
  std::int64_t cache_bytes = 0;           ///< cache beyond which inputs are rotated
  std::int64_t copy_bytes = 0;            ///< bytes of the copy to compare with
  std::span<const std::int64_t> entries;  ///< numbers of entries, the largest first
  std::int64_t quick_entries = 0;         ///< that of --quick
};

/// Measures and prints the copy and the rows, or the machine alone. Returns the exit code.
int measure_all(const ProgramOptions& options, weft::Stream& stream, const Machine& machine);

/// Reads the arguments and calls `run`. Returns its exit code; 2 after a message if an argument is wrong, and 1 after an
/// exception.
int run_program(int argc, const char* const* argv, int (*run)(const ProgramOptions& options));

}  // namespace bench
