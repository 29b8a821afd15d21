#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/device.hpp"
#include "weft/device/graph.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/flow/cuda/device_boundary.hpp"
#include "weft/flow/cuda/device_scalars.hpp"
#include "weft/flow/cuda/device_source.hpp"
#include "weft/flow/cuda/device_stepper.hpp"
#include "weft/flow/cuda/device_tiles.hpp"
#include "weft/flow/cuda/ghost_states.cuh"
#include "weft/flow/cuda/gpu_memory.hpp"
#include "weft/flow/cuda/step_loops.cuh"
#include "weft/flow/physics/runge_kutta.hpp"
#include "weft/flow/scheme/integrals.hpp"

namespace weft::flow::detail {
namespace {

/// States inside at the centroids of faces of the boundary.
template <int Dim, class Real>
struct StatesInside {
  RowView<Real, double> rows;
  const std::int32_t* left;
  const Vec3* arm;
  Primitive* states;
  WEFT_HD void operator()(std::int32_t i) const { states[i] = reconstruct<Dim>(rows, left[i], arm[i]); }
};

/// A stepper in numbers of some precision.
/// @tparam Real  of values, gradients, geometry and fluxes.  @tparam State  of the conserved variables and their update.
template <class Real, class State>
class TileStepper final : public DeviceStepper {
 public:
  /// Takes no room on the GPU yet.
  TileStepper(const Residual& scheme, const SourceTerm& source_term, ScalarTransport* scalars);
  /// Bytes that allocate() takes.
  [[nodiscard]] std::size_t bytes(const Tiles& on_host);
  /// Before anything else. @throws DeviceError where there is no room.
  void allocate(const Tiles& on_host);
  ~TileStepper() override {
    for (Stream* stream : {&stream_, &border_stream_, &sums_stream_}) {
      try {
        stream->wait();               // what is in flight uses the memory
      } catch (const DeviceError&) {  // was or will be told by who waits for it
      }
    }
  }
  TileStepper(const TileStepper&) = delete;
  TileStepper& operator=(const TileStepper&) = delete;

  void connect(Transport transport) override;
  [[nodiscard]] std::string transport() const override;
  [[nodiscard]] std::span<double> state() override;
  [[nodiscard]] std::span<double> scalar_amounts() override { return scalars_ ? scalars_->amounts() : std::span<double>(); }
  void close() override;
  void upload() override;
  [[nodiscard]] std::vector<double> keep_stationary(double time) override;
  void keep_state() override;
  void wait_for_state() override;
  [[nodiscard]] std::array<double, kVars> integrals() override;
  [[nodiscard]] std::vector<double> scalar_integrals() override {
    return scalars_ ? scalars_->integrals(stream_, at_.now) : std::vector<double>();
  }
  [[nodiscard]] DeviceStep survey() override;
  [[nodiscard]] std::vector<BadCell> bad_cells() override;
  void step(const Step& step) override;
  [[nodiscard]] bool works_ahead() const override;
  void start(const Ahead& ahead) override;
  [[nodiscard]] std::vector<DeviceStep> finish() override;
  void accept() override { at_.start = at_.now; }
  void undo() override;
  void update_outside(std::size_t zone) override { boundary_.update_outside(stream_, zone); }
  void set_lowered(std::span<const std::int32_t> flags) override;
  void refresh(double time) override;
  [[nodiscard]] Conserved boundary_flux(std::int32_t face) const override { return boundary_.flux(face); }
  [[nodiscard]] ForceAndMoment force_on(mesh::FaceRange faces, double pressure, Vec3 centre) const override {
    return boundary_.force_on(stream_, faces, pressure, centre);
  }
  [[nodiscard]] Primitive cell_state(std::int32_t cell, Vec3 x) const override;
  [[nodiscard]] std::vector<CellGradient> gradients() const override;
  [[nodiscard]] std::vector<Primitive> face_states(mesh::FaceRange faces) const override;
  [[nodiscard]] double scalar_at(int k, std::int32_t cell, Vec3 x) const override { return scalars_->at(stream_, k, cell, x); }

 private:
  template <class F>
  void with_dim(const F& f) const {
    if (residual_.mesh().dim == 2) {
      f(std::integral_constant<int, 2>{});
    } else {
      f(std::integral_constant<int, 3>{});
    }
  }
  /// All but those of source, tiles, boundary and scalars.
  template <class Visit>
  void each_array(const Tiles& on_host, Visit&& visit);
  /// Starts an exchange of what the stream has computed so far.
  Exchange* start_pull(std::optional<Exchange>& pull, Stream& stream);
  void finish_pull(Exchange* pull, Stream& stream);
  struct Gradients {
    Exchange* ghosts;  ///< those of ghosts, in flight; null: none are needed
    Event inner;       ///< inner tiles are done
  };
  /// Ghosts' values, boundary rows, gradients, and states on the owned cells' sides of faces, of the present values: border tiles
  /// done for either stream, inner ones for stream_. Gradients of all cells are kept only if `keep_gradients`, else those that
  /// others need.
  [[nodiscard]] Gradients ghosts_and_gradients(double time, bool keep_gradients);
  /// In the stream of the border, once the ghosts' gradients are there.
  void ghost_states(Exchange* gradients);
  void look();
  [[nodiscard]] FluxArgs<Real, State> flux_args() const;
  void begin_step();
  void end_step(bool rates);
  void sum_rates(Stream& stream);
  void stage(int number, double time);
  void all_stages(double time, double advance, bool rates);
  void launch_step(double time, double advance, bool rates);
  void report(int steps);
  /// A new order to the GPU. Only while nothing is in flight.
  void order(const StepOrder& order);
  [[nodiscard]] bool can_be_graph() const;
  [[nodiscard]] const std::int32_t* lowered() const { return order_lowered_ ? lowered_.data() : nullptr; }

  const Residual& residual_;
  mutable Stream stream_;
  Stream border_stream_{Priority::high};  ///< exchanges and border tiles, beside the inner tiles; idle between stages
  Stream sums_stream_;                    ///< what nobody waits for before the end of a step
  LimiterChoice limiter_;
  FluxChoice flux_;

  // The state. Buffer `start` holds it at the start of the step, `now` after the last stage.
  DeviceArray<State> conserved_[2];
  DeviceArray<Real> values_[2], gradients_;
  DeviceArray<Real> states_;  ///< see kStateColumns
  DeviceArray<Real> sensors_,
      side_sensors_;  ///< ShockSensor of owned and ghost cells, and at sensor_place(); empty: none is taken
  DeviceArray<double> local_dt_, rate_partial_;
  struct Buffers {
    int start = 0, now = 0, shown = 0;
    auto operator<=>(const Buffers&) const = default;
  };
  Buffers at_;
  DeviceArray<StepClock> clock_;
  DeviceArray<StepStatus> status_;
  DeviceArray<Sums> rate_squared_, rate_scratch_;  ///< scratch: of reduce_into
  DeviceArray<StepEntry> entries_;
  DeviceArray<double> stable_dt_;  ///< of this rank, then of the others
  DeviceArray<std::int32_t> bad_, lowered_;
  PinnedBuffer<StepOrder> order_on_host_{1};
  PinnedBuffer<StepClock> clock_on_host_{1};
  PinnedBuffer<StepEntry> entries_on_host_{kMostAhead};
  struct Started {
    Buffers end;
    bool rates;
  };
  std::vector<Started> started_;  ///< steps
  bool order_lowered_ = false;

  PinnedBuffer<State> carried_;       ///< the state, to and from the GPU
  std::vector<double> state_memory_;  ///< the same in double; empty where State is
  Event kept_;                        ///< the copy to `carried_`, which reads buffer kept_from_
  int kept_from_ = -1;                ///< -1: no copy that anybody may have to wait for

  DeviceTiles<Real> tiles_;
  DeviceSource<Real> source_;
  DeviceBoundary boundary_;
  std::optional<DeviceScalars> scalars_;  ///< none: the flow carries nothing

  std::optional<Exchange> pull_values_[2], pull_gradients_;  ///< none where no rank has ghosts
  std::optional<Exchange> pull_stable_dt_;                   ///< none on one rank, and where steps cannot follow each other alone

  /// A step as a graph, and the buffers that it ends with; by those that it begins with, and whether rates are wanted.
  struct StepGraph {
    Graph graph;
    Buffers end;
  };
  std::map<std::pair<Buffers, bool>, StepGraph> graphs_;
  std::int64_t steps_done_ = 0;
};

/// Whether exchanges that travel like this can be part of a graph.
bool captures(Transport transport) { return transport == Transport::peer || transport == Transport::nccl; }

template <class Real, class State>
TileStepper<Real, State>::TileStepper(const Residual& scheme, const SourceTerm& source_term, ScalarTransport* scalars)
    : residual_(scheme),
      limiter_(visit_limiter(scheme.numerics().limiter, scheme.numerics().venkatakrishnan_k,
                             [](auto chosen) { return LimiterChoice(chosen); })),
      flux_(visit_flux(scheme.numerics().flux, scheme.numerics().cutoff_mach, scheme.numerics().entropy_fix,
                       [](auto chosen) { return FluxChoice(chosen); })),
      source_(scheme.mesh(), source_term, scheme.numerics().well_balanced),
      boundary_(scheme) {
  if (scalars != nullptr) scalars_.emplace(scheme, *scalars);
  order_on_host_.data()->number = 0;
}

template <class Real, class State>
std::size_t TileStepper<Real, State>::bytes(const Tiles& on_host) {
  CountBytes count;
  each_array(on_host, count);
  return count.bytes + tiles_.bytes(residual_.mesh(), residual_.discretization(), on_host) + source_.bytes() + boundary_.bytes() +
         (scalars_ ? scalars_->bytes() : 0);
}

template <class Real, class State>
void TileStepper<Real, State>::allocate(const Tiles& on_host) {
  each_array(on_host, Allocate());
  tiles_.allocate(residual_.mesh(), residual_.discretization(), on_host);
  source_.allocate();
  boundary_.allocate();
  if (scalars_) scalars_->allocate(stream_);
  set_bytes(stream_, gradients_.data(), 0, gradients_.size() * sizeof(Real));  // what they stay in first order
  set_bytes(stream_, clock_.data(), 0, sizeof(StepClock));
  set_bytes(stream_, entries_.data(), 0, entries_.size() * sizeof(StepEntry));  // report() reads those of halted steps, too
  set_bytes(stream_, stable_dt_.data(), 0, stable_dt_.size() * sizeof(double));
  set_bytes(stream_, bad_.data(), 0, bad_.size() * sizeof(std::int32_t));
  const std::size_t numbers = conserved_[0].size();
  carried_ = PinnedBuffer<State>(numbers);
  if constexpr (!std::is_same_v<State, double>) state_memory_.resize(numbers);
}

template <class Real, class State>
template <class Visit>
void TileStepper<Real, State>::each_array(const Tiles& on_host, Visit&& visit) {
  const mesh::Mesh& m = residual_.mesh();
  const auto owned = static_cast<std::size_t>(m.owned_cells), cells = static_cast<std::size_t>(m.cells());
  for (DeviceArray<State>& buffer : conserved_) visit(buffer, owned * kVars);
  for (DeviceArray<Real>& buffer : values_) visit(buffer, static_cast<std::size_t>(residual_.discretization().rows) * kVars);
  visit(gradients_, cells * kVars * static_cast<std::size_t>(m.dim));
  visit(states_, on_host.across.size() * kStateColumns);
  const bool sensors = takes_sensor(residual_.numerics().flux);
  visit(sensors_, sensors ? cells : 0);
  visit(side_sensors_, sensors ? on_host.across.size() * 2 : 0);
  visit(local_dt_, residual_.numerics().local_time_step ? owned : 0);
  visit(rate_partial_, static_cast<std::size_t>(on_host.size()) * kVars);
  visit(clock_, 1);
  visit(status_, 1);
  visit(rate_squared_, 1);
  visit(rate_scratch_, reduce_scratch(on_host.size()));
  visit(entries_, kMostAhead);
  visit(stable_dt_, static_cast<std::size_t>(m.comm.size()));
  visit(bad_, owned);
  visit(lowered_, cells);
}

template <class Real, class State>
Exchange* TileStepper<Real, State>::start_pull(std::optional<Exchange>& pull, Stream& stream) {
  if (!pull) return nullptr;
  pull->start(after(stream));
  return &*pull;
}

template <class Real, class State>
void TileStepper<Real, State>::finish_pull(Exchange* pull, Stream& stream) {
  if (pull != nullptr) pull->finish(stream);
}

template <class Real, class State>
typename TileStepper<Real, State>::Gradients TileStepper<Real, State>::ghosts_and_gradients(double time, bool keep_gradients) {
  boundary_.prescribe(stream_, time);
  Exchange* const ghost_values = start_pull(pull_values_[at_.shown], stream_);
  Real* const rows = values_[at_.shown].data();
  const BoundaryArgs outside = boundary_.args();
  const auto boundary_rows = [&](Stream& stream, std::int32_t first, std::int32_t last) {
    parallel_for(space::cuda{}, stream, last - first,
                 BoundaryRows<Real>{outside, rows, residual_.gas(), residual_.mesh().cells(), first});
  };
  boundary_rows(stream_, 0, outside.inner_faces);
  const GradientKind kind = residual_.numerics().gradient;
  const bool flat = kind == GradientKind::none;
  const Pulls pulls = pulls_of(kind, tiles_.arrays.stencil_row != nullptr);
  GradientArgs<Real> args{.tiles = tiles_.arrays,
                          .values = rows,
                          .states = states_.data(),
                          .gradients = keep_gradients ? gradients_.data() : nullptr,
                          .sensors = sensors_.data(),
                          .side_sensors = side_sensors_.data(),
                          .flat = flat,
                          .lowered = lowered(),
                          .gas = residual_.gas(),
                          .scale = residual_.scale(),
                          .reference_length = residual_.reference_length(),
                          .order = residual_.order(),
                          .shock_threshold = residual_.shock_threshold(),
                          .stabilized = residual_.discretization().stabilized};
  const auto gradients_of = [&](Stream& stream, const TileRange& range) {
    with_dim([&](auto dim) { launch_gradients<dim()>(stream, range, pulls, limiter_, args); });
  };
  border_stream_.wait_for(after(stream_));
  gradients_of(stream_, tiles_.inner);
  Event inner = stream_.record();
  finish_pull(ghost_values, border_stream_);
  boundary_rows(border_stream_, outside.inner_faces, outside.faces);
  args.gradients = gradients_.data();
  gradients_of(border_stream_, tiles_.border);
  Exchange* const ghost_gradients = start_pull(pull_gradients_, border_stream_);
  stream_.wait_for(after(border_stream_));
  return {ghost_gradients, std::move(inner)};
}

template <class Real, class State>
void TileStepper<Real, State>::ghost_states(Exchange* gradients) {
  finish_pull(gradients, border_stream_);
  with_dim([&](auto dim) {
    launch_ghost_states<dim()>(border_stream_, tiles_.ghost_sides, values_[at_.shown].data(), gradients_.data(), sensors_.data(),
                               states_.data(), side_sensors_.data());
  });
}

/// Values and stable step of the present conserved state.
template <class Real, class State>
void TileStepper<Real, State>::look() {
  graphs_.clear();  // what they were captured with may have changed
  order({.dt = 1});
  begin_step();
  set_bytes(stream_, bad_.data(), 0, bad_.size() * sizeof(std::int32_t));
  parallel_for(
      space::cuda{}, stream_, residual_.mesh().owned_cells,
      Survey<Real, State>{conserved_[at_.now].data(), values_[at_.shown].data(), local_dt_.data(), tiles_.arrays.inverse_volume,
                          tiles_.arrays.projected_area, status_.data(), bad_.data(), residual_.gas(), residual_.limits()});
  end_step(false);
  report(1);
}

template <class Real, class State>
void TileStepper<Real, State>::order(const StepOrder& order) {
  stream_.wait();
  StepOrder& standing = *order_on_host_.data();
  const std::uint64_t number = standing.number + 1;
  standing = order;
  standing.number = number;
}

template <class Real, class State>
void TileStepper<Real, State>::begin_step() {
  const int ranks = pull_stable_dt_ ? residual_.mesh().comm.size() : 1;
  parallel_for(space::cuda{}, stream_, 1,
               BeginStep{order_on_host_.data(), stable_dt_.data(), ranks, clock_.data(), status_.data()});
}

template <class Real, class State>
void TileStepper<Real, State>::end_step(bool rates) {
  parallel_for(
      space::cuda{}, stream_, 1,
      EndStep{clock_.data(), status_.data(), rates ? rate_squared_.data() : nullptr, entries_.data(), stable_dt_.data()});
  finish_pull(start_pull(pull_stable_dt_, stream_), stream_);
}

template <class Real, class State>
void TileStepper<Real, State>::sum_rates(Stream& stream) {
  reduce_into(space::cuda{}, stream, tiles_.border.last, Sums{}, SumOfTile{rate_partial_.data()}, Add{}, rate_squared_.data(),
              rate_scratch_.data());
}

template <class Real, class State>
void TileStepper<Real, State>::report(int steps) {
  copy_bytes(stream_, clock_on_host_.data(), clock_.data(), sizeof(StepClock));
  copy_bytes(stream_, entries_on_host_.data(), entries_.data(), static_cast<std::size_t>(steps) * sizeof(StepEntry));
}

template <class Real, class State>
void TileStepper<Real, State>::stage(int number, double time) {
  const int stages = residual_.numerics().rk_stages;
  const RungeKuttaStage coefficients = runge_kutta_stage(stages, number);
  source_.evaluate(stream_, time, values_[at_.shown].data(), tiles_.arrays.inverse_volume);
  if (scalars_) scalars_->prepare(stream_, at_.now, conserved_[at_.now].data(), number == 0 ? local_dt_.data() : nullptr);
  const Gradients gradients = ghosts_and_gradients(time, false);
  const int out = 1 - at_.start;
  FluxArgs<Real, State> args = flux_args();
  args.start = conserved_[at_.start].data();
  args.conserved = conserved_[at_.now].data();
  args.source = source_.rates();
  args.new_conserved = conserved_[out].data();
  args.new_values = values_[1 - at_.shown].data();
  args.clock = clock_.data();
  args.keep = coefficients.keep;
  args.stage = number;
  args.last = number + 1 == stages;
  args.local_dt = local_dt_.data();
  args.rate_squared = number == 0 ? rate_partial_.data() : nullptr;
  args.outflows = scalars_ ? scalars_->outflows() : nullptr;
  args.cell_face_offset = scalars_ ? scalars_->cell_face_offset() : nullptr;
  args.status = status_.data();
  args.bad = bad_.data();
  const auto fluxes_of = [&](Stream& stream, const TileRange& range) {
    with_dim([&](auto dim) { launch_fluxes<dim()>(stream, range, flux_, args); });
  };
  fluxes_of(stream_, tiles_.inner);
  ghost_states(gradients.ghosts);
  border_stream_.wait_for(after(gradients.inner));
  fluxes_of(border_stream_, tiles_.border);
  stream_.wait_for(after(border_stream_));
  if (scalars_) {
    const DeviceScalars::Buffers buffers{.start = at_.start, .now = at_.now, .result = out};
    scalars_->advance(stream_, time, buffers, coefficients.keep, clock_.data(), lowered());
  }
  at_.now = out;
  at_.shown = 1 - at_.shown;
}

template <class Real, class State>
void TileStepper<Real, State>::all_stages(double time, double advance, bool rates) {
  begin_step();
  for (int number = 0; number < residual_.numerics().rk_stages; ++number) {
    stage(number, time + runge_kutta_stage(residual_.numerics().rk_stages, number).time * advance);
    if (number == 0 && rates) {  // which are the first stage's
      sums_stream_.wait_for(after(stream_));
      sum_rates(sums_stream_);
    }
  }
  if (rates) stream_.wait_for(after(sums_stream_));
  end_step(rates);
}

/// time and advance are only asked for by what the host takes part in.
template <class Real, class State>
void TileStepper<Real, State>::launch_step(double time, double advance, bool rates) {
  if (kept_from_ == 1 - at_.start) {  // this step writes there
    stream_.wait_for(after(kept_));
    if (scalars_) stream_.wait_for(after(scalars_->kept()));
    kept_from_ = -1;
  }
  // The first steps make messages set up what they need; while the order grows no step is like another.
  if (!can_be_graph() || steps_done_++ < 2 || residual_.order() < 1) return all_stages(time, advance, rates);
  const std::pair from{at_, rates};
  auto known = graphs_.find(from);
  if (known == graphs_.end()) {
    Graph graph = Graph::capture(stream_, [&](Stream&) { all_stages(time, advance, rates); });
    known = graphs_.emplace(from, StepGraph{std::move(graph), at_}).first;
  }
  known->second.graph.launch(stream_);
  at_ = known->second.end;
}

/// Whether a step asks nothing of the host but to launch kernels.
template <class Real, class State>
bool TileStepper<Real, State>::can_be_graph() const {
  return !boundary_.varies() && !source_.asks_host() && !(scalars_ && scalars_->varies()) &&
         (!pull_values_[0] || captures(pull_values_[0]->transport()));
}

template <class Real, class State>
FluxArgs<Real, State> TileStepper<Real, State>::flux_args() const {
  FluxArgs<Real, State> args{};
  args.tiles = tiles_.arrays;
  args.boundary = boundary_.args();
  args.states = states_.data();
  args.side_sensors = side_sensors_.data();
  args.values = values_[at_.shown].data();
  args.gradients = gradients_.data();
  args.gas = residual_.gas();
  args.limits = residual_.limits();
  args.jump_damping = residual_.jump_damping();
  return args;
}

DeviceStep from(const StepEntry& entry) {
  DeviceStep step{.dt = entry.clock.advance,
                  .stable_before = entry.clock.stable_dt,
                  .stable_dt = std::bit_cast<double>(entry.status.stable_dt),
                  .physical = entry.status.bad == 0};
  std::copy(std::begin(entry.rate_squared), std::end(entry.rate_squared), step.rate_squared.begin());
  return step;
}

template <class Real, class State>
void TileStepper<Real, State>::connect(Transport transport) {
  const mesh::Mesh& m = residual_.mesh();
  if (scalars_) scalars_->connect(transport);
  if (m.comm.size() > 1 && can_be_graph()) {
    std::vector<GlobalRow> others;
    for (int rank = 0; rank < m.comm.size(); ++rank) others.emplace_back(rank);
    GhostPlan plan = GhostPlan::build(m.comm, 1, std::span<const GlobalRow>(others));
    const PairRef rows = PairRef::rows(Backend::cuda, std::span(stable_dt_.data(), stable_dt_.size()), 1);
    Exchange pull = ArrayTransformer(std::move(plan), {rows}, transport).pull();
    if (captures(pull.transport())) pull_stable_dt_ = std::move(pull);
  }
  if (m.comm.max(m.plan.ghost_rows()) == 0) return;
  const auto rows_of = [&](const DeviceArray<Real>& rows, int width) {
    const std::size_t size = static_cast<std::size_t>(m.cells()) * static_cast<std::size_t>(width);
    return PairRef::rows(Backend::cuda, std::span(rows.data(), size), width);
  };
  for (int i : {0, 1}) pull_values_[i] = ArrayTransformer(m.plan, {rows_of(values_[i], kVars)}, transport).pull();
  std::vector<PairRef> of_gradients;
  if (residual_.numerics().gradient != GradientKind::none) of_gradients.push_back(rows_of(gradients_, kVars * m.dim));
  if (takes_sensor(residual_.numerics().flux)) of_gradients.push_back(rows_of(sensors_, 1));
  if (!of_gradients.empty()) pull_gradients_ = ArrayTransformer(m.plan, of_gradients, transport).pull();
}

template <class Real, class State>
void TileStepper<Real, State>::close() {
  for (Stream* stream : {&stream_, &border_stream_, &sums_stream_}) stream->wait();
  graphs_.clear();  // they hold exchanges
  if (scalars_) scalars_->close();
  for (auto* pull : {&pull_values_[0], &pull_values_[1], &pull_gradients_, &pull_stable_dt_}) {
    if (pull->has_value()) (*pull)->close();
  }
}

template <class Real, class State>
bool TileStepper<Real, State>::works_ahead() const {
  return can_be_graph() && (pull_stable_dt_ || residual_.mesh().comm.size() == 1);
}

template <class Real, class State>
std::string TileStepper<Real, State>::transport() const {
  return pull_values_[0] ? to_string(pull_values_[0]->transport()) : "";
}

template <class Real, class State>
std::span<double> TileStepper<Real, State>::state() {
  if constexpr (std::is_same_v<State, double>) {
    return carried_.span();
  } else {
    return state_memory_;
  }
}

template <class Real, class State>
void TileStepper<Real, State>::upload() {
  kept_.wait();
  if (scalars_) scalars_->kept().wait();
  stream_.wait();
  if (scalars_) scalars_->upload(at_.start);
  if constexpr (!std::is_same_v<State, double>) {
    std::transform(state_memory_.begin(), state_memory_.end(), carried_.data(), [](double u) { return static_cast<State>(u); });
    std::copy_n(carried_.data(), state_memory_.size(), state_memory_.begin());  // state() is what the GPU has
  }
  conserved_[at_.start].put(carried_.span());
  at_.now = at_.start;
  look();
}

/// The flux kernel keeps no rates. This makes a stage of about 2^30 stable steps, a power of two, and divides the change of the
/// state by its length: the digits that are lost are below 2^-30 roundings of the state in a stable step.
template <class Real, class State>
std::vector<double> TileStepper<Real, State>::keep_stationary(double time) {
  std::vector<double> rates(conserved_[0].size(), 0.0);
  source_.set_stationary(rates);
  if (scalars_) scalars_->forget_stationary(stream_);
  upload();
  const double stable = survey().stable_dt;  // infinite without cells
  const double dt = std::isfinite(stable) ? std::ldexp(1.0, 30 + std::ilogb(stable)) : 1;
  order({.dt = dt});
  begin_step();
  stage(0, time);
  if (scalars_) scalars_->keep_stationary(stream_);
  std::vector<State> after_stage(rates.size());
  conserved_[at_.now].get(0, after_stage, after(stream_));
  const std::vector<double>& inverse_volume = residual_.discretization().inverse_volume;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double change = static_cast<double>(after_stage[i]) - static_cast<double>(carried_.data()[i]);
    rates[i] = change / dt / inverse_volume[i / kVars];
  }
  source_.set_stationary(rates);
  return rates;
}

template <class Real, class State>
void TileStepper<Real, State>::keep_state() {
  kept_from_ = at_.now;
  kept_ = conserved_[at_.now].get_later(0, carried_.span(), after(stream_));
  if (scalars_) scalars_->keep(stream_, at_.now);
}

template <class Real, class State>
void TileStepper<Real, State>::wait_for_state() {
  kept_.wait();
  if (scalars_) scalars_->kept().wait();
  if constexpr (!std::is_same_v<State, double>) std::copy_n(carried_.data(), state_memory_.size(), state_memory_.begin());
}

template <class Real, class State>
std::array<double, kVars> TileStepper<Real, State>::integrals() {
  const auto sums = reduce(space::cuda{}, stream_, residual_.mesh().owned_cells, Integrals<kVars>{},
                           CellContent<kVars, State>{conserved_[at_.now].data(), kVars, tiles_.arrays.inverse_volume}, Add{});
  return sums.values();
}

template <class Real, class State>
DeviceStep TileStepper<Real, State>::survey() {
  stream_.wait();
  return from(entries_on_host_.data()[clock_on_host_.data()->done - 1]);
}

template <class Real, class State>
std::vector<DeviceStepper::BadCell> TileStepper<Real, State>::bad_cells() {
  std::vector<std::int32_t> flags(bad_.size());
  std::vector<BadCell> cells;
  bad_.get(0, flags, after(stream_));
  for (std::size_t c = 0; c < flags.size(); ++c) {
    if (flags[c] != 0) cells.push_back({static_cast<std::int32_t>(c), std::abs(flags[c]) - 1, flags[c] < 0});
  }
  return cells;
}

template <class Real, class State>
void TileStepper<Real, State>::step(const Step& step) {
  order({.dt = step.dt, .local_cfl = step.local_cfl});
  launch_step(step.time, step.advance, true);
  report(1);
}

template <class Real, class State>
void TileStepper<Real, State>::start(const Ahead& ahead) {
  WEFT_EXPECTS(works_ahead() && ahead.count >= 1 && ahead.count <= kMostAhead);
  const bool local = residual_.numerics().local_time_step;
  order({.time = ahead.time, .until = ahead.until, .local_cfl = local ? ahead.cfl : 0, .cfl = ahead.cfl});
  started_.clear();
  for (int i = 0; i < ahead.count; ++i) {
    if (i > 0) accept();
    const bool rates = (ahead.first_step + i) % ahead.rates_interval == 0;
    launch_step(0, 0, rates);
    started_.push_back({at_, rates});
  }
  report(ahead.count);
}

template <class Real, class State>
std::vector<DeviceStep> TileStepper<Real, State>::finish() {
  stream_.wait();
  const auto done = static_cast<std::size_t>(clock_on_host_.data()->done);
  WEFT_EXPECTS(done >= 1 && done <= started_.size());  // the host starts none where there is nothing to do
  at_ = started_[done - 1].end;
  if (!started_[done - 1].rates) {
    sum_rates(stream_);
    copy_bytes(stream_, entries_on_host_.data()[done - 1].rate_squared, rate_squared_.data(), sizeof(Sums));
    stream_.wait();
  }
  std::vector<DeviceStep> steps;
  for (std::size_t i = 0; i < done; ++i) steps.push_back(from(entries_on_host_.data()[i]));
  return steps;
}

template <class Real, class State>
void TileStepper<Real, State>::undo() {
  at_.now = at_.start;
  look();
}

template <class Real, class State>
void TileStepper<Real, State>::set_lowered(std::span<const std::int32_t> flags) {
  order_lowered_ = !flags.empty();
  graphs_.clear();
  if (!order_lowered_) return;
  stream_.wait();
  lowered_.put(flags);
}

template <class Real, class State>
void TileStepper<Real, State>::refresh(double time) {
  finish_pull(ghosts_and_gradients(time, true).ghosts, stream_);
  with_dim([&](auto dim) { launch_boundary_fluxes<dim()>(stream_, flux_, flux_args(), boundary_.fluxes()); });
  if (scalars_) {
    scalars_->prepare(stream_, at_.now, conserved_[at_.now].data(), nullptr);
    scalars_->refresh(stream_, time, boundary_.fluxes(), lowered());
  }
  boundary_.computed(stream_);
}

template <class Real, class State>
Primitive TileStepper<Real, State>::cell_state(std::int32_t cell, Vec3 x) const {
  const int dim = residual_.mesh().dim;
  const auto c = static_cast<std::size_t>(cell);
  std::array<Real, kVars> mean;
  std::array<Real, kVars * 3> slopes{};
  values_[at_.shown].get(c * kVars, mean, after(stream_));
  gradients_.get(c * static_cast<std::size_t>(kVars * dim), std::span(slopes).first(static_cast<std::size_t>(kVars * dim)),
                 after(stream_));
  const Vec3 r = x - residual_.discretization().centroid[c];
  const RowView<Real, double> row{mean.data(), slopes.data()};
  return dim == 2 ? reconstruct<2>(row, 0, r) : reconstruct<3>(row, 0, r);
}

template <class Real, class State>
std::vector<Primitive> TileStepper<Real, State>::face_states(mesh::FaceRange faces) const {
  const std::int32_t count = faces.last().value() - faces.first().value();
  std::vector<Primitive> states(static_cast<std::size_t>(count));
  if (count == 0) return states;
  const DeviceArray<Primitive> there(states.size());
  const BoundaryArgs boundary = boundary_.args();
  const std::int32_t first = faces.first().value() - residual_.discretization().first_boundary_face;
  const RowView<Real, double> rows{values_[at_.shown].data(), gradients_.data()};
  with_dim([&](auto dim) {
    parallel_for(space::cuda{}, stream_, count,
                 StatesInside<dim(), Real>{rows, boundary.left + first, boundary.arm + first, there.data()});
  });
  there.get(0, states, after(stream_));
  return states;
}

template <class Real, class State>
std::vector<CellGradient> TileStepper<Real, State>::gradients() const {
  const auto cells = static_cast<std::size_t>(residual_.mesh().owned_cells);
  std::vector<CellGradient> all(cells);
  std::vector<Real> slopes(cells * static_cast<std::size_t>(kVars * residual_.mesh().dim));
  if (!slopes.empty()) gradients_.get(0, slopes, after(stream_));
  const RowView<Real, Real> rows{nullptr, slopes.data()};
  with_dim([&](auto dim) {
    for (std::size_t c = 0; c < cells; ++c) all[c] = stored_gradient<dim()>(rows, static_cast<std::int32_t>(c));
  });
  return all;
}

template <class Real, class State>
std::unique_ptr<DeviceStepper> make_stepper(const Residual& residual, const SourceTerm& source, ScalarTransport* scalars) {
  const mesh::Mesh& m = residual.mesh();
  const Tiles tiles =
      agreed(m.comm, [&] { return choose_tiles<Real>(m, residual.discretization(), residual.numerics().gradient); });
  auto stepper = agreed(m.comm, [&] { return std::make_unique<TileStepper<Real, State>>(residual, source, scalars); });
  const GpuDemand demand = agreed(m.comm, [&] {
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return GpuDemand{.gpu = current_gpu(), .needed = stepper->bytes(tiles), .free = free, .total = total, .cells = m.owned_cells};
  });
  require_gpu_memory(m.comm, demand);
  agreed(m.comm, [&] { stepper->allocate(tiles); });
  return stepper;
}

}  // namespace

std::unique_ptr<DeviceStepper> DeviceStepper::make(const Residual& residual, const SourceTerm& source, ScalarTransport* scalars) {
  switch (residual.numerics().precision) {
    case Precision::mixed:
      return make_stepper<float, double>(residual, source, scalars);
    case Precision::fp32:
      return make_stepper<float, float>(residual, source, scalars);
    case Precision::fp64:
      break;
  }
  return make_stepper<double, double>(residual, source, scalars);
}

}  // namespace weft::flow::detail
