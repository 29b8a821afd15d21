#pragma once
/// Sections of a Gmsh MSH file. The cursor is after the line that opens the section, and finally before the line that closes
/// it; its mode distinguishes text and binary.
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "weft/base/team.hpp"
#include "weft/mesh/io/read_raw.hpp"

namespace weft::mesh::detail {

/// Reads the line of $MeshFormat and sets the cursor's mode; returns 2 or 4.
[[nodiscard]] int read_gmsh_format(MeshCursor& in);
void read_gmsh_names(MeshCursor& in, RawMesh& raw);

void read_gmsh2_nodes(MeshCursor& in, RawMesh& raw, Team& team);
void read_gmsh2_elements(MeshCursor& in, RawMesh& raw, Team& team);

/// Physical tags of each entity (dimension, tag) of a 4.1 file.
using GmshEntities = std::map<std::pair<int, std::int32_t>, std::vector<std::int32_t>>;

void read_gmsh4_entities(MeshCursor& in, GmshEntities& entities);
void read_gmsh4_nodes(MeshCursor& in, RawMesh& raw, Team& team);
void read_gmsh4_elements(MeshCursor& in, const GmshEntities& entities, RawMesh& raw, Team& team);

/// Meaning of an element type of Gmsh.
struct GmshType {
  int nodes = 0;    ///< corners
  int dropped = 0;  ///< further nodes of second-order elements
  int dim = 0;
  CellType type = CellType::line;  ///< valid if dim > 0

  [[nodiscard]] int all_nodes() const { return nodes + dropped; }
};

/// Maximum number of nodes of an element of first or second order.
inline constexpr int kMostGmshNodes = 27;

/// Returns the meaning of a type. @throws MeshError at `at` for types of third or higher order and for unknown ones.
[[nodiscard]] GmshType gmsh_type(const MeshCursor& in, std::int64_t number, std::int64_t at);
/// The nodes of an element: its corners, followed by `dropped` nodes.
using GmshNodes = std::array<GlobalNodeId, kMostGmshNodes>;
/// Returns the type number for writers.
[[nodiscard]] int gmsh_number(CellType type);

}  // namespace weft::mesh::detail
