#pragma once
/// Small flows on every element type with every boundary condition, for tests that compare two ways to compute them.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "weft/flow/names.hpp"

#include "flow/solver_support.hpp"

namespace weft::flow::test {

struct Setting {
  std::string name, generator;
  mesh::GeneratorParameters parameters;
  mesh::BuildOptions options{};
  int dim = 2;
  LimiterKind limiter = LimiterKind::barth_jespersen;
};

inline std::vector<Setting> settings() {
  constexpr auto n = [](std::int64_t value) { return mesh::GeneratorValue(value); };
  mesh::BuildOptions half = periodic_box(2, 1);
  half.periodic.pop_back();  // y stays a wall
  mesh::BuildOptions by_node;
  by_node.ghosts = mesh::Neighbours::node;
  constexpr auto kBarth = LimiterKind::barth_jespersen, kVenkat = LimiterKind::venkatakrishnan;
  return {{"quads_periodic", "box", {{"nx", n(10)}, {"ny", n(10)}, {"warp", 0.03}}, periodic_box(2, 1), 2, kVenkat},
          {"mixed_periodic_and_walls", "box", {{"nx", n(8)}, {"ny", n(6)}, {"elements", "mixed"}}, half, 2, kBarth},
          {"triangles_by_node", "box", {{"nx", n(8)}, {"ny", n(6)}, {"elements", "triangles"}}, by_node, 2, kVenkat},
          {"wedge", "wedge", {{"nx", n(12)}, {"ny", n(8)}}, {}, 2, kBarth},
          {"aerofoil", "naca", {{"around", n(24)}, {"radial", n(6)}, {"radius", 5.0}}, {}, 2, kVenkat},
          {"hexahedra", "box", {{"nx", n(5)}, {"ny", n(4)}, {"nz", n(4)}, {"elements", "hexahedra"}}, {}, 3, kBarth},
          {"tetrahedra",
           "box",
           {{"nx", n(3)}, {"ny", n(3)}, {"nz", n(3)}, {"elements", "tetrahedra"}},
           periodic_box(3, 1),
           3,
           kBarth},
          {"prisms", "box", {{"nx", n(4)}, {"ny", n(4)}, {"nz", n(3)}, {"elements", "prisms"}}, {}, 3, kBarth},
          {"pyramids", "box", {{"nx", n(3)}, {"ny", n(3)}, {"nz", n(3)}, {"elements", "pyramids"}}, {}, 3, kBarth},
          {"mixed_3d", "box", {{"nx", n(3)}, {"ny", n(3)}, {"nz", n(6)}, {"elements", "mixed"}}, {}, 3, kVenkat}};
}

inline std::vector<FluxKind> every_flux() {
  std::vector<FluxKind> all;
  for (const std::string_view name : names<FluxKind>()) all.push_back(kind_named<FluxKind>(name));
  return all;
}

inline constexpr Primitive kStream{1.2, {0.6, 0.1, 0}, 0.9};

inline Primitive wavy(Vec3 x, int dim) {
  const double wave = std::sin(2 * std::numbers::pi * (x.x + 0.3)) * std::cos(2 * std::numbers::pi * x.y);
  return {1.2 + 0.2 * wave, {0.6 + 0.1 * wave, 0.1, dim == 3 ? 0.05 * wave : 0.0}, 0.9 + 0.1 * wave};
}

/// Inflow, outflow, walls and far field, by the names of the zones.
inline std::vector<BoundaryCondition> conditions(const mesh::Mesh& mesh) {
  std::vector<BoundaryCondition> all;
  for (const mesh::BoundaryZone& zone : mesh.boundary) {
    BoundaryParams params{.kind = BoundaryKind::slip_wall};
    if (zone.name == "inlet") params = {.kind = BoundaryKind::supersonic_inflow, .state = {1.4, {2, 0, 0}, 1}};
    if (zone.name == "outlet") params = {.kind = BoundaryKind::supersonic_outflow};
    if (zone.name == "upper" || zone.name == "farfield" || zone.name == "ymax")
      params = {.kind = BoundaryKind::far_field, .state = kStream};
    if (zone.name == "xmin")
      params = {.kind = BoundaryKind::total_pressure_inflow, .total_pressure = 1.2, .total_temperature = 0.9};
    if (zone.name == "xmax") params = {.kind = BoundaryKind::static_pressure_outflow, .pressure = 0.9};
    if (zone.name == "zmin") params = {.kind = BoundaryKind::symmetry};
    all.push_back({params, {}});
  }
  return all;
}

}  // namespace weft::flow::test
