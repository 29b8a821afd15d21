#include "weft/flow/scheme/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/base/large_pages.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/device/parallel_for.hpp"
#include "weft/flow/cuda/device_stepper.hpp"
#include "weft/flow/physics/runge_kutta.hpp"
#include "weft/flow/physics/step_length.hpp"
#include "weft/flow/scheme/integrals.hpp"
#include "weft/flow/scheme/reference.hpp"
#include "weft/flow/scheme/scalar_transport.hpp"

namespace weft::flow {
namespace {

using detail::load;
using detail::store;

constexpr int kVars = Solver::kVars;

/// Stands for the earliest failure of a step among negative time steps: by stage; within one, states that have diverged and then
/// those that are not physical, kKind apart; then by cell. Exact to the cell's number: |kEarliest| < 2^53.
constexpr double kEarliest = -8e15, kKind = 1e15;
/// Cells whose squared rates are added up by one thread. Those sums are added up in order, so that it does not matter by which.
constexpr std::int32_t kUpdateRun = 1024;
/// The most that a stable time step may change a state that Numerics::well_balanced keeps, relative to density, density times the
/// fastest wave, or the total enthalpy per volume. Columns of gas with 4 to 10 cells per scale height: 0.05 by truncation errors
/// in second order, 0.1 in first; a uniform stream at Mach 0.5 at the nose of an airfoil with 72 cells around it: 0.2.
constexpr double kMostStationaryChange = 0.1;
/// How often a step that leaves the range of the gas is tried again, and for how many steps the order stays lowered there.
constexpr int kRetries = 6, kLoweredSteps = 50;

Conserved conserved_at(const double* values) {
  Conserved u;
  for (int k = 0; k < kVars; ++k) u[k] = values[k];
  return u;
}

InputError turning(const std::string& where) {
  return InputError(where + " has a velocity along z, about the axis, for which an axisymmetric flow has no equation",
                    "make it 0, or compute the flow in 3-D");
}

/// Returns the row of an owned cell, from rows of kVars.
Conserved conserved_of_cell(std::span<const double> values, std::int32_t cell) {
  return conserved_at(&values[static_cast<std::size_t>(cell) * kVars]);
}

void store_conserved(double* values, const Conserved& u) {
  for (int k = 0; k < kVars; ++k) values[k] = u[k];
}

}  // namespace

Solver::Solver(const mesh::Mesh& mesh, IdealGas gas, std::vector<BoundaryCondition> boundary, Numerics numerics,
               mesh::Neighbours stencil, SourceTerm source, Backend backend, Transport transport, std::vector<Scalar> scalars,
               int threads)
    : residual_(mesh, gas, std::move(boundary), numerics, stencil, backend, transport, threads),
      source_(std::move(source)),
      memory_(backend == Backend::host ? static_cast<std::size_t>(mesh.owned_cells) * kVars : 0),
      conserved_(memory_),
      start_of_step_(memory_.size()),
      local_dt_(numerics.local_time_step && backend == Backend::host ? static_cast<std::size_t>(mesh.owned_cells) : 0) {
  WEFT_EXPECTS(!numerics.well_balanced || numerics.order_ramp.steps == 0);
  if (!scalars.empty()) {
    scalars_ = std::make_unique<ScalarTransport>(residual_, std::move(scalars), backend, transport);
    amounts_ = scalars_->amounts();
  }
  if (backend != Backend::host) {
    device_ = detail::DeviceStepper::make(residual_, source_, scalars_.get());
    conserved_ = device_->state();
    amounts_ = device_->scalar_amounts();
    device_->connect(transport);
  }
  for (std::size_t z = 0; z < mesh.boundary.size() && mesh.axisymmetric; ++z) {
    const BoundaryParams& params = residual_.boundary()[z].params;
    if (params.state.velocity.z != 0 || params.direction.z != 0) throw turning("boundary zone " + mesh.boundary[z].name);
  }
  use_large_pages_for(memory_, start_of_step_);
  double volume = 0;
  for (std::int32_t c = 0; c < mesh.owned_cells; ++c) volume += mesh.cell_volume[static_cast<std::size_t>(c)];
  volume_ = mesh.comm.sum(volume);
}

Solver::~Solver() = default;

void Solver::close() {
  WEFT_EXPECTS(!ahead_);
  if (device_) device_->close();
  if (scalars_) scalars_->close();
  residual_.close();
}

std::string Solver::transport() const { return device_ ? device_->transport() : residual_.transport(); }

Traffic Solver::sent() const {
  const Traffic flow = residual_.sent(), carried = scalars_ ? scalars_->sent() : Traffic{};
  return {.messages = flow.messages + carried.messages, .bytes = flow.bytes + carried.bytes};
}

void Solver::keep_state() const {
  if (copy_ != Copy::old) return;
  WEFT_EXPECTS(!ahead_);  // the state of now is being stepped on
  device_->keep_state();
  copy_ = Copy::coming;
}

std::span<const double> Solver::conserved() const {
  keep_state();
  if (copy_ == Copy::coming) device_->wait_for_state();
  copy_ = Copy::here;
  return conserved_;
}

void Solver::refresh() {
  if (device_) {
    device_->refresh(time_);
  } else {
    residual_.refresh(time_);
    if (scalars_) scalars_->refresh(time_);
  }
}

Conserved Solver::boundary_flux(std::size_t zone, std::int32_t face) const {
  return device_ ? device_->boundary_flux(face) : residual_.boundary_flux(zone, face);
}

std::vector<Primitive> Solver::face_states(std::size_t zone) const {
  const mesh::FaceRange faces = mesh().boundary[zone].faces;
  if (device_) return device_->face_states(faces);
  std::vector<Primitive> states;
  for (const mesh::LocalFaceId face : faces) states.push_back(residual_.face_state(face.value()));
  return states;
}

ForceAndMoment Solver::force_on(std::size_t zone, double pressure, Vec3 centre) const {
  const mesh::Mesh& m = mesh();
  const mesh::FaceRange faces = m.boundary[zone].faces;
  if (device_) return device_->force_on(faces, pressure, centre);
  const auto force = [&](std::int32_t i) {
    const mesh::LocalFaceId face(faces.first().value() + i);
    const std::size_t f = face.index();
    return force_on_face(residual_.boundary_flux(zone, face.value()), m.face_normal[f], m.face_area[f],
                         m.face_centroid[f] - centre, pressure);
  };
  return reduce(space::host{}, faces.last().value() - faces.first().value(), ForceAndMoment{}, force, detail::Add{});
}

std::array<double, Solver::kVars> Solver::integrals() const {
  WEFT_EXPECTS(!ahead_);
  if (device_) return device_->integrals();
  const detail::CellContent<kVars, double> content{conserved_.data(), kVars, residual_.discretization().inverse_volume.data()};
  return reduce(space::host{}, mesh().owned_cells, detail::Integrals<kVars>{}, content, detail::Add{}).values();
}

std::vector<double> Solver::scalar_integrals() const {
  WEFT_EXPECTS(!ahead_);
  if (device_) return device_->scalar_integrals();
  const auto count = static_cast<int>(scalars().size());
  std::vector<double> values;
  for (int k = 0; k < count; ++k) {
    const detail::CellContent<1, double> content{amounts_.data() + k, count, residual_.discretization().inverse_volume.data()};
    values.push_back(reduce(space::host{}, mesh().owned_cells, detail::Integrals<1>{}, content, detail::Add{}).values().front());
  }
  return values;
}

Primitive Solver::cell_state(std::int32_t cell, Vec3 x) const {
  return device_ ? device_->cell_state(cell, x) : residual_.cell_state(cell, x);
}

std::vector<CellGradient> Solver::gradients() const { return device_ ? device_->gradients() : residual_.gradients(); }

void Solver::initialise(const std::function<Primitive(Vec3)>& state, double time, std::int64_t step) {
  const mesh::Mesh& m = mesh();
  (void)conserved();  // nothing is on its way there
  agreed(m.comm, [&] {
    for (std::int32_t c = 0; c < m.owned_cells; ++c) {
      const Primitive w = state(m.cell_centroid[static_cast<std::size_t>(c)]);
      if (m.axisymmetric && w.velocity.z != 0) throw turning("the initial state");
      store_conserved(&conserved_[static_cast<std::size_t>(c) * kVars], residual_.gas().conserved(w));
      for (std::size_t k = 0; k < scalars().size(); ++k) set_scalar(k, static_cast<std::size_t>(c));
    }
  });
  restore_order();
  refer_to_cells([&](std::int32_t c) { return conserved_of_cell(conserved_, c); }, time);
  begin(time, step);
}

void Solver::set_reference(const Primitive& reference) {
  residual_.set_reference(reference);
  reference_is_set_ = true;
}

void Solver::set_stationary(std::function<Primitive(Vec3)> state) {
  WEFT_EXPECTS(residual_.numerics().well_balanced);
  stationary_ = std::move(state);
}

void Solver::set_circulation(std::size_t zone, double circulation) {
  WEFT_EXPECTS(!ahead_);
  residual_.set_circulation(zone, circulation);
  if (device_) device_->update_outside(zone);
}

void Solver::refer_to(const std::function<Primitive(Vec3)>& start, double time) {
  restore_order();
  refer_to_cells([&](std::int32_t c) { return conserved_of_start(start, c); }, time);
}

Conserved Solver::conserved_of_start(const std::function<Primitive(Vec3)>& start, std::int32_t cell) const {
  return residual_.gas().conserved(start(mesh().cell_centroid[static_cast<std::size_t>(cell)]));
}

/// @param start  of an owned cell: conserved variables, so that refer_to() and initialise() find the same digits.
void Solver::refer_to_cells(const std::function<Conserved(std::int32_t)>& start, double time) {
  const IdealGas& gas = residual_.gas();
  const auto primitive = [&](std::int32_t c) { return gas.primitive(start(c)); };
  const ReferenceStates reference = reference_states(mesh(), gas, residual_.boundary(), source_, primitive, time);
  residual_.set_limits(reference.limits);
  if (!reference_is_set_ && gas.physical(reference.mean)) residual_.set_reference(reference.mean);
  if (stationary_) {
    keep_stationary([&](std::int32_t c) { return conserved_of_start(stationary_, c); }, time);
  } else if (residual_.numerics().well_balanced) {
    keep_stationary(start, time);
  }
  referred_ = true;
}

/// Makes the solver subtract from now on the rates that the scheme, at full order, computes of a state.
void Solver::keep_stationary(const std::function<Conserved(std::int32_t)>& state, double time) {
  const mesh::Mesh& m = mesh();
  const IdealGas& gas = residual_.gas();
  const Discretization& d = residual_.discretization();
  const auto at = [&](std::int32_t c) {
    const Vec3 x = m.cell_centroid[static_cast<std::size_t>(c)];
    return fmt::format("in the cell at ({:.6g}, {:.6g}, {:.6g})", x.x, x.y, x.z);
  };
  const auto where = [&](std::int32_t c) {
    return Where{.file = m.source, .element = m.cell_file_id[static_cast<std::size_t>(c)]};
  };
  agreed(m.comm, [&] {
    for (std::int32_t c = 0; c < m.owned_cells; ++c) {
      if (gas.physical(gas.primitive(state(c)))) continue;
      throw PhysicsError("the state that numerics.well_balanced keeps is not physical " + at(c),
                         "density and pressure must be positive", where(c));
    }
  });
  residual_.set_order(1);
  const std::vector<double> rates = stationary_rates(state, time);
  agreed(m.comm, [&] {
    for (std::int32_t c = 0; c < m.owned_cells; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const Primitive w = gas.primitive(state(c));
      const Conserved rate = d.inverse_volume[i] * conserved_of_cell(rates, c);
      const double speed = norm(w.velocity) + gas.sound_speed(w), momentum = w.density * speed;
      const double change = detail::stable_dt_of_cell(gas, w, d.projected_area[i], d.inverse_volume[i]) *
                            std::max({std::abs(rate.density) / w.density, norm(rate.momentum) / momentum,
                                      std::abs(rate.energy) / (momentum * speed)});
      if (change <= kMostStationaryChange) continue;
      throw PhysicsError(fmt::format("the state that numerics.well_balanced keeps is not stationary (a stable time step would "
                                     "change it by {:.2g} of its size {})",
                                     change, at(c)),
                         "give one whose forces balance, on a mesh that resolves it, or leave well_balanced out", where(c));
    }
  });
}

/// Computes volume times d(conserved)/dt of a state, owned x kVars, which the scheme subtracts from now on.
std::vector<double> Solver::stationary_rates(const std::function<Conserved(std::int32_t)>& state, double time) {
  const std::int32_t cells = mesh().owned_cells;
  if (device_) {
    (void)conserved();  // nothing is on its way there
    const std::vector<double> kept(conserved_.begin(), conserved_.end());
    for (std::int32_t c = 0; c < cells; ++c) store_conserved(&conserved_[static_cast<std::size_t>(c) * kVars], state(c));
    std::vector<double> rates = device_->keep_stationary(time);
    std::copy(kept.begin(), kept.end(), conserved_.begin());
    return rates;
  }
  stationary_rates_.clear();
  residual_.set_stationary_mass_fluxes({});
  for (std::int32_t c = 0; c < cells; ++c) {
    store(&residual_.values()[static_cast<std::size_t>(c) * kVars], residual_.gas().primitive(state(c)));
  }
  add_sources(time);
  residual_.evaluate(time);
  const std::span<double> rates = residual_.residual();
  stationary_rates_.assign(rates.begin(), rates.end());
  std::fill(rates.begin(), rates.end(), 0.0);
  const std::span<const double> mass_fluxes = residual_.mass_fluxes();
  residual_.set_stationary_mass_fluxes({mass_fluxes.begin(), mass_fluxes.end()});
  return stationary_rates_;
}

void Solver::restore_order() {
  residual_.restore_order();
  if (device_) device_->set_lowered({});
}

void Solver::restore(std::span<const double> conserved, double time, std::int64_t step, const LoweredOrder& lowered,
                     std::span<const double> scalar_amounts) {
  agreed(mesh().comm, [&] {
    if (conserved.size() != conserved_.size()) {
      throw InputError(fmt::format("{} values for {} owned cells of {} variables", conserved.size(), mesh().owned_cells, kVars));
    }
    if (scalar_amounts.size() != amounts_.size()) {
      throw InputError(fmt::format("{} amounts of scalars for {} owned cells and {} scalars", scalar_amounts.size(),
                                   mesh().owned_cells, scalars().size()));
    }
  });
  (void)this->conserved();  // nothing is on its way there
  std::copy(conserved.begin(), conserved.end(), conserved_.begin());
  std::copy(scalar_amounts.begin(), scalar_amounts.end(), amounts_.begin());
  restore_order();
  if (!referred_) refer_to_cells([&](std::int32_t c) { return conserved_of_cell(conserved_, c); }, time);
  if (lowered.until > 0) lower_order(lowered.cells);
  lowered_until_ = lowered.until;
  begin(time, step);
}

/// Takes conserved_ for the state.
void Solver::begin(double time, std::int64_t step) {
  updated_dt_.reset();
  copy_ = Copy::here;
  if (device_) {
    device_->upload();
  } else {
    // Every cell before any is looked at: a message about one shows its neighbours.
    for (std::size_t i = 0; i < conserved_.size(); i += kVars) {
      store(&residual_.values()[i], residual_.gas().primitive(conserved_at(&conserved_[i])));
    }
  }
  time_ = time;
  step_ = step;
  bad_ = {};
  if (!survey()) throw_bad_state();
}

Primitive Solver::primitive(std::int32_t cell) const {
  const std::size_t first = static_cast<std::size_t>(cell) * kVars;
  return device_ ? residual_.gas().primitive(conserved_at(&conserved()[first])) : load(&residual_.values()[first]);
}

const std::vector<Scalar>& Solver::scalars() const {
  static const std::vector<Scalar> none;
  return scalars_ ? scalars_->scalars() : none;
}

std::span<const double> Solver::scalar_amounts() const {
  (void)conserved();  // fetches them, too
  return amounts_;
}

double Solver::scalar(int k, std::int32_t cell) const {
  const auto c = static_cast<std::size_t>(cell);
  return scalar_amounts()[c * scalars().size() + static_cast<std::size_t>(k)] / conserved_[c * kVars];
}

double Solver::scalar_at(int k, std::int32_t cell, Vec3 x) const {
  return device_ ? device_->scalar_at(k, cell, x) : scalars_->at(k, cell, x);
}

/// To what it is at the start, in an owned cell whose density is known.
void Solver::set_scalar(std::size_t k, std::size_t cell) {
  const Scalar& scalar = scalars()[k];
  const Vec3 x = mesh().cell_centroid[cell];
  const double value = scalar.initial ? scalar.initial(x) : 0;
  if (!std::isfinite(value)) {
    throw InputError(fmt::format("the scalar \"{}\" is {} at ({:g}, {:g}, {:g})", scalar.name, value, x.x, x.y, x.z));
  }
  amounts_[cell * scalars().size() + k] = conserved_[cell * kVars] * value;
}

void Solver::lower_order(std::span<const std::int32_t> cells) {
  residual_.lower_order(cells);
  if (device_) device_->set_lowered(residual_.lowered());
}

LoweredOrder Solver::lowered_order() const {
  LoweredOrder lowered;
  if (!residual_.order_lowered()) return lowered;
  lowered.until = lowered_until_;
  for (std::int32_t c = 0; c < mesh().owned_cells; ++c) {
    if (residual_.order_lowered(c)) lowered.cells.push_back(c);
  }
  return lowered;
}

double Solver::cell_dt(std::int32_t cell) const {
  const auto c = static_cast<std::size_t>(cell);
  const Discretization& d = residual_.discretization();
  return detail::stable_dt_of_cell(residual_.gas(), load(&residual_.values()[c * kVars]), d.projected_area[c],
                                   d.inverse_volume[c]);
}

/// The largest stable step of this rank's cells; notes the cells that are not physical.
double Solver::survey_device() {
  const detail::DeviceStep seen = device_->survey();
  rate_squared_ = seen.rate_squared;
  if (seen.physical) return seen.stable_dt;
  copy_ = Copy::old;
  for (const auto& [cell, stage, diverged] : device_->bad_cells()) note_bad_cell(stage, cell, diverged);
  return seen.stable_dt;
}

/// The same from conserved_, and primitive values; after a step its last stage has found them already.
double Solver::survey_host() {
  if (updated_dt_) return *std::exchange(updated_dt_, std::nullopt);
  const mesh::Mesh& m = mesh();
  const std::span<double> values = residual_.values();
  double dt = std::numeric_limits<double>::infinity();
  for (std::int32_t c = 0; c < m.owned_cells; ++c) {
    const auto i = static_cast<std::size_t>(c);
    store(&values[i * kVars], residual_.gas().primitive(conserved_at(&conserved_[i * kVars])));
    if (!residual_.limits().hold(primitive(c))) {
      note_bad_cell(residual_.numerics().rk_stages, c, residual_.gas().physical(primitive(c)));
      continue;
    }
    const double own = cell_dt(c);
    if (!local_dt_.empty()) local_dt_[i] = own;
    dt = std::min(dt, own);
  }
  return dt;
}

/// The largest stable step, and whether every cell is physical.
bool Solver::survey() {
  const double dt = device_ ? survey_device() : survey_host();
  if (std::optional<ScalarTransport::BadInflow> inflow = scalars_ ? scalars_->take_bad_inflow() : std::nullopt; inflow) {
    bad_ = {.order = 0, .problem = inflow->problem, .where = inflow->where, .hint = "it must be finite at all times"};
  }
  // One reduction for both: a bad state is a negative step, the lower the earlier.
  stable_dt_ = mesh().comm.min(bad_.order < 0 ? dt : kEarliest + bad_.order);
  return stable_dt_ > 0;
}

void Solver::throw_bad_state() const {
  agreed(mesh().comm, [&] {
    if (bad_.order >= 0 && kEarliest + bad_.order == stable_dt_) {
      throw PhysicsError(bad_.problem, bad_.hint, bad_.where);
    }
  });
  throw PhysicsError(fmt::format("the stable time step is {} s at step {}", stable_dt_, step_),
                     "speeds of sound or cell sizes are out of range: check the states and their units, and mesh.scale");
}

/// @param diverged  the state was physical, but outside the limits.
void Solver::note_bad_cell(int stage, std::int32_t cell, bool diverged) {
  bad_cells_.emplace_back(stage, cell);
  const mesh::Mesh& m = mesh();
  const auto i = static_cast<std::size_t>(cell);
  const double order = 2 * kKind * stage + (diverged ? 0 : kKind) + static_cast<double>(m.cell_global[i].value());
  if (bad_.order >= 0 && bad_.order <= order) return;
  const Primitive w = primitive(cell);
  const Vec3 x = m.cell_centroid[i];
  std::string around;
  for (const mesh::LocalFaceId face : m.cell_faces.row(cell)) {
    const std::size_t f = face.index();
    if (m.face_right[f].valid()) {
      const mesh::LocalCellId other = m.face_left[f].value() == cell ? m.face_right[f] : m.face_left[f];
      if (device_ && other.value() >= m.owned_cells) continue;  // what another rank's cell holds is on its GPU
      const Primitive n = device_ ? primitive(other.value()) : load(&residual_.values()[other.index() * kVars]);
      around +=
          fmt::format("; neighbour {}: density {:.6g}, pressure {:.6g}", m.cell_file_id[other.index()], n.density, n.pressure);
      continue;
    }
    for (const mesh::BoundaryZone& zone : m.boundary) {
      if (zone.faces.contains(face)) around += fmt::format("; at boundary \"{}\"", zone.name);
    }
  }
  bad_.order = order;
  bad_.problem = fmt::format(
      "the flow {} at step {}, time {:.9g} in the cell at ({:.6g}, {:.6g}, {:.6g}): "
      "density {:.6g}, velocity ({:.6g}, {:.6g}, {:.6g}), pressure {:.6g}{}",
      diverged ? "diverged beyond all states of its start and boundaries" : "left the range of the gas", step_, time_, x.x, x.y,
      x.z, w.density, w.velocity.x, w.velocity.y, w.velocity.z, w.pressure, around);
  bad_.where = {.file = m.source, .element = m.cell_file_id[i]};
  bad_.hint = "lower cfl, use limiter = \"barth_jespersen\" or flux = \"rusanov\", or check boundary values and units";
}

void Solver::add_sources(double time) {
  const mesh::Mesh& m = mesh();
  const VolumeSource volume{source_.acceleration, m.axisymmetric};
  const double* const stationary = stationary_rates_.empty() ? nullptr : stationary_rates_.data();
  if (!source_.function && !volume.any() && stationary == nullptr) return;
  const auto add = [&](std::int32_t first, std::int32_t last) {
    for (std::int32_t c = first; c < last; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const Primitive w = primitive(c);
      Conserved rate = volume(m.cell_centroid[i], w);
      if (source_.function) rate += source_.function(m.cell_centroid[i], time, w);
      double* const of_cell = &residual_.residual()[i * kVars];
      detail::accumulate(of_cell, rate, m.cell_volume[i]);
      for (std::size_t k = 0; k < kVars && stationary != nullptr; ++k) of_cell[k] -= stationary[i * kVars + k];
    }
  };
  if (source_.function) return add(0, m.owned_cells);
  residual_.team().split(0, m.owned_cells, [&](std::int32_t first, std::int32_t last) noexcept { add(first, last); });
}

void Solver::update(int stage, double dt, double fraction) {
  const Numerics& numerics = residual_.numerics();
  const Discretization& d = residual_.discretization();
  const bool last = stage + 1 == numerics.rk_stages;
  const detail::UpdateView view{.conserved = conserved_.data(),
                                .start = start_of_step_.data(),
                                .rates = residual_.residual().data(),
                                .values = residual_.values().data(),
                                .local_dt = local_dt_.empty() ? nullptr : local_dt_.data(),
                                .inverse_volumes = d.inverse_volume.data(),
                                .projected_areas = d.projected_area.data(),
                                .gas = residual_.gas(),
                                .limits = residual_.limits(),
                                .keep = detail::runge_kutta_stage(numerics.rk_stages, stage).keep,
                                .dt = dt,
                                .local_cfl = fraction * cfl(),
                                .first = stage == 0,
                                .last = last};
  const std::int32_t cells = mesh().owned_cells;
  updates_.resize(static_cast<std::size_t>((cells + kUpdateRun - 1) / kUpdateRun));
  residual_.team().split(0, static_cast<std::int32_t>(updates_.size()), [&](std::int32_t from, std::int32_t to) noexcept {
    for (std::int32_t i = from; i < to; ++i) {
      updates_[static_cast<std::size_t>(i)] = detail::update_loop(view, i * kUpdateRun, std::min((i + 1) * kUpdateRun, cells));
    }
  });
  bool physical = true;
  double stable = std::numeric_limits<double>::infinity();
  if (stage == 0) rate_squared_ = {};
  for (const detail::UpdateReport& update : updates_) {
    physical &= update.physical;
    stable = std::min(stable, update.stable_dt);
    for (std::size_t k = 0; k < kVars && stage == 0; ++k) rate_squared_[k] += update.rate_squared[k];
  }
  if (last) updated_dt_ = stable;
  if (physical) return;
  for (std::int32_t c = 0; c < mesh().owned_cells; ++c) {
    if (!residual_.limits().hold(primitive(c))) note_bad_cell(stage, c, residual_.gas().physical(primitive(c)));
  }
}

void Solver::try_step(double dt, double fraction) {
  const Numerics& numerics = residual_.numerics();
  const int stages = numerics.rk_stages;
  evaluations_ += stages;
  bad_ = {};
  bad_cells_.clear();
  // With local time steps dt may be without bound; the time goes on by this much.
  const double advance = std::min(dt, fraction * cfl() * stable_dt_);
  if (device_) {
    device_->step({.time = time_, .dt = dt, .advance = advance, .local_cfl = numerics.local_time_step ? fraction * cfl() : 0});
    return;
  }
  for (int stage = 0; stage < stages; ++stage) {
    const double time = time_ + detail::runge_kutta_stage(stages, stage).time * advance;
    add_sources(time);
    residual_.evaluate(time);
    if (scalars_) {
      scalars_->advance({.time = time,
                         .first = stage == 0,
                         .keep = detail::runge_kutta_stage(stages, stage).keep,
                         .dt = dt,
                         .local_cfl = fraction * cfl(),
                         .local_dt = local_dt_.empty() ? nullptr : local_dt_.data()});
    }
    update(stage, dt, fraction);
  }
}

double Solver::most_cfl() const {
  const bool damped = residual_.discretization().stabilized;
  return damped ? most_damped_cfl(residual_.numerics().rk_stages) : std::numeric_limits<double>::infinity();
}

/// Of the next step.
double Solver::cfl() const {
  const Numerics& numerics = residual_.numerics();
  return std::min(numerics.cfl, most_cfl()) * numerics.cfl_ramp.at(step_);
}

/// What the scheme is of in the next step.
void Solver::set_order_of_step() {
  residual_.set_order(residual_.numerics().order_ramp.at(step_));
  if (!residual_.order_lowered() || step_ < lowered_until_) return;
  restore_order();
}

StepReport Solver::step(double dt_limit) {
  WEFT_EXPECTS(!ahead_);
  set_order_of_step();
  const Numerics& numerics = residual_.numerics();
  try_step(detail::step_length(dt_limit, cfl() * stable_dt_, numerics.local_time_step), 1);
  return settle_step(dt_limit);
}

bool Solver::works_ahead() const { return device_ && device_->works_ahead(); }

void Solver::start_steps(const StepsAhead& ahead) {
  WEFT_EXPECTS(!ahead_ && ahead.count >= 1 && ahead.count <= kMostAhead && !detail::reached(time_, ahead.until));
  set_order_of_step();
  ahead_ = ahead;
  if (residual_.order_lowered()) {
    ahead_->count = static_cast<int>(std::min<std::int64_t>(ahead.count, lowered_until_ - step_));
  }
  if (step_ < std::max(residual_.numerics().order_ramp.steps, residual_.numerics().cfl_ramp.steps)) ahead_->count = 1;
  if (!works_ahead()) return;
  device_->start({.count = ahead_->count,
                  .time = time_,
                  .until = ahead_->until,
                  .cfl = cfl(),
                  .first_step = step_ + 1,
                  .rates_interval = ahead_->rates_interval});
}

std::vector<StepReport> Solver::finish_steps() {
  WEFT_EXPECTS(ahead_.has_value());
  const StepsAhead ahead = *std::exchange(ahead_, std::nullopt);
  const Numerics& numerics = residual_.numerics();
  const auto limit = [&] { return detail::step_limit(ahead.until - time_, cfl() * stable_dt_, numerics.local_time_step); };
  std::vector<StepReport> reports;
  if (works_ahead()) {
    const std::vector<detail::DeviceStep> done = device_->finish();
    for (const detail::DeviceStep& step : std::span(done).first(done.size() - 1)) {
      time_ += step.dt;
      reports.push_back({.step = ++step_, .time = time_, .dt = step.dt, .rate_squared = step.rate_squared});
    }
    evaluations_ += static_cast<std::int64_t>(done.size()) * numerics.rk_stages;
    stable_dt_ = done.back().stable_before;
    reports.push_back(settle_step(limit()));
    return reports;
  }
  while (static_cast<int>(reports.size()) < ahead.count && !detail::reached(time_, ahead.until)) {
    reports.push_back(step(limit()));
  }
  return reports;
}

/// Takes the step that was just tried, or tries it again.
StepReport Solver::settle_step(double dt_limit) {
  const Numerics& numerics = residual_.numerics();
  double fraction = 1;
  for (int attempt = 0;; ++attempt) {
    const double stable = fraction * cfl() * stable_dt_;
    const double dt = detail::step_length(dt_limit, stable, numerics.local_time_step);
    if (attempt > 0) try_step(dt, fraction);
    if (device_) copy_ = Copy::old;
    if (survey()) {
      if (device_) device_->accept();
      const double done = std::min(dt, stable);
      time_ += done;
      ++step_;
      return {.step = step_, .time = time_, .dt = done, .retries = attempt, .rate_squared = rate_squared_};
    }
    const bool diverged = stable_dt_ < 0 && std::fmod(stable_dt_ - kEarliest, 2 * kKind) < kKind;
    if (diverged || attempt >= kRetries) throw_bad_state();
    lower_order_of_bad_cells();
    lowered_until_ = step_ + kLoweredSteps;
    if (attempt > 0) fraction *= 0.5;
    if (device_) {
      device_->undo();
    } else {
      std::copy(start_of_step_.begin(), start_of_step_.end(), conserved_.begin());
      if (scalars_) scalars_->undo();
    }
    bad_ = {};
    (void)survey();
  }
}

/// Lowers the order of the cells that left the range of the gas in the earliest stage that any did in, on any rank. What later
/// stages find is what fluxes make of states that are not physical, which is neither of use nor the same on CPUs and GPUs.
void Solver::lower_order_of_bad_cells() {
  const int earliest = static_cast<int>((stable_dt_ - kEarliest) / (2 * kKind));
  std::vector<std::int32_t> cells;
  for (const auto& [stage, cell] : bad_cells_) {
    if (stage == earliest) cells.push_back(cell);
  }
  lower_order(cells);
}

std::vector<std::array<double, Solver::kVars>> Solver::residual_norms(std::span<const StepReport> steps) const {
  std::vector<double> sums;
  for (const StepReport& step : steps) sums.insert(sums.end(), step.rate_squared.begin(), step.rate_squared.end());
  mesh().comm.sum(std::span<double>(sums));
  std::vector<std::array<double, kVars>> norms(steps.size());
  for (std::size_t i = 0; i < sums.size(); ++i) norms[i / kVars][i % kVars] = std::sqrt(sums[i] / volume_);
  return norms;
}

std::array<double, Solver::kVars> Solver::residual_norms() const {
  return residual_norms(std::array{StepReport{.rate_squared = rate_squared_}}).front();
}

}  // namespace weft::flow
