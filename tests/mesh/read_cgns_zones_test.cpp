// The CGNS reader with several zones: connectivity between them, structured blocks.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "weft/base/error.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/io/read_scatter.hpp"
#include "weft/mesh/mesh.hpp"

#include "cgns_samples.hpp"

namespace weft::mesh::read_cgns_zones_test {
namespace {

using namespace testing;

/// Returns two adjacent squares, each of one quad, with "wall" around them; the lines at x = 1 are in no boundary condition.
CgnsTree two_squares(double gap) {
  CgnsTree root = cgns_base(2, 2);
  CgnsTree left = cgns_zone("Left", {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, 2, 1);
  left.add(cgns_section("Cell", kQuad, 1, 1, {1, 2, 3, 4}));
  left.add(cgns_section("Lines", kBar, 2, 5, {1, 2, 2, 3, 3, 4, 4, 1}));
  add_condition(left, "wall", "PointList", {2, 4, 5}, "EdgeCenter");
  CgnsTree right = cgns_zone("Right", {{2, 1, 0}, {1 + gap, 1, 0}, {1 + gap, 0, 0}, {2, 0, 0}}, 2, 1);
  right.add(cgns_section("Cell", kQuad, 1, 1, {1, 2, 3, 4}));
  right.add(cgns_section("Lines", kBar, 2, 5, {1, 2, 2, 3, 3, 4, 4, 1}));
  add_condition(right, "wall", "PointList", {2, 4, 5}, "EdgeCenter");
  root.at("Base").add(left);
  root.at("Base").add(right);
  return root;
}

CgnsTree& connect(CgnsTree& zone, const std::string& donor, const Ints& here, const Ints& there) {
  CgnsTree& list = zone.add({"ZoneGridConnectivity", "ZoneGridConnectivity_t", {}, {}, {}, {}});
  CgnsTree& link = list.add({"Joint", "GridConnectivity_t", donor, {}, {}, {}});
  link.add({"GridConnectivityType", "GridConnectivityType_t", std::string("Abutting1to1"), {}, {}, {}});
  link.add({"PointList", "IndexArray_t", here, {}, {}, {}});
  link.add({"PointListDonor", "IndexArray_t", there, {}, {}, {}});
  return link;
}

TEST(ReadCgns, AdjacentZonesAreJoined) {
  const MeshBlock block = load(two_squares(0));
  EXPECT_EQ(block.coords.size(), 6U);
  EXPECT_EQ(block.zones, (IdVector<ZoneId, Zone>{{"Left", 2}, {"wall", 1}, {"Right", 2}}));
  EXPECT_EQ(block.boundary.size(), 6);
  EXPECT_EQ(load(two_squares(1e-12)).coords.size(), 6U);
  EXPECT_EQ(load(two_squares(1e-6)).coords.size(), 8U);
}

TEST(ReadCgns, ListsOfVerticesJoinDistantNodes) {
  CgnsTree root = two_squares(1e-6);
  connect(root.at("Base/Left"), "Right", {2, 3}, {3, 2});
  EXPECT_EQ(load(root).coords.size(), 6U);
}

TEST(ReadCgns, CoincidentWallsAreNotJoined) {
  CgnsTree root = two_squares(0);
  add_condition(root.at("Base/Left"), "plate", "PointList", {3}, "EdgeCenter");
  add_condition(root.at("Base/Right"), "plate", "PointList", {3}, "EdgeCenter");
  EXPECT_EQ(load(root).coords.size(), 8U);
  EXPECT_EQ(load(root).boundary.size(), 8);
}

TEST(ReadCgns, PeriodicConnectivitiesAreZones) {
  CgnsTree root = two_squares(0);
  CgnsTree& left = root.at("Base/Left");
  std::get<Ints>(left.at("ZoneBC/wall/PointList").data) = {2, 4};
  connect(left, "Right", {1, 4}, {4, 1})
      .add({"GridConnectivityProperty", "GridConnectivityProperty_t", {}, {}, {}, {}})
      .add({"Periodic", "Periodic_t", {}, {}, {}, {}});
  const auto faces = faces_of(load(root));
  EXPECT_EQ(faces.at("Joint"), (std::set<std::set<std::int64_t>>{{0, 3}}));
  EXPECT_EQ(load(root).coords.size(), 6U);
}

/// Returns a block of 2 x 1 x 1 hexahedra from x = `from`; `mirrored`: its i is opposite to x.
CgnsTree block_zone(const std::string& name, double from, bool mirrored) {
  CgnsTree zone{name, "Zone_t", Ints{3, 2, 2, 2, 1, 1, 0, 0, 0}, {}, {}, {}};
  zone.add({"ZoneType", "ZoneType_t", std::string("Structured"), {}, {}, {}});
  TeamVector<Vec3> coords;
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < 2; ++j) {
      for (int i = 0; i < 3; ++i) coords.push_back({from + (mirrored ? 2 - i : i), double(j), double(k)});
    }
  }
  zone.add(cgns_coordinates(coords, 3));
  add_condition(zone, "end", "PointRange", {1, 1, 1, 1, 2, 2});
  add_condition(zone, "sides", "PointRange", {1, 1, 1, 2, 1, 1}, "JFaceCenter");
  add_condition(zone, "more sides", "PointRange", {1, 2, 1, 3, 2, 2}, "", "sides");
  add_condition(zone, "bottom", "PointRange", {1, 1, 1, 3, 2, 1});
  add_condition(zone, "top", "PointRange", {1, 1, 2, 2, 1, 2}, "KFaceCenter");
  return zone;
}

TEST(ReadCgns, StructuredBlocksOfBothOrientations) {
  CgnsTree root = cgns_base(3, 3);
  root.at("Base").add(block_zone("A", 0, false));
  root.at("Base").add(block_zone("B", 2, true));
  const Communicator comm = Communicator::world();
  const MeshBlock block = load(root);
  EXPECT_EQ(block.coords.size(), 20U);
  ASSERT_EQ(block.cells.size(), 4);
  for (std::int64_t c = 0; c < 4; ++c) EXPECT_GT(corner(block, c), 0);
  EXPECT_EQ(faces_of(block).at("end").size(), 2U);
  EXPECT_EQ(faces_of(block).at("sides").size(), 8U);
  static_cast<void>(build(comm, detail::scatter_whole(comm, block)));
}

}  // namespace
}  // namespace weft::mesh::read_cgns_zones_test
