#pragma once
/// How one lattice cell is split into elements.
#include <array>
#include <cstdint>
#include <span>

#include "weft/mesh/cell_type.hpp"
#include "weft/mesh/generate/generate.hpp"

namespace weft::mesh::detail {

/// Corners are numbered as the nodes of a quad or hexahedron; kCentre is the node in its middle.
inline constexpr int kCentre = 8;

/// Offset in i, j, k of each corner.
inline constexpr std::array<std::array<int, 3>, 8> kCornerOffset{
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

/// An element of a split lattice cell, by its corners.
struct Piece {
  CellType type = CellType::quad;
  std::array<std::uint8_t, kMaxCellNodes> corner{};
};

/// How the lattice cells of one layer are split. Faces between layers are quads, or triangles on the diagonal 0-2 (4-6).
enum class Split : std::uint8_t {
  none,             ///< quads, hexahedra
  diagonal,         ///< triangles, prisms
  patches,          ///< none in some cells, diagonal in the others: Lattice::patch decides
  six_tetrahedra,   ///< triangles on every face, diagonals from the lower corner
  five_tetrahedra,  ///< triangles on every face, mirrored from cell to cell
  six_pyramids,     ///< quads on every face, centre node
  triangles_above,  ///< centre node; quads on every face but the upper one
  triangles_below,  ///< centre node; quads on every face but the lower one
};

[[nodiscard]] constexpr bool has_centre(Split split) { return split >= Split::six_pyramids; }

/// The pieces of a lattice cell; one piece: not split.
/// @param other  the other diagonal (1-3), or the mirrored five tetrahedra
[[nodiscard]] std::span<const Piece> pieces(int dim, Split split, bool other);

}  // namespace weft::mesh::detail
