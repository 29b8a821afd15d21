#pragma once
/// Identification of the shape of a cell from its faces.
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "weft/mesh/cell_type.hpp"
#include "weft/mesh/ids.hpp"

namespace weft::mesh::detail {

struct ShapedCell {
  CellType type = CellType::tetrahedron;
  std::array<GlobalNodeId, kMaxCellNodes> node{};
};

/// Returns the tetrahedron, pyramid, prism or hexahedron with these faces, each with an outward normal by its node order;
/// nothing for any other shape.
[[nodiscard]] std::optional<ShapedCell> shape_of(std::span<const std::vector<GlobalNodeId>> faces);

}  // namespace weft::mesh::detail
