#include "weft/flow/scheme/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/traced_region.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/host/loops.hpp"
#include "weft/flow/scheme/reference.hpp"
#include "weft/flow/scheme/stationary.hpp"
#include "weft/flow/scheme/unphysical_state.hpp"

namespace weft::flow {
namespace {

constexpr int kVars = Solver::kVars;

/// Returns the row of an owned cell, from rows of kVars.
Conserved conserved_of_cell(std::span<const double> values, mesh::LocalCellId cell) {
  Conserved u;
  for (int k = 0; k < kVars; ++k) u[k] = values[cell.index() * kVars + k];
  return u;
}

void store_conserved(std::span<double> values, mesh::LocalCellId cell, const Conserved& u) {
  for (int k = 0; k < kVars; ++k) values[cell.index() * kVars + k] = u[k];
}

/// Returns the initial value of a scalar at x. @throws InputError unless it is finite.
double initial_value(const Scalar& scalar, Vec3 x) {
  const double value = scalar.initial ? scalar.initial(x) : 0;
  if (!std::isfinite(value)) {
    throw InputError(fmt::format("the scalar \"{}\" is {} at ({:g}, {:g}, {:g})", scalar.name, value, x.x, x.y, x.z),
                     "its initial value must be finite everywhere");
  }
  return value;
}

/// Returns the magnitude of each variable in a reference state.
Primitive scale_of(const IdealGas& gas, const Primitive& reference) {
  const double speed = std::max(norm(reference.velocity), gas.sound_speed(reference));
  return {reference.density, {speed, speed, speed}, reference.pressure};
}

/// Returns the circulation of each boundary zone's vortex at the start.
IdVector<mesh::BoundaryZoneId, double> circulations_of(const BoundaryConditions& boundary) {
  IdVector<mesh::BoundaryZoneId, double> circulations;
  for (const BoundaryCondition& condition : boundary) circulations.push_back(condition.params.vortex.circulation);
  return circulations;
}

}  // namespace

Solver::Solver(const mesh::Mesh& mesh, SolverOptions options)
    : scheme_(mesh, std::move(options)),
      circulations_(circulations_of(scheme_.boundary())),
      fallback_(mesh),
      stepper_(Stepper::make(scheme_)) {
  double volume = 0;
  for (const mesh::LocalCellId c : mesh.owned()) volume += mesh.cell_volume[c];
  volume_ = mesh.comm.sum(volume);
}

Solver::~Solver() = default;

void Solver::close() {
  WEFT_EXPECTS(!ahead_);
  stepper_->close();
  fallback_.close();
}

Traffic Solver::sent() const {
  const Traffic values = stepper_->sent(), flags = fallback_.sent();
  return {.messages = values.messages + flags.messages, .bytes = values.bytes + flags.bytes};
}

int Solver::simd_width() { return detail::simd_width(); }

void Solver::keep_state() const { stepper_->start_fetch(); }

std::span<const double> Solver::conserved() const { return stepper_->fetch().conserved; }

void Solver::refresh() {
  const TracedRegion region("refresh for output");
  stepper_->refresh(time_);
}

Conserved Solver::boundary_flux(mesh::BoundaryZoneId zone, mesh::LocalFaceId face) const {
  return stepper_->boundary_flux(zone, face);
}

std::vector<Primitive> Solver::face_states(mesh::BoundaryZoneId zone) const { return stepper_->face_states(zone); }

ForceAndMoment Solver::force_on(mesh::BoundaryZoneId zone, double pressure, Vec3 centre) const {
  return stepper_->force_on(zone, pressure, centre);
}

std::array<double, Solver::kVars> Solver::integrals() const {
  WEFT_EXPECTS(!ahead_);
  return stepper_->integrals();
}

std::vector<double> Solver::scalar_integrals() const {
  WEFT_EXPECTS(!ahead_);
  return stepper_->scalar_integrals();
}

Primitive Solver::cell_state(mesh::LocalCellId cell, Vec3 x) const { return stepper_->cell_state(cell, x); }

std::vector<CellGradient> Solver::gradients() const { return stepper_->gradients(); }

void Solver::initialise(const std::function<Primitive(Vec3)>& state, double time, std::int64_t step) {
  start_from(std::span(&state, 1), kernels::calling_thread(), time, step);
}

void Solver::initialise_by_threads(const std::function<std::function<Primitive(Vec3)>()>& make_state, double time,
                                   std::int64_t step) {
  Team team(scalars().empty() ? scheme_.options().threads : 1);
  std::vector<std::function<Primitive(Vec3)>> states(shares_of(team, mesh().owned_cells));
  agreed(mesh().comm, [&] { std::generate(states.begin(), states.end(), make_state); });
  start_from(states, team, time, step);
}

/// @param states  the initial state, one function for each share of the cells.
void Solver::start_from(std::span<const std::function<Primitive(Vec3)>> states, Team& team, double time, std::int64_t step) {
  const mesh::Mesh& m = mesh();
  const StateRows rows = stepper_->state();
  agreed(m.comm, [&] {
    const std::vector<Scalar>& carried = scalars();
    for_shares(team, m.owned_cells, [&](LoopShare share) {
      const std::function<Primitive(Vec3)>& state = states[share.number];
      for (std::int64_t i = share.begin; i < share.end; ++i) {
        const mesh::LocalCellId c(i);
        const Vec3 x = m.cell_centroid[c];
        const Primitive w = state(x);
        if (m.axisymmetric && w.velocity.z != 0) throw velocity_about_axis("the initial state");
        if (!scheme_.gas().physical(w)) throw unphysical_state(m, c, w, "the initial state");
        store_conserved(rows.conserved, c, scheme_.gas().conserved(w));
        for (std::size_t k = 0; k < carried.size(); ++k) {
          rows.scalar_amounts[i * carried.size() + k] = rows.conserved[i * kVars] * initial_value(carried[k], x);
        }
      }
    });
  });
  clear_fallback();
  refer_to_cells([&](mesh::LocalCellId c) { return conserved_of_cell(rows.conserved, c); }, time, team);
  begin(time, step);
}

void Solver::set_reference(const Primitive& reference) {
  parameters_.scale = scale_of(scheme_.gas(), reference);
  stepper_->set_parameters(parameters_);
  reference_is_set_ = true;
}

void Solver::set_stationary(std::function<Primitive(Vec3)> state) {
  WEFT_EXPECTS(scheme_.numerics().well_balanced);
  stationary_ = std::move(state);
}

void Solver::set_circulation(mesh::BoundaryZoneId zone, double circulation) {
  WEFT_EXPECTS(!ahead_);
  circulations_[zone] = circulation;
  stepper_->set_circulation(zone, circulation);
}

void Solver::refer_to(const std::function<Primitive(Vec3)>& start, double time) {
  clear_fallback();
  refer_to_cells([&](mesh::LocalCellId c) { return conserved_of_start(start, c); }, time, kernels::calling_thread());
}

Conserved Solver::conserved_of_start(const std::function<Primitive(Vec3)>& start, mesh::LocalCellId cell) const {
  return scheme_.gas().conserved(start(mesh().cell_centroid[cell]));
}

/// @param start  of an owned cell: conserved variables, so that refer_to() and initialise() find the same digits. Called by all
///   threads of the team.
void Solver::refer_to_cells(const std::function<Conserved(mesh::LocalCellId)>& start, double time, Team& team) {
  const IdealGas& gas = scheme_.gas();
  const auto primitive = [&](mesh::LocalCellId c) { return gas.primitive(start(c)); };
  const ReferenceStates reference = reference_states(mesh(), gas, scheme_.boundary(), scheme_.source(), primitive, time, team);
  parameters_.limits = reference.limits;
  with_sources_.start(reference.unknown);
  if (!reference_is_set_ && gas.physical(reference.mean)) parameters_.scale = scale_of(gas, reference.mean);
  stepper_->set_parameters(parameters_);
  if (stationary_) {
    keep_stationary([&](mesh::LocalCellId c) { return conserved_of_start(stationary_, c); }, time);
  } else if (scheme_.numerics().well_balanced) {
    keep_stationary(start, time);
  }
  referred_ = true;
}

/// Makes the stepper subtract from now on the rates that the scheme, at full order, computes of a state.
void Solver::keep_stationary(const std::function<Conserved(mesh::LocalCellId)>& state, double time) {
  check_stationary_state(scheme_, state);
  set_order(1);
  std::vector<double> conserved(static_cast<std::size_t>(mesh().owned_cells) * kVars);
  for (const mesh::LocalCellId c : mesh().owned()) store_conserved(conserved, c, state(c));
  check_stationary_rates(scheme_, state, stepper_->keep_stationary(conserved, time));
}

void Solver::restore(std::span<const double> conserved, double time, std::int64_t step, const FallbackCells& fallback,
                     std::span<const double> scalar_amounts) {
  const std::size_t cells = mesh().owned().size();
  agreed(mesh().comm, [&] {
    if (conserved.size() != cells * kVars) {
      throw InputError(fmt::format("{} values for {} owned cells of {} variables", conserved.size(), mesh().owned_cells, kVars),
                       "pass the conserved variables of the owned cells of each rank");
    }
    if (scalar_amounts.size() != cells * scalars().size()) {
      throw InputError(fmt::format("{} amounts of scalars for {} owned cells and {} scalars", scalar_amounts.size(),
                                   mesh().owned_cells, scalars().size()),
                       "pass the amounts of all scalars in the owned cells of each rank");
    }
    for (const mesh::LocalCellId c : mesh().owned()) {
      const Primitive w = scheme_.gas().primitive(conserved_of_cell(conserved, c));
      if (!scheme_.gas().physical(w)) throw unphysical_state(mesh(), c, w, "the state to restore");
    }
  });
  const StateRows rows = stepper_->state();
  std::copy(conserved.begin(), conserved.end(), rows.conserved.begin());
  std::copy(scalar_amounts.begin(), scalar_amounts.end(), rows.scalar_amounts.begin());
  clear_fallback();
  if (!referred_) {
    refer_to_cells([&](mesh::LocalCellId c) { return conserved_of_cell(rows.conserved, c); }, time, kernels::calling_thread());
  }
  if (with_sources_.active()) {
    const auto restored = [&](mesh::LocalCellId c) { return scheme_.gas().primitive(conserved_of_cell(rows.conserved, c)); };
    with_sources_.accept(parameters_.limits, scheme_, restored, step);
    stepper_->set_parameters(parameters_);
  }
  if (fallback.until > 0) add_fallback(fallback.cells);
  fallback_until_ = fallback.until;
  begin(time, step);
}

/// Starts from the rows of the stepper's state().
void Solver::begin(double time, std::int64_t step) {
  stepper_->load();
  time_ = time;
  step_ = step;
  if (!reduce_status()) throw_failure();
}

Primitive Solver::primitive(mesh::LocalCellId cell) const { return stepper_->primitive(cell); }

const std::vector<Scalar>& Solver::scalars() const { return scheme_.scalars(); }

std::span<const double> Solver::scalar_amounts() const { return stepper_->fetch().scalar_amounts; }

double Solver::scalar(int k, mesh::LocalCellId cell) const {
  const std::size_t c = cell.index();
  const ConstStateRows rows = stepper_->fetch();
  return rows.scalar_amounts[c * scalars().size() + k] / rows.conserved[c * kVars];
}

double Solver::scalar_at(int k, mesh::LocalCellId cell, Vec3 x) const { return stepper_->scalar_at(k, cell, x); }

void Solver::add_fallback(std::span<const mesh::LocalCellId> cells) {
  fallback_.add(cells);
  stepper_->set_fallback(fallback_.flags());
}

void Solver::clear_fallback() {
  fallback_.clear();
  stepper_->set_fallback({});
}

FallbackCells Solver::fallback_cells() const {
  if (!fallback_.active()) return {};
  return {.cells = fallback_.cells(), .until = fallback_until_};
}

std::vector<std::array<double, Solver::kVars>> Solver::residual_norms(std::span<const StepReport> steps) const {
  const TracedRegion region("residual norms");
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
