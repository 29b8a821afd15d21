#pragma once
/// Atmospheres at rest, and their linear waves, for tests of Numerics::well_balanced.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "weft/flow/scheme/solver.hpp"
#include "weft/mesh/revolve.hpp"

#include "flow/solver_support.hpp"

namespace weft::flow::test {

/// A gas at rest under a constant acceleration, with density and pressure 1 at the origin.
struct Atmosphere {
  Vec3 acceleration{};
  /// p ~ rho^exponent; 1: isothermal.
  double exponent = 1;

  [[nodiscard]] Primitive operator()(Vec3 x) const {
    const double depth = dot(acceleration, x);  // dimensionless: times density over pressure at the origin
    if (exponent == 1) return {std::exp(depth), {}, std::exp(depth)};
    const double temperature = 1 + (exponent - 1) / exponent * depth;
    const double density = std::pow(temperature, 1 / (exponent - 1));
    return {density, {}, density * temperature};
  }
};

inline SourceTerm falling(Vec3 acceleration) {
  SourceTerm source;
  source.acceleration = acceleration;
  return source;
}

/// Elements in a closed box, whose zones are slip walls and symmetry planes.
struct ClosedBox {
  std::string name, elements;
  int dim = 2;
  LimiterKind limiter = LimiterKind::barth_jespersen;
  double exponent = 1;
  bool axisymmetric = false;

  [[nodiscard]] mesh::Mesh mesh() const {
    mesh::GeneratorParameters parameters{
        {"nx", std::int64_t{7}}, {"ny", std::int64_t{8}}, {"elements", elements}, {"warp", 0.04}};
    if (dim == 3)
      parameters = {{"nx", std::int64_t{4}}, {"ny", std::int64_t{6}}, {"nz", std::int64_t{4}}, {"elements", elements}};
    mesh::Mesh m = generated("box", parameters);
    if (axisymmetric) mesh::revolve(m);
    return m;
  }
  [[nodiscard]] static BoundaryConditions boundary(const mesh::Mesh& mesh) {
    BoundaryConditions all;
    for (const mesh::BoundaryZone& zone : mesh.boundary) {
      const bool plane = zone.name == "xmax" || zone.name == "zmin";
      all.push_back({{.kind = plane ? BoundaryKind::symmetry : BoundaryKind::slip_wall}, {}});
    }
    return all;
  }
  [[nodiscard]] Atmosphere atmosphere() const {
    if (axisymmetric) return {{-0.9, 0, 0}, exponent};
    return {{0.2, -0.8, dim == 3 ? 0.1 : 0.0}, exponent};
  }
  friend std::ostream& operator<<(std::ostream& out, const ClosedBox& box) { return out << box.name; }
};

inline std::vector<ClosedBox> closed_boxes() {
  constexpr auto kBarth = LimiterKind::barth_jespersen, kVenkat = LimiterKind::venkatakrishnan, kNone = LimiterKind::none;
  return {{"quads_isothermal", "quads", 2, kBarth, 1},
          {"quads_polytropic", "quads", 2, kVenkat, 1.3},
          {"triangles_isothermal", "triangles", 2, kVenkat, 1},
          {"triangles_polytropic", "triangles", 2, kBarth, 1.3},
          {"mixed_axisymmetric", "mixed", 2, kBarth, 1, true},
          {"hexahedra_isothermal", "hexahedra", 3, kNone, 1},
          {"hexahedra_polytropic", "hexahedra", 3, kBarth, 1.3},
          {"tetrahedra_isothermal", "tetrahedra", 3, kBarth, 1},
          {"tetrahedra_polytropic", "tetrahedra", 3, kBarth, 1.3},
          {"prisms_isothermal", "prisms", 3, kVenkat, 1},
          {"pyramids_polytropic", "pyramids", 3, kBarth, 1.3}};
}

/// Makes steps.
/// Returns the largest Mach number.  @collective
inline double largest_mach(const Solver& solver) {
  double largest = 0;
  for (const mesh::LocalCellId c : solver.mesh().owned()) {
    largest = std::max(largest, solver.scheme().gas().mach(solver.primitive(c)));
  }
  return solver.mesh().comm.max(largest);
}

/// A column of isothermal gas of height 1 between walls and its lowest standing acoustic wave: the vertical velocity of the
/// linear solution is e^{y / 2H} sin(pi y) sin(w t), w^2 = c^2 (pi^2 + 1 / 4H^2), with H = 1 / g (Lamb, Hydrodynamics, 309).
struct StandingWave {
  Atmosphere atmosphere{{0, -1, 0}, 1};
  IdealGas gas{};
  double amplitude = 1e-8;  ///< amplitude of p' / p at y = 0 and t = 0

  [[nodiscard]] double frequency() const { return std::sqrt(gas.gamma * (std::numbers::pi * std::numbers::pi + 0.25)); }
  /// Returns p' / p at t = 0; at t it is cos(frequency() t) times that.
  [[nodiscard]] double pressure(double y) const {
    const double pi = std::numbers::pi;
    return amplitude * std::exp(0.5 * y) * (std::cos(pi * y) + (0.5 - 1 / gas.gamma) / pi * std::sin(pi * y));
  }
  /// Returns rho' / rho at t = 0.
  [[nodiscard]] double density(double y) const {
    const double pi = std::numbers::pi;
    return amplitude / gas.gamma * std::exp(0.5 * y) * (std::cos(pi * y) - 0.5 / pi * std::sin(pi * y));
  }
  /// Returns the state at t = 0.
  [[nodiscard]] Primitive operator()(Vec3 x) const {
    Primitive w = atmosphere(x);
    w.density *= 1 + density(x.y);
    w.pressure *= 1 + pressure(x.y);
    return w;
  }
};

/// Returns the error of a standing wave after half a period relative to its amplitude, root mean square of p' / p.
/// @param keeps  the atmosphere, by Numerics::well_balanced.
inline double wave_error(std::int64_t n, const std::string& elements, bool keeps, Numerics numerics = {},
                         Backend backend = Backend::host) {
  const StandingWave wave;
  const mesh::Mesh m =
      generated("box", {{"nx", std::int64_t{2}}, {"ny", n}, {"xmax", 2.0 / static_cast<double>(n)}, {"elements", elements}});
  numerics.limiter = LimiterKind::none;
  numerics.well_balanced = keeps;
  Solver solver(m, {.gas = wave.gas,
                    .boundary = everywhere(m, {.kind = BoundaryKind::slip_wall}),
                    .numerics = numerics,
                    .source = falling(wave.atmosphere.acceleration),
                    .backend = backend});
  if (keeps) solver.set_stationary(wave.atmosphere);
  solver.initialise(wave);
  advance(solver, std::numbers::pi / wave.frequency());
  double sum = 0, volume = 0;
  for (const mesh::LocalCellId c : m.owned()) {
    const Vec3 x = m.cell_centroid[c];
    const double size = m.cell_volume[c], p = wave.atmosphere(x).pressure;
    const double error = ((solver.primitive(c).pressure - p) / p + wave.pressure(x.y)) / wave.amplitude;
    sum += size * error * error;
    volume += size;
  }
  return std::sqrt(m.comm.sum(sum) / m.comm.sum(volume));
}

}  // namespace weft::flow::test
