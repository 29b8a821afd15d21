#pragma once
/// The engine of all generators: a lattice of quads or hexahedra, each split into elements by a fixed pattern.
///
/// Nodes are numbered i fastest, then j, then k, and after them the centre nodes of the layers that have them (i, j, k likewise).
/// Cells are numbered by lattice cell, i fastest, then by their place in the pattern. So the number of nodes and cells before any
/// row is known, and each rank starts in the middle of the mesh at once.
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "weft/mesh/generate/generate.hpp"

namespace weft::mesh::detail {

/// The sides of a lattice cell that may lie on the boundary, as positions in Lattice::side_zone.
enum Side : int { i_min, i_max, j_min, j_max, k_min, k_max, step_front, step_top };
inline constexpr int kSides = 8;

struct Lattice {
  std::array<std::int64_t, 3> cells{1, 1, 0};  ///< along i, j, k; cells[2] = 0: two-dimensional
  bool ring = false;                           ///< the last column of cells meets the first one: no i_min, i_max
  std::int64_t step_i = 0, step_j = 0;         ///< cells with i >= step_i and j < step_j are left out
  CellMix elements = CellMix::quads;
  Diagonal diagonal = Diagonal::alternating;
  std::int64_t seed = 1;                             ///< of random diagonals
  std::array<std::string_view, kSides> side_zone{};  ///< sides with the same name are one zone
  std::string source{};
  /// Where lattice node (i, j, k) with this global id lies. (i, j, k) -> (x, y, z) must be right-handed.
  std::function<Vec3(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t id)> place{};
};

/// @throws InputError where `elements` do not suit the lattice; LimitError beyond 10^12 cells.
[[nodiscard]] MeshBlock make_share(Share share, const Lattice& lattice);

}  // namespace weft::mesh::detail
