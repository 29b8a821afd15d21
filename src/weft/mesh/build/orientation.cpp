#include "weft/mesh/build/orientation.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "weft/base/team_loops.hpp"
#include "weft/mesh/geometry.hpp"

namespace weft::mesh::detail {
namespace {

/// Number of corners of the base; the other nodes are above it.
std::size_t base_size(CellType type) {
  switch (type) {
    case CellType::triangle:
    case CellType::tetrahedron:
    case CellType::prism:
      return 3;
    case CellType::quad:
    case CellType::pyramid:
    case CellType::hexahedron:
      return 4;
    default:
      return 2;
  }
}

}  // namespace

void turn_cell(CellType type, std::span<GlobalNodeId> nodes) {
  const std::size_t base = base_size(type);
  const auto first = nodes.begin(), above = first + static_cast<std::ptrdiff_t>(base);
  std::reverse(first + 1, above);
  if (nodes.size() == 2 * base) std::reverse(above + 1, nodes.end());
}

bool is_left_handed(CellType type, std::span<const Vec3> corner) {
  if (!(cell_geometry(type, corner).volume < 0)) return false;
  const std::size_t base = base_size(type), layers = corner.size() == 2 * base ? 2 : 1;
  std::size_t positive = 0;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    for (std::size_t i = 0; i < base; ++i) {
      const auto on_layer = [&](std::size_t k) { return corner[layer * base + k % base]; };
      const Vec3 x = on_layer(i), along = cross(on_layer(i + 1) - x, on_layer(i + base - 1) - x);
      const Vec3 up = corner.size() == base ? Vec3{0, 0, 1} : corner[layers == 2 ? (1 - layer) * base + i : base] - x;
      positive += dot(along, up) * (layer == 0 ? 1 : -1) < 0 ? 0 : 1;
    }
  }
  return positive <= (type == CellType::quad ? 1 : 0);
}

std::int64_t turn_left_handed(MeshBlock& whole, Team& team) {
  std::vector<std::int64_t> turned(shares_of(team, whole.cells.size()), 0);
  for_shares(team, whole.cells.size(), [&](LoopShare share) {
    std::array<Vec3, kMaxCellNodes> corner;
    std::int64_t count = 0;
    for (std::int64_t c = share.begin; c < share.end; ++c) {
      const CellType type = whole.cells.type[c];
      const std::span nodes = std::span(whole.cells.node).subspan(whole.cells.offset[c], shape(type).nodes);
      for (std::size_t n = 0; n < nodes.size(); ++n) corner[n] = whole.coords[nodes[n].index()];
      if (!is_left_handed(type, std::span(corner).first(nodes.size()))) continue;
      turn_cell(type, nodes);
      ++count;
    }
    turned[share.number] = count;
  });
  return std::accumulate(turned.begin(), turned.end(), std::int64_t{0});
}

}  // namespace weft::mesh::detail
