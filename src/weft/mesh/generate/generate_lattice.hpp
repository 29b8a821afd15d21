#pragma once
/// Common implementation of all generators: a lattice of quads or hexahedra, each split into elements by a fixed pattern.
///
/// Nodes are numbered i fastest, then j, then k, followed by the centre nodes of the layers that have them (in the same
/// order). Cells are numbered by lattice cell, i fastest, then by their position in the pattern. The numbers of nodes and
/// cells before any row are therefore known, and each rank can start at its share.
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "weft/base/team.hpp"
#include "weft/mesh/generate/generate.hpp"

namespace weft::mesh::detail {

/// Sides of a lattice cell that may be on the boundary, as indices of Lattice::side_zone.
enum Side : int { i_min, i_max, j_min, j_max, k_min, k_max, step_front, step_top };
inline constexpr int kSides = 8;

struct Lattice {
  std::array<std::int64_t, 3> cells{1, 1, 0};  ///< along i, j, k; cells[2] = 0: two-dimensional
  bool ring = false;                           ///< the last column of cells adjoins the first one: no i_min, i_max
  std::int64_t step_i = 0, step_j = 0;         ///< cells with i >= step_i and j < step_j are omitted
  CellMix elements = CellMix::quads;
  Diagonal diagonal = Diagonal::alternating;
  std::int64_t seed = 1;                             ///< for random diagonals
  std::array<std::string_view, kSides> side_zone{};  ///< sides with the same name form one zone
  std::string source{};
  /// Position of lattice node (i, j, k) with this global id. (i, j, k) -> (x, y, z) must be right-handed.
  std::function<Vec3(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t id)> place{};
};

/// Creates a share of the mesh. @throws InputError if `elements` are not possible in the lattice; LimitError beyond 10^12
/// cells.
/// @param team  threads that create the share; it is the same on any number. lattice.place is called by all of them.
[[nodiscard]] MeshBlock make_share(Share share, const Lattice& lattice, Team& team);

}  // namespace weft::mesh::detail
