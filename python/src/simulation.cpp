#include "simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "weft/base/clock.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/app/case_check.hpp"
#include "weft/flow/app/case_errors.hpp"
#include "weft/flow/app/checkpoint.hpp"
#include "weft/flow/app/inflow_checks.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/flow/app/start.hpp"
#include "weft/flow/app/steps_ahead.hpp"

namespace weft::python {
namespace {

constexpr std::size_t kVars = flow::Solver::kVars;

/// A gap in the use of a simulation by a run, in which callbacks and other threads may use it. Its end waits for the thread that
/// does, because an error on this rank alone would leave the others in the run. Created and destroyed with the GIL.
class Gap {
 public:
  explicit Gap(Usage& usage) : usage_(usage) { usage.taken = false; }
  ~Gap() {
    usage_.claimed = true;
    while (usage_.taken) {
      const nb::gil_scoped_release released;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    usage_ = {.taken = true, .claimed = false};
  }
  Gap(const Gap&) = delete;
  Gap& operator=(const Gap&) = delete;

 private:
  Usage& usage_;
};

}  // namespace

Simulation::Simulation(const Communicator& comm, const io::CaseFile& file, nb::object mesh, nb::object initial, nb::dict boundary,
                       nb::object source)
    : comm_(comm),
      reader_(file),
      functions_(std::move(initial), std::move(boundary), std::move(source)),
      case_(read(comm, reader_)),
      mesh_(mesh.is_none() ? load() : std::move(mesh)) {
  functions_.apply(case_);
  const mesh::Mesh& m = nb::cast<const PyMesh&>(mesh_).mesh;
  const Computing computing;
  warnings_ = case_.warnings;
  functions_.guard(comm_, [&] { begin(m); });
}

void Simulation::begin(const mesh::Mesh& m) {
  (void)flow::bind_threads_of(comm_, case_, warnings_);
  flow::throw_all_errors(m, case_, [&] {
    flow::check_outputs(m, case_);
    for (const flow::ProbeChoice& probe : case_.probes) probes_.emplace_back(m, probe.at, probe.name, probe.where);
    for (const std::string& warning : flow::check_inflows(m, case_)) warnings_.push_back(warning);
    solver_ = flow::make_solver(m, case_);
  });
  for (const std::string& warning : flow::check_steps(*solver_)) warnings_.push_back(warning);
  vortices_.emplace(m, case_);
  flow::Start(m, case_).initialise(*solver_);
  functions_.agree(comm_);
  begin_histories();
}

flow::Case Simulation::read(const Communicator& comm, const io::CaseReader& reader) {
  const Computing computing;
  return flow::read_good_case(comm, reader);
}

nb::object Simulation::load() const {
  const Computing computing;
  PyMesh mesh{flow::load_mesh(comm_, case_.mesh, flow::start_up_threads(comm_, case_))};
  const nb::gil_scoped_acquire acquired;
  return nb::cast(std::move(mesh));
}

void Simulation::refresh() {
  solver_->refresh();
  functions_.agree(comm_);
}

flow::StepReport Simulation::step(double dt_limit) {
  const Use stepping(stepping_), use(in_use_);
  const Computing computing;
  agreed(comm_, [&] {
    if (!(dt_limit > 0)) throw InputError(fmt::format("the largest length of a step is {}", dt_limit), "pass a number above 0");
  });
  dt_limit = comm_.min(dt_limit);
  flow::StepReport report;
  advance([&] {
    report = solver_->step(dt_limit);
    return std::vector{report};
  });
  return report;
}

Until Simulation::criteria_of_case() const {
  const flow::StopCriteria& stop = case_.stop;
  Until until;
  until.time = stop.time.value_or(kNever);
  until.steps = stop.steps.value_or(until.steps);
  until.residual = stop.residual.value_or(0);
  until.wall_seconds = stop.wall_time.value_or(kNever);
  return until;
}

std::int64_t Simulation::steps_ahead(const Until& until, std::int64_t made) const {
  const std::int64_t step = solver_->steps();
  const std::int64_t most = std::min<std::int64_t>(
      {flow::most_steps_ahead(*solver_), until.steps - step, until.to_make - made, vortices_->steps_until_update(step)});
  const bool reads_rows = until.residual > 0 || flow::records_state(case_);
  return reads_rows ? std::min(most, to_multiple_of(case_.output.history_steps)) : most;
}

std::string Simulation::run(const Until& until, const nb::object& callback, std::int64_t every, const nb::object& progress) {
  if (until.time == kNever && until.steps == Until{}.steps && until.to_make == Until{}.to_make && until.residual == 0 &&
      until.wall_seconds == kNever) {
    throw InputError("nothing ends the run", "pass until, steps, residual or wall_time, or give the case a section [stop]");
  }
  if (std::isnan(until.time) || std::isnan(until.residual) || std::isnan(until.wall_seconds)) {
    throw InputError("a limit of the run is not a number", "pass numbers as until, residual and wall_time");
  }
  constexpr double kProgressSeconds = 0.2;
  const Use stepping(stepping_), use(in_use_);
  const Stopwatch clock;
  Stopwatch since_progress;
  std::int64_t made = 0;
  while (true) {
    if (solver_->time() >= until.time * (1 - 1e-14)) return "time";
    if (made >= until.to_make || solver_->steps() >= until.steps) return "steps";
    if (residual_ < until.residual) return "residual";
    std::int64_t count = steps_ahead(until, made);
    if (!callback.is_none()) count = std::min(count, to_multiple_of(every));
    {
      const Computing computing;
      advance([&] {
        solver_->start_steps(
            {.count = static_cast<int>(count), .until = until.time, .rates_interval = case_.output.history_steps});
        std::vector<flow::StepReport> reports = solver_->finish_steps();
        made += std::ssize(reports);
        return reports;
      });
    }
    std::optional<nb::python_error> error;
    try {
      const Gap gap(in_use_);
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!progress.is_none() && since_progress.seconds() > kProgressSeconds) {
        progress();
        since_progress.restart();
      }
      if (!callback.is_none() && solver_->steps() % every == 0) callback();
    } catch (nb::python_error& thrown) {
      error.emplace(std::move(thrown));
    }
    enum { nothing, out_of_time, failed };
    int request = clock.seconds() > until.wall_seconds ? out_of_time : nothing;
    if (error) request = failed;
    {
      const Computing computing;
      request = comm_.max(request);
    }
    if (request == out_of_time) return "wall_time";
    if (request == nothing) continue;
    if (error) throw std::move(*error);
    throw InterruptedError("another rank was interrupted, or its callback failed", "see its message");
  }
}

void Simulation::restore(const nb::ndarray<const double, nb::c_contig, nb::device::cpu>& conserved, double time,
                         std::int64_t step) {
  const auto rows = static_cast<std::size_t>(solver_->mesh().owned_cells);
  const bool fits = conserved.ndim() == 2 && conserved.shape(0) == rows && conserved.shape(1) == kVars;
  const std::span shape(conserved.shape_ptr(), conserved.ndim());
  const Use use(in_use_);
  const Computing computing;
  agreed(comm_, [&] {
    if (!fits) {
      throw InputError(fmt::format("the conserved values have the shape ({}), not ({}, {})", fmt::join(shape, ", "), rows, kVars),
                       "pass a row of density, momentum and energy per owned cell");
    }
    if (!std::isfinite(time) || step < 0) {
      throw InputError(fmt::format("a state cannot have the time {} and the number of steps {}", time, step),
                       "pass a finite time and a number of at least 0");
    }
  });
  std::vector<double> amounts(rows * solver_->scalars().size());
  for (std::size_t c = 0; c < rows; ++c) {
    for (std::size_t k = 0; k < solver_->scalars().size(); ++k) {
      amounts[c * solver_->scalars().size() + k] =
          conserved.data()[c * kVars] * solver_->scalar(static_cast<int>(k), mesh::LocalCellId(c));
    }
  }
  functions_.guard(comm_, [&] { solver_->restore({conserved.data(), rows * kVars}, time, step, {}, amounts); });
  functions_.agree(comm_);
  clear_histories(0, 1);
}

void Simulation::write_checkpoint(const std::string& file) {
  const Use use(in_use_);
  const Computing computing;
  flow::write_checkpoint(*solver_, reader_.effective_toml(), largest_residual_, residual_, file);
}

void Simulation::read_checkpoint(const std::string& file) {
  const Use use(in_use_);
  const Computing computing;
  const flow::Resumed from = flow::read_checkpoint(solver_->mesh(), case_, file);
  functions_.guard(comm_, [&] { flow::restore(*solver_, from); });
  clear_histories(from.largest_residual, from.residual);
}

}  // namespace weft::python
