#pragma once
/// Small whole meshes with every element type, and their comparison, for the tests of readers and writers.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <vector>

#include "weft/mesh/mesh_block.hpp"

namespace weft::mesh::testing {

/// Adds a boundary element for each face with one cell, cyclically to the zones of dimension dim - 1; ordered by zone.
inline void close_boundary(MeshBlock& block) {
  std::map<std::vector<GlobalNodeId>, int> count;
  const auto face_nodes = [&](std::int64_t cell, int f) {
    std::vector<GlobalNodeId> nodes;
    const CellFace& face = shape(block.cells.type[static_cast<std::size_t>(cell)]).face[static_cast<std::size_t>(f)];
    for (int k = 0; k < face.size; ++k)
      nodes.push_back(block.cells.nodes(cell)[static_cast<std::size_t>(face.node[static_cast<std::size_t>(k)])]);
    return nodes;
  };
  std::vector<std::vector<GlobalNodeId>> faces;
  for (std::int64_t cell = 0; cell < block.cells.size(); ++cell) {
    for (int f = 0; f < shape(block.cells.type[static_cast<std::size_t>(cell)]).faces; ++f) {
      faces.push_back(face_nodes(cell, f));
      auto key = faces.back();
      std::sort(key.begin(), key.end());
      ++count[key];
    }
  }
  std::erase_if(faces, [&](auto key) {
    std::sort(key.begin(), key.end());
    return count[key] != 1;
  });
  std::vector<ZoneId> zones;
  for (const ZoneId z : block.zones.ids()) {
    if (block.zones[z].dim == block.dim - 1) zones.push_back(z);
  }
  for (std::size_t z = 0; z < zones.size(); ++z) {
    for (std::size_t f = z; f < faces.size(); f += zones.size()) {
      const CellType type = faces[f].size() == 2 ? CellType::line : faces[f].size() == 3 ? CellType::triangle : CellType::quad;
      block.boundary.add(type, faces[f], zones[z], block.boundary.size());
    }
  }
}

inline void add_cell(MeshBlock& block, CellType type, std::vector<int> nodes, std::int32_t zone) {
  std::vector<GlobalNodeId> ids(nodes.begin(), nodes.end());
  block.cells.add(type, ids, ZoneId(zone), block.cells.size());
}

/// Returns a hexahedron with an adjacent prism, a pyramid on top and a tetrahedron on that.
inline MeshBlock mixed_3d() {
  MeshBlock block;
  block.dim = 3;
  block.zones = {{"wall", 2}, {"in let", 2}, {"fluid", 3}, {"porous", 3}};
  block.coords = {{0, 0, 0},
                  {1, 0, 0},
                  {1, 1, 0},
                  {0, 1, 0},
                  {0, 0, 1},
                  {1, 0, 1},
                  {1, 1, 1},
                  {0, 1, 1},
                  {1.75, .5, 0},
                  {2, .25, 1},
                  {0.1, 1.0 / 3, 1.7e0},
                  {1.5, 2e-3, 2.00000000000000044}};
  add_cell(block, CellType::hexahedron, {0, 1, 2, 3, 4, 5, 6, 7}, 2);
  add_cell(block, CellType::prism, {1, 8, 2, 5, 9, 6}, 3);
  add_cell(block, CellType::pyramid, {4, 5, 6, 7, 10}, 2);
  add_cell(block, CellType::tetrahedron, {5, 6, 10, 11}, 3);
  close_boundary(block);
  return block;
}

/// Returns a row of quads with a triangle on each.
inline MeshBlock mixed_2d(int quads = 3) {
  MeshBlock block;
  block.dim = 2;
  block.zones = {{"lower", 1}, {"upper", 1}, {"air", 2}};
  for (int i = 0; i <= quads; ++i) {
    block.coords.push_back({i * 0.1, -1e-300, 0});
    block.coords.push_back({i * 0.1, 1.0 / 3, 0});
  }
  for (int i = 0; i < quads; ++i) block.coords.push_back({i * 0.1 + 0.05, 123456.789e-5, 0});
  for (int i = 0; i < quads; ++i) {
    add_cell(block, CellType::quad, {2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1}, 2);
    add_cell(block, CellType::triangle, {2 * i + 1, 2 * i + 3, 2 * quads + 2 + i}, 2);
  }
  close_boundary(block);
  return block;
}

/// Removes volume zones, which must be last in `zones`, as formats without them do.
inline MeshBlock without_volume_zones(MeshBlock block) {
  while (!block.zones.empty() && block.zones.back().dim == block.dim) block.zones.resize(block.zones.size() - 1);
  std::fill(block.cells.zone.begin(), block.cells.zone.end(), ZoneId::invalid());
  return block;
}

inline void expect_same(const Elements& a, const Elements& b) {
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.offset, b.offset);
  EXPECT_EQ(a.node, b.node);
  EXPECT_EQ(a.zone, b.zone);
  EXPECT_EQ(a.file_id.size(), b.file_id.size());
}

/// Compares all data except the source and the numbers of elements; coordinates to the last bit.
inline void expect_same(const MeshBlock& a, const MeshBlock& b) {
  EXPECT_EQ(a.dim, b.dim);
  EXPECT_EQ(a.zones, b.zones);
  EXPECT_EQ(a.first_node, b.first_node);
  EXPECT_EQ(a.first_cell, b.first_cell);
  ASSERT_EQ(a.coords.size(), b.coords.size());
  for (std::size_t i = 0; i < a.coords.size(); ++i) {
    for (int k = 0; k < 3; ++k)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(a.coords[i][k]), std::bit_cast<std::uint64_t>(b.coords[i][k])) << i;
  }
  expect_same(a.cells, b.cells);
  expect_same(a.boundary, b.boundary);
}

}  // namespace weft::mesh::testing
