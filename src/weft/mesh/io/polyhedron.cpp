#include "weft/mesh/io/polyhedron.hpp"

#include <algorithm>

namespace weft::mesh::detail {
namespace {

using Face = std::vector<GlobalNodeId>;

bool is_in(std::span<const GlobalNodeId> nodes, GlobalNodeId node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

/// Returns the node outside of `base` that an edge connects to `node`; `node` itself if there is none.
GlobalNodeId above(std::span<const Face> faces, const Face& base, GlobalNodeId node) {
  for (const Face& face : faces) {
    const auto at = std::find(face.begin(), face.end(), node);
    if (at == face.end()) continue;
    const GlobalNodeId next = at + 1 == face.end() ? face.front() : *(at + 1);
    const GlobalNodeId before = at == face.begin() ? face.back() : *(at - 1);
    if (!is_in(base, next)) return next;
    if (!is_in(base, before)) return before;
  }
  return node;
}

/// Returns true if the cell has exactly these faces, up to orientation.
bool has_faces(const ShapedCell& cell, std::span<const Face> faces) {
  const CellShape& form = shape(cell.type);
  for (int f = 0; f < form.faces; ++f) {
    const CellFace& face = form.face[f];
    const bool found = std::any_of(faces.begin(), faces.end(), [&](const Face& given) {
      if (static_cast<int>(given.size()) != face.size) return false;
      for (int k = 0; k < face.size; ++k) {
        if (!is_in(given, cell.node[face.node[k]])) return false;
      }
      return true;
    });
    if (!found) return false;
  }
  return true;
}

std::optional<CellType> type_of(std::size_t triangles, std::size_t quads) {
  if (triangles == 4 && quads == 0) return CellType::tetrahedron;
  if (triangles == 4 && quads == 1) return CellType::pyramid;
  if (triangles == 2 && quads == 3) return CellType::prism;
  if (triangles == 0 && quads == 6) return CellType::hexahedron;
  return std::nullopt;
}

}  // namespace

std::optional<ShapedCell> shape_of(std::span<const Face> faces) {
  const auto of_size = [&](std::size_t size) {
    return std::count_if(faces.begin(), faces.end(), [&](const Face& f) { return f.size() == size; });
  };
  const std::size_t triangles = of_size(3), quads = of_size(4);
  const auto type = triangles + quads == faces.size() ? type_of(triangles, quads) : std::nullopt;
  if (!type) return std::nullopt;

  // The first face of each shape has an outward normal in reverse node order.
  const std::size_t base_size = *type == CellType::pyramid || *type == CellType::hexahedron ? 4 : 3;
  const Face& base = *std::find_if(faces.begin(), faces.end(), [&](const Face& f) { return f.size() == base_size; });
  ShapedCell cell{*type};
  for (std::size_t k = 0; k < base_size; ++k) cell.node[k] = base[(base_size - k) % base_size];
  const std::size_t nodes = shape(*type).nodes;
  for (std::size_t k = base_size; k < nodes; ++k) cell.node[k] = above(faces, base, cell.node[k - base_size]);
  for (std::size_t k = 0; k < nodes; ++k) {
    if (std::find(cell.node.begin(), cell.node.begin() + k, cell.node[k]) != cell.node.begin() + k) return std::nullopt;
  }
  if (!has_faces(cell, faces)) return std::nullopt;
  return cell;
}

}  // namespace weft::mesh::detail
