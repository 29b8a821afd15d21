#pragma once
/// Readers of the parts of a Zone_t of a CGNS file into the raw mesh: https://cgns.github.io/CGNS_docs_current/sids/
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/team_vector.hpp"
#include "weft/mesh/io/cgns_file.hpp"
#include "weft/mesh/io/read_raw.hpp"

namespace weft::mesh::detail {

/// Elements of dimension dim - 1 by number: candidates for the boundary. Polygons of any size.
struct CgnsFaces {
  TeamVector<std::int64_t> id, offset{0};
  TeamVector<GlobalNodeId> node;
  TeamVector<std::int32_t> section;
  TeamVector<std::int8_t> uses;  ///< number of cells with this face according to NGON_n, 2 for more; otherwise 1
  TeamVector<std::int64_t> mid_offset{0};
  TeamVector<GlobalNodeId> mid;  ///< mid-edge and mid-face nodes of second-order faces

  void add(std::span<const GlobalNodeId> nodes, std::int64_t number, std::int32_t of_section, std::int8_t used,
           std::span<const GlobalNodeId> mids);
  /// Moves the elements of `parts`, which the threads copy, behind those that are there, in the order of the parts.
  /// @param parts  at least 1 and at most team.size(). They are empty afterwards and keep their memory.
  void take(std::span<CgnsFaces> parts, Team& team);
  /// Counts one more cell with face i. Several threads may call it at once.
  void use(std::size_t i);
  /// Removes all elements and keeps the memory.
  void clear();
  [[nodiscard]] std::size_t size() const { return id.size(); }
  [[nodiscard]] std::span<const GlobalNodeId> nodes(std::size_t i) const {
    return std::span(node).subspan(offset[i], offset[i + 1] - offset[i]);
  }
  [[nodiscard]] std::span<const GlobalNodeId> mid_nodes(std::size_t i) const {
    return std::span(mid).subspan(mid_offset[i], mid_offset[i + 1] - mid_offset[i]);
  }
  /// Returns the position of an element; size() if it is not in the list.
  [[nodiscard]] std::size_t find(std::int64_t element) const;
};

struct CgnsZone {
  CgnsNode node;
  std::int64_t first_node = 0, nodes = 0;     ///< positions in the raw mesh
  std::array<std::int64_t, 3> size{0, 1, 1};  ///< structured: number of vertices in each direction; 0: unstructured
  std::int64_t first_cell = 0;                ///< position in the raw mesh
  CgnsFaces faces;                            ///< unstructured
  std::vector<std::string> section;           ///< names of sections

  [[nodiscard]] bool structured() const { return size[0] > 0; }
};

/// The raw mesh while zones are added.
struct CgnsMesh {
  RawMesh raw;
  int dim = 3;
  /// Identified nodes of connectivities between zones.
  std::vector<std::pair<std::int64_t, std::int64_t>> twins;

  /// Returns the tag of a zone of dimension `of`; creates a new zone if necessary.
  std::int32_t tag(int of, const std::string& name);

 private:
  std::map<std::pair<int, std::string>, std::int32_t> tags_;
};

/// Returns the position of a vertex of the zone, numbered from 1 in the file. @throws MeshError if it does not exist.
/// @param place  the zone and element for the message.
[[nodiscard]] GlobalNodeId cgns_vertex(const MeshCursor& place, const CgnsZone& zone, std::int64_t vertex);

/// Reads Elements_t: cells into the raw mesh, elements of one dimension less into zone.faces. The threads convert the
/// elements; the error is that of the element with the lowest number in the first section that has one, on any number of them.
void read_cgns_sections(CgnsFile& file, CgnsZone& zone, CgnsMesh& mesh, std::int32_t cell_tag, Team& team);
/// Creates the cells of a structured zone.
void make_cgns_block(const CgnsZone& zone, CgnsMesh& mesh, std::int32_t cell_tag);
/// Reads ZoneBC_t, periodic connectivities, and sections if there is no BC_t.
void read_cgns_boundary(CgnsFile& file, const CgnsZone& zone, CgnsMesh& mesh);
/// Reads connectivities to other zones that list pairs of vertices.
void read_cgns_connectivity(CgnsFile& file, const CgnsZone& zone, const std::vector<CgnsZone>& zones, CgnsMesh& mesh);
/// Returns true if a connectivity is between different locations (periodic).
[[nodiscard]] bool is_periodic(const CgnsFile& file, const CgnsNode& connectivity);

/// Merges identified nodes, and coincident nodes of faces that belong to no boundary zone.
/// @cost  temporarily 40 B per cell face.
void join_nodes(CgnsMesh& mesh);

}  // namespace weft::mesh::detail
