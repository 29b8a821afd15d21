#include "weft/flow/app/zone_vortices.hpp"

#include <algorithm>
#include <limits>

#include "weft/flow/app/zone_conditions.hpp"
#include "weft/flow/physics/far_field_vortex.hpp"

namespace weft::flow {

ZoneVortices::ZoneVortices(const mesh::Mesh& mesh, const Case& flow_case) {
  for (const mesh::BoundaryZoneId z : mesh.boundary.ids()) {
    const ZoneCondition* const condition = find_condition(flow_case, mesh.boundary[z].name);
    if (condition == nullptr || !condition->vortex) continue;
    for (const ForceSpec& force : flow_case.forces) {
      if (force.name == condition->vortex->force)
        vortices_.push_back({z, &force, condition->params.state, condition->vortex->steps});
    }
  }
}

std::int64_t ZoneVortices::steps_until_update(std::int64_t step) const {
  std::int64_t steps = std::numeric_limits<std::int64_t>::max();
  for (const Vortex& vortex : vortices_) steps = std::min(steps, vortex.steps - step % vortex.steps);
  return steps;
}

void ZoneVortices::update(Solver& solver) const {
  const auto due = [&](const Vortex& vortex) { return solver.steps() % vortex.steps == 0; };
  if (std::none_of(vortices_.begin(), vortices_.end(), due)) return;
  solver.refresh();
  for (const Vortex& vortex : vortices_) {
    if (!due(vortex)) continue;
    solver.set_circulation(vortex.zone, circulation_of(forces(solver, *vortex.force).force, vortex.stream));
  }
}

}  // namespace weft::flow
