#pragma once
/// Small flows on every element type with every boundary condition, for tests that compare two ways to compute them.
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

#include "weft/mesh/revolve.hpp"

#include "flow/solver_support.hpp"

namespace weft::flow::test {

inline std::vector<FluxKind> every_flux() {
  std::vector<FluxKind> all;
  for (const std::string_view name : names<FluxKind>()) all.push_back(kind_named<FluxKind>(name));
  return all;
}

inline constexpr Primitive kStream{1.2, {0.6, 0.1, 0}, 0.9};
/// Increment of the velocities of a subsonic flow that makes it supersonic.
inline constexpr Vec3 kFaster{1.4, 0, 0};

inline Primitive wavy(Vec3 x, int dim) {
  const double wave = std::sin(2 * std::numbers::pi * (x.x + 0.3)) * std::cos(2 * std::numbers::pi * x.y);
  return {1.2 + 0.2 * wave, {0.6 + 0.1 * wave, 0.1, dim == 3 ? 0.05 * wave : 0.0}, 0.9 + 0.1 * wave};
}

/// Returns inflow, outflow, walls and far field, by the names of the zones.
inline BoundaryConditions conditions(const mesh::Mesh& mesh) {
  BoundaryConditions all;
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

/// Returns, around a box: oblique inflow of given total pressure, static pressure, symmetry, far field, and in 3-D walls and
/// symmetry.
inline BoundaryConditions subsonic(const mesh::Mesh& mesh) {
  const Vec3 oblique{0.9, 0.3, mesh.dim == 3 ? 0.2 : 0.0};
  const std::map<std::string, BoundaryParams> zones{{"xmin",
                                                     {.kind = BoundaryKind::total_pressure_inflow,
                                                      .total_pressure = 1.28,
                                                      .total_temperature = 0.85,
                                                      .direction = oblique / norm(oblique)}},
                                                    {"xmax", {.kind = BoundaryKind::static_pressure_outflow, .pressure = 0.95}},
                                                    {"ymin", {.kind = BoundaryKind::symmetry}},
                                                    {"ymax", {.kind = BoundaryKind::far_field, .state = kStream}},
                                                    {"zmin", {.kind = BoundaryKind::slip_wall}},
                                                    {"zmax", {.kind = BoundaryKind::symmetry}}};
  BoundaryConditions all;
  for (const mesh::BoundaryZone& zone : mesh.boundary) all.push_back({zones.at(zone.name), {}});
  return all;
}

/// Returns, around a box: supersonic inflow and outflow, a wall, a state that varies in space and time, and in 3-D symmetry and
/// far field.
inline BoundaryConditions supersonic(const mesh::Mesh& mesh) {
  const std::map<std::string, BoundaryParams> zones{
      {"xmin", {.kind = BoundaryKind::supersonic_inflow, .state = {1.4, {2, 0.1, 0}, 1}}},
      {"xmax", {.kind = BoundaryKind::supersonic_outflow}},
      {"ymin", {.kind = BoundaryKind::slip_wall}},
      {"ymax", {.kind = BoundaryKind::far_field}},
      {"zmin", {.kind = BoundaryKind::symmetry}},
      {"zmax", {.kind = BoundaryKind::far_field, .state = {1.2, {1.8, 0.1, mesh.dim == 3 ? -0.2 : 0.0}, 0.92}}}};
  BoundaryConditions all;
  for (const mesh::BoundaryZone& zone : mesh.boundary) {
    all.push_back({zones.at(zone.name), {}});
    if (zone.name != "ymax") continue;
    all.back().prescribed = [](Vec3 x, double t) {
      const double wave = std::sin(6 * x.x + 2 * x.z - 5 * t);
      return Primitive{1.3 + 0.1 * wave, {1.9, -0.1 + 0.1 * wave, 0}, 1 + 0.1 * wave};
    };
  }
  return all;
}

/// Returns openings whose flow turns back or chokes: gas leaves into a reservoir (xmin), at the speed of sound (xmax), and into a
/// far field of another entropy (ymax, outlet), and comes back through an outlet (zmax). The other zones are slip walls.
inline BoundaryConditions openings(const mesh::Mesh& mesh) {
  const BoundaryParams reservoir{
      .kind = BoundaryKind::total_pressure_inflow, .total_pressure = 0.7, .total_temperature = 0.8, .direction = {1, 0, 0}};
  const BoundaryParams far{.kind = BoundaryKind::far_field, .state = {0.4, {0.2, -0.1, 0}, 0.5}};
  const std::map<std::string, BoundaryParams> zones{
      {"xmin", reservoir}, {"inlet", reservoir}, {"xmax", {.kind = BoundaryKind::static_pressure_outflow, .pressure = 0.2}},
      {"ymax", far},       {"outlet", far},      {"zmax", {.kind = BoundaryKind::static_pressure_outflow, .pressure = 1.1}}};
  BoundaryConditions all;
  for (const mesh::BoundaryZone& zone : mesh.boundary) {
    const auto found = zones.find(zone.name);
    all.push_back({found == zones.end() ? BoundaryParams{.kind = BoundaryKind::slip_wall} : found->second, {}});
  }
  return all;
}

/// A mesh, its boundary conditions, and its initial flow.
struct Setting {
  std::string name, generator;
  mesh::GeneratorParameters parameters;
  mesh::BuildOptions options{};
  int dim = 2;
  LimiterKind limiter = LimiterKind::barth_jespersen;
  BoundaryConditions (*boundary)(const mesh::Mesh&) = conditions;
  bool axisymmetric = false;

  [[nodiscard]] mesh::Mesh mesh(const Communicator& comm = Communicator::world()) const {
    mesh::Mesh m = generated(generator, parameters, options, comm);
    if (axisymmetric) mesh::revolve(m);
    return m;
  }
  [[nodiscard]] Primitive start(Vec3 x) const {
    Primitive w = wavy(x, dim);
    if (boundary == supersonic) w.velocity += kFaster;
    return w;
  }
  friend std::ostream& operator<<(std::ostream& out, const Setting& setting) { return out << setting.name; }
  /// Returns whether Green-Gauss gradients apply: to plane cells and stencils by face only.
  [[nodiscard]] bool takes_green_gauss() const { return options.stencil == mesh::Neighbours::face && !axisymmetric; }
};

inline std::vector<Setting> settings() {
  constexpr auto n = [](std::int64_t value) { return mesh::GeneratorValue(value); };
  mesh::BuildOptions half = periodic_box(2, 1);
  half.periodic.pop_back();  // y stays a wall
  mesh::BuildOptions by_node;
  by_node.stencil = mesh::Neighbours::node;
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

/// Returns every element type, in a box with every boundary condition: in two boxes, because one has too few sides. Also with
/// stencils by node and, for the 2-D ones, revolved about the axis; some in a box whose openings turn back or choke; and
/// simplices between curved walls.
inline std::vector<Setting> surrounded_settings() {
  constexpr auto kBarth = LimiterKind::barth_jespersen, kVenkat = LimiterKind::venkatakrishnan;
  const auto box = [](const char* elements, std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    mesh::GeneratorParameters all{{"nx", nx}, {"ny", ny}, {"warp", 0.03}, {"elements", elements}};
    if (nz > 0) all["nz"] = nz;
    return all;
  };
  mesh::BuildOptions by_node;
  by_node.stencil = mesh::Neighbours::node;
  std::vector<Setting> all;
  const auto add = [&](const std::string& name, const mesh::GeneratorParameters& parameters, const mesh::BuildOptions& options,
                       bool axisymmetric = false) {
    const int dim = parameters.contains("nz") ? 3 : 2;
    all.push_back({name + "_subsonic", "box", parameters, options, dim, kBarth, subsonic, axisymmetric});
    all.push_back({name + "_supersonic", "box", parameters, options, dim, kVenkat, supersonic, axisymmetric});
  };
  for (const char* elements : {"quads", "triangles", "mixed"}) {
    add(elements, box(elements, 9, 6, 0), {});
    add(std::string(elements) + "_axisymmetric", box(elements, 9, 6, 0), {}, true);
  }
  add("hexahedra", box("hexahedra", 5, 4, 4), {});
  add("tetrahedra", box("tetrahedra", 3, 3, 3), {});
  add("tetrahedra_by_node", box("tetrahedra", 3, 3, 3), by_node);
  add("prisms", box("prisms", 4, 4, 3), {});
  add("pyramids", box("pyramids", 3, 3, 3), {});
  add("mixed_3d", box("mixed", 3, 3, 6), {});
  for (const char* elements : {"quads", "triangles", "hexahedra", "tetrahedra"}) {
    const int dim = std::string(elements).ends_with("hedra") ? 3 : 2;
    all.push_back({std::string(elements) + "_openings", "box", box(elements, 5, 4, dim == 3 ? 3 : 0), {}, dim, kBarth, openings});
  }
  constexpr auto n = [](std::int64_t value) { return mesh::GeneratorValue(value); };
  all.push_back({"triangles_curved", "bump", {{"nx", n(12)}, {"ny", n(5)}, {"elements", "triangles"}}, {}, 2, kBarth, openings});
  all.push_back({"tetrahedra_curved",
                 "bump",
                 {{"nx", n(8)}, {"ny", n(3)}, {"layers", n(2)}, {"elements", "tetrahedra"}},
                 {},
                 3,
                 kBarth,
                 openings});
  return all;
}

/// Returns every flux, every kind of gradient with every limiter, every order in time, ramps and local time steps.
/// docs/notes/2026-11-flow-design.md, "What can be compared to 1e-12", states what was left out.
inline std::vector<Numerics> every_numerics(const Setting& setting) {
  constexpr auto kGreen = GradientKind::green_gauss;
  constexpr auto kBarth = LimiterKind::barth_jespersen, kVenkat = LimiterKind::venkatakrishnan, kNone = LimiterKind::none;
  std::vector<Numerics> all{
      {.flux = FluxKind::hllc_hlle, .limiter = kBarth, .cfl = 0.5},
      {.flux = FluxKind::hllc, .limiter = kVenkat, .cfl = 0.5},
      {.flux = FluxKind::roe, .gradient = kGreen, .limiter = kVenkat, .cfl = 0.5},
      {.flux = FluxKind::rusanov, .gradient = kGreen, .limiter = kBarth, .cfl = 0.5},
      {.flux = FluxKind::hlle, .limiter = kNone, .cfl = 0.4},
      {.flux = FluxKind::ausm_plus_up, .limiter = setting.limiter, .cfl = 0.5},
      {.flux = FluxKind::hllc_hlle, .gradient = kGreen, .limiter = kNone, .cfl = 0.4},
      {.flux = FluxKind::roe, .limiter = setting.limiter, .cfl = 0.5, .order_ramp = {0, 12}, .cfl_ramp = {0.1, 15}},
      {.flux = FluxKind::hllc_hlle, .gradient = GradientKind::none, .rk_stages = 1, .cfl = 0.4},
      {.flux = FluxKind::hllc_hlle, .limiter = setting.limiter, .rk_stages = 2, .cfl = 0.3, .local_time_step = true}};
  for (Numerics& numerics : all) {
    if (numerics.gradient == kGreen && !setting.takes_green_gauss()) numerics.gradient = GradientKind::least_squares;
  }
  return all;
}

/// Returns a description for messages.
inline std::string described(const Numerics& numerics) {
  return std::string(name_of(numerics.flux)) + ", gradient " + std::string(name_of(numerics.gradient)) + ", limiter " +
         std::string(name_of(numerics.limiter)) + ", " + std::to_string(numerics.rk_stages) + " stages" +
         (numerics.local_time_step ? ", local time steps" : "") + (numerics.order_ramp.steps > 0 ? ", ramps" : "");
}

}  // namespace weft::flow::test
