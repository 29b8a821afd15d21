#include "weft/flow/app/walls.hpp"

#include <algorithm>
#include <vector>

#include "weft/flow/app/zone_conditions.hpp"
#include "weft/io/vtk/vtkhdf.hpp"
#include "weft/mesh/vtk_cells.hpp"

namespace weft::flow {
namespace {

bool is_solid_zone(const Case& flow_case, const std::string& zone) {
  const ZoneCondition* const condition = find_condition(flow_case, zone);
  return condition != nullptr && is_solid(condition->params.kind);
}

}  // namespace

bool has_walls(const mesh::Mesh& mesh, const Case& flow_case) {
  return std::any_of(mesh.boundary.begin(), mesh.boundary.end(),
                     [&](const mesh::BoundaryZone& zone) { return is_solid_zone(flow_case, zone.name); });
}

void write_walls(const Solver& solver, const Case& flow_case, const std::filesystem::path& file, const std::string& provenance) {
  const mesh::Mesh& m = solver.mesh();
  mesh::VtkCells faces;
  std::vector<std::int64_t> zones;
  std::vector<double> pressure, cp;
  const Primitive free = flow_case.free_stream.value_or(Primitive{});
  const double dynamic_pressure = 0.5 * free.density * dot(free.velocity, free.velocity);
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    if (!is_solid_zone(flow_case, m.boundary[z].name)) continue;
    for (const mesh::LocalFaceId face : m.boundary[z].faces) {
      faces.add_face(m, face);
      zones.push_back(z.value());
      const Vec3 n = solver.scheme().discretization().face_normal[face];
      pressure.push_back(dot(solver.boundary_flux(z, face).momentum, n));
      if (dynamic_pressure > 0) cp.push_back((pressure.back() - free.pressure) / dynamic_pressure);
    }
  }
  std::vector<io::VtkField> fields{{"pressure", std::span<const double>(pressure), 1},
                                   {"zone", std::span<const std::int64_t>(zones), 1}};
  if (dynamic_pressure > 0) fields.push_back({"cp", std::span<const double>(cp), 1});
  io::write_vtkhdf(
      m.comm, file, faces.grid(m), fields,
      {.time = solver.time(),
       .step = solver.steps(),
       .precision = flow_case.output.single_precision ? io::VtkOptions::Precision::float32 : io::VtkOptions::Precision::float64,
       .provenance = provenance});
}

}  // namespace weft::flow
