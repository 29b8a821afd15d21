#pragma once
/// Meshes and solvers for the tests of flow.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "weft/flow/app/monitors.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/mesh/generate/generate_by_name.hpp"
#include "weft/mesh/mesh.hpp"

#include "support/sanitized.hpp"

namespace weft::flow::test {

inline mesh::Mesh generated(const std::string& name, const mesh::GeneratorParameters& parameters,
                            const mesh::BuildOptions& options = {}, const Communicator& comm = Communicator::world()) {
  return mesh::build(comm, mesh::generate(comm, name, parameters), options);
}

/// Returns build options for a box [0, length]^dim that is periodic in every direction.
inline mesh::BuildOptions periodic_box(int dim, double length) {
  mesh::BuildOptions options;
  options.periodic.push_back({"xmin", "xmax", {length, 0, 0}});
  options.periodic.push_back({"ymin", "ymax", {0, length, 0}});
  if (dim == 3) options.periodic.push_back({"zmin", "zmax", {0, 0, length}});
  return options;
}

/// Returns one condition for every zone.
inline BoundaryConditions everywhere(const mesh::Mesh& mesh, const BoundaryParams& params) {
  return BoundaryConditions(mesh.boundary.size(), BoundaryCondition{params, {}});
}

/// Returns `width` values of each cell in the order of the source mesh, on every rank: comparable between numbers of ranks.
inline std::vector<double> gathered(const mesh::Mesh& m, std::span<const double> of_owned, std::size_t width) {
  std::vector<std::int64_t> cells;
  for (const mesh::LocalCellId c : m.owned()) cells.push_back(m.cell_global[c].value());
  const std::vector<std::int64_t> ids = m.comm.all_gather(std::span<const std::int64_t>(cells));
  const std::vector<double> values = m.comm.all_gather(of_owned);
  std::vector<double> sorted(values.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                sorted.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(ids[i]) * width));
  }
  return sorted;
}
/// Returns the conserved values of all cells.
inline std::vector<double> gathered(const Solver& solver) { return gathered(solver.mesh(), solver.conserved(), Solver::kVars); }
/// Returns rho phi of all cells and scalars.
inline std::vector<double> gathered_amounts(const Solver& solver) {
  return gathered(solver.mesh(), solver.scalar_amounts(), solver.scalars().size());
}

/// Largest relative_difference() of flows that differ by the order of operations: on several ranks, or on a GPU.
inline constexpr double kAgreement = 1e-12;

inline void go(Solver& solver, int steps) {
  for (int i = 0; i < steps; ++i) solver.step(1.0);
}

/// Returns the largest difference of `b` from `a` in any variable, relative to the magnitude of that variable: the largest value,
/// and for momentum rho (|u| + c).
inline double relative_difference(const IdealGas& gas, const std::vector<double>& a, const std::vector<double>& b) {
  constexpr auto kVars = static_cast<std::size_t>(Solver::kVars);
  std::array<double, kVars> size{}, difference{};
  for (std::size_t i = 0; i < a.size(); i += kVars) {
    Conserved u;
    for (std::size_t k = 0; k < kVars; ++k) u[static_cast<int>(k)] = a[i + k];
    const Primitive w = gas.primitive(u);
    const double momentum = w.density * (norm(w.velocity) + gas.sound_speed(w));
    for (std::size_t k = 0; k < kVars; ++k) {
      size[k] = std::max(size[k], k == 0 || k == kVars - 1 ? std::abs(a[i + k]) : momentum);
      difference[k] = std::max(difference[k], std::abs(a[i + k] - b[i + k]));
    }
  }
  double largest = 0;
  for (std::size_t k = 0; k < kVars; ++k) largest = std::max(largest, difference[k] / size[k]);
  return largest;
}

/// Returns the text of the Error of this class that `statement` throws, which must be the same on every rank. Empty: none.
template <class Expected, class Statement>
std::string common_error(const Communicator& comm, Statement&& statement) {
  std::string text;
  try {
    statement();
  } catch (const Expected& error) {
    text = error.what();
  }
  std::string of_root = text;
  comm.broadcast(of_root);
  EXPECT_EQ(text, of_root);
  return text;
}

inline constexpr int kMostRanksOfLongIntegrations = kSanitized ? 1 : 2;
/// Why an integration of thousands of steps is skipped on more ranks, where it would wait for messages for minutes.
inline constexpr const char* kComparedOnMoreRanks = "OnRanks compares such flows on more ranks with those on one";
[[nodiscard]] inline bool too_many_ranks_to_integrate() { return Communicator::world().size() > kMostRanksOfLongIntegrations; }

/// Makes steps with the solver's own dt until `end`.
inline void advance(Solver& solver, double end) {
  while (solver.time() < end * (1 - 1e-14)) solver.step(end - solver.time());
}

/// Returns the observed order for two errors on meshes whose cell sizes have ratio 2.
inline double order(double coarse, double fine) { return std::log2(coarse / fine); }

}  // namespace weft::flow::test
