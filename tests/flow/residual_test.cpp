// Gradients and limiters inside the residual, on every element type.
#include "weft/flow/host/residual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "weft/flow/host/host_stepper.hpp"

#include "flow/solver_support.hpp"

namespace weft::flow::residual_test {
namespace {

using test::generated;

struct Grid {
  std::string elements;
  int dim;
  mesh::Neighbours stencil = mesh::Neighbours::face;
};

std::string name_of_grid(const ::testing::TestParamInfo<Grid>& grid) {
  return grid.param.elements + std::to_string(grid.param.dim) + "d" +
         (grid.param.stencil == mesh::Neighbours::node ? "_by_node" : "");
}

mesh::Mesh box(const Grid& grid, double warp) {
  mesh::GeneratorParameters p{{"nx", std::int64_t{5}}, {"ny", std::int64_t{4}}, {"elements", grid.elements}, {"warp", warp}};
  if (grid.dim == 3) p["nz"] = std::int64_t{grid.elements == "mixed" ? 6 : 3};  // a layer of each kind
  mesh::BuildOptions options;
  options.stencil = grid.stencil;
  return generated("box", p, options);
}

Primitive linear(Vec3 x, int dim) {
  const double z = dim == 3 ? x.z : 0.0;
  return {2 + 0.3 * x.x - 0.2 * x.y + 0.1 * z,
          {0.4 - 0.5 * x.x + 0.7 * x.y - z, 0.1 * x.x + 0.2 * x.y + 0.3 * z, dim == 3 ? 0.9 * x.z - x.y : 0.0},
          3 - 0.8 * x.x + 0.6 * x.y + 0.5 * z};
}

/// Returns a linear field of which neighbours differ by less than 5 % in density and pressure.
Primitive gentle(Vec3 x, int dim) {
  const Primitive mean{2, {0.4, 0.1, 0}, 3};
  return mean + 0.05 * (linear(x, dim) - mean);
}

/// Expects that a linear field, given in every owned cell and behind every boundary face, is reconstructed exactly.
template <class Field>
void expect_exact(const mesh::Mesh& m, GradientKind gradient, mesh::Neighbours stencil, LimiterKind limiter, const Field& field) {
  const BoundaryCondition given{{.kind = BoundaryKind::supersonic_inflow}, [&](Vec3 x, double) { return field(x, m.dim); }};
  const Scheme scheme(m, {.boundary = BoundaryConditions(m.boundary.size(), given),
                          .numerics = {.gradient = gradient, .limiter = limiter, .venkatakrishnan_k = 0},
                          .stencil = stencil});
  HostStepper stepper(scheme);
  Residual& residual = stepper.residual();
  for (const mesh::LocalCellId c : m.owned()) {
    detail::store(residual.values().row(c).data(), field(m.cell_centroid[c], m.dim));
  }
  stepper.refresh(0);
  double worst = 0;
  const Vec3 away{0.03, -0.02, m.dim == 3 ? 0.01 : 0.0};
  for (const mesh::LocalCellId c : m.owned()) {
    const Vec3 x = m.cell_centroid[c] + away;
    const Primitive difference = residual.cell_state(c, x) - field(x, m.dim);
    for (int k = 0; k < Residual::kVars; ++k) worst = std::max(worst, std::abs(difference[k]));
  }
  EXPECT_LE(worst, 1e-13);
}

class GradientOf : public ::testing::TestWithParam<Grid> {};

TEST_P(GradientOf, ALinearFieldIsExactByLeastSquares) {
  expect_exact(box(GetParam(), 0.04), GradientKind::least_squares, GetParam().stencil, LimiterKind::none, linear);
}

TEST_P(GradientOf, AGentleLinearFieldIsNotLimitedByVenkatakrishnanOnStabilizedMeshes) {
  if (GetParam().stencil == mesh::Neighbours::node || GetParam().elements == "quads" || GetParam().elements == "hexahedra") {
    GTEST_SKIP() << "least squares is stabilized over face neighbours of other cells than quads and hexahedra only";
  }
  expect_exact(box(GetParam(), 0.04), GradientKind::least_squares, GetParam().stencil, LimiterKind::venkatakrishnan, gentle);
}

/// Expects random values, limited, to stay within those of the stencil at the centroids of faces, but where density and pressure
/// differ by less than `ratio`.
void expect_bounded(const Grid& grid, LimiterKind limiter, double ratio) {
  const mesh::Mesh m = box(grid, 0.04);
  BoundaryConditions boundary(m.boundary.size(), {{.kind = BoundaryKind::slip_wall}, {}});
  const Scheme scheme(m,
                      {.boundary = boundary, .numerics = {.limiter = limiter, .venkatakrishnan_k = 0}, .stencil = grid.stencil});
  HostStepper stepper(scheme);
  Residual& residual = stepper.residual();
  for (const mesh::LocalCellId c : m.owned()) {
    std::mt19937 random(static_cast<unsigned>(m.cell_global[c].value()));
    const auto draw = [&] { return static_cast<double>(random() % 1000) / 1000.0; };
    Primitive w{1 + draw(), {draw(), draw(), m.dim == 3 ? draw() : 0.0}, 1 + draw()};
    detail::store(residual.values().row(c).data(), w);
  }
  stepper.refresh(0);
  const Discretization& d = scheme.discretization();
  const auto value = [&](auto row) { return detail::load(std::as_const(residual).values().row(row).data()); };
  double overshoot = 0;
  std::int32_t bounded = 0;
  for (const mesh::LocalCellId c : m.owned()) {
    const auto i = c.index();
    Primitive low = value(c), high = low;
    for (std::int32_t s = d.stencil_offset[i]; s < d.stencil_offset[i + 1]; ++s) {
      const Primitive other = value(d.stencil_row[static_cast<std::size_t>(s)]);
      for (int k = 0; k < Residual::kVars; ++k) {
        low[k] = std::min(low[k], other[k]);
        high[k] = std::max(high[k], other[k]);
      }
    }
    if (high.density < ratio * low.density && high.pressure < ratio * low.pressure) continue;
    ++bounded;
    for (const mesh::LocalFaceId face : m.cell_faces.row(c)) {
      const Primitive w = residual.cell_state(c, m.face_centroid[face]);
      for (int k = 0; k < Residual::kVars; ++k) overshoot = std::max({overshoot, w[k] - high[k], low[k] - w[k]});
    }
  }
  EXPECT_GT(bounded, m.owned_cells / 2);
  EXPECT_LE(overshoot, 1e-14);
}

TEST_P(GradientOf, LimitedStaysWithinTheNeighbours) { expect_bounded(GetParam(), LimiterKind::barth_jespersen, 1); }

TEST_P(GradientOf, VenkatakrishnanStaysWithinTheNeighboursAtJumps) {
  expect_bounded(GetParam(), LimiterKind::venkatakrishnan, 1.2);
}

INSTANTIATE_TEST_SUITE_P(Box, GradientOf,
                         ::testing::Values(Grid{"quads", 2}, Grid{"triangles", 2}, Grid{"mixed", 2}, Grid{"hexahedra", 3},
                                           Grid{"tetrahedra", 3}, Grid{"prisms", 3}, Grid{"pyramids", 3}, Grid{"mixed", 3},
                                           Grid{"triangles", 2, mesh::Neighbours::node},
                                           Grid{"tetrahedra", 3, mesh::Neighbours::node}),
                         name_of_grid);

TEST(GreenGauss, IsExactOnOrthogonalMeshes) {
  for (const Grid& grid : {Grid{"quads", 2}, Grid{"hexahedra", 3}}) {
    expect_exact(box(grid, 0), GradientKind::green_gauss, mesh::Neighbours::face, LimiterKind::none, linear);
  }
}

TEST(Residual, SteadyPrescribedStatesAreEvaluatedOnce) {
  const auto waves = [](Vec3 x) { return Primitive{1 + 0.1 * std::sin(5 * x.x), {0.4, 0.1 * x.y, 0}, 1}; };
  const mesh::Mesh m = test::generated("box", {{"nx", std::int64_t{6}}, {"ny", std::int64_t{5}}}, {});
  const auto after_steps = [&](bool depends_on_time) {
    std::int64_t asked = 0, faces = 0;
    for (const mesh::BoundaryZone& zone : m.boundary) faces += zone.faces.size();
    BoundaryCondition given{{.kind = BoundaryKind::far_field}, [&](Vec3 x, double) {
                              ++asked;
                              return waves(x);
                            }};
    given.depends_on_time = depends_on_time;
    Solver solver(m, {.boundary = BoundaryConditions(m.boundary.size(), given), .numerics = {.cfl = 0.5}});
    solver.initialise(waves);
    for (int i = 0; i < 3; ++i) solver.step(1);
    if (depends_on_time) {
      EXPECT_GE(asked, 9 * faces);
    } else {
      EXPECT_EQ(asked, 2 * faces);  // for the reference states, and for the first stage
    }
    return test::gathered(solver);
  };
  EXPECT_EQ(after_steps(true), after_steps(false));
}

TEST(Residual, FallbackCellsAndTheirNeighboursAreOfFirstOrder) {
  const mesh::Mesh m = box({"quads", 2}, 0);
  const Scheme scheme(m, {.boundary = BoundaryConditions(m.boundary.size(), {{.kind = BoundaryKind::slip_wall}, {}}),
                          .numerics = {.limiter = LimiterKind::none}});
  HostStepper stepper(scheme);
  Residual& residual = stepper.residual();
  FirstOrderFallback fallback(m);
  for (const mesh::LocalCellId c : m.owned()) {
    detail::store(residual.values().row(c).data(), linear(m.cell_centroid[c], m.dim));
  }
  // Global cell 7 is at (2, 1) of the 5 x 4 lattice; its neighbours are 2, 6, 8 and 12, on any ranks.
  const auto global = [&](mesh::LocalCellId c) { return m.cell_global[c].value(); };
  std::vector<mesh::LocalCellId> cells;
  for (const mesh::LocalCellId c : m.owned()) {
    if (global(c) == 7) cells.push_back(c);
  }
  const auto flat_cells = [&] {
    stepper.refresh(0);
    std::vector<std::int64_t> flat;
    for (const mesh::LocalCellId c : m.owned()) {
      const Vec3 x = m.cell_centroid[c];
      if (residual.cell_state(c, x + Vec3{0.05, 0, 0}) == residual.cell_state(c, x)) flat.push_back(global(c));
    }
    std::vector<std::int64_t> all = m.comm.all_gather(std::span<const std::int64_t>(flat));
    std::sort(all.begin(), all.end());
    return all;
  };
  EXPECT_TRUE(flat_cells().empty());
  fallback.add(cells);
  EXPECT_EQ(fallback.cells(), cells);
  residual.set_fallback(fallback.flags());
  EXPECT_EQ(flat_cells(), (std::vector<std::int64_t>{2, 6, 7, 8, 12}));
  fallback.clear();
  residual.set_fallback(fallback.flags());
  EXPECT_TRUE(flat_cells().empty());
}

}  // namespace
}  // namespace weft::flow::residual_test
