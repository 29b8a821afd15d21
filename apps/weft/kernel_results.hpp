#pragma once
/// Results of `weft bench kernels`: what the measuring program prints, as a table and as JSON.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json_output.hpp"

namespace weft::app {

/// Median and range of the times of several runs, in seconds.
struct KernelTimes {
  std::string candidate;  ///< "own", "library", or the tile sizes "384 x 24"
  double median = 0, least = 0, largest = 0;
};

/// A kernel on one input.
struct KernelRow {
  std::string kernel, type, input;
  double entries = 0;
  double bytes = 0;       ///< minimum traffic
  double operations = 0;  ///< 0: not counted
  std::vector<KernelTimes> times;

  /// Returns the times of a candidate; null if it was not measured.
  [[nodiscard]] const KernelTimes* find(std::string_view candidate) const;
};

/// A run of the measuring program.
struct KernelResults {
  Json machine;  ///< gpu, compute, cuda, driver, l2_bytes, or cpu, compiler, threads, cache_bytes; runs, copy
  std::vector<KernelRow> rows;
};

/// @throws Json::exception if a member is missing or of another type.
[[nodiscard]] KernelRow kernel_row(const Json& line);
[[nodiscard]] Json to_json(const KernelRow& row);

/// Returns the rate of the copy on the device, bytes read plus bytes written per second.
/// @throws Json::exception as kernel_row().
[[nodiscard]] double copy_rate(const Json& machine);

/// Returns the lines above the table: the machine, the copy, the names of the columns.
[[nodiscard]] std::string table_head(const Json& machine);

/// Returns the lines of a row: both providers, and one more for each further candidate.
[[nodiscard]] std::string table_lines(const KernelRow& row, double copy_bytes_per_second);

}  // namespace weft::app
