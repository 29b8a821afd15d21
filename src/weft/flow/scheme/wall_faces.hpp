#pragma once
/// Faces on slip walls and symmetry planes, with those of neighbouring cells on other ranks.
#include <array>
#include <span>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/flow/physics/boundary.hpp"
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

class WallFaces {
 public:
  /// @param kinds  of each zone of mesh.boundary, in its order.  @collective
  WallFaces(const mesh::Mesh& mesh, const std::vector<BoundaryKind>& kinds);

  /// Returns whether an owned or ghost cell has faces on slip walls.
  [[nodiscard]] bool on_wall(mesh::LocalCellId cell) const { return (kinds_(cell) & kSlip) != 0; }
  /// Appends the faces of an owned or ghost cell.
  void append(mesh::LocalCellId cell, std::vector<WallFace>& faces) const;

 private:
  static constexpr std::int32_t kSymmetry = 1 << mesh::kMaxCellFaces, kSlip = kSymmetry - 1;

  const mesh::Mesh& mesh_;
  ArrayPair<std::int32_t> kinds_;  ///< bit k: face k of the shape is on a slip wall; times kSymmetry: on a symmetry plane
};

}  // namespace weft::flow::detail
