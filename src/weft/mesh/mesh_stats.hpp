#pragma once
/// Statistics of a mesh: sizes, zones, extent, quality, distribution over the ranks.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/base/team.hpp"
#include "weft/base/vec3.hpp"
#include "weft/kernels/primitives/threads.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::mesh {

struct MeshStats {
  /// A largest or smallest value and its location.
  struct Extreme {
    double value = 0;
    Vec3 place;
  };
  struct ZoneSize {
    std::string name;
    int dim = 0;
    std::int64_t elements = 0;  ///< 0 for a periodic zone
    double measure = 0;         ///< area in m^2, or volume in m^3; in 2-D times unit depth
  };

  std::string source;
  std::vector<std::string> notes, warnings;  ///< as in MeshBlock
  int dim = 3;
  bool axisymmetric = false;  ///< areas and volumes are those of the whole turn of a 2-D mesh about its axis
  std::int64_t cells = 0, nodes = 0, interior_faces = 0, boundary_faces = 0;
  std::array<std::int64_t, kCellTypes> cells_of_type{};
  std::vector<ZoneSize> zones;
  Vec3 low, high;  ///< bounding box of all cells
  double volume = 0;
  Extreme smallest_cell, largest_cell;  ///< volumes

  // Quality over interior faces (the first two) and cells.
  Extreme non_orthogonality;  ///< degrees between a face normal and the line between the centroids of its cells
  double mean_non_orthogonality = 0;
  Extreme skewness;      ///< distance of a face centroid from the intersection of that line with the plane of the face, over the
                         ///< length of the line
  Extreme aspect_ratio;  ///< ratio of longest to shortest edge of a cell

  // Distribution over the ranks.
  int ranks = 1, source_parts = 0;                ///< number of parts stored in the source
  std::int64_t fewest_cells = 0, most_cells = 0;  ///< owned by a rank
  std::int64_t ghost_cells = 0;                   ///< sum over ranks
  std::int64_t cut_faces = 0;                     ///< faces between cells of different ranks
  int most_neighbours = 0;                        ///< maximum number of ranks with which a rank exchanges
};

/// Computes the statistics. Sums are in a fixed order, so that the digits are the same in every run on the same number of
/// ranks, on any number of threads. @collective
[[nodiscard]] MeshStats measure(const Mesh& mesh, Team& team = kernels::calling_thread());

/// Returns several lines of text, each with a newline; no communication.
[[nodiscard]] std::string describe(const MeshStats& stats);

}  // namespace weft::mesh
