#pragma once
/// How a mesh would be spread over another number of ranks.
#include <cstdint>
#include <vector>

#include "weft/mesh/mesh.hpp"

namespace weft::mesh {

/// What one rank would have of a mesh, and send in one exchange of its ghosts.
struct PlannedSubdomain {
  std::int64_t cells = 0, ghosts = 0;  ///< ghosts include periodic copies of its own cells
  std::int64_t rows_sent = 0;          ///< to all other ranks together
  std::int64_t messages = 0;           ///< other ranks that it sends to
  friend bool operator==(const PlannedSubdomain&, const PlannedSubdomain&) = default;
};

/// The parts that build() makes of the same source on `ranks` ranks with the same options, by rank: exactly, but for PT-Scotch,
/// whose cuts depend on the ranks that make them, and for the parts that a source brings for another number of ranks (METIS's
/// instead).
/// @pre  the mesh was built with one layer of ghosts.
/// @throws InputError unless ranks > 0; LimitError, MeshError as build().  @collective; the result is equal on every rank.
/// @cost that of the partitioner; one pull; O(cells log cells) on the ranks that are there; memory for `ranks`
/// parts.
[[nodiscard]] std::vector<PlannedSubdomain> planned_subdomains(const Mesh& mesh, int ranks);

}  // namespace weft::mesh
