#include "weft/flow/app/run_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "weft/base/error.hpp"
#include "weft/base/traced_region.hpp"
#include "weft/flow/app/steps_ahead.hpp"
#include "weft/flow/physics/step_length.hpp"

namespace weft::flow::detail {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

void ForceHistory::add(std::int64_t step, std::vector<double> coefficients) {
  rows_.push_back({step, std::move(coefficients)});
  while (rows_.size() > 1 && rows_[1].step <= step - window_) rows_.pop_front();
}

double ForceHistory::change() const {
  if (rows_.empty() || rows_.back().step - rows_.front().step < window_) return kNever;
  double largest = 0;
  for (std::size_t k = 0; k < rows_.back().coefficients.size(); ++k) {
    double low = kNever, high = -kNever;
    for (const Row& row : rows_) {
      low = std::min(low, row.coefficients[k]);
      high = std::max(high, row.coefficients[k]);
    }
    largest = std::max(largest, high - low);
  }
  return largest;
}

Run::Run(const Communicator& comm, const Case& flow_case, std::vector<Probe> probes, Solver& solver, Results& results,
         RunObserver& observer)
    : comm_(comm),
      case_(flow_case),
      solver_(solver),
      results_(results),
      observer_(observer),
      history_(flow_case.stop.force_window),
      vortices_(solver.mesh(), flow_case),
      probes_(std::move(probes)) {
  next_field_ = case_.output.field_interval ? 0 : kNever;
  plan_next_field();
  first_step_ = solver.steps();
  if (first_step_ > 0) recorded_step_ = first_step_;
  first_time_ = solver.time();
}

void Run::remember(double largest_residual, double residual, const std::vector<Norms>& norms, std::vector<ForceRecord> forces) {
  largest_residual_ = largest_residual;
  residual_ = residual;
  for (const Norms& each : norms) remember_norms(each);
  for (const ForceRecord& record : forces) history_.add(record.step, record.coefficients);
  forces_ = std::move(forces);
  if (!forces_.empty() && !forces_.back().coefficients.empty()) watch_first(forces_.back());
}

StopReason Run::go(const std::function<bool()>& stop) {
  if (solver_.steps() == 0) {
    recorded_step_ = 0;
    record_state();
    fields_due_ = true;
  }
  clock_.restart();
  while (true) {
    if (const auto reason = reason_to_stop(stop)) return *reason;
    advance();
  }
}

double Run::rate() const {
  return stepping_seconds_ > 0
             ? static_cast<double>(solver_.mesh().global_cells) * static_cast<double>(evaluations_) / stepping_seconds_
             : 0.0;
}

RunEnd Run::end(StopReason reason, double domain_length) const {
  return {.reason = reason,
          .steps = solver_.steps(),
          .time = solver_.time(),
          .wall_seconds = clock_.seconds(),
          .residual = residual_,
          .force_change = history_.change(),
          .largest_norms = largest_norms_,
          .norms = norms_,
          .forces = forces_,
          .domain_length = domain_length};
}

void Run::finish(StopReason reason) {
  finish_output();
  const bool cut_short = reason == StopReason::interrupted || reason == StopReason::wall_time;
  if (recorded_step_ != solver_.steps() && !cut_short) record(last_);
  fields_due_ = last_field_step_ != solver_.steps();
  checkpoint_due_ = true;
  prepare_fields_if_due();
  write_due_output();
  finish_output();
}

std::optional<StopReason> Run::reason_to_stop(const std::function<bool()>& stop) {
  const TracedRegion region("agree to continue");
  const StopCriteria& criteria = case_.stop;
  if (criteria.time && reached(solver_.time(), *criteria.time)) return StopReason::time;
  const bool at_last_step = criteria.steps && solver_.steps() >= *criteria.steps;
  // A resumed run makes at least one step, unless it has made all of them.
  if (criteria.residual && (solver_.steps() > first_step_ || at_last_step) && residual_ <= *criteria.residual)
    return StopReason::residual;
  if (criteria.force_change && history_.change() <= *criteria.force_change &&
      are_settled(force_drifts(case_, solver_.steps(), forces_)))
    return StopReason::force_change;
  if (at_last_step) return StopReason::steps;
  enum { nothing, checkpoint, out_of_time, interrupted };
  int request = nothing;
  if (comm_.is_root()) {
    const double every = case_.output.checkpoint_seconds;
    if (every > 0 && since_checkpoint_.seconds() >= every && !results_.writes_checkpoint()) request = checkpoint;
    if (criteria.wall_time && clock_.seconds() >= *criteria.wall_time) request = out_of_time;
  }
  // The request, and whether a rank has no fields or no checkpoint of which it has written its part.
  std::array<int, 3> most{stop() ? interrupted : request, results_.fields_are_written() ? 0 : 1,
                          results_.checkpoint_is_written() ? 0 : 1};
  comm_.max(std::span<int>(most));
  if (most[0] == interrupted) return StopReason::interrupted;
  if (most[0] == out_of_time) return StopReason::wall_time;
  if (most[0] == checkpoint && solver_.steps() > first_step_) checkpoint_due_ = true;
  if (most[1] == 0) finish_fields();
  if (most[2] == 0) finish_checkpoint();
  return std::nullopt;
}

void Run::plan_next_field() {
  const std::optional<double> interval = case_.output.field_interval;
  if (!interval) return;
  if (reached(solver_.time(), next_field_)) next_field_ = *interval * (std::floor(solver_.time() * (1 + 1e-13) / *interval) + 1);
  if (reached(solver_.time(), next_field_)) {
    throw InputError(fmt::format("{} s is less than the rounding error of the time {} s", *interval, solver_.time()),
                     "choose a longer interval", {.key = "output.field_interval"});
  }
}

std::int64_t Run::steps_ahead() const {
  std::int64_t most = most_steps_ahead(solver_, fields_due_ ? 1.0 : 0.1);  // more while fields are written
  const StopCriteria& criteria = case_.stop;
  const OutputChoice& output = case_.output;
  if (criteria.steps) most = std::min(most, *criteria.steps - solver_.steps());
  if (output.field_steps) most = std::min(most, until_multiple_of(*output.field_steps));
  if (output.checkpoint_steps) most = std::min(most, until_multiple_of(*output.checkpoint_steps));
  most = std::min(most, vortices_.steps_until_update(solver_.steps()));
  if (criteria.residual || criteria.force_change || records_state(case_))
    most = std::min(most, until_multiple_of(output.history_steps));
  return most;
}

void Run::advance() {
  Stopwatch stepping;
  const std::int64_t before = solver_.evaluations();
  const bool writes = fields_due_ || checkpoint_due_;
  prepare_fields_if_due();
  if (writes) solver_.keep_state();
  solver_.start_steps({.count = static_cast<int>(steps_ahead()),
                       .until = std::min(case_.stop.time.value_or(kNever), next_field_),
                       .rates_interval = case_.output.history_steps});
  if (writes) {
    write_due_output();
    if (!solver_.works_ahead()) stepping.restart();  // no step has been computed yet
  }
  const std::vector<StepReport> reports = solver_.finish_steps();
  stepping_seconds_ += stepping.seconds();
  evaluations_ += solver_.evaluations() - before;

  last_ = reports.back();
  std::vector<StepReport> rows;
  for (const StepReport& report : reports) {
    if (report.step % case_.output.history_steps == 0) rows.push_back(report);
  }
  record(rows);
  vortices_.update(solver_);
  fields_due_ = reached(last_.time, next_field_) || (case_.output.field_steps && last_.step % *case_.output.field_steps == 0);
  checkpoint_due_ = case_.output.checkpoint_steps && last_.step % *case_.output.checkpoint_steps == 0;
  plan_next_field();
  observer_.advanced(progress(last_));
}

void Run::prepare_fields_if_due() {
  if (!fields_due_ || !results_.prepares_fields(solver_.mesh())) return;
  const TracedRegion region("walls, lines and sections");
  solver_.refresh();
  results_.prepare_fields(solver_);
}

void Run::write_due_output() {
  if (fields_due_) {
    finish_fields();
    const TracedRegion region("write fields");
    results_.start_fields(solver_);
    last_field_step_ = solver_.steps();
  }
  if (checkpoint_due_) {
    finish_checkpoint();
    const TracedRegion region("write checkpoint");
    results_.start_checkpoint(solver_, largest_residual_, residual_);
    since_checkpoint_.restart();
  }
  fields_due_ = checkpoint_due_ = false;
}

void Run::finish_fields() {
  const TracedRegion region("finish fields");
  if (const auto file = results_.finish_fields()) observer_.wrote(*file);
}

void Run::finish_checkpoint() {
  if (!results_.writes_checkpoint()) return;
  if (results_.checkpoint_needs_fields()) finish_fields();
  const TracedRegion region("finish checkpoint");
  if (const auto file = results_.finish_checkpoint()) observer_.wrote(*file);
}

void Run::finish_output() {
  finish_checkpoint();
  finish_fields();
}

void Run::record(std::span<const StepReport> steps) {
  if (steps.empty()) return;
  const TracedRegion region("histories");
  const auto norms = solver_.residual_norms(steps);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    largest_residual_ = std::max(largest_residual_, norms[i][0]);
    residual_ = largest_residual_ > 0 ? norms[i][0] / largest_residual_ : 0.0;
    results_.add_residuals(steps[i], norms[i]);
    remember_norms(norms[i]);
    recorded_step_ = steps[i].step;
  }
  record_state();
}

void Run::watch_first(const ForceRecord& record) {
  monitored_ = {{"Cd", record.coefficients.at(0)}, {"Cl", record.coefficients.at(1)}};
}

void Run::remember_norms(const Norms& norms) {
  norms_ = norms;
  for (std::size_t k = 0; k < norms.size(); ++k) largest_norms_[k] = std::max(largest_norms_[k], norms[k]);
}

void Run::record_state() {
  if (!case_.forces.empty() || !probes_.empty() || !case_.monitors.empty()) solver_.refresh();
  const TracedRegion region("monitors");
  std::vector<Forces> all;
  std::vector<double> coefficients;
  for (const ForceSpec& spec : case_.forces) {
    all.push_back(forces(solver_, spec));
    if (!spec.has_coefficients()) continue;
    coefficients.push_back(all.back().drag);
    coefficients.push_back(all.back().lift);
  }
  if (!all.empty()) {
    results_.add_forces(solver_, all);
    if (coefficients.empty()) monitored_ = {{"Fx", all.front().force.x}, {"Fy", all.front().force.y}};
  }
  if (!coefficients.empty()) {
    forces_.push_back({solver_.steps(), coefficients});
    watch_first(forces_.back());
    history_.add(solver_.steps(), std::move(coefficients));
  }
  std::vector<Primitive> readings;
  std::vector<std::vector<double>> scalars;
  for (const Probe& probe : probes_) {
    readings.push_back(probe.read(solver_));
    scalars.push_back(probe.read_scalars(solver_));
  }
  if (!readings.empty()) {
    results_.add_probes(solver_, readings, scalars);
    if (all.empty()) monitored_ = {{"p(" + case_.probes.front().name + ")", readings.front().pressure}};
  }
  record_monitors();
  if (case_.integrals) results_.add_integrals(solver_, totals(solver_), scalar_totals(solver_));
}

void Run::record_monitors() {
  if (case_.monitors.empty()) return;
  if (case_.forces.empty() && probes_.empty()) monitored_.clear();
  std::vector<std::vector<double>> values;
  for (const MonitorSpec& spec : case_.monitors) {
    values.push_back(monitor(solver_, spec));
    for (std::size_t k = 0; k < spec.quantities.size() && spec.in_progress; ++k) {
      monitored_.emplace_back(fmt::format("{}({})", name_of(spec.quantities[k]), spec.name), values.back()[k]);
    }
  }
  results_.add_monitors(solver_, values);
}

Progress Run::progress(const StepReport& report) {
  Progress p{.step = report.step,
             .time = report.time,
             .dt = report.dt,
             .residual = residual_,
             .cell_residuals_per_second = rate(),
             .stepping_seconds = stepping_seconds_,
             .monitored = monitored_};
  const StopCriteria& criteria = case_.stop;
  double done = 0;  // steps of this call, for the time left
  const auto consider = [&](double first, double now, double last) {
    if (last <= first) return;
    p.fraction = std::max(p.fraction, std::clamp(now / last, 0.0, 1.0));
    done = std::max(done, std::clamp((now - first) / (last - first), 0.0, 1.0));
  };
  if (criteria.time) consider(first_time_, report.time, *criteria.time);
  if (criteria.steps)
    consider(static_cast<double>(first_step_), static_cast<double>(report.step), static_cast<double>(*criteria.steps));
  if (criteria.wall_time) consider(0, clock_.seconds(), *criteria.wall_time);
  if (done > 0 && clock_.seconds() > 1) p.seconds_left = clock_.seconds() * (1 - done) / done;
  return p;
}

}  // namespace weft::flow::detail
