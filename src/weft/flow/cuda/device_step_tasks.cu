// The tasks of a DeviceStepper.
#include <algorithm>
#include <utility>
#include <vector>

#include "weft/flow/cuda/device_stepper.hpp"
#include "weft/flow/physics/runge_kutta.hpp"
#include "weft/mesh/with_dim.hpp"
#include "weft/task/schedule.hpp"

namespace weft::flow::detail {

template <class Real, class State>
double DeviceStepper<Real, State>::time_of(int number) const {
  return time_ + runge_kutta_stage(scheme_.numerics().rk_stages, number).time * advance_;
}

template <class Real, class State>
FluxArgs<Real, State> DeviceStepper<Real, State>::flux_args() {
  FluxArgs<Real, State> args{};
  args.tiles = tiles_.arrays;
  args.boundary = boundary_.args();
  args.states = reconstruction_.states();
  args.side_sensors = reconstruction_.side_sensors();
  args.values = reconstruction_.values();
  args.gradients = reconstruction_.gradients();
  args.gas = scheme_.gas();
  args.limits = parameters_.limits;
  args.jump_damping = scheme_.jump_damping(parameters_);
  return args;
}

template <class Real, class State>
FluxArgs<Real, State> DeviceStepper<Real, State>::stage_args(int number) {
  const int stages = scheme_.numerics().rk_stages;
  FluxArgs<Real, State> args = flux_args();
  args.start = state_.buffer(at_.start);
  args.conserved = state_.buffer(before(number));
  args.source = source_.rates();
  args.new_conserved = state_.buffer(1 - at_.start);
  args.new_values = reconstruction_.values();
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
DeviceScalars::Stage DeviceStepper<Real, State>::scalar_stage(int number) {
  return {.time = time_of(number),
          .start = at_.start,
          .now = before(number),
          .result = 1 - at_.start,
          .start_weight = runge_kutta_stage(scheme_.numerics().rk_stages, number).start_weight,
          .local_dt = number == 0 ? local_dt_.data() : nullptr,
          .clock = control_.clock(),
          .fallback = reconstruction_.fallback()};
}

template <class Real, class State>
template <class Record>
task::Plan DeviceStepper<Real, State>::compile(const Record& record) {
  task::Graph graph(scheme_.mesh().comm);
  StepData data;
  control_.add_data(graph, data);
  reconstruction_.add_data(graph, data, has_border_);
  scalars_.add_data(graph, data, has_border_);
  data.inner.update = graph.add_memory("state (inner)");
  if (has_border_) data.border.update = graph.add_memory("state (border)");
  if (source_.any()) data.source = graph.add_memory("sources");
  if (boundary_.varies()) data.outside = graph.add_memory("exterior states");
  data.boundary_fluxes = graph.add_memory("fluxes of the boundary");
  record(graph, std::as_const(data));
  constexpr int kThreads = 1;
  task::Plan plan = graph.compile(kThreads, task::Check::none, scheme_.options().transport);
  const std::vector<task::ExchangeShape>& exchanges = plan.schedule().exchanges;
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    if (std::ranges::find(exchanges[i].arrays, data.values) != exchanges[i].arrays.end()) {
      transport_ = to_string(plan.exchanges()[i].transport());
    }
  }
  return plan;
}

template <class Real, class State>
task::Plan DeviceStepper<Real, State>::compile_step() {
  return compile([this](task::Graph& graph, const StepData& d) {
    control_.record_begin(graph, d);
    for (int number = 0; number < scheme_.numerics().rk_stages; ++number) {
      record_stage(graph, d, number);
      if (number == 0) control_.record_rates(graph, d, rates_);
    }
    control_.record_end(graph, d, rates_);
  });
}

template <class Real, class State>
task::Plan DeviceStepper<Real, State>::compile_evaluation() {
  return compile([this](task::Graph& graph, const StepData& d) {
    control_.record_begin(graph, d);
    record_stage(graph, d, 0);
  });
}

template <class Real, class State>
task::Plan DeviceStepper<Real, State>::compile_refresh() {
  return compile([this](task::Graph& graph, const StepData& d) { record_refresh(graph, d); });
}

/// Records a task that computes the exterior states of the boundary that depend on time.
template <class Real, class State>
void DeviceStepper<Real, State>::record_exterior(task::Graph& graph, const StepData& d, int stage) {
  if (!d.outside.valid()) return;
  graph.add_task("exterior states", {task::writes(d.outside)}, on(task::device),
                 [this, stage](Stream& stream) { boundary_.prescribe(stream, time_of(stage)); });
}

template <class Real, class State>
void DeviceStepper<Real, State>::record_stage(task::Graph& graph, const StepData& d, int stage) {
  using task::Part, task::reads;
  if (d.source.valid()) {
    graph.add_task("sources", {reads(d.values, Part::owned), task::writes(d.source)}, on(task::device),
                   [this, stage](Stream& stream) {
                     source_.evaluate(stream, time_of(stage), reconstruction_.values(), tiles_.arrays.inverse_volume);
                   });
  }
  const auto scalars = [this, stage] { return scalar_stage(stage); };
  scalars_.record_values<State>(graph, d, scalars, [this, stage] { return state_.buffer(before(stage)); });
  record_exterior(graph, d, stage);
  reconstruction_.record_states(graph, d, false);
  record_fluxes(graph, d, stage);
  scalars_.record_stage(graph, d, scalars);
}

/// Records the flux kernels, which add fluxes and compute the stage for the cells of their tiles.
template <class Real, class State>
void DeviceStepper<Real, State>::record_fluxes(task::Graph& graph, const StepData& d, int stage) {
  using task::Part, task::reads, task::reads_writes, task::writes;
  const auto launch = [this, stage](Stream& stream, const TileRange& range) {
    const FluxArgs<Real, State> args = stage_args(stage);
    mesh::with_dim(scheme_.mesh().dim, [&](auto dim) { launch_fluxes<dim()>(stream, range, flux_, args); });
  };
  const auto accesses = [&](const StepData::OfTiles& own, Part rows, task::DataId ghosts) {
    return existing({reads(d.clock), reads(d.source), reads(d.outside), reads(d.inner.states), reads(d.border.states),
                     reads(ghosts), reads_writes(own.update), writes(d.values, rows),
                     writes(stage == 0 ? own.rates : task::DataId())});
  };
  graph.add_task("fluxes (inner)", accesses(d.inner, Part::inner, {}), on(task::device),
                 [this, launch](Stream& stream) { launch(stream, tiles_.inner); });
  graph.set_count("fluxes (inner)", device_counts(scheme_).fluxes(tiles_.inner_size));
  if (!has_border_) return;
  reconstruction_.record_ghost_states(graph, d);
  graph.add_task("fluxes (border)", accesses(d.border, Part::border, d.ghost_states), on(task::device_urgent),
                 [this, launch](Stream& stream) { launch(stream, tiles_.border); });
  graph.set_count("fluxes (border)", device_counts(scheme_).fluxes(tiles_.border_size));
}

/// Records what refresh() computes, at the time of stage 0.
template <class Real, class State>
void DeviceStepper<Real, State>::record_refresh(task::Graph& graph, const StepData& d) {
  using task::Part, task::reads;
  record_exterior(graph, d, 0);
  reconstruction_.record_states(graph, d, true);
  graph.add_task("fluxes of the boundary",
                 existing({reads(d.values, Part::owned), reads(d.gradients, Part::owned), reads(d.inner.states),
                           reads(d.border.states), reads(d.outside), task::writes(d.boundary_fluxes)}),
                 on(task::device), [this](Stream& stream) {
                   mesh::with_dim(scheme_.mesh().dim, [&](auto dim) {
                     launch_boundary_fluxes<dim()>(stream, flux_, flux_args(), boundary_.fluxes());
                   });
                 });
  const auto scalars = [this] {
    DeviceScalars::Stage stage = scalar_stage(0);
    stage.now = at_.now;
    stage.local_dt = nullptr;
    return stage;
  };
  scalars_.record_values<State>(graph, d, scalars, [this] { return state_.buffer(at_.now); });
  scalars_.record_boundary_flows(graph, d, boundary_.fluxes());
  scalars_.record_slopes(graph, d, scalars);
}

template class DeviceStepper<double, double>;
template class DeviceStepper<float, double>;
template class DeviceStepper<float, float>;

}  // namespace weft::flow::detail
