#pragma once
/// Shapes of cells and faces, with the order of their nodes and faces.
///
/// The node order is that of CGNS and of the linear elements of Gmsh; also that of VTK and SU2 except for the prism, whose
/// triangles have the opposite orientation (nodes 0 2 1 3 5 4 of this order). In a valid cell the faces listed here have
/// outward normals by the right-hand rule; in 2-D, nodes are counter-clockwise.
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

/// A face of a cell: positions of its nodes in the cell's node list.
struct CellFace {
  int size = 0;
  std::array<int, kMaxFaceNodes> node{};
};

struct CellShape {
  std::string_view name;
  int dim;  ///< topological dimension
  int nodes;
  int faces;
  int vtk;   ///< VTK (and SU2) cell type
  int cgns;  ///< CGNS element type
  std::array<CellFace, kMaxCellFaces> face;
};

/// Faces of a 2-D cell are lines: node i, node i+1. A line has no faces.
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

/// Returns the cell type of a CGNS number, if it is supported.
[[nodiscard]] constexpr std::optional<CellType> cgns_type(std::int64_t number) {
  for (std::size_t t = 0; t < kCellShapes.size(); ++t) {
    if (kCellShapes[t].cgns == number) return static_cast<CellType>(t);
  }
  return std::nullopt;
}

/// Returns the cell type of a VTK (and SU2) number, if it is supported.
[[nodiscard]] constexpr std::optional<CellType> vtk_type(std::int64_t number) {
  for (std::size_t t = 0; t < kCellShapes.size(); ++t) {
    if (kCellShapes[t].vtk == number) return static_cast<CellType>(t);
  }
  return std::nullopt;
}

/// Returns the position in this order of node k of VTK and SU2, and vice versa.
[[nodiscard]] constexpr std::size_t vtk_position(CellType type, int k) {
  constexpr std::array<std::size_t, 6> kPrism{0, 2, 1, 3, 5, 4};
  return type == CellType::prism ? kPrism[k] : k;
}

}  // namespace weft::mesh
