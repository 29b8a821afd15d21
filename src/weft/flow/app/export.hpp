#pragma once
/// Export of field files of runs to formats of other programs.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::flow {

struct Exported {
  std::int64_t cells = 0, points = 0;
};

/// The boundary zones of the mesh of a field file.
struct ExportedZones {
  std::filesystem::path boundary;  ///< the boundary.hdf of the run
  std::vector<std::string> names;  ///< in the order of the mesh
};

/// Writes a field file (VTKHDF) as VTU: one unstructured grid with raw appended data. Points at which subdomains meet are merged,
/// unless the file is in single precision, where two points may have the same coordinates. Called on one rank.
/// @throws IoError: the file cannot be read or written, or is damaged.
/// @cost  about 80 bytes for each point; cells are copied in blocks.
Exported export_vtu(const std::filesystem::path& fields, const std::filesystem::path& to);

/// Writes a field file as CGNS (HDF5, CGNS 3.4 and later): one base, one unstructured zone, elements of one type as a section of
/// their own, several types as MIXED, and a FlowSolution_t of the cells. Names are those of the SIDS if it has one (Density,
/// VelocityX, Pressure, Mach, Temperature ...), otherwise those of the fields. Each boundary zone is a section of its faces and a
/// BC_t (UserDefined) with its name, truncated to 32 characters; absent if the file is in single precision, whose points cannot
/// be matched with those of the boundary. Otherwise as export_vtu().
/// @throws IoError also where the points of the zones are not those of the cells.
Exported export_cgns(const std::filesystem::path& fields, const std::filesystem::path& to,
                     const std::optional<ExportedZones>& zones = {});

}  // namespace weft::flow
