// The readers with files as written by programs and users. The files are also the corpus of the fuzzers.
#include "weft/mesh/io/read_mesh.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "weft/base/error.hpp"
#include "weft/mesh/io/read_scatter.hpp"
#include "weft/mesh/mesh.hpp"
#include "weft/mesh/mesh_stats.hpp"

#include "read_samples.hpp"
#include "support/source_dir.hpp"

namespace weft::mesh::read_mesh_test {
namespace {

std::string corpus(const std::string& file) {
  std::ifstream in(source_dir() / "tests/fuzz/corpus" / file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  EXPECT_FALSE(bytes.empty()) << file;
  return bytes;
}

std::vector<std::int64_t> nodes_of(const Elements& elements, std::int64_t i) {
  std::vector<std::int64_t> nodes;
  for (const GlobalNodeId node : elements.nodes(i)) nodes.push_back(node.value());
  return nodes;
}

using Nodes = std::vector<std::int64_t>;

/// Returns zones by their positions; -1: none.
std::vector<ZoneId> zones(const std::vector<std::int32_t>& positions) { return {positions.begin(), positions.end()}; }

TEST(ReadGmsh2, SparseTagsUnusedNodesAndUngroupedElements) {
  const MeshBlock mesh = parse_gmsh(corpus("gmsh/odd-2.2.msh"), "odd.msh");
  EXPECT_EQ(mesh.dim, 2);
  EXPECT_EQ(mesh.source, "odd.msh");
  // Tags 10, 1000000, 7, 8, 11 in the order of the file; node 9 has no cell. z = -3 becomes 0.
  EXPECT_EQ(mesh.coords, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {.5, .5, 0}}));
  // $PhysicalNames at the end of the file apply; groups without a name are named by number.
  EXPECT_EQ(mesh.zones, (IdVector<ZoneId, Zone>{{"top and left", 1}, {"5", 1}, {"9", 2}}));
  ASSERT_EQ(mesh.boundary.size(), 4);  // element 6 has no group
  EXPECT_EQ(mesh.boundary.file_id, (std::vector<std::int64_t>{2, 3, 4, 5}));
  EXPECT_EQ(mesh.boundary.zone, zones({1, 1, 0, 0}));
  EXPECT_EQ(nodes_of(mesh.boundary, 3), (Nodes{3, 0}));
  ASSERT_EQ(mesh.cells.size(), 4);
  EXPECT_EQ(mesh.cells.zone, zones({2, -1, -1, -1}));
}

/// Tags of groups may be negative; -1 is also the value of an invalid id.
TEST(ReadGmsh2, NegativeTagsWithoutAName) {
  const MeshBlock mesh = parse_gmsh(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
      "$Elements\n4\n1 1 2 -1 1 1 2\n2 1 2 -1 1 2 3\n3 1 2 4 1 3 1\n4 2 2 0 1 1 2 3\n$EndElements\n",
      "negative.msh");
  EXPECT_EQ(mesh.zones, (IdVector<ZoneId, Zone>{{"-1", 1}, {"4", 1}}));
  EXPECT_EQ(mesh.boundary.zone, zones({0, 0, 1}));
  EXPECT_EQ(mesh.cells.zone, zones({-1}));
}

TEST(ReadGmsh4, ParametricNodesReversedGroupsAndOtherSections) {
  const MeshBlock mesh = parse_gmsh(corpus("gmsh/odd-4.1.msh"), "odd.msh");
  EXPECT_EQ(mesh.zones, (IdVector<ZoneId, Zone>{{"edge", 1}, {"air", 2}}));
  EXPECT_EQ(mesh.coords, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(nodes_of(mesh.cells, 0), (Nodes{0, 1, 2}));
  EXPECT_EQ(mesh.cells.file_id, std::vector<std::int64_t>{4});
  EXPECT_EQ(mesh.boundary.zone, zones({0, 0, 0}));
}

/// Gmsh 4.8 states too many nodes if it saves only some entities.
TEST(ReadGmsh4, NumbersOfBlocksApplyInsteadOfTheirSum) {
  std::string text = corpus("gmsh/odd-4.1.msh");
  text.replace(text.find("3 3 4 90"), 8, "3 6 4 90");
  EXPECT_EQ(parse_gmsh(text, "sum.msh").coords.size(), 3U);
}

TEST(ReadSu2, CommentsHalosOtherSectionsAndNumberFormats) {
  const MeshBlock mesh = parse_su2(corpus("su2/odd.su2"), "odd.su2");
  EXPECT_EQ(mesh.dim, 2);
  EXPECT_EQ(mesh.coords, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  EXPECT_EQ(mesh.zones, (IdVector<ZoneId, Zone>{{"all round", 1}, {"last", 1}}));
  EXPECT_EQ(mesh.boundary.zone, zones({0, 0, 0, 1}));
  EXPECT_EQ(mesh.boundary.file_id, (std::vector<std::int64_t>{0, 1, 2, 0}));
  EXPECT_EQ(nodes_of(mesh.cells, 1), (Nodes{0, 2, 3}));
}

TEST(ReadMesh, AcceptsLineEndsOfWindows) {
  testing::expect_same(parse_su2(corpus("su2/2d-crlf.su2"), "a"), parse_su2(corpus("su2/2d.su2"), "a"));
  testing::expect_same(parse_gmsh(corpus("gmsh/2d-crlf.msh"), "a"), parse_gmsh(corpus("gmsh/2d-gmsh41.msh"), "a"));
}

TEST(ReadMesh, EveryFormatYieldsTheSameMesh) {
  const MeshBlock mesh = testing::mixed_3d();
  for (const char* file : {"3d-gmsh41", "3d-gmsh41-binary", "3d-gmsh22", "3d-gmsh22-binary", "3d-big-endian-gmsh41-binary",
                           "3d-big-endian-gmsh22-binary"}) {
    SCOPED_TRACE(file);
    testing::expect_same(parse_gmsh(corpus(std::string("gmsh/") + file + ".msh"), file), mesh);
  }
  testing::expect_same(parse_su2(corpus("su2/3d.su2"), "3d"), testing::without_volume_zones(mesh));
}

TEST(ReadMesh, BoundaryElementsRepeatedInOneZoneAreReadOnce) {
  std::string text = corpus("su2/2d.su2");
  const std::string marker = "MARKER_TAG= upper\nMARKER_ELEMS= 2\n";
  const std::size_t at = text.find(marker);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, marker.size(), "MARKER_TAG= upper\nMARKER_ELEMS= 3\n3 3 2\n");
  EXPECT_EQ(parse_su2(text, "twice").boundary.size(), parse_su2(corpus("su2/2d.su2"), "once").boundary.size());
}

TEST(ReadMesh, ASingleLeftHandedCellIsReversed) {
  std::string text = corpus("su2/2d.su2");
  EXPECT_TRUE(parse_su2(text, "good").notes.empty());
  text.replace(text.find("5 1 3 4 1"), 9, "5 1 4 3 1");
  const MeshBlock mesh = parse_su2(text, "clockwise");
  EXPECT_EQ(nodes_of(mesh.cells, 1), (Nodes{1, 3, 4}));
  ASSERT_EQ(mesh.notes.size(), 1U);
  EXPECT_EQ(mesh.notes[0].substr(0, 9), "1 cell of") << mesh.notes[0];
}

/// Two surfaces of a 2-D geometry, the second of which is clockwise: Gmsh orients each by its curve loop.
TEST(ReadMesh, SurfacesOfBothOrientationsFormOneMesh) {
  const MeshBlock block = parse_gmsh(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 1 \"wall\"\n2 2 \"fluid\"\n$EndPhysicalNames\n$Nodes\n6\n"
      "1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n$EndNodes\n$Elements\n9\n1 1 2 1 1 1 2\n2 1 2 1 1 2 3\n"
      "3 1 2 1 1 3 6\n4 1 2 1 1 6 5\n5 1 2 1 1 5 4\n6 1 2 1 1 4 1\n7 3 2 2 1 1 2 5 4\n9 2 2 2 1 2 6 3\n10 2 2 2 1 2 5 6\n"
      "$EndElements\n",
      "mixed.msh");
  EXPECT_EQ(nodes_of(block.cells, 0), (Nodes{0, 1, 4, 3}));
  EXPECT_EQ(nodes_of(block.cells, 1), (Nodes{1, 2, 5}));
  EXPECT_EQ(nodes_of(block.cells, 2), (Nodes{1, 5, 4}));
  const Communicator& comm = Communicator::world();
  const Mesh mesh = build(comm, detail::scatter_whole(comm, comm.is_root() ? block : MeshBlock{}));
  ASSERT_EQ(mesh.notes.size(), 1U);
  EXPECT_EQ(mesh.notes[0], "2 cells of 3 had the file's nodes in left-handed order and were turned");
  EXPECT_NE(describe(measure(mesh)).find("note      2 cells of 3"), std::string::npos);
}

TEST(ReadMesh, NumbersTooSmallForADoubleAreZero) {
  std::string text = corpus("su2/2d.su2");
  text.replace(text.find("-1e-300"), 7, "-1e-999");
  const MeshBlock mesh = parse_su2(text, "tiny");
  EXPECT_EQ(mesh.coords[0].y, 0);
}

}  // namespace
}  // namespace weft::mesh::read_mesh_test
