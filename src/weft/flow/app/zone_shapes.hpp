#pragma once
/// The place and form of boundary zones, and translations between them.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// The shape of a boundary zone, from which its condition is guessed.
struct ZoneShape {
  std::string name;
  std::int64_t faces = 0;
  double area = 0;      ///< m^2
  Vec3 normal;          ///< mean unit normal, out of the domain, weighted with the area; zero where the zone is closed
  double flatness = 0;  ///< length of the integral of the unit normal over the area: 1 in a plane, 0 of a closed surface
  Vec3 low, high;       ///< box around its nodes
};

namespace detail {

/// Measures every boundary zone of a mesh, over all ranks. @collective
[[nodiscard]] std::vector<ZoneShape> measure_zones(const mesh::Mesh& mesh);

[[nodiscard]] bool is_flat(const ZoneShape& shape);
[[nodiscard]] bool is_closed(const ZoneShape& shape);

/// Returns the lower and the upper corner of the box around all zones.
[[nodiscard]] std::pair<Vec3, Vec3> box_of(const std::vector<ZoneShape>& shapes);

/// Returns whether a translation maps one zone onto the other.  @collective
[[nodiscard]] bool are_translated(const mesh::Mesh& mesh, const ZoneShape& a, const ZoneShape& b);

}  // namespace detail
}  // namespace weft::flow
