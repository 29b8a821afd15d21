#pragma once
/// Periodic zones: matching faces, and nodes that are identified.
#include <cstdint>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/build/distribution.hpp"
#include "weft/mesh/build/face_match.hpp"
#include "weft/mesh/build/translations.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::mesh::detail {

/// The node is `root` translated by `image`.
struct NodeAlias {
  GlobalNodeId root;
  std::int32_t image = 0;
};

/// Periodic nodes that are one point of the torus: all are aliases of the lowest of them. Stored on the ranks that hold the
/// nodes.
class NodeAliases {
 public:
  struct Entry {
    GlobalNodeId node;
    NodeAlias alias;
  };
  NodeAliases() = default;
  explicit NodeAliases(std::vector<Entry> sorted_by_node) : entries_(std::move(sorted_by_node)) {}
  /// Returns the alias of a node of this rank's chunk; the node itself if it is not periodic.
  [[nodiscard]] NodeAlias of(GlobalNodeId node) const;
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// Returns both zones of each pair.
/// @throws InputError if a name is unknown, not a boundary zone, or used twice. Same on every rank; no communication.
struct PeriodicZones {
  std::vector<ZoneId> from, to;
};
[[nodiscard]] PeriodicZones find_periodic_zones(const MeshBlock& block, const std::vector<Periodic>& pairs);

/// Returns the pairs with their translations: if a pair has none, that which maps the bounding box of the nodes of `from` to
/// that of `to`. As a difference of two coordinates, it has the same digits on any number of ranks.
/// @throws InputError on every rank if no translation can map one zone to the other: different numbers of faces, or boxes of
/// different sizes.  @collective
[[nodiscard]] std::vector<Periodic> find_translations(const Communicator& comm, const MeshBlock& block, const RowOffsets& nodes,
                                                      const PeriodicZones& zones, std::vector<Periodic> pairs);

/// Links the cells on both sides of every periodic pair (face x of `from` is face x + translation of `to`: crossing it leads
/// to an image translated by -translation), determines the aliases of the nodes, and moves each alias to exactly its root +
/// translation.
/// @param faces  faces of the periodic zones, on any ranks.
/// @throws MeshError on every rank: a face without partner, with several, or of another shape. @collective
/// @cost a few 300 B records per periodic face, distributed over the ranks by position.
[[nodiscard]] NodeAliases connect_periodic(const Communicator& comm, MeshBlock& block, const RowOffsets& cells,
                                           const RowOffsets& nodes, const PeriodicZones& zones, const Translations& translations,
                                           const std::vector<ZoneFace>& faces, FaceLinks& links);

}  // namespace weft::mesh::detail
