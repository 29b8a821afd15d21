#include "sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/app/case_check.hpp"
#include "weft/flow/app/case_errors.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/io/case/case_changes.hpp"

#include "drawing_tools.hpp"
#include "standard_output.hpp"
#include "sweep_tables.hpp"

namespace weft::app {
namespace {

namespace fs = std::filesystem;

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

/// Finds the results of earlier sweeps for each point, on rank 0.
/// @return the rows of earlier points that are not among these, with --resume.
/// @throws InputError if the folder holds points, and their treatment was not chosen; as read_sweep().
std::vector<Json> look_for_earlier(std::vector<SweptCase>& cases, const std::vector<SweepAxis>& axes, const SweepChoice& choice,
                                   const fs::path& folder) {
  if (fs::exists(folder / flow::kRecordFile)) {
    throw InputError("this folder holds the results of a single run", "give the sweep one of its own: --set output.directory=...",
                     {.file = folder.string()});
  }
  const auto is_there = [](const SweptCase& each) { return fs::exists(each.flow_case.output.directory / "case.toml"); };
  const bool holds_points = fs::exists(folder / kSweepFile) || std::any_of(cases.begin(), cases.end(), is_there);
  if (holds_points && !choice.overwrite && !choice.resume) {
    throw InputError("this folder already holds points of a sweep",
                     "give --resume to keep those that are done, --overwrite to replace them, or --set output.directory=...",
                     {.file = folder.string()});
  }
  std::vector<Json> others;
  if (choice.resume) others = read_sweep(folder, axes);
  for (SweptCase& each : cases) {
    Json noted;
    const auto is_own = [&](const Json& row) { return row["folder"].get<std::string>() == each.point.name; };
    if (const auto row = std::find_if(others.begin(), others.end(), is_own); row != others.end()) {
      noted = *row;
      others.erase(row);
    }
    if (!is_there(each)) continue;
    const fs::path& own = each.flow_case.output.directory;
    if (choice.overwrite) {
      each.existing = flow::Existing::overwrite;
    } else if (!noted.is_null() && io::case_changes(text_of(own / "case.toml"), each.reader->effective_toml()).empty()) {
      each.done = true;
      each.finished = noted["outcome"] != "diverged";
      each.row = std::move(noted);
    } else if (!fs::exists(own / "checkpoint.h5") && !fs::exists(own / "checkpoint_previous.h5")) {
      each.existing = flow::Existing::overwrite;  // it ended before its first checkpoint
    } else {
      each.existing = choice.accept_changes ? flow::Existing::resume_changed : flow::Existing::resume;
    }
  }
  return others;
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
    if (!spec.has_coefficients()) continue;
    const flow::Forces& of = summary.forces.at(spec.name);
    forces[spec.name] = {{"cl", of.lift}, {"cd", of.drag}, {"cm", of.pitch}};
  }
  row["outcome"] = summary.verdict.good ? "good" : "not good";
  row["verdict"] = summary.verdict.headline;
  row["steps"] = summary.steps;
  row["residual"] = summary.residual;
  row["forces"] = forces;
  row["started_from"] = started_from;
  return row;
}

/// Returns the names of the forces that have coefficients at any of the points.
std::vector<std::string> forces_of(const std::vector<SweptCase>& cases) {
  std::vector<std::string> names;
  for (const SweptCase& each : cases) {
    for (const flow::ForceSpec& spec : each.flow_case.forces) {
      const bool known = std::find(names.begin(), names.end(), spec.name) != names.end();
      if (spec.has_coefficients() && !known) names.push_back(spec.name);
    }
  }
  return names;
}

/// Returns the rows of the points, null where a point is not done. On rank 0.
std::vector<Json> rows_of(const std::vector<SweptCase>& cases) {
  std::vector<Json> rows;
  for (const SweptCase& each : cases) rows.push_back(each.row);
  return rows;
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
  std::vector<Json> others;  // on rank 0
  agreed(comm, [&] {
    if (comm.is_root()) others = look_for_earlier(cases, axes, choice, folder);
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
  const std::vector<std::string> forces = forces_of(cases);
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
      std::vector<Json> rows = rows_of(cases);
      rows.insert(rows.begin(), others.begin(), others.end());
      write_sweep(folder, axes, forces, rows);
    });
  }

  bool all_good = true, any_diverged = false;
  if (comm.is_root()) {
    for (const SweptCase& each : cases) {
      all_good = all_good && !each.row.is_null() && each.row["outcome"] == "good";
      any_diverged = any_diverged || (!each.row.is_null() && each.row["outcome"] == "diverged");
    }
    const std::vector<Json> rows = rows_of(cases);
    print_out("\n" + sweep_table(axes, forces, points, rows));
    if (fs::exists(folder / kPolarFile)) {
      print_out(fmt::format("wrote {}\n", (folder / kPolarFile).string()));
      if (any_coefficients(rows) && run_drawing_tool({"plot", (folder / kPolarFile).string()}) != Exit::done) {
        print_error("weft: warning: the polar was not drawn\n");
      }
    }
  }
  if (interrupted) return Exit::interrupted;
  if (comm.broadcast(any_diverged)) return Exit::physics;
  return choice.strict && !comm.broadcast(all_good) ? Exit::not_converged : Exit::done;
}

}  // namespace weft::app
