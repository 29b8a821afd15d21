#pragma once
/// Scalars on the small flows of solver_settings.hpp, and their values at boundary zones.
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "weft/flow/physics/scalar.hpp"

#include "flow/solver_settings.hpp"

namespace weft::flow::test {

/// Returns a wave, 1, and a step.
inline std::vector<Scalar> three_scalars() {
  const auto wave = [](Vec3 x) { return std::sin(5 * x.x) + x.y; };
  return {{.name = "wave", .initial = wave},
          {.name = "one", .initial = [](Vec3) { return 1.0; }},
          {.name = "step", .initial = [](Vec3 x) { return x.x + 0.3 * x.y < 0.5 ? 1.0 : 0.0; }}};
}

/// Returns conditions() with half the wave (time-dependent if `varying`), 1, and 0.25.
inline BoundaryConditions bringing_scalars(const mesh::Mesh& mesh, bool varying = true) {
  BoundaryConditions all = conditions(mesh);
  for (BoundaryCondition& condition : all) {
    const auto wave = [varying](Vec3 x, double t) { return 0.5 * std::sin(5 * x.x + (varying ? t : 0)); };
    condition.scalars = {{.value = wave, .depends_on_time = varying},
                         {.value = [](Vec3, double) { return 1.0; }},
                         {.value = [](Vec3, double) { return 0.25; }}};
  }
  return all;
}

inline std::unique_ptr<Solver> carrying(const mesh::Mesh& mesh, std::vector<Scalar> scalars, const Numerics& numerics,
                                        BoundaryConditions boundary = {}, mesh::Neighbours stencil = mesh::Neighbours::face,
                                        Backend backend = Backend::host, SourceTerm source = {}, int threads = 1) {
  return std::make_unique<Solver>(mesh, SolverOptions{.boundary = std::move(boundary),
                                                      .numerics = numerics,
                                                      .stencil = stencil,
                                                      .source = std::move(source),
                                                      .scalars = std::move(scalars),
                                                      .backend = backend,
                                                      .threads = threads});
}

/// Returns the largest difference of rho phi, relative to the largest rho phi.
inline double amounts_difference(const Solver& one, const Solver& other) {
  const std::vector<double> a = gathered_amounts(one), b = gathered_amounts(other);
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i]));
    difference = std::max(difference, std::isfinite(b[i]) ? std::abs(a[i] - b[i]) : largest + 1);
  }
  return difference / largest;
}

}  // namespace weft::flow::test
