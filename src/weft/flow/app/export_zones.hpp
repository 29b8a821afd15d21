#pragma once
/// The faces of boundary zones for the writers of other formats.
#include <cstdint>
#include <string>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/flow/app/export.hpp"

namespace weft::flow::detail {

/// The faces of a boundary zone: types of VTK, and nodes as numbers of points, begin[i] ... begin[i + 1] - 1 of face i.
struct ZoneFaces {
  std::vector<std::uint8_t> types;
  std::vector<std::int64_t> nodes, begin{0};
};

/// The faces of all boundary zones of a run.
struct BoundaryFaces {
  std::vector<Vec3> points;      ///< m, of the file; faces of several zones may have points in common
  std::vector<ZoneFaces> zones;  ///< in the order of ExportedZones::names
};

/// Reads the faces of each zone from a boundary.hdf. This rank alone.
/// @throws IoError: it cannot be read, is damaged, or has a face of none of these zones.
[[nodiscard]] BoundaryFaces read_boundary_faces(const ExportedZones& zones);

/// Throws the error of a boundary.hdf that does not belong to the field file. @throws IoError
[[noreturn]] void refuse_boundary(const ExportedZones& zones, const std::string& problem);

}  // namespace weft::flow::detail
