#pragma once
/// Faces on slip walls and symmetry planes, with those of neighbouring cells on other ranks.
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/base/id_vector.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/flow/scheme/boundary_condition.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow::detail {

/// A face of a cell on a slip wall or a symmetry plane.
struct WallFace {
  mesh::LocalCellId cell;
  int number = 0;  ///< among the faces of the shape
  bool symmetry = false;
  bool image = false;  ///< is true for a periodic image, whose nodes have ids of their own
  int nodes = 0;
  std::array<mesh::LocalNodeId, mesh::kMaxFaceNodes> id{};
  std::array<Vec3, mesh::kMaxFaceNodes> node{};
  Vec3 normal{}, centroid{};  ///< the unit vector out of the domain

  [[nodiscard]] std::span<const Vec3> corners() const { return std::span(node).first(nodes); }
};

/// Returns the cells 0 ... count - 1 for which selects(cell) is true, in ascending order. The threads of the team call it.
template <class Selects>
[[nodiscard]] std::vector<mesh::LocalCellId> select_cells(Team& team, std::int32_t count, const Selects& selects) {
  std::vector<std::vector<mesh::LocalCellId>> of_share(shares_of(team, count));
  for_shares(team, count, [&](LoopShare share) {
    std::vector<mesh::LocalCellId> cells;
    for (std::int64_t c = share.begin; c < share.end; ++c) {
      if (selects(mesh::LocalCellId(c))) cells.emplace_back(c);
    }
    of_share[share.number] = std::move(cells);
  });
  std::vector<mesh::LocalCellId> all;
  for (const std::vector<mesh::LocalCellId>& cells : of_share) all.insert(all.end(), cells.begin(), cells.end());
  return all;
}

class WallFaces {
 public:
  /// @param kinds  of each zone of mesh.boundary.
  /// @cost 5 B per cell and node, 256 B per face, which are those that of() returns.  @collective
  WallFaces(const mesh::Mesh& mesh, const BoundaryKinds& kinds, Team& team);

  /// Returns whether a node of an owned cell may be on a slip wall: false only if it is on none.
  [[nodiscard]] bool on_wall(mesh::LocalNodeId node) const { return on_wall_[node] != 0; }
  /// Returns whether a slip wall of an owned or ghost cell has a face that is a triangle.
  [[nodiscard]] bool has_triangles() const {
    return std::ranges::any_of(faces_, [](const WallFace& face) { return !face.symmetry && face.nodes == 3; });
  }
  /// Returns the faces of an owned or ghost cell on slip walls and, of those on symmetry planes, the ones with a node on_wall().
  [[nodiscard]] std::span<const WallFace> of(mesh::LocalCellId cell) const {
    return std::span(faces_).subspan(first_[cell.index()], first_[cell.index() + 1] - first_[cell.index()]);
  }

 private:
  static constexpr std::int32_t kSymmetry = 1 << mesh::kMaxCellFaces, kSlip = kSymmetry - 1;

  [[nodiscard]] ArrayPair<std::int32_t> kinds_of_faces(const BoundaryKinds& kinds, Team& team) const;
  void find_nodes(const ArrayPair<std::int32_t>& kinds, const std::vector<mesh::LocalCellId>& cells_at_walls, Team& team);
  void add_faces(mesh::LocalCellId cell, std::int32_t kinds);

  const mesh::Mesh& mesh_;
  IdVector<mesh::LocalNodeId, char> on_wall_;
  std::vector<WallFace> faces_;
  TeamVector<std::int32_t> first_;  ///< first_[c] is the index of the first face of cell c in faces_
};

}  // namespace weft::flow::detail
