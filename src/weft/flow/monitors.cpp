#include "weft/flow/monitors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "weft/base/error.hpp"
#include "weft/flow/zone_conditions.hpp"

namespace weft::flow {

void check_zones(const mesh::Mesh& mesh, const ForceSpec& spec) {
  std::vector<std::string> names;
  for (const mesh::BoundaryZone& zone : mesh.boundary) names.push_back(zone.name);
  const Where where = spec.where_zones.key.empty() ? Where{.key = "forces." + spec.name + ".zones"} : spec.where_zones;
  for (const std::string& zone : spec.zones) {
    if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return lists_zone({zone}, name); })) continue;
    const std::string near = closest_match(zone, names);
    throw InputError(fmt::format("the mesh {} has no boundary zone \"{}\"", mesh.source, zone),
                     near.empty() ? fmt::format("its zones are {}", fmt::join(names, ", "))
                                  : fmt::format("did you mean \"{}\"? Its zones are {}", near, fmt::join(names, ", ")),
                     where);
  }
}

Forces forces(const Solver& solver, const ForceSpec& spec) {
  const mesh::Mesh& m = solver.mesh();
  check_zones(m, spec);
  ForceAndMoment on_zones;
  for (std::size_t z = 0; z < m.boundary.size(); ++z) {
    if (!lists_zone(spec.zones, m.boundary[z].name)) continue;
    on_zones += solver.force_on(z, spec.reference.pressure, spec.moment_centre);
  }
  const auto& [force, moment] = on_zones;
  std::array<double, 6> sums{force.x, force.y, force.z, moment.x, moment.y, moment.z};
  m.comm.sum(std::span<double>(sums));
  Forces result;
  if (m.axisymmetric) {  // around the axis all but the force along it cancels
    result.force = {sums[0], 0, 0};
    result.moment = {};
  } else {
    result.force = {sums[0], sums[1], sums[2]};
    result.moment = {sums[3], sums[4], sums[5]};
  }
  const double dynamic_pressure = 0.5 * spec.reference.density * dot(spec.reference.velocity, spec.reference.velocity);
  const double scale = 1.0 / (dynamic_pressure * spec.area);
  result.drag = scale * dot(result.force, spec.drag_direction);
  result.lift = scale * dot(result.force, spec.lift_direction);
  result.moment_coefficient = (scale / spec.length) * result.moment;
  return result;
}

Probe::Probe(const mesh::Mesh& mesh, Vec3 at, const std::string& name, Where where) : at_(at) {
  if (mesh.dim == 2) at_.z = 0;
  constexpr double kRounding = 1e-12, kOutside = 0.1;
  struct Candidate {
    double outside = std::numeric_limits<double>::infinity();  ///< of the cell's faces, in cell sizes; 0: within
    std::int64_t id = 0;
    std::int32_t cell = -1;
    [[nodiscard]] bool before(const Candidate& other) const {
      return outside < other.outside || (outside == other.outside && cell >= 0 && (other.cell < 0 || id < other.id));
    }
  };
  Candidate best;
  for (std::int32_t c = 0; c < mesh.owned_cells; ++c) {
    const auto i = static_cast<std::size_t>(c);
    const double turn = mesh.axisymmetric ? 2 * std::numbers::pi * mesh.cell_centroid[i].y : 1;
    const double size = std::pow(mesh.cell_volume[i] / turn, 1.0 / mesh.dim);
    double outside = 0;
    for (const mesh::LocalFaceId face : mesh.cell_faces.row(c)) {
      const std::size_t f = face.index();
      const double out = dot(at_ - mesh.face_centroid[f], mesh.face_normal[f]);
      outside = std::max(outside, (mesh.face_left[f].value() == c ? out : -out) / size);
    }
    const Candidate candidate{outside <= kRounding ? 0 : outside, mesh.cell_file_id[i], c};
    if (candidate.before(best)) best = candidate;
  }
  const std::vector<Candidate> all = mesh.comm.all_gather(best);
  owner_ = Rank(std::min_element(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) { return a.before(b); }) -
                all.begin());
  cell_ = best.cell;
  if (all[owner_.index()].outside > kOutside) {
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
  for (std::int32_t c = 0; c < m.owned_cells; ++c) {
    const auto i = static_cast<std::size_t>(c);
    const Primitive difference = solver.primitive(c) + -1.0 * exact(m.cell_centroid[i]);
    for (std::size_t k = 0; k < kVars; ++k) {
      const double size = std::abs(difference[static_cast<int>(k)]);
      sums[k] += m.cell_volume[i] * size;
      sums[kVars + k] += m.cell_volume[i] * size * size;
      largest[k] = std::max(largest[k], size);
    }
    sums[2 * kVars] += m.cell_volume[i];
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
