// A flow case in memory: its solver, its histories and its fields.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/app/case_check.hpp"
#include "weft/flow/app/case_errors.hpp"
#include "weft/flow/app/inflow_checks.hpp"
#include "weft/flow/app/output_fields.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/flow/app/start.hpp"
#include "weft/flow/app/zone_vortices.hpp"
#include "weft/io/case/case_reader.hpp"

#include "bindings.hpp"

namespace weft::python {
namespace {

constexpr int kVars = flow::Solver::kVars;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Columns of numbers that grow by one row at a time.
class History {
 public:
  explicit History(std::vector<std::string> columns) : columns_(std::move(columns)) {}
  void add(const std::vector<double>& row) { values_.insert(values_.end(), row.begin(), row.end()); }
  void clear() { values_.clear(); }
  /// Returns {column: array of its values}.
  [[nodiscard]] nb::dict columns() const {
    nb::dict all;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      std::vector<double> column;
      for (std::size_t i = k; i < values_.size(); i += columns_.size()) column.push_back(values_[i]);
      all[nb::str(columns_[k].c_str())] = array_of(std::move(column));
    }
    return all;
  }

 private:
  std::vector<std::string> columns_;
  std::vector<double> values_;  ///< row after row
};

/// When run() ends; the first that holds.
struct Until {
  double time = kNever;
  std::int64_t steps = std::numeric_limits<std::int64_t>::max();  ///< since the start of the simulation
  double residual = 0, wall_seconds = kNever;
};

class Simulation {
 public:
  /// @param mesh  a PyMesh, or None: that of the case.
  Simulation(const Communicator& comm, const io::CaseFile& file, nb::object mesh)
      : comm_(comm), reader_(file), case_(read(comm, reader_)), mesh_(mesh.is_none() ? load() : std::move(mesh)) {
    const mesh::Mesh& m = nb::cast<const PyMesh&>(mesh_).mesh;
    const nb::gil_scoped_release released;
    warnings_ = case_.warnings;
    flow::throw_all_errors(m, case_, [&] {
      flow::check_outputs(m, case_);
      for (const flow::ProbeChoice& probe : case_.probes) probes_.emplace_back(m, probe.at, probe.name, probe.where);
      for (const std::string& warning : flow::check_inflows(m, case_)) warnings_.push_back(warning);
      solver_ = flow::make_solver(m, case_);
    });
    for (const std::string& warning : flow::check_steps(*solver_)) warnings_.push_back(warning);
    vortices_.emplace(m, case_);
    flow::Start(m, case_).initialise(*solver_);
    residuals_.emplace(columns({"step", "time", "dt"}, {"density", "momentum_x", "momentum_y", "momentum_z", "energy"}));
    for (std::size_t k = 0; k < case_.forces.size(); ++k) {
      forces_.emplace_back(columns(
          {"step", "time"}, {"force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z", "drag", "lift", "pitch"}));
    }
    for (std::size_t k = 0; k < probes_.size(); ++k) {
      probe_values_.emplace_back(columns({"step", "time"}, {"density", "velocity_x", "velocity_y", "velocity_z", "pressure"}));
    }
  }

  [[nodiscard]] const flow::Solver& solver() const { return *solver_; }
  [[nodiscard]] const flow::Case& flow_case() const { return case_; }
  [[nodiscard]] const nb::object& mesh() const { return mesh_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  [[nodiscard]] std::string effective() const { return reader_.effective_toml(); }
  [[nodiscard]] double residual() const { return residual_; }

  flow::StepReport step(double dt_limit) {
    if (!(dt_limit > 0)) throw InputError(fmt::format("the largest length of a step must be above 0, is {}", dt_limit));
    const nb::gil_scoped_release released;
    const flow::StepReport report = solver_->step(dt_limit);
    keep(report);
    vortices_->update(*solver_);
    return report;
  }

  /// What a run() without arguments takes from [stop].
  [[nodiscard]] Until criteria_of_case() const {
    const flow::StopCriteria& stop = case_.stop;
    Until until;
    until.time = stop.time.value_or(kNever);
    until.steps = stop.steps.value_or(until.steps);
    until.residual = stop.residual.value_or(0);
    until.wall_seconds = stop.wall_time.value_or(kNever);
    return until;
  }

  /// @param callback  called every `every` steps, or None.
  std::string run(const Until& until, const nb::object& callback, std::int64_t every) {
    if (until.time == kNever && until.steps == Until{}.steps && until.residual == 0 && until.wall_seconds == kNever) {
      throw InputError("nothing ends the run", "pass until, steps, residual or wall_time, or give the case a section [stop]");
    }
    const Stopwatch clock;
    while (true) {
      if (solver_->time() >= until.time * (1 - 1e-14)) return "time";
      if (solver_->steps() >= until.steps) return "steps";
      if (residual_ < until.residual) return "residual";
      std::int64_t count = 1;  // steps on the host are made one by one, so that an interrupt is noticed after each
      if (solver_->works_ahead()) {
        count = std::min<std::int64_t>(to_multiple_of(case_.output.history_steps), flow::Solver::kMostAhead);
        if (!callback.is_none()) count = std::min(count, to_multiple_of(every));
      }
      count = std::min({count, until.steps - solver_->steps(), vortices_->steps_until_update(solver_->steps())});
      bool slow = false;
      {
        const nb::gil_scoped_release released;
        solver_->start_steps(
            {.count = static_cast<int>(count), .until = until.time, .rates_interval = case_.output.history_steps});
        for (const flow::StepReport& report : solver_->finish_steps()) keep(report);
        vortices_->update(*solver_);
        slow = comm_.any(clock.seconds() > until.wall_seconds);
      }
      bool failed = false;
      std::optional<nb::python_error> error;
      try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!callback.is_none() && solver_->steps() % every == 0) callback();
      } catch (nb::python_error& thrown) {
        failed = true;
        error.emplace(std::move(thrown));
      }
      if (comm_.any(failed)) {
        if (error) throw std::move(*error);
        throw InterruptedError("another rank was interrupted, or its callback failed", "see its message");
      }
      if (slow) return "wall_time";
    }
  }

  [[nodiscard]] nb::dict residuals() const { return residuals_->columns(); }
  [[nodiscard]] nb::dict forces() const { return named(case_.forces, forces_); }
  [[nodiscard]] nb::dict probes() const { return named(case_.probes, probe_values_); }

  /// Returns the values of a field in the owned cells: (owned,) or (owned, components).
  [[nodiscard]] nb::object field(const std::string& name) const {
    const auto cells = static_cast<std::size_t>(solver_->mesh().owned_cells);
    for (std::size_t k = 0; k < solver_->scalars().size(); ++k) {
      if (solver_->scalars()[k].name != name) continue;
      std::vector<double> values(cells);
      for (std::size_t c = 0; c < cells; ++c) values[c] = solver_->scalar(static_cast<int>(k), static_cast<std::int32_t>(c));
      return array_of(std::move(values));
    }
    const auto kind = kind_named<flow::FieldKind>(name, {.key = "field"});
    if (!has(kind))
      throw InputError("cp needs a free stream that moves", "give the case a section [free_stream]", {.key = "field"});
    const int dim = solver_->mesh().dim;
    std::vector<double> values;
    {
      const nb::gil_scoped_release released;
      std::vector<flow::CellGradient> gradients;
      if (flow::needs_gradient(kind)) {
        solver_->refresh();
        gradients = solver_->gradients();
      }
      const flow::FieldReference reference = case_.field_reference();
      values.reserve(cells * static_cast<std::size_t>(flow::components(kind, dim)));
      for (std::size_t c = 0; c < cells; ++c) {
        flow::append_field(kind, reference, dim, solver_->primitive(static_cast<std::int32_t>(c)),
                           gradients.empty() ? flow::CellGradient{} : gradients[c], values);
      }
    }
    const auto columns = static_cast<std::size_t>(flow::components(kind, dim));
    return array_of(std::move(values), columns == 1 ? 0 : columns);
  }

  /// Returns the names that field() takes.
  [[nodiscard]] std::vector<std::string> field_names() const {
    std::vector<std::string> all;
    for (const flow::FieldRow& row : flow::kFields.rows) {
      if (has(row.value)) all.emplace_back(row.name);
    }
    for (const flow::Scalar& scalar : solver_->scalars()) all.push_back(scalar.name);
    return all;
  }

  /// Sets the state of the owned cells and the clock; histories begin again.
  void restore(const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& conserved, double time,
               std::int64_t step) {
    const auto rows = static_cast<std::size_t>(solver_->mesh().owned_cells);
    const bool fits = conserved.shape(0) == rows && conserved.shape(1) == kVars;
    const std::string shape = fmt::format("({}, {})", conserved.shape(0), conserved.shape(1));
    agreed(comm_, [&] {
      if (!fits) {
        throw InputError(fmt::format("the conserved values have the shape {}, not ({}, {})", shape, rows, kVars),
                         "pass a row of density, momentum and energy per owned cell");
      }
    });
    const nb::gil_scoped_release released;
    std::vector<double> amounts(rows * solver_->scalars().size());
    for (std::size_t c = 0; c < rows; ++c) {
      for (std::size_t k = 0; k < solver_->scalars().size(); ++k) {
        amounts[c * solver_->scalars().size() + k] =
            conserved.data()[c * kVars] * solver_->scalar(static_cast<int>(k), static_cast<std::int32_t>(c));
      }
    }
    solver_->restore({conserved.data(), rows * kVars}, time, step, {}, amounts);
    residuals_->clear();
    for (History& history : forces_) history.clear();
    for (History& history : probe_values_) history.clear();
    largest_residual_ = 0, residual_ = 1;
  }

 private:
  static std::vector<std::string> columns(std::vector<std::string> first, const std::vector<std::string>& more) {
    first.insert(first.end(), more.begin(), more.end());
    return first;
  }
  static flow::Case read(const Communicator& comm, const io::CaseReader& reader) {
    const nb::gil_scoped_release released;
    return flow::read_good_case(comm, reader);
  }
  [[nodiscard]] nb::object load() const {
    const nb::gil_scoped_release released;
    PyMesh mesh{flow::load_mesh(comm_, case_.mesh)};
    const nb::gil_scoped_acquire acquired;
    return nb::cast(std::move(mesh));
  }
  [[nodiscard]] bool has(flow::FieldKind field) const {
    return field != flow::FieldKind::cp || (case_.free_stream && norm(case_.free_stream->velocity) > 0);
  }
  [[nodiscard]] std::int64_t to_multiple_of(std::int64_t interval) const { return interval - solver_->steps() % interval; }
  template <class Specs>
  [[nodiscard]] static nb::dict named(const Specs& specs, const std::vector<History>& histories) {
    nb::dict all;
    for (std::size_t k = 0; k < histories.size(); ++k) all[nb::str(specs[k].name.c_str())] = histories[k].columns();
    return all;
  }

  /// Adds a row to the histories where they have one at this step.  @collective
  void keep(const flow::StepReport& report) {
    if (report.step % case_.output.history_steps != 0) return;
    const auto norms = solver_->residual_norms(std::span(&report, 1)).front();
    largest_residual_ = std::max(largest_residual_, norms[0]);
    residual_ = largest_residual_ > 0 ? norms[0] / largest_residual_ : 0;
    const auto at = static_cast<double>(report.step);
    std::vector<double> row{at, report.time, report.dt};
    row.insert(row.end(), norms.begin(), norms.end());
    residuals_->add(row);
    if (report.step != solver_->steps() || (forces_.empty() && probes_.empty())) return;
    solver_->refresh();
    for (std::size_t k = 0; k < forces_.size(); ++k) {
      const flow::Forces on = flow::forces(*solver_, case_.forces[k]);
      forces_[k].add({at, report.time, on.force.x, on.force.y, on.force.z, on.moment.x, on.moment.y, on.moment.z, on.drag,
                      on.lift, on.pitch});
    }
    for (std::size_t k = 0; k < probes_.size(); ++k) {
      const flow::Primitive w = probes_[k].read(*solver_);
      probe_values_[k].add({at, report.time, w.density, w.velocity.x, w.velocity.y, w.velocity.z, w.pressure});
    }
  }

  Communicator comm_;
  io::CaseReader reader_;
  flow::Case case_;
  nb::object mesh_;
  std::vector<std::string> warnings_;
  std::vector<flow::Probe> probes_;
  std::unique_ptr<flow::Solver> solver_;
  std::optional<flow::ZoneVortices> vortices_;
  std::optional<History> residuals_;
  std::vector<History> forces_, probe_values_;
  double largest_residual_ = 0, residual_ = 1;
};

/// Returns a read-only view of the state on the host, (owned, 5); of a simulation on a GPU a copy.
nb::object conserved_of(nb::handle self) {
  const flow::Solver& solver = nb::cast<const Simulation&>(self).solver();
  const std::span<const double> values = solver.conserved();
  const std::size_t rows = values.size() / kVars;
  if (solver.on_gpu()) return array_of(std::vector<double>(values.begin(), values.end()), kVars);
  return view(values.data(), rows, kVars, self);
}

/// Tells Python what happens in a run, and notices Ctrl-C.
class Told final : public flow::RunObserver {
 public:
  explicit Told(nb::object tell) : tell_(std::move(tell)) {}
  void mesh_ready(const mesh::Mesh& mesh, double /*seconds*/) override {
    tell("mesh", fmt::format("{} cells", mesh.global_cells));
  }
  void warned(const std::string& text) override { tell("warning", text); }
  void noted(const std::string& text) override { tell("note", text); }
  void advanced(const flow::Progress& progress) override {
    const nb::gil_scoped_acquire acquired;
    tell_("progress", nb::make_tuple(progress.step, progress.time, progress.residual, progress.fraction, progress.seconds_left));
  }
  void wrote(const std::filesystem::path& file) override { tell("wrote", file.string()); }
  /// Whether a signal arrived, or Python raised an exception, which rethrow() raises again.
  [[nodiscard]] bool stopped() {
    const nb::gil_scoped_acquire acquired;
    if (!error_ && PyErr_CheckSignals() != 0) error_.emplace();
    return error_.has_value();
  }
  void rethrow() {
    if (error_) throw std::move(*error_);
  }

 private:
  void tell(const char* event, const std::string& text) {
    const nb::gil_scoped_acquire acquired;
    tell_(event, text);
  }
  nb::object tell_;
  std::optional<nb::python_error> error_;
};

[[nodiscard]] nb::dict as_dict(const flow::RunSummary& summary) {
  nb::dict result, on;
  for (const auto& [name, forces] : summary.forces) {
    nb::dict values;
    values["force"] = nb::make_tuple(forces.force.x, forces.force.y, forces.force.z);
    values["moment"] = nb::make_tuple(forces.moment.x, forces.moment.y, forces.moment.z);
    values["drag"] = forces.drag;
    values["lift"] = forces.lift;
    values["pitch"] = forces.pitch;
    on[nb::str(name.c_str())] = values;
  }
  nb::list lines;
  for (const std::string& line : flow::describe(summary.verdict)) lines.append(nb::str(line.c_str()));
  result["reason"] = flow::describe(summary.reason);
  result["steps"] = summary.steps;
  result["time"] = summary.time;
  result["cells"] = summary.cells;
  result["residual"] = summary.residual;
  result["wall_seconds"] = summary.wall_seconds;
  result["cell_residuals_per_second"] = summary.cell_residuals_per_second;
  result["forces"] = on;
  result["good"] = summary.verdict.good;
  result["verdict"] = nb::str("\n").attr("join")(lines);
  return result;
}

/// Runs a case with its results in a folder, as `weft run`.
nb::dict run_case(const Communicator& comm, const io::CaseFile& file, bool overwrite, bool resume, bool accept_changes,
                  nb::object tell) {
  const io::CaseReader reader(file);
  Told told(std::move(tell));
  flow::RunSummary summary;
  std::string folder;
  {
    const nb::gil_scoped_release released;
    const flow::Case flow_case = flow::read_good_case(comm, reader);
    for (const std::string& warning : flow_case.warnings) told.warned(warning);
    flow::Existing existing = overwrite ? flow::Existing::overwrite : flow::Existing::refuse;
    if (resume) existing = accept_changes ? flow::Existing::resume_changed : flow::Existing::resume;
    summary = flow::run(comm, flow_case, reader.effective_toml(), existing, told, [&] { return told.stopped(); });
    folder = flow_case.output.directory.string();
  }
  told.rethrow();
  nb::dict result = as_dict(summary);
  result["folder"] = folder;
  return result;
}

nb::tuple as_tuple(const flow::StepReport& report) { return nb::make_tuple(report.step, report.time, report.dt, report.retries); }

}  // namespace

void bind_simulation(nb::module_& module) {
  nb::class_<io::CaseFile>(module, "CaseFile");
  module.def("read_case", [](const Communicator& comm, const std::string& path, const std::vector<std::string>& overrides) {
    const nb::gil_scoped_release released;
    return io::CaseFile::read(comm, path, overrides);
  });
  module.def("case_of_text", [](const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
    return io::CaseFile::from_text(text, name, overrides);
  });
  module.def("case_reference", &flow::case_reference);
  module.def("run_case", &run_case);

  nb::class_<Simulation>(module, "Simulation")
      .def(nb::init<const Communicator&, const io::CaseFile&, nb::object>(), nb::arg("comm"), nb::arg("file"),
           nb::arg("mesh").none())
      .def_prop_ro("mesh", &Simulation::mesh)
      .def_prop_ro("warnings", &Simulation::warnings)
      .def_prop_ro("effective_case", &Simulation::effective)
      .def_prop_ro("time", [](const Simulation& s) { return s.solver().time(); })
      .def_prop_ro("steps", [](const Simulation& s) { return s.solver().steps(); })
      .def_prop_ro("residual", &Simulation::residual)
      .def_prop_ro("on_gpu", [](const Simulation& s) { return s.solver().on_gpu(); })
      .def_prop_ro("title", [](const Simulation& s) { return s.flow_case().title; })
      .def_prop_ro("conserved", [](nb::handle self) { return conserved_of(self); })
      .def_prop_ro("residuals", &Simulation::residuals)
      .def_prop_ro("forces", &Simulation::forces)
      .def_prop_ro("probes", &Simulation::probes)
      .def_prop_ro("gamma", [](const Simulation& s) { return s.flow_case().gas.gamma; })
      .def("field", &Simulation::field, nb::arg("name"))
      .def("field_names", &Simulation::field_names)
      .def("integrals",
           [](const Simulation& s) {
             const auto totals = [&] {
               const nb::gil_scoped_release released;
               return flow::totals(s.solver());
             }();
             return array_of(std::vector<double>(totals.begin(), totals.end()));
           })
      .def(
          "step", [](Simulation& s, double dt_limit) { return as_tuple(s.step(dt_limit)); }, nb::arg("dt_limit"))
      .def(
          "run",
          [](Simulation& s, std::optional<double> time, std::optional<std::int64_t> steps, std::optional<double> residual,
             std::optional<double> wall_seconds, const nb::object& callback, std::int64_t every) {
            Until until = s.criteria_of_case();
            if (time || steps || residual || wall_seconds) until = Until{};
            if (time) until.time = *time;
            if (steps) until.steps = s.solver().steps() + *steps;
            if (residual) until.residual = *residual;
            if (wall_seconds) until.wall_seconds = *wall_seconds;
            return s.run(until, callback, every);
          },
          nb::arg("time").none(), nb::arg("steps").none(), nb::arg("residual").none(), nb::arg("wall_seconds").none(),
          nb::arg("callback").none(), nb::arg("every"))
      .def("restore", &Simulation::restore);
}

}  // namespace weft::python
