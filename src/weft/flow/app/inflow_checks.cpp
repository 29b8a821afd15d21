#include "weft/flow/app/inflow_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "weft/base/error.hpp"
#include "weft/flow/app/zone_conditions.hpp"

namespace weft::flow {
namespace {

/// The angle between a velocity or direction and the faces of a zone, over all ranks.
struct Incidence {
  std::int64_t faces = 0, leaving = 0;  ///< leaving: faces through which it points out of the domain
  double least = 0, most = 0;           ///< component into the domain
};

/// Computes the incidence. @param tolerance  components out of the domain up to this count as tangential.  @collective
Incidence incidence(const mesh::Mesh& mesh, const mesh::BoundaryZone& zone, Vec3 v, double tolerance) {
  Incidence result{.least = std::numeric_limits<double>::infinity(), .most = -std::numeric_limits<double>::infinity()};
  for (const mesh::LocalFaceId face : zone.faces) {
    const double inward = -dot(v, mesh.face_normal[face]);
    ++result.faces;
    if (inward < -tolerance) ++result.leaving;
    result.least = std::min(result.least, inward);
    result.most = std::max(result.most, inward);
  }
  return {mesh.comm.sum(result.faces), mesh.comm.sum(result.leaving), mesh.comm.min(result.least), mesh.comm.max(result.most)};
}

constexpr double kRoundingOfCosine = 1e-9;

/// Returns the warning about a direction; empty: none.  @throws InputError: it enters through no face.  @collective
std::string check_direction(const mesh::Mesh& mesh, const mesh::BoundaryZone& zone, const ZoneCondition& condition) {
  const Vec3 direction = condition.params.direction;
  if (norm(direction) == 0) return {};
  const Incidence found = incidence(mesh, zone, direction, -kRoundingOfCosine);  // gas cannot enter parallel to a face either
  if (found.leaving == 0) return {};
  if (found.leaving == found.faces) {
    throw InputError("the direction points out of the domain, or along its boundary, on every face of this zone",
                     "reverse it, or leave it out for an inflow against the normal", condition.where_direction);
  }
  return InputError(
             fmt::format("the direction points out of the domain, or along its boundary, on {} of the {} faces of this zone",
                         found.leaving, found.faces),
             "gas enters there against the normal; leave the direction out, or divide the zone", condition.where_direction)
      .what();
}

/// Returns the warning about the state of a supersonic inflow; empty: none.  @collective
std::string check_supersonic(const mesh::Mesh& mesh, const mesh::BoundaryZone& zone, const ZoneCondition& condition,
                             const IdealGas& gas) {
  const Primitive& state = condition.params.state;
  const double c = gas.sound_speed(state);
  const Incidence found = incidence(mesh, zone, (1 / c) * state.velocity, kRoundingOfCosine);
  if (found.faces == 0) return {};
  const bool one = found.most - found.least < kRoundingOfCosine;
  const std::string normal = one ? fmt::format("normal Mach number {:.4g}", found.most + 0.0)
                                 : fmt::format("normal Mach numbers {:.4g} to {:.4g}", found.least + 0.0, found.most + 0.0);
  const std::string_view kind = name_of(BoundaryKind::supersonic_inflow);
  if (gas.mach(state) < 1) {
    return InputError(fmt::format("the state of this {} is subsonic (Mach number {:.4g}, {})", kind, gas.mach(state), normal),
                      fmt::format("waves from inside are reflected by it; use {} or {}", name_of(BoundaryKind::far_field),
                                  name_of(BoundaryKind::total_pressure_inflow)),
                      condition.where)
        .what();
  }
  if (found.leaving == 0) return {};
  return InputError(fmt::format("the state of this {} leaves the domain through {} of its {} faces ({})", kind, found.leaving,
                                found.faces, normal),
                    fmt::format("use {}, or {} in a zone of its own", name_of(BoundaryKind::far_field),
                                name_of(BoundaryKind::supersonic_outflow)),
                    condition.where)
      .what();
}

}  // namespace

std::vector<std::string> check_inflows(const mesh::Mesh& mesh, const Case& flow_case) {
  std::vector<std::string> warnings;
  for (const mesh::BoundaryZone& zone : mesh.boundary) {
    const ZoneCondition* const condition = find_condition(flow_case, zone.name);
    if (condition == nullptr || condition->prescribed) continue;
    std::string warning;
    if (condition->params.kind == BoundaryKind::total_pressure_inflow) warning = check_direction(mesh, zone, *condition);
    if (condition->params.kind == BoundaryKind::supersonic_inflow)
      warning = check_supersonic(mesh, zone, *condition, flow_case.gas);
    if (!warning.empty()) warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace weft::flow
