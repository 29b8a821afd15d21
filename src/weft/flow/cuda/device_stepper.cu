#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/traced_region.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/device/device.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/flow/cuda/device_stepper.hpp"
#include "weft/flow/cuda/gpu_memory.hpp"
#include "weft/flow/cuda/make_device_stepper.hpp"
#include "weft/flow/cuda/step_loops.cuh"

namespace weft::flow::detail {

template <class Real, class State>
DeviceStepper<Real, State>::DeviceStepper(const Scheme& scheme)
    : scheme_(scheme),
      flux_(visit_flux(scheme.numerics().flux, scheme.numerics().cutoff_mach, scheme.numerics().entropy_fix,
                       [](auto chosen) { return FluxChoice(chosen); })),
      failures_(scheme.mesh()),
      control_(scheme),
      source_(scheme.mesh(), scheme.source(), scheme.numerics().well_balanced),
      boundary_(scheme),
      reconstruction_(scheme, parameters_, tiles_, boundary_),
      scalars_(scheme, parameters_) {}

template <class Real, class State>
std::size_t DeviceStepper<Real, State>::bytes(const Tiles& on_host, const TeamVector<double>& matrices) {
  CountBytes count;
  const std::size_t owned = scheme_.mesh().owned_cells;
  state_.each_array(owned * kVars, count);
  count(local_dt_, scheme_.numerics().local_time_step ? owned : 0);
  // The plans of a step, of refresh() and of keep_stationary() have exchanges of their own; the last two are compiled when they
  // are run first.
  const std::size_t plans = scheme_.numerics().well_balanced ? 3 : 2;
  count.bytes += plans * (reconstruction_.exchange_bytes(on_host) + scalars_.exchange_bytes(matrices));
  return count.bytes + control_.bytes(on_host.size()) + tiles_.bytes(scheme_, on_host, matrices) + source_.bytes() +
         boundary_.bytes() + reconstruction_.bytes(on_host) + scalars_.bytes(matrices);
}

template <class Real, class State>
void DeviceStepper<Real, State>::allocate(const Tiles& on_host, const TeamVector<double>& matrices, Team& team) {
  const std::size_t owned = scheme_.mesh().owned_cells;
  state_.each_array(owned * kVars, Allocate());
  Allocate()(local_dt_, scheme_.numerics().local_time_step ? owned : 0);
  control_.allocate(stream_, on_host.size());
  tiles_.allocate(scheme_, on_host, matrices, team);
  source_.allocate();
  boundary_.allocate();
  reconstruction_.allocate(on_host);
  scalars_.allocate(matrices);
  state_.allocate_copy();
}

template <class Real, class State>
void DeviceStepper<Real, State>::connect() {
  const Communicator& comm = scheme_.mesh().comm;
  has_border_ = comm.max(tiles_.border.last - tiles_.border.first) > 0;
  chooses_steps_ = !needs_host();
  control_.connect(chooses_steps_);
  step_plan_ = compile_step();
  const auto captured = [](const Exchange& exchange) { return row_of(exchange.transport()).capturable; };
  if (!chooses_steps_ || std::ranges::all_of(step_plan_->exchanges(), captured)) return;
  // Steps cannot follow each other without the host: the stable steps are not exchanged by the plan.
  chooses_steps_ = false;
  if (comm.size() == 1) return;
  step_plan_->close();
  control_.connect(false);
  step_plan_ = compile_step();
}

template <class Real, class State>
void DeviceStepper<Real, State>::close() {
  stream_.wait();
  for (std::optional<task::Plan>* plan : {&step_plan_, &evaluation_plan_, &refresh_plan_}) {
    if (*plan) (*plan)->close();
  }
}

template <class Real, class State>
void DeviceStepper<Real, State>::set_parameters(const SchemeParameters& parameters) {
  parameters_ = parameters;
  step_plan_->renew_recordings();
}

template <class Real, class State>
void DeviceStepper<Real, State>::set_fallback(std::span<const std::int32_t> flags) {
  step_plan_->renew_recordings();
  reconstruction_.set_fallback(stream_, flags);
}

/// Computes rates from a change of state, because the flux kernel stores no rates: it computes a stage of about 2^30 stable
/// steps, a power of two, and divides the change of the state by its length. The lost digits are below 2^-30 rounding errors of
/// the state in a stable step.
template <class Real, class State>
std::vector<double> DeviceStepper<Real, State>::keep_stationary(std::span<const double> conserved, double time) {
  const StateRows rows = state();
  const std::vector<double> present(rows.conserved.begin(), rows.conserved.end());
  std::copy(conserved.begin(), conserved.end(), rows.conserved.begin());
  std::vector<double> rates(conserved.size(), 0.0);
  source_.set_stationary(rates);
  scalars_.clear_stationary(stream_);
  load();
  stream_.wait();
  const double stable = control_.result(control_.done() - 1).stable_dt;  // infinite without cells
  const double dt = std::isfinite(stable) ? std::ldexp(1.0, 30 + std::ilogb(stable)) : 1;
  control_.set_command(stream_, {.dt = dt});
  if (!evaluation_plan_) evaluation_plan_ = compile_evaluation();
  time_ = time;
  advance_ = 0;
  evaluation_plan_->enqueue(stream_, std::nullopt);
  evaluation_plan_->finish();
  at_.now = 1 - at_.start;
  scalars_.keep_stationary(stream_);
  const std::vector<State> after_stage = state_.values(stream_, at_.now);
  const IdVector<mesh::LocalCellId, double>& inverse_volume = scheme_.discretization().inverse_volume;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double change = static_cast<double>(after_stage[i]) - rows.conserved[i];
    rates[i] = change / dt / inverse_volume[mesh::LocalCellId(i / kVars)];
  }
  source_.set_stationary(rates);
  std::copy(present.begin(), present.end(), rows.conserved.begin());
  return rates;
}

template <class Real, class State>
StateRows DeviceStepper<Real, State>::state() {
  if (copy_ == Copy::pending) (void)fetch();
  copy_ = Copy::here;
  return {state_.rows(), scalars_.amounts()};
}

template <class Real, class State>
void DeviceStepper<Real, State>::load() {
  failures_.clear();
  scalars_.fetched().wait();
  stream_.wait();
  scalars_.upload(at_.start);
  state_.upload(at_.start);
  at_.now = at_.start;
  copy_ = Copy::here;
  recompute_primitives();
}

template <class Real, class State>
void DeviceStepper<Real, State>::start_fetch() const {
  if (copy_ != Copy::old) return;
  WEFT_EXPECTS(!pending_);  // a pending sequence overwrites the present state
  state_.start_fetch(stream_, at_.now);
  scalars_.start_fetch(stream_, at_.now);
  copy_ = Copy::pending;
}

template <class Real, class State>
ConstStateRows DeviceStepper<Real, State>::fetch() const {
  start_fetch();
  if (copy_ == Copy::pending) {  // a region for each call would be one for each cell, see primitive()
    const TracedRegion region("fetch state");
    scalars_.fetched().wait();
    state_.finish_fetch();
    copy_ = Copy::here;
  }
  return {state_.rows(), scalars_.amounts()};
}

template <class Real, class State>
Primitive DeviceStepper<Real, State>::primitive(mesh::LocalCellId cell) const {
  const std::span<const double> rows = fetch().conserved;
  Conserved u;
  for (int k = 0; k < kVars; ++k) u[k] = rows[cell.index() * kVars + static_cast<std::size_t>(k)];
  return scheme_.gas().primitive(u);
}

template <class Real, class State>
void DeviceStepper<Real, State>::recompute_primitives() {
  control_.set_command(stream_, {.dt = 1});
  control_.begin_step(stream_);
  control_.clear_bad(stream_);
  parallel_for(space::cuda{}, stream_, scheme_.mesh().owned_cells,
               RecomputePrimitives<Real, State>{state_.buffer(at_.now), reconstruction_.values(), local_dt_.data(),
                                                tiles_.arrays.inverse_volume, tiles_.arrays.projected_area, control_.status(),
                                                control_.bad(), scheme_.gas(), parameters_.limits});
  control_.end_step(stream_, false);
  control_.report(stream_, 1);
}

/// Launches a step. The time is read only if the host takes part in the stages.
template <class Real, class State>
void DeviceStepper<Real, State>::launch_step(bool rates) {
  const TracedRegion region("launch step");
  if (state_.release(stream_, 1 - at_.start)) stream_.wait_for(after(scalars_.fetched()));  // overwritten by this step
  rates_ = rates;
  // While the order is ramped up, each step has other arguments.
  const bool repeats = !needs_host() && !(parameters_.order < 1);
  step_plan_->enqueue(stream_, repeats ? std::optional(2 * at_.start + (rates ? 1 : 0)) : std::nullopt);
  at_.now = 1 - at_.start;
}

template <class Real, class State>
void DeviceStepper<Real, State>::step(const StepCommand& command) {
  failures_.clear();
  control_.set_command(stream_, {.dt = command.dt, .local_cfl = command.local_cfl});
  time_ = command.time;
  advance_ = command.advance;
  launch_step(true);
  control_.report(stream_, 1);
  copy_ = Copy::old;
}

template <class Real, class State>
StepResult DeviceStepper<Real, State>::result() {
  step_plan_->finish(stream_, task::Errors::on_this_rank);
  const int last = control_.done() - 1;
  if (!control_.physical(last)) {
    const StepFailures::States states = [&](mesh::LocalCellId cell) {  // ghosts are on the GPUs of other ranks
      return cell.value() < scheme_.mesh().owned_cells ? std::optional(primitive(cell)) : std::nullopt;
    };
    for (const UnphysicalCell& cell : control_.unphysical(stream_)) failures_.add(cell, states);
  }
  if (std::optional<BoundaryScalars::BadValue> bad = scalars_.take_bad(); bad) failures_.add(bad->problem, bad->where);
  if (const std::optional<InputError> error = scheme_.take_error()) failures_.add(error->problem(), error->where());
  return control_.result(last);
}

template <class Real, class State>
void DeviceStepper<Real, State>::undo() {
  failures_.clear();
  at_.now = at_.start;
  copy_ = Copy::old;
  recompute_primitives();
}

template <class Real, class State>
void DeviceStepper<Real, State>::start(const StepSequence& sequence) {
  WEFT_EXPECTS(runs_sequences() && sequence.count >= 1 && sequence.count <= kMostAhead);
  failures_.clear();
  const bool local = scheme_.numerics().local_time_step;
  control_.set_command(
      stream_, {.time = sequence.time, .until = sequence.until, .local_cfl = local ? sequence.cfl : 0, .cfl = sequence.cfl});
  started_.clear();
  for (int i = 0; i < sequence.count; ++i) {
    if (i > 0) accept();
    const bool rates = (sequence.first_step + i) % sequence.rates_interval == 0;
    launch_step(rates);
    started_.push_back({at_, rates});
  }
  control_.report(stream_, sequence.count);
  pending_ = true;
}

template <class Real, class State>
std::vector<StepResult> DeviceStepper<Real, State>::finish() {
  pending_ = false;
  step_plan_->finish(stream_);
  const int done = control_.done();
  WEFT_EXPECTS(done >= 1 && done <= static_cast<int>(started_.size()));  // the host starts no sequence without a step
  const Started& last = started_[done - 1];
  at_ = last.end;
  copy_ = Copy::old;
  if (!last.rates) control_.report_rates(stream_, done - 1);
  std::vector<StepResult> steps;
  for (int i = 0; i < done; ++i) steps.push_back(control_.result(i));
  return steps;
}

template <class Real, class State>
void DeviceStepper<Real, State>::refresh(double time) {
  if (!refresh_plan_) refresh_plan_ = compile_refresh();
  time_ = time;
  advance_ = 0;
  refresh_plan_->enqueue(stream_, std::nullopt);
  refresh_plan_->finish();
  boundary_.computed(stream_);
}

namespace {

template <class Real, class State>
std::unique_ptr<Stepper> make_stepper(const Scheme& scheme) {
  const mesh::Mesh& m = scheme.mesh();
  const std::unique_ptr<Team> team = agreed(m.comm, [&] { return std::make_unique<Team>(scheme.options().threads); });
  const Tiles tiles =
      agreed(m.comm, [&] { return choose_tiles<Real>(m, scheme.discretization(), scheme.numerics().gradient, *team); });
  const TeamVector<double> matrices = scheme.least_squares();
  auto stepper = agreed(m.comm, [&] { return std::make_unique<DeviceStepper<Real, State>>(scheme); });
  const GpuDemand demand = agreed(m.comm, [&] {
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return GpuDemand{
        .gpu = current_gpu(), .needed = stepper->bytes(tiles, matrices), .free = free, .total = total, .cells = m.owned_cells};
  });
  require_gpu_memory(m.comm, demand);
  agreed(m.comm, [&] { stepper->allocate(tiles, matrices, *team); });
  stepper->connect();
  return stepper;
}

}  // namespace

std::unique_ptr<Stepper> make_device_stepper(const Scheme& scheme) {
  switch (scheme.numerics().precision) {
    case Precision::mixed:
      return make_stepper<float, double>(scheme);
    case Precision::fp32:
      return make_stepper<float, float>(scheme);
    case Precision::fp64:
      break;
  }
  return make_stepper<double, double>(scheme);
}

}  // namespace weft::flow::detail
