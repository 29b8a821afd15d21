// The steps of a Solver: their lengths, repetition and reports.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/base/recorder.hpp"
#include "weft/base/traced_region.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/physics/step_length.hpp"
#include "weft/flow/scheme/solver.hpp"

namespace weft::flow {
namespace {

/// Number of repetitions of a step whose states become unphysical, and number of steps with the first-order fallback.
constexpr int kRetries = 6, kFallbackSteps = 50;

/// Returns an error unless it only says that another rank has failed, which then has the cause.
std::exception_ptr cause(const std::exception_ptr& error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const CommError&) {
    return nullptr;
  } catch (...) {
    return error;
  }
  return nullptr;
}

}  // namespace

/// Calls the stepper, unless it has thrown in this step on this rank. Keeps what it throws for reduce_status(): other ranks would
/// wait there.
template <class Call>
void Solver::guarded(const Call& call) {
  if (error_) return;
  try {
    call();
  } catch (...) {
    error_ = std::current_exception();
  }
}

/// Reduces the smallest stable step and the earliest failure over the ranks. Returns the result of this rank; none where the
/// state of any cell is unphysical. @throws on every rank what the stepper of any has thrown
std::optional<StepResult> Solver::reduce_status() {
  const TracedRegion region("smallest time step");
  StepResult result;
  guarded([&] { result = stepper_->result(); });
  const StepFailures& failures = stepper_->failures();
  // One reduction for all: a failure is a negative step, the lower the earlier, and an exception the lowest.
  constexpr double kThrown = -std::numeric_limits<double>::infinity();
  stable_dt_ = mesh().comm.min(error_ ? kThrown : failures.any() ? failures.key() : result.stable_dt);
  if (stable_dt_ == kThrown) {
    const std::exception_ptr error = std::exchange(error_, nullptr);
    agree(mesh().comm, cause(error));
    agree(mesh().comm, error);
  }
  return stable_dt_ > 0 ? std::optional(result) : std::nullopt;
}

void Solver::throw_failure() const {
  const StepFailures& failures = stepper_->failures();
  agreed(mesh().comm, [&] {
    if (failures.any() && failures.key() == stable_dt_) throw failures.error(step_, time_);
  });
  throw PhysicsError(fmt::format("the stable time step is {} s at step {}", stable_dt_, step_),
                     "speeds of sound or cell sizes are out of range: check the states and their units, and mesh.scale");
}

double Solver::most_cfl() const {
  const bool damped = scheme_.discretization().stabilized;
  return damped ? most_damped_cfl(scheme_.numerics().rk_stages) : std::numeric_limits<double>::infinity();
}

/// Returns the Courant number of the next step.
double Solver::cfl() const {
  const Numerics& numerics = scheme_.numerics();
  return std::min(numerics.cfl, most_cfl()) * numerics.cfl_ramp.at(step_);
}

void Solver::set_order(double order) {
  if (parameters_.order == order) return;
  parameters_.order = order;
  stepper_->set_parameters(parameters_);
}

/// Sets the spatial order of the next step.
void Solver::set_order_of_step() {
  set_order(scheme_.numerics().order_ramp.at(step_));
  if (fallback_.active() && step_ >= fallback_until_) clear_fallback();
}

void Solver::try_step(double dt, double fraction) {
  const TracedRegion region("stages");
  const Numerics& numerics = scheme_.numerics();
  evaluations_ += numerics.rk_stages;
  // With local time steps dt may be unbounded; the time advances by this much.
  const double advance = std::min(dt, fraction * cfl() * stable_dt_);
  guarded([&] {
    stepper_->step({.time = time_, .dt = dt, .advance = advance, .local_cfl = numerics.local_time_step ? fraction * cfl() : 0});
  });
}

StepReport Solver::step(double dt_limit) {
  WEFT_EXPECTS(!ahead_);
  Recorder::next_step();
  return make_step(dt_limit);
}

StepReport Solver::make_step(double dt_limit) {
  const TracedRegion region("step");
  set_order_of_step();
  try_step(detail::step_length(dt_limit, cfl() * stable_dt_, scheme_.numerics().local_time_step), 1);
  return settle_step(dt_limit);
}

void Solver::undo_failed_step() {
  stepper_->undo();
  (void)reduce_status();
}

bool Solver::works_ahead() const { return stepper_->runs_sequences(); }

void Solver::start_steps(const StepsAhead& ahead) {
  WEFT_EXPECTS(!ahead_ && ahead.count >= 1 && ahead.count <= kMostAhead && !detail::reached(time_, ahead.until));
  Recorder::next_step();
  set_order_of_step();
  ahead_ = ahead;
  if (fallback_.active()) {
    ahead_->count = static_cast<int>(std::min<std::int64_t>(ahead.count, fallback_until_ - step_));
  }
  const Numerics& numerics = scheme_.numerics();
  if (step_ < std::max(numerics.order_ramp.steps, numerics.cfl_ramp.steps)) ahead_->count = 1;
  if (!works_ahead()) return;
  const TracedRegion region("launch steps");
  stepper_->start({.count = ahead_->count,
                   .time = time_,
                   .until = ahead_->until,
                   .cfl = cfl(),
                   .first_step = step_ + 1,
                   .rates_interval = ahead_->rates_interval});
}

std::vector<StepReport> Solver::finish_steps() {
  WEFT_EXPECTS(ahead_.has_value());
  const StepsAhead ahead = *std::exchange(ahead_, std::nullopt);
  const Numerics& numerics = scheme_.numerics();
  const auto limit = [&] { return detail::step_limit(ahead.until - time_, cfl() * stable_dt_, numerics.local_time_step); };
  std::vector<StepReport> reports;
  if (works_ahead()) {
    const TracedRegion region("step");
    const std::vector<StepResult> done = stepper_->finish();
    for (const StepResult& step : std::span(done).first(done.size() - 1)) {
      time_ += step.dt;
      reports.push_back({.step = ++step_, .time = time_, .dt = step.dt, .rate_squared = step.rate_squared});
    }
    evaluations_ += static_cast<std::int64_t>(done.size()) * numerics.rk_stages;
    stable_dt_ = done.back().stable_before;
    reports.push_back(settle_step(limit()));
    return reports;
  }
  while (static_cast<int>(reports.size()) < ahead.count && !detail::reached(time_, ahead.until)) {
    reports.push_back(make_step(limit()));
  }
  return reports;
}

/// Raises the limits for a repetition of the step that was undone, with the length dt. @returns whether it raised any.
bool Solver::raise_limits(double dt, double fraction) {
  LimitsWithSources::Step step{.number = step_, .time = time_, .dt = dt};
  if (scheme_.numerics().local_time_step) step.local_cfl = fraction * cfl();
  const bool raised = with_sources_.raise(
      parameters_.limits, scheme_, [this](mesh::LocalCellId c) { return primitive(c); }, step);
  if (raised) stepper_->set_parameters(parameters_);
  return raised;
}

/// Accepts the step that was just computed, or repeats it.
StepReport Solver::settle_step(double dt_limit) {
  const Numerics& numerics = scheme_.numerics();
  double fraction = 1;
  bool raises = with_sources_.active(), repeats = false;
  for (int attempt = 0;;) {
    const double stable = fraction * cfl() * stable_dt_;
    const double dt = detail::step_length(dt_limit, stable, numerics.local_time_step);
    if (repeats) try_step(dt, fraction);
    repeats = true;
    if (const std::optional<StepResult> result = reduce_status(); result) {
      rate_squared_ = result->rate_squared;
      stepper_->accept();
      const double done = std::min(dt, stable);
      time_ += done;
      ++step_;
      return {.step = step_, .time = time_, .dt = done, .retries = attempt, .rate_squared = rate_squared_};
    }
    if (raises && StepFailures::outside_limits(stable_dt_)) {
      stepper_->undo();
      (void)reduce_status();
      raises = raise_limits(dt, fraction);  // if not, the step is computed again only for its state and its error
      continue;
    }
    if (StepFailures::diverged(stable_dt_) || attempt >= kRetries) throw_failure();
    // Only cells of the earliest stage in which any rank has a failure: later stages are computed from unphysical states, and
    // their failures are neither useful nor the same on CPUs and GPUs.
    add_fallback(stepper_->failures().cells_of_stage(StepFailures::stage_of(stable_dt_)));
    fallback_until_ = step_ + kFallbackSteps;
    if (attempt > 0) fraction *= 0.5;
    ++attempt;
    stepper_->undo();
    (void)reduce_status();
  }
}

}  // namespace weft::flow
