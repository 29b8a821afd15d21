#include "sweep_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>

#include "weft/base/error.hpp"
#include "weft/io/text_file.hpp"

namespace weft::app {
namespace {

namespace fs = std::filesystem;

/// Returns whether a row of sweep.json has all that polar.csv needs of a point.
bool has_all_members(const Json& row) {
  const auto has_text = [&](const char* name) { return row.contains(name) && row[name].is_string(); };
  if (!has_text("folder") || !has_text("outcome") || !has_text("verdict") || !row.contains("keys")) return false;
  return row["keys"].is_object() &&
         std::all_of(row["keys"].begin(), row["keys"].end(), [](const Json& value) { return value.is_number(); });
}

std::vector<std::string> keys_of(const Json& row) {
  std::vector<std::string> keys;
  for (const auto& key : row["keys"].items()) keys.push_back(key.key());
  return keys;
}

/// Returns a number of a row or of a force in it; none if there is no such number.
std::optional<double> number_of(const Json& object, const std::string& name) {
  if (!object.contains(name) || !object[name].is_number()) return std::nullopt;
  return object[name].get<double>();
}

/// Returns a coefficient of a row; none if the point has no such force.
std::optional<double> coefficient(const Json& row, const std::string& force, const char* what) {
  if (!row.contains("forces") || !row["forces"].contains(force)) return std::nullopt;
  return number_of(row["forces"][force], what);
}

/// Returns a text as a field of a CSV file.
std::string csv_field(std::string text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  return '"' + text + '"';
}

std::string csv_line(const Json& row, const std::vector<SweepAxis>& axes, const std::vector<std::string>& forces) {
  std::string line;
  for (const SweepAxis& axis : axes) line += fmt::format("{},", row["keys"][axis.key].get<double>());
  for (const std::string& force : forces) {
    for (const char* const what : {"cl", "cd", "cm"}) {
      const std::optional<double> value = coefficient(row, force, what);
      line += value ? fmt::format("{:.17g},", *value) : ",";
    }
  }
  line += row.contains("steps") ? fmt::format("{},", row["steps"].get<std::int64_t>()) : ",";
  const std::optional<double> residual = number_of(row, "residual");
  line += residual ? fmt::format("{:.6e},", *residual) : ",";
  return line + fmt::format("{},{},{}\n", row["outcome"].get<std::string>(), csv_field(row["folder"].get<std::string>()),
                            csv_field(row["verdict"].get<std::string>()));
}

}  // namespace

std::vector<Json> read_sweep(const fs::path& folder, const std::vector<SweepAxis>& axes) {
  const fs::path file = folder / kSweepFile;
  if (!fs::exists(file)) return {};
  std::ifstream in(file);
  const Json earlier = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  std::vector<Json> rows;
  bool good = earlier.is_object() && earlier.contains("points") && earlier["points"].is_array();
  if (good) {
    for (const Json& row : earlier["points"]) rows.push_back(row);
    good = std::all_of(rows.begin(), rows.end(), has_all_members);
  }
  if (!good) {
    throw InputError("the table of the points that are done is damaged",
                     "delete it, so that --resume makes the rows of this sweep anew from the checkpoints of its points",
                     {.file = file.string()});
  }
  std::vector<std::string> keys;
  for (const SweepAxis& axis : axes) keys.push_back(axis.key);
  for (const Json& row : rows) {
    if (keys_of(row) == keys) continue;
    throw InputError(fmt::format("this folder holds points of a sweep over {}", fmt::join(keys_of(row), ", ")),
                     "sweep the same keys in this order, or give the sweep a folder of its own: --set output.directory=...",
                     {.file = folder.string()});
  }
  return rows;
}

void write_sweep(const fs::path& folder, const std::vector<SweepAxis>& axes, std::vector<std::string> forces,
                 const std::vector<Json>& rows) {
  Json points = Json::array();
  for (const Json& row : rows) {
    if (row.is_null()) continue;
    points.push_back(row);
    if (!row.contains("forces")) continue;
    for (const auto& force : row["forces"].items()) {
      if (std::find(forces.begin(), forces.end(), force.key()) == forces.end()) forces.push_back(force.key());
    }
  }
  std::string csv;
  for (const SweepAxis& axis : axes) csv += csv_field(axis.key) + ",";
  for (const std::string& force : forces)
    csv += csv_field(force + "_cl") + "," + csv_field(force + "_cd") + "," + csv_field(force + "_cm") + ",";
  csv += "steps,residual,outcome,folder,verdict\n";
  for (const Json& row : points) csv += csv_line(row, axes, forces);
  fs::create_directories(folder);
  io::write_text(folder / kSweepFile, Json{{"format", 1}, {"points", points}}.dump(1) + '\n');
  io::write_text(folder / kPolarFile, csv);
}

std::string sweep_table(const std::vector<SweepAxis>& axes, const std::vector<std::string>& forces,
                        const std::vector<SweepPoint>& points, const std::vector<Json>& rows) {
  std::vector<std::vector<std::string>> lines(1);
  for (const std::string& name : short_names(axes)) lines[0].push_back(name);
  for (const std::string& force : forces) {
    const std::string of = forces.size() == 1 ? "" : " " + force;
    for (const char* const what : {"Cl", "Cd", "Cm"}) lines[0].push_back(what + of);
  }
  lines[0].insert(lines[0].end(), {"steps", "verdict"});
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Json& row = rows[i];
    std::vector<std::string>& line = lines.emplace_back();
    for (const double value : points[i].values) line.push_back(fmt::format("{}", value));
    for (const std::string& force : forces) {
      for (const char* const what : {"cl", "cd", "cm"}) {
        const std::optional<double> value = coefficient(row, force, what);
        line.push_back(value ? fmt::format("{:.6g}", *value) : "-");
      }
    }
    line.push_back(row.contains("steps") ? fmt::format("{}", row["steps"].get<std::int64_t>()) : "-");
    const std::string verdict = row.is_null() ? "not computed" : row["verdict"].get<std::string>();
    const bool diverged = !row.is_null() && row["outcome"] == "diverged";  // polar.csv has the error
    line.push_back(diverged ? verdict.substr(0, verdict.find(':')) : verdict);
  }
  std::vector<std::size_t> widths(lines[0].size());
  for (const auto& line : lines)
    for (std::size_t k = 0; k < line.size(); ++k) widths[k] = std::max(widths[k], line[k].size());
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t k = 0; k + 1 < line.size(); ++k) text += fmt::format("{:>{}}  ", line[k], widths[k]);
    text += line.back() + "\n";
  }
  return text + (forces.empty() ? "" : "Cm is positive nose-up\n");
}

bool any_coefficients(const std::vector<Json>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const Json& row) { return row.contains("forces") && !row["forces"].empty(); });
}

}  // namespace weft::app
