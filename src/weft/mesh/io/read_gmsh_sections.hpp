#pragma once
/// The sections of a Gmsh MSH file. The cursor stands behind the line that opens the section and is left before the line that
/// closes it; text and binary are told apart by the cursor's mode.
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "weft/mesh/io/read_raw.hpp"

namespace weft::mesh::detail {

/// Reads the line of $MeshFormat and sets the cursor's mode; returns 2 or 4.
[[nodiscard]] int read_gmsh_format(MeshCursor& in);
void read_gmsh_names(MeshCursor& in, RawMesh& raw);

void read_gmsh2_nodes(MeshCursor& in, RawMesh& raw);
void read_gmsh2_elements(MeshCursor& in, RawMesh& raw);

/// Physical tags of each entity (dimension, tag) of a 4.1 file.
using GmshEntities = std::map<std::pair<int, std::int32_t>, std::vector<std::int32_t>>;

void read_gmsh4_entities(MeshCursor& in, GmshEntities& entities);
void read_gmsh4_nodes(MeshCursor& in, RawMesh& raw);
void read_gmsh4_elements(MeshCursor& in, const GmshEntities& entities, RawMesh& raw);

/// What an element type number of Gmsh means to us.
struct GmshType {
  int nodes = 0;    ///< corners
  int dropped = 0;  ///< nodes behind the corners, of elements of second order
  int dim = 0;
  CellType type = CellType::line;  ///< where dim > 0
};

/// The most nodes of an element of first or second order.
inline constexpr int kMostGmshNodes = 27;

/// @throws MeshError at `at` for types of third and higher order and for unknown ones.
[[nodiscard]] GmshType gmsh_type(const MeshCursor& in, std::int64_t number, std::int64_t at);
/// Adds an element whose first nodes are its corners and the nodes behind them. @pre type.dim > 0
void add_element(const GmshType& type, const std::array<GlobalNodeId, kMostGmshNodes>& nodes, std::int32_t group, std::int64_t id,
                 std::int64_t at, RawMesh& raw);
/// The number of a type, for writers.
[[nodiscard]] int gmsh_number(CellType type);

}  // namespace weft::mesh::detail
