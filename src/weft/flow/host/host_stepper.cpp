#include "weft/flow/host/host_stepper.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "weft/base/large_pages.hpp"
#include "weft/device/parallel_for.hpp"
#include "weft/flow/scheme/integrals.hpp"

namespace weft::flow {
namespace {

using detail::store;

/// Number of cells whose squared rates one thread adds. These partial sums are added in order, so that the result does not depend
/// on the number of threads.
constexpr std::int32_t kUpdateRun = 1024;

Conserved conserved_at(const double* values) {
  Conserved u;
  for (int k = 0; k < HostStepper::kVars; ++k) u[k] = values[k];
  return u;
}

}  // namespace

HostStepper::HostStepper(const Scheme& scheme, task::Check check)
    : scheme_(scheme),
      check_(check),
      residual_(scheme),
      source_(scheme),
      boundary_scalars_(scheme),
      scalars_(residual_, boundary_scalars_),
      conserved_(residual_.owned_space()),
      start_of_step_(residual_.owned_space()),
      local_dt_(scheme.numerics().local_time_step ? ArrayPair<double>(residual_.owned_space()) : ArrayPair<double>()),
      failures_(scheme.mesh()),
      stage_graph_(graph_of_stage()),
      stage_plan_(compile(stage_graph_)) {
  for (ArrayPair<double, kVars>* const array : {&conserved_, &start_of_step_}) residual_.place_rows(array->storage(), kVars);
  use_large_pages_for(conserved_.storage(), start_of_step_.storage());
}

template <class Record>
task::Graph HostStepper::graph_of(const Record& record) {
  const std::int32_t inner = scheme_.mesh().inner_cells;
  task::Graph graph(scheme_.mesh().comm);
  detail::StageData data;
  data.stage = graph.add_number("stage", stage_.time);
  residual_.add_data(graph, data);
  scalars_.add_data(graph, data);
  data.conserved = graph.add_array("conserved", conserved_, inner);
  data.start_of_step = graph.add_array("start of step", start_of_step_, inner);
  if (scheme_.numerics().local_time_step) data.local_dt = graph.add_array("local time steps", local_dt_, inner);
  record(graph, std::as_const(data));
  return graph;
}

task::Plan HostStepper::compile(const task::Graph& graph) const {
  constexpr int kThreads = 1;
  return graph.compile(kThreads, check_, scheme_.options().transport);
}

task::Graph HostStepper::graph_of_stage() {
  using task::Part, task::reads, task::reads_writes, task::writes;
  return graph_of([this](task::Graph& graph, const detail::StageData& d) {
    graph.add_task("stage", {reads_writes(d.stage)},
                   [this] { stage_ = detail::stage_of(command_, scheme_.numerics().rk_stages, stage_.number + 1); });
    scalars_.record_values(graph, d);
    source_.record(graph, d, stage_, residual_);
    residual_.record_evaluation(graph, d, stage_);
    scalars_.record_slopes(graph, d, stage_);
    scalars_.record_update(graph, d, stage_, local_dt_.empty() ? nullptr : local_dt_.data());
    graph.add_task("update",
                   detail::existing({reads(d.stage), reads_writes(d.residual), reads_writes(d.conserved),
                                     reads_writes(d.start_of_step), reads_writes(d.local_dt), writes(d.values),
                                     reads(d.values, Part::ghost)}),  // ghosts are for the description of failures
                   [this] { update(); });
    const detail::HostCounts counts(scheme_.numerics(), scheme_.mesh().dim, false, false);
    graph.set_count("update", counts.update(scheme_.mesh().owned_cells));
  });
}

std::string HostStepper::transport() const {
  const std::span<const Exchange> exchanges = stage_plan_.exchanges();
  return exchanges.empty() ? "" : to_string(exchanges.front().transport());
}

Traffic HostStepper::sent() const {
  Traffic sum;
  const auto add = [&](const task::Plan& plan) {
    for (const Exchange& exchange : plan.exchanges()) sum += exchange.sent();
  };
  add(stage_plan_);
  if (evaluation_plan_) add(*evaluation_plan_);
  if (refresh_plan_) add(*refresh_plan_);
  return sum;
}

task::DryPlan HostStepper::dry_stage(int ranks, const task::PretendedRows& cells) const {
  const task::PretendedRows without_ghosts{
      .owned = cells.owned, .inner = cells.inner, .others_have_inner = cells.others_have_inner};
  return stage_graph_.dry(ranks, [&](task::DataId, const PairRef& array) {
    return array.plan().same_as(scheme_.mesh().plan) ? cells : without_ghosts;
  });
}

void HostStepper::close() {
  stage_plan_.close();
  if (evaluation_plan_) evaluation_plan_->close();
  if (refresh_plan_) refresh_plan_->close();
}

void HostStepper::set_parameters(const SchemeParameters& parameters) {
  parameters_ = parameters;
  residual_.set_parameters(parameters);
}

std::vector<double> HostStepper::keep_stationary(std::span<const double> conserved, double time) {
  source_.set_stationary({});
  residual_.set_stationary_mass_fluxes({});
  for (const mesh::LocalCellId c : scheme_.mesh().owned()) {
    store(residual_.values().row(c).data(), scheme_.gas().primitive(conserved_at(&conserved[c.index() * kVars])));
  }
  evaluate(time);
  const std::span<double> rates = residual_.residual().storage();
  std::vector<double> stationary(rates.begin(), rates.end());
  std::fill(rates.begin(), rates.end(), 0.0);
  source_.set_stationary(stationary);
  const std::span<const double> mass_fluxes = residual_.mass_fluxes();
  residual_.set_stationary_mass_fluxes({mass_fluxes.begin(), mass_fluxes.end()});
  return stationary;
}

void HostStepper::load() {
  failures_.clear();
  stable_dt_.reset();
  rate_squared_ = {};
  // All cells before any is checked: the message about a cell shows its neighbours.
  residual_.team().split(0, scheme_.mesh().owned_cells, [&](std::int32_t first, std::int32_t last) noexcept {
    for (const mesh::LocalCellId c : mesh::CellRange(mesh::LocalCellId(first), mesh::LocalCellId(last))) {
      store(residual_.values().row(c).data(), scheme_.gas().primitive(conserved_at(conserved_.row(c).data())));
    }
  });
}

std::span<const double> HostStepper::primitives() const {
  return {residual_.values().data(), static_cast<std::size_t>(scheme_.mesh().owned_cells) * kVars};
}

Primitive HostStepper::primitive(mesh::LocalCellId cell) const { return detail::load(residual_.values().row(cell).data()); }

std::array<double, HostStepper::kVars> HostStepper::integrals() const {
  const detail::CellContent<kVars, double> content{conserved_.data(), kVars, scheme_.discretization().inverse_volume.data()};
  return reduce(space::host{}, scheme_.mesh().owned_cells, detail::Integrals<kVars>{}, content, detail::Add{}).values();
}

std::vector<double> HostStepper::scalar_integrals() const {
  std::vector<double> values;
  for (int k = 0; k < scalars_.count(); ++k) {
    const detail::CellContent<1, double> content{scalars_.amounts().data() + k, scalars_.count(),
                                                 scheme_.discretization().inverse_volume.data()};
    values.push_back(
        reduce(space::host{}, scheme_.mesh().owned_cells, detail::Integrals<1>{}, content, detail::Add{}).values().front());
  }
  return values;
}

void HostStepper::note_failure(int stage, mesh::LocalCellId cell) {
  const auto states = [this](mesh::LocalCellId any) { return std::optional(primitive(any)); };  // includes ghost rows
  failures_.add({.cell = cell, .stage = stage, .diverged = scheme_.gas().physical(primitive(cell))}, states);
}

double HostStepper::recompute_primitives() {
  const mesh::Mesh& m = scheme_.mesh();
  const Discretization& d = scheme_.discretization();
  double dt = std::numeric_limits<double>::infinity();
  for (const mesh::LocalCellId c : m.owned()) {
    const Primitive w = scheme_.gas().primitive(conserved_at(conserved_.row(c).data()));
    store(residual_.values().row(c).data(), w);
    if (!parameters_.limits.hold(w)) {
      note_failure(scheme_.numerics().rk_stages, c);
      continue;
    }
    const double own = detail::stable_dt_of_cell(scheme_.gas(), w, d.projected_area[c], d.inverse_volume[c]);
    if (!local_dt_.empty()) local_dt_(c) = own;
    dt = std::min(dt, own);
  }
  return dt;
}

StepResult HostStepper::result() {
  const double stable_dt = stable_dt_ ? *std::exchange(stable_dt_, std::nullopt) : recompute_primitives();
  if (std::optional<BoundaryScalars::BadValue> bad = boundary_scalars_.take_bad(); bad) failures_.add(bad->problem, bad->where);
  if (const std::optional<InputError> error = scheme_.take_error()) failures_.add(error->problem(), error->where());
  return {.stable_dt = stable_dt, .rate_squared = rate_squared_};
}

void HostStepper::evaluate(double time) {
  if (!evaluation_plan_) {
    evaluation_plan_ = compile(graph_of([this](task::Graph& graph, const detail::StageData& d) {
      source_.record(graph, d, stage_, residual_);
      residual_.record_evaluation(graph, d, stage_);
    }));
  }
  stage_ = {.time = time};
  evaluation_plan_->run();
}

void HostStepper::step(const StepCommand& command) {
  failures_.clear();
  command_ = command;
  stage_.number = -1;  // one before the first
  stage_plan_.run(scheme_.numerics().rk_stages, nullptr, task::Errors::on_this_rank);
}

void HostStepper::update() {
  const Discretization& d = scheme_.discretization();
  const detail::UpdateView view{.conserved = conserved_.data(),
                                .start = start_of_step_.data(),
                                .rates = residual_.residual().data(),
                                .values = residual_.values().data(),
                                .local_dt = local_dt_.empty() ? nullptr : local_dt_.data(),
                                .inverse_volumes = d.inverse_volume.data(),
                                .projected_areas = d.projected_area.data(),
                                .gas = scheme_.gas(),
                                .limits = parameters_.limits,
                                .start_weight = stage_.start_weight,
                                .dt = stage_.dt,
                                .local_cfl = stage_.local_cfl,
                                .first = stage_.first,
                                .last = stage_.last};
  const std::int32_t cells = scheme_.mesh().owned_cells;
  updates_.resize((cells + kUpdateRun - 1) / kUpdateRun);
  residual_.team().split(0, static_cast<std::int32_t>(updates_.size()), [&](std::int32_t from, std::int32_t to) noexcept {
    for (std::int32_t i = from; i < to; ++i) {
      updates_[i] = detail::update_loop(view, i * kUpdateRun, std::min((i + 1) * kUpdateRun, cells));
    }
  });
  bool physical = true;
  double stable = std::numeric_limits<double>::infinity();
  if (stage_.first) rate_squared_ = {};
  for (const detail::UpdateReport& update : updates_) {
    physical &= update.physical;
    stable = std::min(stable, update.stable_dt);
    for (std::size_t k = 0; k < kVars && stage_.first; ++k) rate_squared_[k] += update.rate_squared[k];
  }
  if (stage_.last) stable_dt_ = stable;
  if (physical) return;
  for (const mesh::LocalCellId c : scheme_.mesh().owned()) {
    if (!parameters_.limits.hold(primitive(c))) note_failure(stage_.number, c);
  }
}

void HostStepper::undo() {
  failures_.clear();
  stable_dt_.reset();
  std::ranges::copy(start_of_step_.storage(), conserved_.storage().begin());
  scalars_.undo();
}

void HostStepper::refresh(double time) {
  if (!refresh_plan_) {
    refresh_plan_ = compile(graph_of([this](task::Graph& graph, const detail::StageData& d) {
      scalars_.record_values(graph, d);
      residual_.record_refresh(graph, d, stage_);
      scalars_.record_slopes(graph, d, stage_);
    }));
  }
  stage_ = {.time = time};
  refresh_plan_->run();
}

std::vector<Primitive> HostStepper::face_states(mesh::BoundaryZoneId zone) const {
  std::vector<Primitive> states;
  for (const mesh::LocalFaceId face : scheme_.mesh().boundary[zone].faces) states.push_back(residual_.face_state(face));
  return states;
}

ForceAndMoment HostStepper::force_on(mesh::BoundaryZoneId zone, double pressure, Vec3 centre) const {
  const mesh::Mesh& m = scheme_.mesh();
  const Discretization& d = scheme_.discretization();
  const mesh::FaceRange faces = m.boundary[zone].faces;
  const auto force = [&](std::int32_t i) {
    const mesh::LocalFaceId f(faces.first().value() + i);
    return force_on_face(residual_.boundary_flux(zone, f), d.face_normal[f], d.face_area[f], m.face_centroid[f] - centre,
                         pressure);
  };
  return reduce(space::host{}, faces.last().value() - faces.first().value(), ForceAndMoment{}, force, detail::Add{});
}

}  // namespace weft::flow
