#pragma once
/// Groups of boundary faces whose boundary rows a block of GPU threads computes together.
///
/// The extrapolations to neighbouring faces read the same cells: at walls of tetrahedra 32 faces read 1,300 rows, of which 300
/// differ. A block loads each row once into shared memory.
#include <cstdint>
#include <vector>

#include "weft/flow/cuda/boundary_group.hpp"
#include "weft/flow/scheme/discretization.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow::detail {

struct BoundaryGroups {
  /// @cost one pass over Discretization::boundary_extrapolation; 2 B per entry and 4 B per row of a group.
  /// @throws LimitError where the faces of a group extrapolate from more than 65,535 rows.
  BoundaryGroups(const mesh::Mesh& mesh, const Discretization& discretization);

  std::vector<std::int32_t> order;   ///< boundary faces: those of inner cells, then those of border cells
  std::int32_t inner = 0;            ///< groups 0 ... inner - 1 have faces of inner cells, the others of border cells
  std::vector<BoundaryGroup> group;  ///< consecutive faces of `order`, kGroupFaces or, before a border, fewer
  std::vector<std::int32_t> row;     ///< by group: the rows from which its faces extrapolate, each once
  std::vector<std::uint16_t> entry;  ///< by entry of Extrapolations::row: that row's position among the rows of the group
  std::int32_t most_rows = 0;        ///< the largest BoundaryGroup::rows
};

}  // namespace weft::flow::detail
