#include "weft/mesh/mesh_stats.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "block_samples.hpp"

namespace weft::mesh::mesh_stats_test {
namespace {

using test::chunk;
using test::make_box;

TEST(MeshStats, OfABox) {
  const Communicator comm = Communicator::world();
  const MeshStats stats = measure(build(comm, chunk(comm, make_box({.n = {8, 4, 4}, .size = {2, 1, 4}}))));
  EXPECT_EQ(stats.cells, 128);
  EXPECT_EQ(stats.nodes, 9 * 25);
  EXPECT_EQ(stats.cells_of_type[static_cast<std::size_t>(CellType::hexahedron)], 128);
  EXPECT_EQ(stats.interior_faces, 7 * 16 + 2 * 8 * 12);
  EXPECT_EQ(stats.boundary_faces, 2 * 16 + 4 * 32);
  EXPECT_NEAR(stats.volume, 8, 1e-13);
  EXPECT_NEAR(stats.smallest_cell.value, 1.0 / 16, 1e-15);
  EXPECT_TRUE(stats.low == Vec3{});
  EXPECT_TRUE(stats.high == (Vec3{2, 1, 4}));
  EXPECT_NEAR(stats.aspect_ratio.value, 4, 1e-12);
  EXPECT_NEAR(stats.non_orthogonality.value, 0, 1e-5);
  EXPECT_NEAR(stats.skewness.value, 0, 1e-12);
  ASSERT_EQ(stats.zones.size(), 7U);
  EXPECT_EQ(stats.zones[1].name, "xmax");
  EXPECT_EQ(stats.zones[1].elements, 16);
  EXPECT_NEAR(stats.zones[1].measure, 4, 1e-14);
  EXPECT_EQ(stats.zones[6].elements, 128);
  EXPECT_NEAR(stats.zones[6].measure, 8, 1e-13);
  EXPECT_EQ(stats.ranks, comm.size());
  EXPECT_GE(stats.most_cells, (128 + comm.size() - 1) / comm.size());
  EXPECT_LE(stats.most_cells, 128 / comm.size() + 16);
  EXPECT_EQ(stats.cut_faces > 0, comm.size() > 1);
  const std::string text = describe(stats);
  EXPECT_NE(text.find("box: 3-D, 128 cells, 225 nodes\n"), std::string::npos) << text;
  EXPECT_NE(text.find("cells     128 hexahedra\n"), std::string::npos) << text;
  EXPECT_NE(text.find("boundary  xmax: 16 faces, area 4\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("ranks") != std::string::npos, comm.size() > 1) << text;
}

TEST(MeshStats, QualityOfAShearedPlane) {
  // Squares sheared by 45 degrees: the line between centroids is inclined by 45 degrees over a horizontal edge.
  const Communicator comm = Communicator::world();
  const auto shear = [](Vec3 x) { return Vec3{x.x + x.y, x.y, 0}; };
  BuildOptions options;
  options.periodic = {{"xmin", "xmax", {1, 0, 0}}};
  const Mesh mesh =
      build(comm, chunk(comm, make_box({.dim = 2, .n = {6, 6, 1}, .type = CellType::quad, .warp = shear})), options);
  const MeshStats stats = measure(mesh);
  EXPECT_EQ(stats.interior_faces, 6 * 6 + 6 * 5);
  EXPECT_NEAR(stats.non_orthogonality.value, 45, 1e-9);
  EXPECT_NEAR(stats.mean_non_orthogonality, 45, 1e-9);
  EXPECT_NEAR(stats.skewness.value, 0, 1e-12);
  EXPECT_NEAR(stats.aspect_ratio.value, std::sqrt(2), 1e-12);
  EXPECT_NE(describe(stats).find("boundary  xmin: periodic\n"), std::string::npos);
  EXPECT_NE(describe(stats).find("area      1; cells"), std::string::npos) << describe(stats);
}

TEST(MeshStats, DoNotDependOnTheRankCount) {
  const Communicator comm = Communicator::world(), alone = Communicator::self();
  const MeshBlock block = test::shuffled(make_box({.n = {4, 3, 3}, .type = CellType::pyramid}), 4);
  const MeshStats one = measure(build(alone, chunk(alone, block))), many = measure(build(comm, chunk(comm, block)));
  EXPECT_EQ(one.cells_of_type, many.cells_of_type);
  EXPECT_EQ(one.interior_faces, many.interior_faces);
  EXPECT_EQ(one.boundary_faces, many.boundary_faces);
  EXPECT_NEAR(one.volume, many.volume, 1e-14);
  EXPECT_EQ(one.smallest_cell.value, many.smallest_cell.value);
  EXPECT_EQ(one.aspect_ratio.value, many.aspect_ratio.value);
  EXPECT_NEAR(one.non_orthogonality.value, many.non_orthogonality.value, 1e-12);
  EXPECT_NEAR(one.mean_non_orthogonality, many.mean_non_orthogonality, 1e-12);
  EXPECT_NEAR(one.skewness.value, many.skewness.value, 1e-12);
}

TEST(MeshStats, DoNotDependOnTheNumberOfThreads) {  // bit by bit: sums are those of blocks of cells and faces
  const Communicator comm = Communicator::world();
  const auto wave = [](Vec3 x) { return Vec3{x.x + 0.03 * std::sin(7 * x.y), x.y + 0.02 * std::sin(9 * x.z), x.z}; };
  const Mesh mesh = build(comm, chunk(comm, make_box({.n = {24, 21, 17}, .warp = wave})));
  const MeshStats one = measure(mesh);
  EXPECT_GT(one.mean_non_orthogonality, 1);
  const auto expect_same = [](const MeshStats::Extreme& a, const MeshStats::Extreme& b) {
    EXPECT_EQ(a.value, b.value);
    EXPECT_TRUE(a.place == b.place);
  };
  for (const int threads : {2, 3, 5}) {
    Team team(threads);
    const MeshStats many = measure(mesh, team);
    EXPECT_EQ(many.volume, one.volume);
    EXPECT_EQ(many.mean_non_orthogonality, one.mean_non_orthogonality);
    EXPECT_EQ(many.cells_of_type, one.cells_of_type);
    EXPECT_EQ(many.cut_faces, one.cut_faces);
    EXPECT_TRUE(many.low == one.low && many.high == one.high);
    expect_same(many.smallest_cell, one.smallest_cell);
    expect_same(many.largest_cell, one.largest_cell);
    expect_same(many.aspect_ratio, one.aspect_ratio);
    expect_same(many.non_orthogonality, one.non_orthogonality);
    expect_same(many.skewness, one.skewness);
    ASSERT_EQ(many.zones.size(), one.zones.size());
    for (std::size_t z = 0; z < one.zones.size(); ++z) {
      EXPECT_EQ(many.zones[z].elements, one.zones[z].elements);
      EXPECT_EQ(many.zones[z].measure, one.zones[z].measure);
    }
  }
}

TEST(MeshStats, OfOneCell) {
  const Communicator comm = Communicator::world();
  const MeshStats stats = measure(build(comm, chunk(comm, make_box({.n = {1, 1, 1}}))));
  EXPECT_EQ(stats.interior_faces, 0);
  EXPECT_EQ(stats.mean_non_orthogonality, 0);
  EXPECT_EQ(stats.most_cells, 1);
  EXPECT_EQ(stats.cut_faces, 0);
}

}  // namespace
}  // namespace weft::mesh::mesh_stats_test
