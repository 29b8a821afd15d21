#pragma once
/// The parts of a Zone_t of a CGNS file, each read into the raw mesh: https://cgns.github.io/CGNS_docs_current/sids/
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/mesh/io/cgns_file.hpp"
#include "weft/mesh/io/read_raw.hpp"

namespace weft::mesh::detail {

/// Elements of dimension dim - 1, in the order of their numbers: candidates for the boundary. Polygons of any size.
struct CgnsFaces {
  std::vector<std::int64_t> id, offset{0};
  std::vector<GlobalNodeId> node;
  std::vector<std::int32_t> section;
  std::vector<std::int8_t> uses;  ///< cells with this face, as far as NGON_n says; 1 elsewhere
  std::vector<std::int64_t> mid_offset{0};
  std::vector<GlobalNodeId> mid;  ///< nodes behind the corners, of faces of second order

  [[nodiscard]] std::size_t size() const { return id.size(); }
  [[nodiscard]] std::span<const GlobalNodeId> nodes(std::size_t i) const {
    return std::span(node).subspan(static_cast<std::size_t>(offset[i]), static_cast<std::size_t>(offset[i + 1] - offset[i]));
  }
  [[nodiscard]] std::span<const GlobalNodeId> mid_nodes(std::size_t i) const {
    return std::span(mid).subspan(static_cast<std::size_t>(mid_offset[i]),
                                  static_cast<std::size_t>(mid_offset[i + 1] - mid_offset[i]));
  }
  /// The position of an element; size() if it is none of these.
  [[nodiscard]] std::size_t find(std::int64_t element) const;
};

struct CgnsZone {
  CgnsNode node;
  std::int64_t first_node = 0, nodes = 0;     ///< positions in the raw mesh
  std::array<std::int64_t, 3> size{0, 1, 1};  ///< structured: vertices in each direction; 0: unstructured
  std::int64_t first_cell = 0;                ///< position in the raw mesh
  CgnsFaces faces;                            ///< unstructured
  std::vector<std::string> section;           ///< names

  [[nodiscard]] bool structured() const { return size[0] > 0; }
};

/// The raw mesh as the zones fill it.
struct CgnsMesh {
  RawMesh raw;
  int dim = 3;
  /// Nodes that a connectivity between zones says to be one.
  std::vector<std::pair<std::int64_t, std::int64_t>> twins;

  /// The tag of a zone of dimension `of`, which is made if it is new.
  std::int32_t tag(int of, const std::string& name);

 private:
  std::map<std::pair<int, std::string>, std::int32_t> tags_;
};

/// The position of a vertex of the zone, which the file numbers from 1. @throws MeshError if it does not exist.
[[nodiscard]] GlobalNodeId cgns_vertex(const CgnsFile& file, const CgnsZone& zone, std::int64_t vertex);

/// Elements_t: cells go to the raw mesh, those of one dimension less to zone.faces.
void read_cgns_sections(CgnsFile& file, CgnsZone& zone, CgnsMesh& mesh, std::int32_t cell_tag);
/// The cells of a structured zone.
void make_cgns_block(const CgnsZone& zone, CgnsMesh& mesh, std::int32_t cell_tag);
/// ZoneBC_t, periodic connectivities, and sections where there is no BC_t.
void read_cgns_boundary(CgnsFile& file, const CgnsZone& zone, CgnsMesh& mesh);
/// Connectivities to other zones that list pairs of vertices.
void read_cgns_connectivity(CgnsFile& file, const CgnsZone& zone, const std::vector<CgnsZone>& zones, CgnsMesh& mesh);
/// Whether a connectivity is between places that are apart.
[[nodiscard]] bool is_periodic(const CgnsFile& file, const CgnsNode& connectivity);

/// Makes one node of those that are twins, and of those at one place where faces meet that no zone of the boundary holds.
/// @cost  40 B per face of a cell for as long as it runs.
void join_nodes(CgnsMesh& mesh);

}  // namespace weft::mesh::detail
