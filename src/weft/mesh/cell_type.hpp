#pragma once
/// The shapes of cells and faces, their node order and their faces.
///
/// Node order is that of CGNS and of Gmsh's linear elements; also that of VTK and SU2, but for the prism, whose two triangles
/// they walk the other way round (nodes 0 2 1 3 5 4 of ours). In a valid cell the faces listed here, walked in their order, have
/// normals that point out of the cell (right-hand rule); in 2-D, nodes go counter-clockwise.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace weft::mesh {

enum class CellType : std::uint8_t { line, triangle, quad, tetrahedron, pyramid, prism, hexahedron };
inline constexpr int kCellTypes = 7;
inline constexpr int kMaxCellNodes = 8;
inline constexpr int kMaxCellFaces = 6;
inline constexpr int kMaxFaceNodes = 4;

/// One face of a cell: positions of its nodes within the cell's node list.
struct CellFace {
  int size = 0;
  std::array<int, kMaxFaceNodes> node{};
};

struct CellShape {
  std::string_view name;
  int dim;  ///< topological dimension
  int nodes;
  int faces;
  int vtk;   ///< VTK (and SU2) cell type number
  int cgns;  ///< CGNS element type number
  std::array<CellFace, kMaxCellFaces> face;
};

/// Faces of a 2-D cell are lines: node i, node i+1. A line has no faces here.
inline constexpr std::array<CellShape, kCellTypes> kCellShapes{{
    {"line", 1, 2, 0, 3, 3, {}},
    {"triangle", 2, 3, 3, 5, 5, {{{2, {0, 1}}, {2, {1, 2}}, {2, {2, 0}}}}},
    {"quad", 2, 4, 4, 9, 7, {{{2, {0, 1}}, {2, {1, 2}}, {2, {2, 3}}, {2, {3, 0}}}}},
    {"tetrahedron", 3, 4, 4, 10, 10, {{{3, {0, 2, 1}}, {3, {0, 1, 3}}, {3, {1, 2, 3}}, {3, {0, 3, 2}}}}},
    {"pyramid", 3, 5, 5, 14, 12, {{{4, {0, 3, 2, 1}}, {3, {0, 1, 4}}, {3, {1, 2, 4}}, {3, {2, 3, 4}}, {3, {3, 0, 4}}}}},
    {"prism", 3, 6, 5, 13, 14, {{{3, {0, 2, 1}}, {3, {3, 4, 5}}, {4, {0, 1, 4, 3}}, {4, {1, 2, 5, 4}}, {4, {2, 0, 3, 5}}}}},
    {"hexahedron",
     3,
     8,
     6,
     12,
     17,
     {{{4, {0, 3, 2, 1}}, {4, {4, 5, 6, 7}}, {4, {0, 1, 5, 4}}, {4, {1, 2, 6, 5}}, {4, {2, 3, 7, 6}}, {4, {3, 0, 4, 7}}}}},
}};

[[nodiscard]] constexpr bool is_quad_or_hexahedron(CellType type) {
  return type == CellType::quad || type == CellType::hexahedron;
}
[[nodiscard]] constexpr const CellShape& shape(CellType type) { return kCellShapes[static_cast<std::size_t>(type)]; }

/// The type of that number in CGNS, if it is one of ours.
[[nodiscard]] constexpr std::optional<CellType> cgns_type(std::int64_t number) {
  for (std::size_t t = 0; t < kCellShapes.size(); ++t) {
    if (kCellShapes[t].cgns == number) return static_cast<CellType>(t);
  }
  return std::nullopt;
}

/// Position in our order of node k of VTK's and SU2's, and the other way round.
[[nodiscard]] constexpr std::size_t vtk_position(CellType type, int k) {
  constexpr std::array<std::size_t, 6> kPrism{0, 2, 1, 3, 5, 4};
  return type == CellType::prism ? kPrism[static_cast<std::size_t>(k)] : static_cast<std::size_t>(k);
}

}  // namespace weft::mesh
