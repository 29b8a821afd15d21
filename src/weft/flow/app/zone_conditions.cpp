#include "weft/flow/app/zone_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/base/error.hpp"
#include "weft/base/glob.hpp"

namespace weft::flow {
namespace {

std::string listed(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

/// Adds the error of a condition without a zone. Zones whose names are nearest to its name are added to `meant`.
void check_use(const mesh::Mesh& mesh, const ZoneCondition& condition, const std::vector<std::string>& zones,
               std::vector<InputError>& wrong, std::vector<std::string>& meant) {
  const std::string& name = condition.zone;
  if (std::any_of(zones.begin(), zones.end(), [&](const std::string& zone) { return zone == name || matches(name, zone); }))
    return;
  if (is_pattern(name)) {
    wrong.emplace_back(fmt::format("no boundary zone of the mesh {} matches the pattern \"{}\"", mesh.source, name),
                       fmt::format("its zones are {}", listed(zones)), condition.where);
    return;
  }
  for (const mesh::Periodic& pair : mesh.periodic) {
    if (name != pair.from && name != pair.to) continue;
    wrong.emplace_back(fmt::format("zone \"{}\" is periodic, and has a boundary condition", name),
                       fmt::format("remove [boundary.{}], or the pair of zones in [[mesh.periodic]]", name), condition.where);
    return;
  }
  const std::string near = closest_match(name, zones);
  wrong.emplace_back(fmt::format("the mesh {} has no boundary zone \"{}\"", mesh.source, name),
                     near.empty() ? fmt::format("its zones are {}", listed(zones))
                                  : fmt::format("did you mean \"{}\"? Its zones are {}", near, listed(zones)),
                     condition.where);
  if (!near.empty()) meant.push_back(near);
}

}  // namespace

const ZoneCondition* find_condition(const Case& flow_case, const std::string& zone) {
  const auto& all = flow_case.boundary;
  auto found = std::find_if(all.begin(), all.end(), [&](const ZoneCondition& condition) { return condition.zone == zone; });
  if (found == all.end()) {
    found = std::find_if(all.begin(), all.end(), [&](const ZoneCondition& condition) { return matches(condition.zone, zone); });
  }
  return found == all.end() ? nullptr : &*found;
}

bool lists_zone(const std::vector<std::string>& zones, const std::string& zone) {
  return std::any_of(zones.begin(), zones.end(), [&](const std::string& each) { return each == zone || matches(each, zone); });
}

std::vector<InputError> check_conditions(const mesh::Mesh& mesh, const Case& flow_case) {
  std::vector<InputError> wrong;
  std::vector<std::string> zones, meant;
  for (const mesh::BoundaryZone& zone : mesh.boundary) zones.push_back(zone.name);
  for (const ZoneCondition& condition : flow_case.boundary) {
    check_use(mesh, condition, zones, wrong, meant);
    if (!condition.vortex || mesh.dim == 2) continue;
    wrong.emplace_back("the vortex correction is of plane flows, and this mesh is three-dimensional",
                       "leave it out, or put the far field farther away", condition.vortex->where);
  }
  for (const std::string& zone : zones) {
    const ZoneCondition* const found = find_condition(flow_case, zone);
    if (found == nullptr && std::find(meant.begin(), meant.end(), zone) != meant.end()) continue;
    if (found == nullptr) {
      wrong.emplace_back(fmt::format("zone \"{}\" of the mesh {} has no boundary condition", zone, mesh.source),
                         fmt::format("add a section [boundary.{}] with a kind, or make it periodic", zone),
                         Where{.file = flow_case.file});
      continue;
    }
    if (found->zone == zone) continue;
    for (const ZoneCondition& other : flow_case.boundary) {
      if (&other == found || !matches(other.zone, zone)) continue;
      wrong.emplace_back(fmt::format("the patterns \"{}\" and \"{}\" both match the zone \"{}\"", found->zone, other.zone, zone),
                         fmt::format("make one of them narrower, or add a section [boundary.{}]", zone), other.where);
    }
  }
  return wrong;
}

}  // namespace weft::flow
