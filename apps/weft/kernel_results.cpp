#include "kernel_results.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::app {
namespace {

/// Returns the microseconds and the range relative to the median, both 18 columns in total.
std::string time_columns(const KernelTimes* times) {
  if (times == nullptr) return fmt::format("{:>11} {:>6}", "", "");
  return fmt::format("{:11.2f} {:6.1f}", 1e6 * times->median, 100 * (times->largest - times->least) / times->median);
}

std::string share_column(const KernelRow& row, const KernelTimes* times, double copy) {
  return times == nullptr ? fmt::format("{:>8}", "") : fmt::format("{:8.3f}", row.bytes / times->median / copy);
}

/// Returns the GPU and its software, or the processor, the number of threads and the compiler.
std::string machine_name(const Json& machine) {
  if (!machine.contains("gpu")) {
    return fmt::format("{}, {} thread, {}", machine.at("cpu").get<std::string>(), machine.at("threads").get<int>(),
                       machine.at("compiler").get<std::string>());
  }
  return fmt::format("{}, CUDA {}, driver for CUDA {}", machine.at("gpu").get<std::string>(),
                     machine.at("cuda").get<std::string>(), machine.at("driver").get<std::string>());
}

}  // namespace

const KernelTimes* KernelRow::find(std::string_view candidate) const {
  const auto found = std::find_if(times.begin(), times.end(), [&](const KernelTimes& t) { return t.candidate == candidate; });
  return found == times.end() ? nullptr : &*found;
}

KernelRow kernel_row(const Json& line) {
  KernelRow row{.kernel = line.at("kernel").get<std::string>(),
                .type = line.at("type").get<std::string>(),
                .input = line.at("input").get<std::string>(),
                .entries = line.at("entries").get<double>(),
                .bytes = line.at("bytes").get<double>(),
                .operations = line.at("operations").get<double>(),
                .times = {}};
  for (const auto& [candidate, times] : line.at("times").items()) {
    row.times.push_back({.candidate = candidate,
                         .median = times.at("median").get<double>(),
                         .least = times.at("least").get<double>(),
                         .largest = times.at("largest").get<double>()});
  }
  return row;
}

Json to_json(const KernelRow& row) {
  Json times = Json::object();
  for (const KernelTimes& t : row.times) {
    times[t.candidate] = {{"median", t.median}, {"least", t.least}, {"largest", t.largest}};
  }
  return {{"kernel", row.kernel},   {"type", row.type},   {"input", row.input},
          {"entries", row.entries}, {"bytes", row.bytes}, {"operations", row.operations},
          {"times", times}};
}

double copy_rate(const Json& machine) {
  const Json& copy = machine.at("copy");
  return copy.at("bytes").get<double>() / copy.at("median").get<double>();
}

std::string table_head(const Json& machine) {
  const Json& copy = machine.at("copy");
  const double median = copy.at("median").get<double>();
  return fmt::format("{}; medians of {} runs, their range relative to the median\n", machine_name(machine),
                     machine.at("runs").get<int>()) +
         fmt::format("copy {}, read + written: {:.1f} GB/s, range {:.1f} %\n\n",
                     machine.contains("gpu") ? "on the device" : "of memory", 1e-9 * copy_rate(machine),
                     100 * (copy.at("largest").get<double>() - copy.at("least").get<double>()) / median) +
         fmt::format("{:<56} {:>10} {:>11} {:>6} {:>11} {:>6} {:>8} {:>8} {:>8}\n", "", "entries", "own", "range", "library",
                     "range", "own of", "library", "own /") +
         fmt::format("{:<56} {:>10} {:>11} {:>6} {:>11} {:>6} {:>8} {:>8} {:>8}\n", "", "", "us", "%", "us", "%", "copy",
                     "of copy", "library");
}

std::string table_lines(const KernelRow& row, double copy_bytes_per_second) {
  const KernelTimes *const own = row.find("own"), *const library = row.find("library");
  const std::string name = fmt::format("{}, {}{}{}", row.kernel, row.type, row.input.empty() ? "" : ", ", row.input);
  std::string lines =
      fmt::format("{:<56} {:10.0f} {} {} {} {}", name, row.entries, time_columns(own), time_columns(library),
                  share_column(row, own, copy_bytes_per_second), share_column(row, library, copy_bytes_per_second));
  if (own != nullptr && library != nullptr) lines += fmt::format(" {:8.3f}", library->median / own->median);
  lines.erase(lines.find_last_not_of(' ') + 1);
  lines += '\n';
  for (const KernelTimes& times : row.times) {
    if (&times == own || &times == library) continue;
    lines += fmt::format("  {:<54} {:10.0f} {} {:>18} {}\n", "tile sizes " + times.candidate, row.entries, time_columns(&times),
                         "", share_column(row, &times, copy_bytes_per_second));
  }
  return lines;
}

}  // namespace weft::app
