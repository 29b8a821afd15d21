#pragma once
/// A cell that is given by its faces, as the shape that it is.
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

/// The tetrahedron, pyramid, prism or hexahedron with these faces, each walked so that its normal points out of the cell; nothing
/// if they are those of no such shape.
[[nodiscard]] std::optional<ShapedCell> shape_of(std::span<const std::vector<GlobalNodeId>> faces);

}  // namespace weft::mesh::detail
