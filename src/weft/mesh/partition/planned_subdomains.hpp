#pragma once
/// Sizes of the subdomains of a mesh on another number of ranks.
#include <cstdint>
#include <vector>

#include "weft/mesh/mesh.hpp"

namespace weft::mesh {

/// Subdomain of one rank, and the traffic of one exchange of its ghost cells.
struct PlannedSubdomain {
  std::int64_t cells = 0, ghosts = 0;  ///< ghosts include periodic images of its own cells
  std::int64_t rows_sent = 0;          ///< to all other ranks
  std::int64_t messages = 0;           ///< number of ranks to which it sends
  friend bool operator==(const PlannedSubdomain&, const PlannedSubdomain&) = default;
};

/// Returns the subdomains that build() creates from the same source on `ranks` ranks with the same options, by rank. The
/// result is exact except for PT-Scotch, whose partition depends on the number of ranks that compute it, and for parts stored
/// in the source for another number of ranks (those of METIS are used).
/// @pre  the mesh was built with one layer of ghost cells.
/// @throws InputError unless ranks > 0; LimitError, MeshError as build().  @collective; the result is equal on every rank.
/// @cost that of the partitioner; one pull; O(cells log cells) on the existing ranks; memory for `ranks` subdomains.
[[nodiscard]] std::vector<PlannedSubdomain> planned_subdomains(const Mesh& mesh, int ranks);

}  // namespace weft::mesh
