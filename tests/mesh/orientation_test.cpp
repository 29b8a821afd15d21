#include "weft/mesh/build/orientation.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "weft/mesh/geometry.hpp"

namespace weft::mesh::detail::orientation_test {
namespace {

/// Returns a right-handed cell of each type.
const std::vector<std::pair<CellType, std::vector<Vec3>>>& cells() {
  static const std::vector<std::pair<CellType, std::vector<Vec3>>> all{
      {CellType::triangle, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
      {CellType::quad, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}},
      {CellType::tetrahedron, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
      {CellType::pyramid, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}}},
      {CellType::prism, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}},
      {CellType::hexahedron, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}}};
  return all;
}

TEST(Orientation, AMirroredCellIsReversed) {
  for (const auto& [type, corner] : cells()) {
    ASSERT_GT(cell_geometry(type, corner).volume, 0);
    EXPECT_FALSE(is_left_handed(type, corner));
    std::vector<Vec3> mirrored = corner;
    for (Vec3& x : mirrored) x.x = -x.x;
    EXPECT_TRUE(is_left_handed(type, mirrored)) << static_cast<int>(type);
    std::vector<GlobalNodeId> nodes;
    for (std::size_t i = 0; i < corner.size(); ++i) nodes.emplace_back(static_cast<std::int64_t>(i));
    turn_cell(type, nodes);
    std::vector<Vec3> turned;
    for (const GlobalNodeId node : nodes) turned.push_back(mirrored[node.index()]);
    EXPECT_DOUBLE_EQ(cell_geometry(type, turned).volume, cell_geometry(type, corner).volume);
    EXPECT_FALSE(is_left_handed(type, turned));
  }
}

TEST(Orientation, ATangledCellIsUnchanged) {
  const std::vector<Vec3> bow_tie{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0.6, 0.5, 0}};
  std::vector<Vec3> tangled = cells()[5].second;
  for (Vec3& x : tangled) x.x = -x.x;
  std::swap(tangled[6], tangled[7]);
  for (const auto& [type, corner] : {std::pair{CellType::quad, bow_tie}, std::pair{CellType::hexahedron, tangled}}) {
    EXPECT_LT(cell_geometry(type, corner).volume, 0) << static_cast<int>(type);
    EXPECT_FALSE(is_left_handed(type, corner)) << static_cast<int>(type);
  }
}

TEST(Orientation, AQuadNeedNotBeConvex) {
  EXPECT_TRUE(is_left_handed(CellType::quad, std::vector<Vec3>{{0, 0, 0}, {0, 1, 0}, {0.3, 0.3, 0}, {1, 0, 0}}));
}

}  // namespace
}  // namespace weft::mesh::detail::orientation_test
