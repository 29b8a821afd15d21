// Second-order meshes: corners are read, mid nodes removed, and every rank gets a warning of the loss.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/mesh.hpp"
#include "weft/mesh/mesh_stats.hpp"

#include "cgns_samples.hpp"

namespace weft::mesh::read_second_order_test {
namespace {

using testing::CgnsTree;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Returns the unit square of two triangles with 6 nodes; node 5 is the midpoint of the lower side, moved down by `sag`.
std::string gmsh2(double sag) {
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
         "$PhysicalNames\n2\n1 1 \"wall\"\n1 2 \"far\"\n$EndPhysicalNames\n"
         "$Nodes\n9\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0.5 " +
         std::to_string(-sag) +
         " 0\n6 1 0.5 0\n7 0.5 1 0\n8 0 0.5 0\n9 0.5 0.5 0\n$EndNodes\n"
         "$Elements\n6\n1 8 2 1 1 1 2 5\n2 8 2 2 2 2 3 6\n3 8 2 2 2 3 4 7\n4 8 2 2 2 4 1 8\n"
         "5 9 2 3 3 1 2 3 5 6 9\n6 9 2 3 3 1 3 4 9 7 8\n$EndElements\n";
}

std::string gmsh4() {
  return "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
         "$Entities\n0 2 1 0\n1 0 0 0 1 0 0 1 1 0\n2 0 0 0 1 1 0 1 2 0\n1 0 0 0 1 1 0 1 3 0\n$EndEntities\n"
         "$Nodes\n1 9 1 9\n2 1 0 9\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"
         "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0.5 -0.1 0\n1 0.5 0\n0.5 1 0\n0 0.5 0\n0.5 0.5 0\n$EndNodes\n"
         "$Elements\n3 6 1 6\n1 1 8 1\n1 1 2 5\n1 2 8 3\n2 2 3 6\n3 3 4 7\n4 4 1 8\n"
         "2 1 9 2\n5 1 2 3 5 6 9\n6 1 3 4 9 7 8\n$EndElements\n";
}

CgnsTree cgns(double sag) {
  CgnsTree root = testing::cgns_base(2, 2);
  CgnsTree zone = testing::cgns_zone(
      "Zone 1",
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, -sag, 0}, {1, 0.5, 0}, {0.5, 1, 0}, {0, 0.5, 0}, {0.5, 0.5, 0}}, 2, 2);
  zone.add(testing::cgns_section("Triangles", 6, 1, 2, {1, 2, 3, 5, 6, 9, 1, 3, 4, 9, 7, 8}));
  zone.add(testing::cgns_section("Lines", 4, 3, 6, {1, 2, 5, 2, 3, 6, 3, 4, 7, 4, 1, 8}));
  testing::add_condition(zone, "wall", "PointRange", {3, 3}, "EdgeCenter");
  testing::add_condition(zone, "far", "PointRange", {4, 6}, "EdgeCenter");
  root.at("Base").add(zone);
  return root;
}

void expect_square(const MeshBlock& mesh) {
  EXPECT_EQ(mesh.coords, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  EXPECT_EQ(mesh.cells.type, (std::vector<CellType>{CellType::triangle, CellType::triangle}));
  EXPECT_EQ(mesh.boundary.type, std::vector<CellType>(4, CellType::line));
}

TEST(ReadSecondOrder, GmshReadsTheCornersAndReportsTheCurvatureOfTheBoundary) {
  for (const std::string& text : {gmsh2(0.1), gmsh4()}) {
    const MeshBlock mesh = parse_gmsh(text, "m.msh");
    expect_square(mesh);
    ASSERT_EQ(mesh.warnings.size(), 1U);
    EXPECT_THAT(mesh.warnings[0], HasSubstr("2 cells of second order are read as of first order, with straight edges"));
    EXPECT_THAT(mesh.warnings[0], HasSubstr("5 nodes between corners are dropped"));
    EXPECT_THAT(mesh.warnings[0], HasSubstr("up to 0.1 from the straight edges"));
  }
  EXPECT_THAT(parse_gmsh(gmsh2(0.1), "m.msh").warnings[0], HasSubstr("(zone \"wall\")"));
  EXPECT_THAT(parse_gmsh(gmsh2(0), "m.msh").warnings, ElementsAre(HasSubstr("the edges of the boundary were straight")));
}

TEST(ReadSecondOrder, CgnsReadsTheCornersAndReportsTheCurvature) {
  const testing::CgnsScratch scratch;
  testing::write_cgns(cgns(0.1), scratch.path);
  const MeshBlock mesh = load_cgns(scratch.path);
  expect_square(mesh);
  ASSERT_EQ(mesh.warnings.size(), 1U);
  EXPECT_THAT(mesh.warnings[0], HasSubstr("5 nodes between corners are dropped"));
  EXPECT_THAT(mesh.warnings[0], HasSubstr("up to 0.1 from the straight edges (zone \"wall\")"));
}

/// 3-D cells: corners come first in both formats, followed by any other nodes.
TEST(ReadSecondOrder, ATetrahedronOf10Nodes) {
  const std::string text =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 1 \"skin\"\n$EndPhysicalNames\n"
      "$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 .5 0 0\n6 .5 .5 0\n7 0 .5 0\n8 0 0 .5\n9 0 .5 .5\n10 .5 -.05 "
      ".5\n$EndNodes\n"
      "$Elements\n5\n1 9 2 1 1 1 3 2 7 6 5\n2 9 2 1 1 1 2 4 5 10 8\n3 9 2 1 1 2 3 4 6 9 10\n4 9 2 1 1 1 4 3 8 9 7\n"
      "5 11 2 2 2 1 2 3 4 5 6 7 8 9 10\n$EndElements\n";
  const MeshBlock mesh = parse_gmsh(text, "m.msh");
  EXPECT_EQ(mesh.coords.size(), 4U);
  EXPECT_EQ(mesh.cells.type, std::vector<CellType>{CellType::tetrahedron});
  EXPECT_EQ(mesh.boundary.type, std::vector<CellType>(4, CellType::triangle));
  EXPECT_THAT(mesh.warnings, ElementsAre(HasSubstr("1 cell of second order is read as of first order")));
  EXPECT_THAT(mesh.warnings[0], HasSubstr("up to 0.05 from the straight edges (zone \"skin\")"));
}

TEST(ReadSecondOrder, EveryRankHasTheWarning) {
  namespace fs = std::filesystem;
  const Communicator comm = Communicator::world();
  const auto process = comm.broadcast(static_cast<std::int64_t>(::getpid()));
  const std::string path = fs::temp_directory_path() / ("weft-second-order-" + std::to_string(process) + ".msh");
  if (comm.is_root()) std::ofstream(path) << gmsh2(0.1);
  const Mesh mesh = build(comm, read_mesh(comm, path));
  comm.barrier();
  if (comm.is_root()) fs::remove(path);
  EXPECT_EQ(mesh.global_cells, 2);
  EXPECT_THAT(mesh.warnings, ElementsAre(HasSubstr("2 cells of second order")));
  EXPECT_THAT(describe(measure(mesh)), HasSubstr("  warning   2 cells of second order"));
}

}  // namespace
}  // namespace weft::mesh::read_second_order_test
