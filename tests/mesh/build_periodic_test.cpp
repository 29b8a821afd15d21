// mesh::build of periodic meshes: ghost cells by image, translations.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/mesh/mesh.hpp"

#include "block_samples.hpp"
#include "mesh_checks.hpp"

namespace weft::mesh::build_periodic_test {
namespace {

using test::chunk;
using test::make_box;

std::vector<Periodic> all_periodic() {
  return {{"xmin", "xmax", {1, 0, 0}}, {"ymin", "ymax", {0, 1, 0}}, {"zmin", "zmax", {0, 0, 1}}};
}

TEST(Build, PeriodicTwoCubed) {
  const Communicator comm = Communicator::world();
  BuildOptions options;
  options.periodic = all_periodic();
  for (const Neighbours kind : {Neighbours::face, Neighbours::node}) {
    options.stencil = kind;
    const Mesh mesh = build(comm, chunk(comm, make_box({.n = {2, 2, 2}})), options);
    const test::Counts counts = test::count(mesh);
    EXPECT_EQ(counts.interior_faces, 3 * 8);
    EXPECT_EQ(counts.boundary_faces, 0);
    EXPECT_TRUE(mesh.boundary.empty());
    for (const LocalCellId c : mesh.owned()) {
      EXPECT_EQ(mesh.cell_cells.row_size(c), kind == Neighbours::face ? 6 : 26);
      for (const LocalCellId d : mesh.cell_cells.row(c)) {
        const Vec3 away = mesh.cell_centroid[d] - mesh.cell_centroid[c];
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(std::abs(away[k]), std::abs(away[k]) < 0.25 ? 0 : 0.5, 1e-14);
      }
    }
    test::check_mesh(mesh, 1.0);
  }
}

TEST(Build, OnePeriodicCellIsItsOwnNeighbour) {
  const Communicator comm = Communicator::world();
  BuildOptions options;
  options.periodic = all_periodic();
  for (const Neighbours kind : {Neighbours::face, Neighbours::node}) {
    options.stencil = kind;
    const Mesh mesh = build(comm, chunk(comm, make_box({.n = {1, 1, 1}})), options);
    EXPECT_EQ(comm.sum(mesh.owned_cells), 1);
    EXPECT_EQ(comm.sum(mesh.ghost_cells), kind == Neighbours::face ? 6 : 26);
    if (mesh.owned_cells == 1) {
      EXPECT_EQ(mesh.interface_faces.size(), 6);
      std::set<std::array<int, 3>> places;
      for (std::int32_t g = 1; g < mesh.cells(); ++g) {
        const Vec3 x = mesh.cell_centroid[LocalCellId(g)];
        EXPECT_EQ(mesh.cell_global[LocalCellId(g)].value(), 0);
        places.insert({static_cast<int>(std::lround(x.x - 0.5)), static_cast<int>(std::lround(x.y - 0.5)),
                       static_cast<int>(std::lround(x.z - 0.5))});
      }
      EXPECT_EQ(places.size(), static_cast<std::size_t>(mesh.ghost_cells));
    }
    test::check_mesh(mesh, 1.0);
  }
}

TEST(Build, OneCellWidePeriodicLayersOfEveryType) {
  const Communicator comm = Communicator::world();
  for (const CellType type : {CellType::hexahedron, CellType::prism, CellType::tetrahedron, CellType::pyramid}) {
    BuildOptions options;
    options.periodic = {{"xmin", "xmax", {1, 0, 0}}, {"zmin", "zmax", {0, 0, 1}}};
    options.stencil = Neighbours::node;
    options.ghost_layers = 2;
    const MeshBlock block = test::shuffled(make_box({.n = {3, 2, 1}, .type = type}), 3);
    test::check_mesh(build(comm, chunk(comm, block), options), 1.0);
  }
}

TEST(Build, PlanePeriodicInBothDirections) {
  const Communicator comm = Communicator::world();
  BuildOptions options;
  options.periodic = {{"xmin", "xmax", {1, 0, 0}}, {"ymin", "ymax", {0, 1, 0}}};
  for (const int n : {1, 2, 6}) {
    for (const CellType type : {CellType::quad, CellType::triangle}) {
      const Mesh mesh = build(comm, chunk(comm, make_box({.dim = 2, .n = {n, n, 1}, .type = type})), options);
      test::check_mesh(mesh, 1.0);
      EXPECT_EQ(test::count(mesh).interior_faces, n * n * (type == CellType::quad ? 2 : 3));
    }
  }
}

TEST(Build, DependentPeriodicTranslations) {
  // A parallelogram whose sides are pairs, named so that the second translation is the sum of the first and a third of
  // another mesh.
  const Communicator comm = Communicator::world();
  BuildOptions options;
  options.stencil = Neighbours::node;
  options.periodic = {{"xmin", "xmax", {1, 0, 0}}, {"ymin", "ymax", {1, 1, 0}}};
  const auto shear = [](Vec3 x) { return Vec3{x.x + x.y, x.y, x.z}; };
  const Mesh mesh =
      build(comm, chunk(comm, make_box({.dim = 2, .n = {3, 3, 1}, .type = CellType::quad, .warp = shear})), options);
  test::check_mesh(mesh, 1.0);
  for (const LocalCellId c : mesh.owned()) EXPECT_EQ(mesh.cell_cells.row_size(c), 8);
}

TEST(Build, DeterminesMissingPeriodicTranslations) {
  const Communicator comm = Communicator::world();
  // Corrugated and sheared, so that no zone is planar and the translation is along no axis.
  const auto warp = [](Vec3 x) { return Vec3{2 * x.x + 0.3 * x.y + 0.1 * std::sin(6 * x.y), x.y + 0.25 * x.x, x.z}; };
  const MeshBlock block = test::shuffled(make_box({.n = {3, 4, 2}, .warp = warp}), 5);
  BuildOptions given, found;
  given.periodic = {{"xmin", "xmax", {2, 0.25, 0}}, {"zmin", "zmax", {0, 0, 1}}};
  found.periodic = {Periodic("xmin", "xmax"), Periodic("zmin", "zmax", {0, 0, 1})};
  const Mesh a = build(comm, chunk(comm, block), given), b = build(comm, chunk(comm, block), found);
  ASSERT_TRUE(b.periodic[0].translation.has_value());
  EXPECT_LT(norm(*b.periodic[0].translation - Vec3{2, 0.25, 0}), 1e-15);
  EXPECT_EQ(b.periodic[0].translation->z, 0);  // exactly, because the zones have the same z
  EXPECT_EQ(a.cell_volume.size(), b.cell_volume.size());
  EXPECT_EQ(test::count(a).interior_faces, test::count(b).interior_faces);
  ASSERT_EQ(b.notes.size(), a.notes.size() + 1);
  EXPECT_NE(b.notes.back().find("zone \"xmax\" continues zone \"xmin\", a translation of (2, 0.25, 0) away"), std::string::npos);
}

TEST(Build, PeriodicGhostCellsIncreaseWithoutLimit) {
  const Communicator comm = Communicator::world();
  BuildOptions options;
  options.periodic = {{"xmin", "xmax", {1, 0, 0}}, {"ymin", "ymax", {0, 1, 0}}};
  options.ghost_layers = 3;
  options.stencil = Neighbours::node;
  const Mesh mesh = build(comm, chunk(comm, make_box({.dim = 2, .n = {1, 1, 1}, .type = CellType::quad})), options);
  EXPECT_EQ(comm.sum(mesh.ghost_cells), 7 * 7 - 1);
  options.stencil = Neighbours::face;
  EXPECT_EQ(comm.sum(build(comm, chunk(comm, make_box({.dim = 2, .n = {1, 1, 1}, .type = CellType::quad})), options).ghost_cells),
            24);
}

}  // namespace
}  // namespace weft::mesh::build_periodic_test
