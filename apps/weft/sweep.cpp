#include "sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/app/case_check.hpp"
#include "weft/flow/app/case_errors.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/io/case/case_changes.hpp"
#include "weft/io/text_file.hpp"

#include "drawing_tools.hpp"
#include "standard_output.hpp"

namespace weft::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char *kSweepFile = "sweep.json", *kPolarFile = "polar.csv";
std::string override_of(const SweepAxis& axis, double value) { return fmt::format("{}={}", axis.key, value); }

/// A point and its result. Equal on every rank.
struct SweptCase {
  SweepPoint point;
  std::optional<io::CaseReader> reader;
  flow::Case flow_case;
  flow::Existing existing = flow::Existing::refuse;
  bool done = false, finished = false;  ///< done: nothing more to compute; finished: has a final state from which others can
                                        ///< start
  bool interrupted = false;
  Json row;  ///< on rank 0; null: not done
};

/// Returns an error of an override as an error of the option that contains it.
template <class E>
E for_sweep(const E& error, const std::vector<SweepAxis>& axes) {
  Where where = error.where();
  for (const SweepAxis& axis : axes) {
    if (where.file.starts_with("--set " + axis.key + "=")) where.file.replace(0, 5, "--sweep");
  }
  if constexpr (std::is_same_v<E, Error>) {
    return Error(error.kind(), error.problem(), error.suggestion(), where);
  } else {
    return E(error.problem(), error.suggestion(), where);
  }
}

std::vector<SweptCase> read_cases(const Communicator& comm, const SweepChoice& choice, const std::vector<SweepAxis>& axes) {
  std::vector<SweptCase> cases;
  fs::path folder;
  for (const SweepPoint& point : sweep_points(axes)) {
    std::vector<std::string> overrides = choice.overrides;
    for (std::size_t a = 0; a < axes.size(); ++a) overrides.push_back(override_of(axes[a], point.values[a]));
    try {
      if (folder.empty()) {
        io::CaseReader first(flow::read_case_file(comm, choice.file, overrides));
        folder = flow::read_good_case(comm, first).output.directory;
      }
      overrides.push_back(fmt::format("output.directory={}", Json((folder / point.name).string()).dump()));
      SweptCase each{.point = point,
                     .reader = io::CaseReader(flow::read_case_file(comm, choice.file, overrides)),
                     .flow_case = {},
                     .row = {}};
      each.flow_case = flow::read_good_case(comm, *each.reader);
      cases.push_back(std::move(each));
    } catch (const flow::CaseErrors& errors) {
      std::vector<Error> all;
      for (const Error& error : errors.all()) all.push_back(for_sweep(error, axes));
      throw flow::CaseErrors(std::move(all));
    } catch (const InputError& error) {  // an error of the text of the case
      throw for_sweep(error, axes);
    }
  }
  return cases;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns the rows of an earlier sweep into this folder, by point; empty if there is none, or if its file is damaged.
std::map<std::string, Json> earlier_rows(const fs::path& folder) {
  std::map<std::string, Json> rows;
  std::ifstream in(folder / kSweepFile);
  const Json earlier = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!earlier.is_object() || !earlier.contains("points") || !earlier["points"].is_array()) return rows;
  for (const Json& row : earlier["points"]) {
    if (row.is_object() && row.contains("folder") && row["folder"].is_string() && row.contains("outcome"))
      rows[row["folder"].get<std::string>()] = row;
  }
  return rows;
}

/// Finds the results of earlier sweeps for each point, on rank 0.
/// @throws InputError if the folder holds points, and their treatment was not chosen.
void look_for_earlier(std::vector<SweptCase>& cases, const SweepChoice& choice, const fs::path& folder) {
  if (fs::exists(folder / flow::kRecordFile)) {
    throw InputError("this folder holds the results of a single run", "give the sweep one of its own: --set output.directory=...",
                     {.file = folder.string()});
  }
  const std::map<std::string, Json> rows = earlier_rows(folder);
  for (SweptCase& each : cases) {
    const fs::path& own = each.flow_case.output.directory;
    if (!fs::exists(own / "case.toml")) continue;
    if (choice.overwrite) {
      each.existing = flow::Existing::overwrite;
    } else if (!choice.resume) {
      throw InputError("this folder already holds points of a sweep",
                       "give --overwrite to compute them again, --resume to compute those that are not done, or --set "
                       "output.directory=...",
                       {.file = folder.string()});
    } else {
      const auto noted = rows.find(each.point.name);
      const bool same = io::case_changes(text_of(own / "case.toml"), each.reader->effective_toml()).empty();
      if (noted != rows.end() && same) {
        each.row = noted->second;
        each.done = true;
        each.finished = each.row["outcome"] != "diverged";
      } else if (!fs::exists(own / "checkpoint.h5") && !fs::exists(own / "checkpoint_previous.h5")) {
        each.existing = flow::Existing::overwrite;  // it ended before its first checkpoint
      } else {
        each.existing = choice.accept_changes ? flow::Existing::resume_changed : flow::Existing::resume;
      }
    }
  }
}

/// Returns whether points may start from the final state of others: if the final state does not depend on the start.
bool starts_from_others(const flow::Case& flow_case, const std::vector<SweepAxis>& axes) {
  return flow::is_steady(flow_case) && std::none_of(axes.begin(), axes.end(), [](const SweepAxis& axis) {
           return axis.key.starts_with("initial.") || axis.key.starts_with("stop.");
         });
}

Json row_of(const SweptCase& each, const std::vector<SweepAxis>& axes) {
  Json keys = Json::object();
  for (std::size_t a = 0; a < axes.size(); ++a) keys[axes[a].key] = each.point.values[a];
  return {{"folder", each.point.name}, {"keys", keys}};
}

Json row_of(const SweptCase& each, const std::vector<SweepAxis>& axes, const flow::RunSummary& summary,
            const std::string& started_from) {
  Json row = row_of(each, axes), forces = Json::object();
  for (const flow::ForceSpec& spec : each.flow_case.forces) {
    const flow::Forces& of = summary.forces.at(spec.name);
    // The pitching moment, positive nose-up, about the axis that is perpendicular to drag and lift.
    const double pitching = dot(of.moment_coefficient, cross(spec.lift_direction, spec.drag_direction));
    forces[spec.name] = {{"cl", of.lift}, {"cd", of.drag}, {"cm", pitching}};
  }
  row["outcome"] = summary.verdict.good ? "good" : "not good";
  row["verdict"] = summary.verdict.headline;
  row["steps"] = summary.steps;
  row["residual"] = summary.residual;
  row["forces"] = forces;
  row["started_from"] = started_from;
  return row;
}

/// Returns a text as a field of a CSV file.
std::string csv_field(std::string text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  return '"' + text + '"';
}

/// Writes sweep.json and polar.csv: all points that are done. On rank 0.
void write_tables(const std::vector<SweptCase>& cases, const std::vector<SweepAxis>& axes, const fs::path& folder) {
  Json points = Json::array();
  std::string csv;
  for (const SweepAxis& axis : axes) csv += csv_field(axis.key) + ",";
  for (const flow::ForceSpec& spec : cases.front().flow_case.forces)
    csv += csv_field(spec.name + "_cl") + "," + csv_field(spec.name + "_cd") + "," + csv_field(spec.name + "_cm") + ",";
  csv += "steps,residual,outcome,folder,verdict\n";
  for (const SweptCase& each : cases) {
    if (each.row.is_null()) continue;
    points.push_back(each.row);
    for (const double value : each.point.values) csv += fmt::format("{},", value);
    for (const flow::ForceSpec& spec : each.flow_case.forces) {
      for (const char* const what : {"cl", "cd", "cm"}) {
        const bool has = each.row.contains("forces") && each.row["forces"].contains(spec.name);
        csv += has ? fmt::format("{:.17g},", each.row["forces"][spec.name][what].get<double>()) : ",";
      }
    }
    csv += each.row.contains("steps")
               ? fmt::format("{},{:.6e},", each.row["steps"].get<std::int64_t>(), each.row["residual"].get<double>())
               : ",,";
    csv += fmt::format("{},{},{}\n", each.row["outcome"].get<std::string>(), csv_field(each.point.name),
                       csv_field(each.row["verdict"].get<std::string>()));
  }
  fs::create_directories(folder);
  io::write_text(folder / kSweepFile, Json{{"format", 1}, {"points", points}}.dump(1) + '\n');
  io::write_text(folder / kPolarFile, csv);
}

/// Returns the table for the terminal.
std::string table_of(const std::vector<SweptCase>& cases, const std::vector<SweepAxis>& axes) {
  std::vector<std::vector<std::string>> lines(1);
  for (const std::string& name : short_names(axes)) lines[0].push_back(name);
  const std::vector<flow::ForceSpec>& forces = cases.front().flow_case.forces;
  for (const flow::ForceSpec& spec : forces) {
    const std::string of = forces.size() == 1 ? "" : " " + spec.name;
    for (const char* const what : {"Cl", "Cd", "Cm"}) lines[0].push_back(what + of);
  }
  lines[0].insert(lines[0].end(), {"steps", "verdict"});
  for (const SweptCase& each : cases) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const double value : each.point.values) line.push_back(fmt::format("{}", value));
    for (const flow::ForceSpec& spec : forces) {
      for (const char* const what : {"cl", "cd", "cm"}) {
        const bool has = each.row.contains("forces") && each.row["forces"].contains(spec.name);
        line.push_back(has ? fmt::format("{:.6g}", each.row["forces"][spec.name][what].get<double>()) : "-");
      }
    }
    line.push_back(each.row.contains("steps") ? fmt::format("{}", each.row["steps"].get<std::int64_t>()) : "-");
    const std::string verdict = each.row.is_null() ? "not computed" : each.row["verdict"].get<std::string>();
    const bool diverged = !each.row.is_null() && each.row["outcome"] == "diverged";  // polar.csv has the error
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

/// Computes a point and returns its row; sets each.done, each.finished and each.interrupted. A point that diverges after a start
/// from another's state is computed again from [initial].  @throws as `run`, except PhysicsError.  @collective
Json compute_point(const Communicator& comm, SweptCase& each, const std::vector<SweepAxis>& axes, const RunPoint& run,
                   flow::RunStart begin, std::string from) {
  const auto warn = [&](const std::string& text) {
    if (comm.is_root()) print_error(fmt::format("weft: warning: {}: {}\n", each.point.name, text));
  };
  while (true) {
    try {
      const flow::RunSummary summary = run(*each.reader, each.flow_case, each.existing, begin);
      each.interrupted = summary.reason == flow::StopReason::interrupted;
      each.finished = each.done = !each.interrupted && summary.reason != flow::StopReason::wall_time;
      return row_of(each, axes, summary, from);
    } catch (const PhysicsError& error) {
      if (from.empty()) {
        warn(error.what());
        each.done = true;
        Json row = row_of(each, axes);
        row["outcome"] = "diverged";
        row["verdict"] = fmt::format("diverged: {}", error.problem());
        return row;
      }
      warn(fmt::format("{}; it started from {}, and starts again from [initial]", error.what(), from));
      from.clear();
      begin.state_of.clear();
      each.existing = flow::Existing::overwrite;
    }
  }
}

}  // namespace

Exit run_sweep(const Communicator& comm, const SweepChoice& choice, const RunPoint& run) {
  const std::vector<SweepAxis> axes = parse_sweep(choice.sweep);
  std::vector<SweptCase> cases = read_cases(comm, choice, axes);
  const fs::path folder = cases.front().flow_case.output.directory.parent_path();
  agreed(comm, [&] {
    if (comm.is_root()) look_for_earlier(cases, choice, folder);
  });
  for (SweptCase& each : cases) {
    each.done = comm.broadcast(each.done);
    each.finished = comm.broadcast(each.finished);
    each.existing = static_cast<flow::Existing>(comm.broadcast(static_cast<int>(each.existing)));
  }
  const auto say = [&](const std::string& text) {
    if (comm.is_root()) print_out(text);
  };

  std::optional<mesh::Mesh> mesh;
  std::vector<SweepPoint> points;
  for (const SweptCase& each : cases) points.push_back(each.point);
  bool interrupted = false;
  for (std::size_t i = 0; i < cases.size() && !interrupted; ++i) {
    SweptCase& each = cases[i];
    std::string title = fmt::format("point {} of {}:", i + 1, cases.size());
    for (std::size_t a = 0; a < axes.size(); ++a)
      title += fmt::format("{} {} = {}", a == 0 ? "" : ",", axes[a].key, each.point.values[a]);
    if (each.done) {
      say(title + "; done already\n");
      continue;
    }
    flow::RunStart begin;
    if (!mesh) mesh = flow::load_mesh(comm, each.flow_case.mesh, flow::start_up_threads(comm, each.flow_case));
    begin.mesh = &*mesh;
    std::string from;
    if (!flow::resumes(each.existing) && starts_from_others(each.flow_case, axes)) {
      std::vector<bool> finished;
      for (const SweptCase& other : cases) finished.push_back(other.finished);
      const int nearest = nearest_point(axes, points, static_cast<int>(i), finished);
      if (nearest >= 0) {
        from = cases[nearest].point.name;
        begin.state_of = folder / from;
      }
    }
    say(fmt::format("\n{}{}\n", title, from.empty() ? "" : "; starts from " + from));
    const Json row = compute_point(comm, each, axes, run, begin, from);
    interrupted = each.interrupted;
    agreed(comm, [&] {
      if (!comm.is_root() || !each.done) return;
      each.row = row;
      write_tables(cases, axes, folder);
    });
  }

  bool all_good = true, any_diverged = false;
  if (comm.is_root()) {
    for (const SweptCase& each : cases) {
      all_good = all_good && !each.row.is_null() && each.row["outcome"] == "good";
      any_diverged = any_diverged || (!each.row.is_null() && each.row["outcome"] == "diverged");
    }
    print_out("\n" + table_of(cases, axes));
    if (fs::exists(folder / kPolarFile)) {
      print_out(fmt::format("wrote {}\n", (folder / kPolarFile).string()));
      if (!cases.front().flow_case.forces.empty() && run_drawing_tool({"plot", (folder / kPolarFile).string()}) != Exit::done) {
        print_error("weft: warning: the polar was not drawn\n");
      }
    }
  }
  if (interrupted) return Exit::interrupted;
  if (comm.broadcast(any_diverged)) return Exit::physics;
  return choice.strict && !comm.broadcast(all_good) ? Exit::not_converged : Exit::done;
}

}  // namespace weft::app
