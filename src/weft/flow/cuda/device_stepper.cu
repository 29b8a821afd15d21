#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
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
#include "weft/flow/physics/runge_kutta.hpp"
#include "weft/mesh/with_dim.hpp"

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
std::size_t DeviceStepper<Real, State>::bytes(const Tiles& on_host, const std::vector<double>& matrices) {
  CountBytes count;
  const std::size_t owned = scheme_.mesh().owned_cells;
  state_.each_array(owned * kVars, count);
  count(local_dt_, scheme_.numerics().local_time_step ? owned : 0);
  return count.bytes + control_.bytes(on_host.size()) + tiles_.bytes(scheme_, on_host, matrices) + source_.bytes() +
         boundary_.bytes() + reconstruction_.bytes(on_host) + scalars_.bytes(matrices);
}

template <class Real, class State>
void DeviceStepper<Real, State>::allocate(const Tiles& on_host, const std::vector<double>& matrices) {
  const std::size_t owned = scheme_.mesh().owned_cells;
  state_.each_array(owned * kVars, Allocate());
  Allocate()(local_dt_, scheme_.numerics().local_time_step ? owned : 0);
  control_.allocate(stream_, on_host.size());
  tiles_.allocate(scheme_, on_host, matrices);
  source_.allocate();
  boundary_.allocate();
  reconstruction_.allocate(on_host);
  scalars_.allocate(matrices);
  state_.allocate_copy();
}

template <class Real, class State>
void DeviceStepper<Real, State>::connect() {
  scalars_.connect(scheme_.options().transport);
  control_.connect(can_be_graph());
  reconstruction_.connect();
}

template <class Real, class State>
void DeviceStepper<Real, State>::close() {
  for (Stream* stream : {&stream_, &border_stream_, &sums_stream_}) stream->wait();
  graphs_.clear();  // graphs contain exchanges
  scalars_.close();
  reconstruction_.close();
  control_.close();
}

template <class Real, class State>
void DeviceStepper<Real, State>::set_parameters(const SchemeParameters& parameters) {
  parameters_ = parameters;
  graphs_.clear();  // graphs contain the old parameters
}

template <class Real, class State>
void DeviceStepper<Real, State>::set_fallback(std::span<const std::int32_t> flags) {
  graphs_.clear();
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
  control_.begin_step(stream_);
  stage(0, time);
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
  const TracedRegion region("fetch state");
  if (copy_ == Copy::pending) {
    scalars_.fetched().wait();
    state_.finish_fetch();
  }
  copy_ = Copy::here;
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
  graphs_.clear();  // the captured arguments may have changed
  control_.set_command(stream_, {.dt = 1});
  control_.begin_step(stream_);
  control_.clear_bad(stream_);
  parallel_for(space::cuda{}, stream_, scheme_.mesh().owned_cells,
               RecomputePrimitives<Real, State>{state_.buffer(at_.now), reconstruction_.values(at_.shown), local_dt_.data(),
                                                tiles_.arrays.inverse_volume, tiles_.arrays.projected_area, control_.status(),
                                                control_.bad(), scheme_.gas(), parameters_.limits});
  control_.end_step(stream_, false);
  control_.report(stream_, 1);
}

template <class Real, class State>
FluxArgs<Real, State> DeviceStepper<Real, State>::flux_args() {
  FluxArgs<Real, State> args{};
  args.tiles = tiles_.arrays;
  args.boundary = boundary_.args();
  args.states = reconstruction_.states();
  args.side_sensors = reconstruction_.side_sensors();
  args.values = reconstruction_.values(at_.shown);
  args.gradients = reconstruction_.gradients();
  args.gas = scheme_.gas();
  args.limits = parameters_.limits;
  args.jump_damping = scheme_.jump_damping(parameters_);
  return args;
}

/// Computes a stage. @param out  buffer of the result.
template <class Real, class State>
FluxArgs<Real, State> DeviceStepper<Real, State>::stage_args(int number, int out) {
  const int stages = scheme_.numerics().rk_stages;
  FluxArgs<Real, State> args = flux_args();
  args.start = state_.buffer(at_.start);
  args.conserved = state_.buffer(at_.now);
  args.source = source_.rates();
  args.new_conserved = state_.buffer(out);
  args.new_values = reconstruction_.values(1 - at_.shown);
  args.clock = control_.clock();
  args.start_weight = runge_kutta_stage(stages, number).start_weight;
  args.stage = number;
  args.last = number + 1 == stages;
  args.local_dt = local_dt_.data();
  args.rate_squared = number == 0 ? control_.tile_rates() : nullptr;
  args.outflows = scalars_.outflows();
  args.cell_face_offset = scalars_.cell_face_offset();
  args.status = control_.status();
  args.bad = control_.bad();
  return args;
}

template <class Real, class State>
void DeviceStepper<Real, State>::stage(int number, double time) {
  const TracedRegion region("launch stage");
  source_.evaluate(stream_, time, reconstruction_.values(at_.shown), tiles_.arrays.inverse_volume);
  scalars_.prepare(stream_, at_.now, state_.buffer(at_.now), number == 0 ? local_dt_.data() : nullptr);
  const auto pending = reconstruction_.evaluate(stream_, border_stream_, at_.shown, time, false);
  const int out = 1 - at_.start;
  const FluxArgs<Real, State> args = stage_args(number, out);
  const auto fluxes_of = [&](Stream& stream, const TileRange& range) {
    mesh::with_dim(scheme_.mesh().dim, [&](auto dim) { launch_fluxes<dim()>(stream, range, flux_, args); });
  };
  fluxes_of(stream_, tiles_.inner);
  reconstruction_.add_ghost_states(border_stream_, at_.shown, pending.ghosts);
  border_stream_.wait_for(after(pending.inner));
  fluxes_of(border_stream_, tiles_.border);
  stream_.wait_for(after(border_stream_));
  const DeviceScalars::Buffers buffers{.start = at_.start, .now = at_.now, .result = out};
  scalars_.advance(stream_, time, buffers, args.start_weight, control_.clock(), reconstruction_.fallback());
  at_.now = out;
  at_.shown = 1 - at_.shown;
}

template <class Real, class State>
void DeviceStepper<Real, State>::all_stages(double time, double advance, bool rates) {
  const int stages = scheme_.numerics().rk_stages;
  control_.begin_step(stream_);
  for (int number = 0; number < stages; ++number) {
    stage(number, time + runge_kutta_stage(stages, number).time * advance);
    if (number == 0 && rates) {  // rates are those of the first stage
      sums_stream_.wait_for(after(stream_));
      control_.sum_rates(sums_stream_);
    }
  }
  if (rates) stream_.wait_for(after(sums_stream_));
  control_.end_step(stream_, rates);
}

/// Computes or launches all stages of a step. @param time, advance  read only if the host takes part in the stages.
template <class Real, class State>
void DeviceStepper<Real, State>::launch_step(double time, double advance, bool rates) {
  const TracedRegion region("launch step");
  if (state_.release(stream_, 1 - at_.start)) stream_.wait_for(after(scalars_.fetched()));  // overwritten by this step
  // In the first steps exchanges set up their messages; while the order is ramped up, each step has other arguments.
  if (!can_be_graph() || steps_done_++ < 2 || parameters_.order < 1) return all_stages(time, advance, rates);
  const std::pair from{at_, rates};
  auto known = graphs_.find(from);
  if (known == graphs_.end()) {
    const TracedRegion recording("record step as a graph");
    Graph graph = Graph::capture(stream_, [&](Stream&) { all_stages(time, advance, rates); });
    known = graphs_.emplace(from, StepGraph{std::move(graph), at_}).first;
  }
  known->second.graph.launch(stream_);
  at_ = known->second.end;
}

template <class Real, class State>
bool DeviceStepper<Real, State>::can_be_graph() const {
  return !boundary_.varies() && !source_.needs_host() && !scalars_.varies() && reconstruction_.captured();
}

template <class Real, class State>
void DeviceStepper<Real, State>::step(const StepCommand& command) {
  failures_.clear();
  control_.set_command(stream_, {.dt = command.dt, .local_cfl = command.local_cfl});
  launch_step(command.time, command.advance, true);
  control_.report(stream_, 1);
  copy_ = Copy::old;
}

template <class Real, class State>
StepResult DeviceStepper<Real, State>::result() {
  stream_.wait();
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
    launch_step(0, 0, rates);
    started_.push_back({at_, rates});
  }
  control_.report(stream_, sequence.count);
  pending_ = true;
}

template <class Real, class State>
std::vector<StepResult> DeviceStepper<Real, State>::finish() {
  stream_.wait();
  const int done = control_.done();
  WEFT_EXPECTS(done >= 1 && done <= static_cast<int>(started_.size()));  // the host starts no sequence without a step
  const Started& last = started_[done - 1];
  at_ = last.end;
  pending_ = false;
  copy_ = Copy::old;
  if (!last.rates) control_.report_rates(stream_, done - 1);
  std::vector<StepResult> steps;
  for (int i = 0; i < done; ++i) steps.push_back(control_.result(i));
  return steps;
}

template <class Real, class State>
void DeviceStepper<Real, State>::refresh(double time) {
  const auto pending = reconstruction_.evaluate(stream_, border_stream_, at_.shown, time, true);
  if (pending.ghosts != nullptr) pending.ghosts->finish(stream_);
  mesh::with_dim(scheme_.mesh().dim,
                 [&](auto dim) { launch_boundary_fluxes<dim()>(stream_, flux_, flux_args(), boundary_.fluxes()); });
  scalars_.prepare(stream_, at_.now, state_.buffer(at_.now), nullptr);
  scalars_.refresh(stream_, time, boundary_.fluxes(), reconstruction_.fallback());
  boundary_.computed(stream_);
}

namespace {

template <class Real, class State>
std::unique_ptr<Stepper> make_stepper(const Scheme& scheme) {
  const mesh::Mesh& m = scheme.mesh();
  const Tiles tiles = agreed(m.comm, [&] { return choose_tiles<Real>(m, scheme.discretization(), scheme.numerics().gradient); });
  const std::vector<double> matrices = scheme.least_squares();
  auto stepper = agreed(m.comm, [&] { return std::make_unique<DeviceStepper<Real, State>>(scheme); });
  const GpuDemand demand = agreed(m.comm, [&] {
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return GpuDemand{
        .gpu = current_gpu(), .needed = stepper->bytes(tiles, matrices), .free = free, .total = total, .cells = m.owned_cells};
  });
  require_gpu_memory(m.comm, demand);
  agreed(m.comm, [&] { stepper->allocate(tiles, matrices); });
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
