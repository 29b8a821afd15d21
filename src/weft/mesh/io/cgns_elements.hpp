#pragma once
/// Conversion of single elements of a CGNS zone, by one of several threads.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weft/mesh/cell_type.hpp"
#include "weft/mesh/io/cgns_zone.hpp"
#include "weft/mesh/io/raw_mesh.hpp"

namespace weft::mesh::detail {

/// An element type of first or second order: its shape and its number of nodes, corners first.
struct CgnsElementType {
  CellType shape;
  std::size_t nodes;
};
/// Returns the type with a number of CGNS, if its elements are read as cells or faces.
[[nodiscard]] std::optional<CgnsElementType> cgns_element_type(std::int64_t number);

inline constexpr std::size_t kMostCgnsNodes = 27;  ///< nodes of the largest element of second order
using CgnsNodes = std::array<GlobalNodeId, kMostCgnsNodes>;

/// Returns the nodes of an element. @throws MeshError unless they exist and its corners are distinct.
/// @param vertices  at most kMostCgnsNodes, corners first, as numbered in the zone.
[[nodiscard]] CgnsNodes cgns_nodes(const MeshCursor& place, const CgnsZone& zone, const CellShape& form,
                                   std::span<const std::int64_t> vertices);

/// Adds elements to lists of one thread. All functions throw MeshError with the zone and element of `place`.
class CgnsElements {
 public:
  /// @param zone  the zone with all faces of polyhedra, whose `uses` several threads may increment at once.
  CgnsElements(const MeshCursor& file_place, CgnsZone& zone, int dim, std::int32_t cell_tag, RawMesh& cells, CgnsFaces& faces)
      : place(file_place), zone_(zone), dim_(dim), cell_tag_(cell_tag), cells_(cells), faces_(faces) {}

  MeshCursor place;  ///< for messages only

  /// Adds a cell or, if its dimension is one less than that of cells, a face; drops elements of lower dimension.
  void add(CellType type, std::span<const std::int64_t> vertices, std::int64_t id);
  /// Adds an element of NGON_n: a face of any size, or a cell of a 2-D mesh.
  void add_polygon(std::span<const std::int64_t> vertices, std::int64_t id);
  /// Adds a cell. @param faces  element numbers, negative for faces that point into the cell.
  void add_polyhedron(std::span<const std::int64_t> faces, std::int64_t id);

 private:
  [[noreturn]] void fail(std::string problem, std::string suggestion) const {
    place.fail_at(-1, std::move(problem), std::move(suggestion));
  }
  void add_face(std::span<const GlobalNodeId> nodes, std::int64_t id, std::int8_t uses, std::span<const GlobalNodeId> mid);

  CgnsZone& zone_;
  int dim_;
  std::int32_t cell_tag_;
  RawMesh& cells_;
  CgnsFaces& faces_;
  std::vector<GlobalNodeId> polygon_;
  std::vector<std::vector<GlobalNodeId>> outline_;
};

}  // namespace weft::mesh::detail
