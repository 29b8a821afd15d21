#include "weft/flow/scheme/limits_with_sources.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "weft/comm/agreement.hpp"
#include "weft/flow/scheme/extremes.hpp"
#include "weft/flow/scheme/kernels.hpp"

namespace weft::flow {
namespace {

/// Share of the growth between two raises that sources must cause at their present rate.
constexpr double kExplained = 0.25;

/// Extremes before a step, and with what the sources add in it.
struct BeforeAndWithSources {
  Extremes before, with_sources;

  /// @collective
  void reduce(const Communicator& comm) {
    before.reduce(comm);
    with_sources.add(before);
    with_sources.reduce(comm);
  }
};

/// Returns the length of the step in a cell, s.
double length_in_cell(const Scheme& scheme, const LimitsWithSources::Step& step, mesh::LocalCellId c, const Primitive& w) {
  if (!step.local_cfl) return step.dt;
  const Discretization& d = scheme.discretization();
  return std::min(step.dt,
                  *step.local_cfl * detail::stable_dt_of_cell(scheme.gas(), w, d.projected_area[c], d.inverse_volume[c]));
}

/// Adds the owned cells as a source alone would change them in the step, at the rates of `time`.
void add_sources(Extremes& extremes, const Scheme& scheme, std::span<const Primitive> states, const LimitsWithSources::Step& step,
                 double time) {
  const mesh::Mesh& m = scheme.mesh();
  const IdealGas& gas = scheme.gas();
  std::vector<Conserved> rates(states.size());
  scheme.source().function(std::span(m.cell_centroid).first(states.size()), time, states, rates);
  for (const mesh::LocalCellId c : m.owned()) {
    const Primitive& w = states[c.index()];
    extremes.add(gas, gas.primitive(gas.conserved(w) + length_in_cell(scheme, step, c, w) * rates[c.index()]));
  }
}

void add_boundary(Extremes& extremes, const Scheme& scheme, double time) {
  for (const mesh::BoundaryZoneId z : scheme.boundary().ids()) {
    const BoundaryCondition& condition = scheme.boundary()[z];
    if (condition.prescribed && condition.depends_on_time) extremes.add(scheme.mesh(), scheme.gas(), z, condition, time);
  }
}

BeforeAndWithSources extremes_of(const Scheme& scheme, const LimitsWithSources::States& states,
                                 const LimitsWithSources::Step* step) {
  const mesh::Mesh& m = scheme.mesh();
  BeforeAndWithSources extremes;
  agreed(m.comm, [&] {
    std::vector<Primitive> before(m.owned_cells);
    for (const mesh::LocalCellId c : m.owned()) {
      before[c.index()] = states(c);
      extremes.before.add(scheme.gas(), before[c.index()]);
    }
    if (step == nullptr) return;
    const double advance = std::isfinite(step->dt) ? step->dt : 0;
    for (const double part : {0.0, 0.5, 1.0}) {  // the times of the stages
      const double time = step->time + part * advance;
      add_boundary(extremes.with_sources, scheme, time);
      if (scheme.source().function) add_sources(extremes.with_sources, scheme, before, *step, time);
    }
  });
  extremes.reduce(m.comm);
  return extremes;
}

/// Returns the limit of density, pressure or speed.
double limit_of(const StateLimits& limits, std::size_t k) {
  return k == 0 ? limits.most_density : k == 1 ? limits.most_pressure : std::sqrt(limits.most_speed_squared);
}

void set_limit(StateLimits& limits, std::size_t k, double limit) {
  (k == 0 ? limits.most_density : k == 1 ? limits.most_pressure : limits.most_speed_squared) = k == 2 ? limit * limit : limit;
}

}  // namespace

void LimitsWithSources::accept(StateLimits& limits, const Scheme& scheme, const States& states, std::int64_t step) {
  const BeforeAndWithSources extremes = extremes_of(scheme, states, nullptr);
  for (std::size_t k = 0; k < last_.size(); ++k) {
    const double raised = kGrowthOfRaise * extremes.before.largest[k];
    if (!(raised > limit_of(limits, k))) continue;
    set_limit(limits, k, raised);
    last_[k] = {.step = step, .explained = true};
  }
}

bool LimitsWithSources::raise(StateLimits& limits, const Scheme& scheme, const States& states, const Step& step) {
  const BeforeAndWithSources extremes = extremes_of(scheme, states, &step);
  bool any = false;
  for (std::size_t k = 0; k < last_.size(); ++k) {
    const double before = extremes.before.largest[k], with_sources = extremes.with_sources.largest[k];
    const double raised = kGrowthOfRaise * with_sources;
    if (!(raised > limit_of(limits, k))) continue;
    const std::int64_t steps = step.number + 1 - (last_[k] ? last_[k]->step : 0);
    const bool explained = (with_sources - before) * static_cast<double>(steps) >= kExplained * before;
    if (last_[k] && !last_[k]->explained && !explained && steps <= kSlowSteps) continue;
    set_limit(limits, k, raised);
    last_[k] = {.step = step.number, .explained = explained};
    any = true;
  }
  return any;
}

}  // namespace weft::flow
