#pragma once
/// Patterns that split a lattice cell into elements.
#include <array>
#include <cstdint>
#include <span>

#include "weft/mesh/cell_type.hpp"
#include "weft/mesh/generate/generate.hpp"

namespace weft::mesh::detail {

/// Corners are numbered as the nodes of a quad or hexahedron; kCentre is the central node.
inline constexpr int kCentre = 8;

/// Offset in i, j, k of each corner.
inline constexpr std::array<std::array<int, 3>, 8> kCornerOffset{
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

/// An element of a split lattice cell, by its corners.
struct Piece {
  CellType type = CellType::quad;
  std::array<std::uint8_t, kMaxCellNodes> corner{};
};

/// Pattern of the lattice cells of a layer. Faces between layers are quads, or triangles along the diagonal 0-2 (4-6).
enum class Split : std::uint8_t {
  none,             ///< quads, hexahedra
  diagonal,         ///< triangles, prisms
  patches,          ///< none in some cells, diagonal in the others, according to Lattice::patch
  six_tetrahedra,   ///< triangles on every face, diagonals from the lower corner
  five_tetrahedra,  ///< triangles on every face, mirrored from cell to cell
  six_pyramids,     ///< quads on every face, centre node
  triangles_above,  ///< centre node; quads on every face except the upper one
  triangles_below,  ///< centre node; quads on every face except the lower one
};

[[nodiscard]] constexpr bool has_centre(Split split) { return split >= Split::six_pyramids; }

/// Returns the elements of a lattice cell; a single one if it is not split.
/// @param other  the other diagonal (1-3), or the mirrored five tetrahedra
[[nodiscard]] std::span<const Piece> pieces(int dim, Split split, bool other);

}  // namespace weft::mesh::detail
