#include "weft/flow/app/monitors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "weft/base/error.hpp"
#include "weft/flow/app/locate.hpp"
#include "weft/flow/app/zone_conditions.hpp"

namespace weft::flow {

void check_zones(const mesh::Mesh& mesh, const std::vector<std::string>& zones, const std::string& key, const Where& where) {
  std::vector<std::string> names;
  for (const mesh::BoundaryZone& zone : mesh.boundary) names.push_back(zone.name);
  for (const std::string& zone : zones) {
    if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return lists_zone({zone}, name); })) continue;
    const std::string near = closest_match(zone, names);
    throw InputError(fmt::format("the mesh {} has no boundary zone \"{}\"", mesh.source, zone),
                     near.empty() ? fmt::format("its zones are {}", fmt::join(names, ", "))
                                  : fmt::format("did you mean \"{}\"? Its zones are {}", near, fmt::join(names, ", ")),
                     where.key.empty() ? Where{.key = key} : where);
  }
}

Forces forces(const Solver& solver, const ForceSpec& spec) {
  const mesh::Mesh& m = solver.mesh();
  check_zones(m, spec.zones, "forces." + spec.name + ".zones", spec.where_zones);
  ForceAndMoment on_zones;
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    if (!lists_zone(spec.zones, m.boundary[z].name)) continue;
    on_zones += solver.force_on(z, spec.reference.pressure, spec.moment_centre);
  }
  const auto& [force, moment] = on_zones;
  std::array<double, 6> sums{force.x, force.y, force.z, moment.x, moment.y, moment.z};
  m.comm.sum(std::span<double>(sums));
  Forces result;
  if (m.axisymmetric) {  // around the axis all but the axial force cancels
    result.force = {sums[0], 0, 0};
    result.moment = {};
  } else {
    result.force = {sums[0], sums[1], sums[2]};
    result.moment = {sums[3], sums[4], sums[5]};
  }
  if (!spec.has_coefficients()) return result;
  const double dynamic_pressure = 0.5 * spec.reference.density * dot(spec.reference.velocity, spec.reference.velocity);
  const double scale = 1.0 / (dynamic_pressure * spec.area);
  result.drag = scale * dot(result.force, spec.drag_direction);
  result.lift = scale * dot(result.force, spec.lift_direction);
  result.moment_coefficient = (scale / spec.length) * result.moment;
  const Vec3 pitch_axis = cross(spec.lift_direction, spec.drag_direction);  // shorter than 1 where they are not perpendicular
  result.pitch = dot(result.moment_coefficient, pitch_axis / norm(pitch_axis));
  return result;
}

namespace {

double value_of(ZoneQuantity quantity, const IdealGas& gas, const Primitive& w) {
  switch (quantity) {
    case ZoneQuantity::mass_flow:
      break;
    case ZoneQuantity::pressure:
      return w.pressure;
    case ZoneQuantity::density:
      return w.density;
    case ZoneQuantity::temperature:
      return gas.temperature(w);
    case ZoneQuantity::mach:
      return gas.mach(w);
    case ZoneQuantity::total_pressure:
      return gas.total_pressure(w);
    case ZoneQuantity::total_temperature:
      return gas.total_temperature(w);
  }
  return 0;  // the mass flow is no average
}

}  // namespace

std::vector<double> monitor(const Solver& solver, const MonitorSpec& spec) {
  const mesh::Mesh& m = solver.mesh();
  check_zones(m, spec.zones, "monitors." + spec.name + ".zones", spec.where_zones);
  constexpr double kLeastArea = 1e-300;  // in axisymmetric flow an axis has no area
  const std::size_t count = spec.quantities.size();
  double outflow = 0, area = 0, throughflow = 0;
  std::vector<double> by_area(count), by_mass(count);
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    if (!lists_zone(spec.zones, m.boundary[z].name)) continue;
    const std::vector<Primitive> inside = solver.face_states(z);
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      const double face_area = solver.scheme().discretization().face_area[face];
      const double flow = face_area * solver.boundary_flux(z, face).density;
      outflow += flow;
      area += face_area;
      throughflow += std::abs(flow);
      for (std::size_t k = 0; k < count; ++k) {
        const Primitive& state = inside[face.value() - m.boundary[z].faces.first().value()];
        const double value = value_of(spec.quantities[k], solver.scheme().gas(), state);
        by_area[k] += face_area * value;
        by_mass[k] += std::abs(flow) * value;
      }
    }
  }
  std::vector<double> sums{outflow, area, throughflow};
  sums.insert(sums.end(), by_area.begin(), by_area.end());
  sums.insert(sums.end(), by_mass.begin(), by_mass.end());
  m.comm.sum(std::span<double>(sums));
  const bool by_flow = spec.mass_weighted && sums[2] > 0;
  std::vector<double> values;
  for (std::size_t k = 0; k < count; ++k) {
    const double average = by_flow ? sums[3 + count + k] / sums[2] : sums[3 + k] / std::max(sums[1], kLeastArea);
    values.push_back(spec.quantities[k] == ZoneQuantity::mass_flow ? sums[0] : average);
  }
  return values;
}

Probe::Probe(const mesh::Mesh& mesh, Vec3 at, const std::string& name, Where where) : at_(at) {
  if (mesh.dim == 2) at_.z = 0;
  const Location found = locate(mesh, std::span(&at_, 1)).front();
  owner_ = found.owner;
  cell_ = found.cell;
  if (found.outside > kNearlyInside) {
    throw InputError(
        fmt::format("the probe \"{}\" at ({:.6g}, {:.6g}, {:.6g}) lies outside the mesh {}", name, at.x, at.y, at.z, mesh.source),
        "give a point in m, after mesh.scale and mesh.offset",
        where.key.empty() ? Where{.key = "probes." + name + ".at"} : std::move(where));
  }
}

Primitive Probe::read(const Solver& solver) const {
  Primitive value;
  if (solver.mesh().comm.rank() == owner_) value = solver.cell_state(cell_, at_);
  return solver.mesh().comm.broadcast(value, owner_);
}

std::vector<double> Probe::read_scalars(const Solver& solver) const {
  std::vector<double> values(solver.scalars().size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (solver.mesh().comm.rank() == owner_) values[k] = solver.scalar_at(static_cast<int>(k), cell_, at_);
    values[k] = solver.mesh().comm.broadcast(values[k], owner_);
  }
  return values;
}

std::array<double, Solver::kVars> totals(const Solver& solver) {
  std::array<double, Solver::kVars> sums = solver.integrals();
  solver.mesh().comm.sum(std::span<double>(sums));
  return sums;
}

std::vector<double> scalar_totals(const Solver& solver) {
  std::vector<double> sums = solver.scalar_integrals();
  solver.mesh().comm.sum(std::span<double>(sums));
  return sums;
}

std::array<ErrorNorms, Solver::kVars> errors(const Solver& solver, const std::function<Primitive(Vec3)>& exact) {
  constexpr std::size_t kVars = Solver::kVars;
  const mesh::Mesh& m = solver.mesh();
  std::array<double, 2 * kVars + 1> sums{};
  std::array<double, kVars> largest{};
  for (const mesh::LocalCellId c : m.owned()) {
    const Primitive difference = solver.primitive(c) + -1.0 * exact(m.cell_centroid[c]);
    for (std::size_t k = 0; k < kVars; ++k) {
      const double size = std::abs(difference[static_cast<int>(k)]);
      sums[k] += m.cell_volume[c] * size;
      sums[kVars + k] += m.cell_volume[c] * size * size;
      largest[k] = std::max(largest[k], size);
    }
    sums[2 * kVars] += m.cell_volume[c];
  }
  m.comm.sum(std::span<double>(sums));
  m.comm.max(std::span<double>(largest));
  std::array<ErrorNorms, kVars> norms;
  for (std::size_t k = 0; k < kVars; ++k) {
    norms[k] = {sums[k] / sums[2 * kVars], std::sqrt(sums[kVars + k] / sums[2 * kVars]), largest[k]};
  }
  return norms;
}

}  // namespace weft::flow
