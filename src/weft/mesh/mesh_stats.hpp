#pragma once
/// Numbers that describe a mesh to people: sizes, zones, extent, quality, and how it is spread over the ranks.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::mesh {

struct MeshStats {
  /// The largest or smallest of something, and where it is.
  struct Extreme {
    double value = 0;
    Vec3 place;
  };
  struct ZoneSize {
    std::string name;
    int dim = 0;
    std::int64_t elements = 0;  ///< 0 for a zone that has become periodic
    double measure = 0;         ///< area in m^2, or volume in m^3; in 2-D times unit depth
  };

  std::string source;
  std::vector<std::string> notes, warnings;  ///< as in MeshBlock
  int dim = 3;
  std::int64_t cells = 0, nodes = 0, interior_faces = 0, boundary_faces = 0;
  std::array<std::int64_t, kCellTypes> cells_of_type{};
  std::vector<ZoneSize> zones;
  Vec3 low, high;  ///< box around all cells
  double volume = 0;
  Extreme smallest_cell, largest_cell;  ///< volumes

  // Quality, over interior faces (the first two) and cells.
  Extreme non_orthogonality;  ///< degrees between a face's normal and the line that joins its cells' centroids
  double mean_non_orthogonality = 0;
  Extreme skewness;      ///< distance of a face's centroid from that line's passage through its plane, over the line's length
  Extreme aspect_ratio;  ///< longest over shortest edge of a cell

  // How the ranks share it.
  int ranks = 1, source_parts = 0;                ///< parts that the source brings
  std::int64_t fewest_cells = 0, most_cells = 0;  ///< owned by a rank
  std::int64_t ghost_cells = 0;                   ///< sum over the ranks
  std::int64_t cut_faces = 0;                     ///< faces between cells of two ranks
  int most_neighbours = 0;                        ///< other ranks that a rank exchanges with
};

/// Sums are taken in a fixed order, so the same digits come out of every run on the same number of ranks. @collective
[[nodiscard]] MeshStats measure(const Mesh& mesh);

/// Several lines of text, each ended by a newline; no communication.
[[nodiscard]] std::string describe(const MeshStats& stats);

}  // namespace weft::mesh
