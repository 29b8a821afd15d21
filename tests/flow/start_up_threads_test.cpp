// The data of a solver that are computed once do not depend on the number of threads, to the last bit.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/app/initial.hpp"
#include "weft/flow/cuda/tiles.hpp"
#include "weft/flow/scheme/curved_walls.hpp"
#include "weft/flow/scheme/discretization.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/flow/scheme/wall_curvature.hpp"

#include "flow/solver_settings.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::start_up_threads_test {
namespace {

using detail::TilePartition;
using detail::Tiles;

template <class List>
void expect_same(const List& a, const List& b, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  if (a.size() > 0) {
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(*a.data())), 0) << what;
  }
}

void expect_same(const Discretization& a, const Discretization& b) {
  EXPECT_EQ(a.rows, b.rows);
  expect_same(a.stencil_offset, b.stencil_offset, "stencil_offset");
  expect_same(a.stencil_row, b.stencil_row, "stencil_row");
  expect_same(a.cell_face_offset, b.cell_face_offset, "cell_face_offset");
  expect_same(a.cell_face_row, b.cell_face_row, "cell_face_row");
  expect_same(a.cell_face, b.cell_face, "cell_face");
  expect_same(a.face_left, b.face_left, "face_left");
  expect_same(a.face_right, b.face_right, "face_right");
  expect_same(a.centroid, b.centroid, "centroid");
  expect_same(a.inverse_volume, b.inverse_volume, "inverse_volume");
  expect_same(a.projected_area, b.projected_area, "projected_area");
  expect_same(a.boundary_extrapolation.offset, b.boundary_extrapolation.offset, "extrapolation.offset");
  expect_same(a.boundary_extrapolation.row, b.boundary_extrapolation.row, "extrapolation.row");
  expect_same(a.boundary_extrapolation.weight, b.boundary_extrapolation.weight, "extrapolation.weight");
  expect_same(a.boundary_extrapolation.normal_weight, b.boundary_extrapolation.normal_weight, "extrapolation.normal_weight");
  expect_same(a.boundary_extrapolation.bound, b.boundary_extrapolation.bound, "extrapolation.bound");
}

void expect_same(const TilePartition& a, const TilePartition& b) {
  EXPECT_EQ(a.inner, b.inner);
  expect_same(a.cell_offset, b.cell_offset, "cell_offset");
  expect_same(a.of_tile, b.of_tile, "of_tile");
}

void expect_same(const Tiles& a, const Tiles& b) {
  expect_same(a.tile, b.tile, "tile");
  expect_same(a.halo_row, b.halo_row, "halo_row");
  expect_same(a.topology, b.topology, "topology");
  expect_same(a.opposite_slot, b.opposite_slot, "opposite_slot");
  ASSERT_EQ(a.ghost_sides.size(), b.ghost_sides.size());
  for (std::size_t i = 0; i < a.ghost_sides.size(); ++i) {
    EXPECT_EQ(a.ghost_sides[i].row, b.ghost_sides[i].row);
    EXPECT_EQ(a.ghost_sides[i].slot, b.ghost_sides[i].slot);
    EXPECT_EQ(a.ghost_sides[i].right, b.ghost_sides[i].right);
    EXPECT_EQ(a.ghost_sides[i].to_face, b.ghost_sides[i].to_face);
  }
  expect_same(a.cell_to_face, b.cell_to_face, "cell_to_face");
  expect_same(a.areas, b.areas, "areas");
  expect_same(a.stencil_row, b.stencil_row, "stencil_row");
  expect_same(a.centroids, b.centroids, "centroids");
}

TEST(StartUpThreads, GiveTheSameDiscretizationMatricesAndTiles) {
  const Communicator comm = Communicator::world();
  for (const mesh::CellMix elements : {mesh::CellMix::hexahedra, mesh::CellMix::tetrahedra, mesh::CellMix::mixed}) {
    for (const mesh::Neighbours stencil : {mesh::Neighbours::face, mesh::Neighbours::node}) {
      mesh::BuildOptions options;
      options.stencil = stencil;
      options.periodic = {{"xmin", "xmax"}};
      const mesh::BoxSpec box{.nx = full_or_sanitized(17, 12),
                              .ny = full_or_sanitized(14, 11),
                              .nz = full_or_sanitized(12, 9),
                              .elements = elements,
                              .jitter = 0.1};
      const mesh::Mesh m = mesh::build(comm, mesh::generate(comm, box), options);
      const BoundaryKinds kinds(m.boundary.size(), BoundaryKind::slip_wall);
      const WallForces forces{.curvature = wall_curvature(m, kinds)};
      const Discretization alone(m, kinds, stencil, true, forces);
      const TeamVector<double> matrices = least_squares_matrices(m, alone);
      // Two cells per tile: several of the parts of 1024 cells that are divided independently.
      const detail::TileSize limit{.cells = 2, .rows = 1000, .faces = 1000, .entries = 1000};
      const TilePartition partition(m, alone, limit);
      const Tiles tiles(m, alone, partition);
      for (const int threads : {2, 3, 8}) {
        Team team(threads);
        EXPECT_EQ(wall_curvature(m, kinds, team), forces.curvature);
        EXPECT_EQ(areas_at_curved_walls(m, kinds, team).area, areas_at_curved_walls(m, kinds).area);
        expect_same(alone, Discretization(m, kinds, stencil, true, forces, {}, team));
        expect_same(matrices, least_squares_matrices(m, alone, team), "matrices");
        expect_same(partition, TilePartition(m, alone, limit, team));
        expect_same(tiles, Tiles(m, alone, partition, team));
      }
    }
  }
}

/// The state of a solver at the start, or the error.
struct StartOutcome {
  std::vector<double> conserved;
  Primitive scale{};
  StateLimits limits{};
  std::string error;
};

StartOutcome start_with(const mesh::Mesh& m, int threads, const std::string& pressure) {
  const IdealGas gas;
  Solver solver(m, {.gas = gas, .boundary = BoundaryConditions(m.boundary.size()), .threads = threads});
  InitialParams params{.kind = InitialKind::expression, .gas = gas};
  params.expressions.density.text = "1 + 0.3 * sin(7 * x) * y";
  params.expressions.velocity_x.text = "y * z";
  params.expressions.pressure.text = pressure;
  StartOutcome outcome;
  try {
    const InitialState state(params);
    solver.initialise_by_threads([&] { return state.independent(); });
  } catch (const InputError& error) {
    outcome.error = error.what();
  }
  outcome.conserved.assign(solver.conserved().begin(), solver.conserved().end());
  outcome.scale = solver.parameters().scale;
  outcome.limits = solver.parameters().limits;
  return outcome;
}

TEST(StartUpThreads, GiveTheSameInitialStateAndReferences) {
  const Communicator comm = Communicator::world();
  const auto box = [&](std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    return mesh::build(comm, mesh::generate(comm, mesh::BoxSpec{.nx = nx, .ny = ny, .nz = nz, .jitter = 0.1}));
  };
  // More cells on one rank than are added in one of the sums of the references.
  const mesh::Mesh m = box(full_or_sanitized(70, 41), full_or_sanitized(50, 40), 41);
  const StartOutcome alone = start_with(m, 1, "1 + x * y * z");
  ASSERT_EQ(alone.error, "");
  for (const int threads : {2, 3, 8}) {
    const StartOutcome other = start_with(m, threads, "1 + x * y * z");
    expect_same(alone.conserved, other.conserved, "conserved");
    expect_same(std::span(&alone.scale, 1), std::span(&other.scale, 1), "scale");
    expect_same(std::span(&alone.limits, 1), std::span(&other.limits, 1), "limits");
  }
  const mesh::Mesh small = box(32, 25, 20);  // has a share for each of 8 threads of 7 ranks
  const std::string error = start_with(small, 1, "x > 0.4 && y > 0.3 ? -1 : 1").error;
  EXPECT_NE(error.find("is not physical"), std::string::npos);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(start_with(small, threads, "x > 0.4 && y > 0.3 ? -1 : 1").error, error);
}

}  // namespace
}  // namespace weft::flow::start_up_threads_test
