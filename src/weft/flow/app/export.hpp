#pragma once
/// Export of field files of runs to formats of other programs.
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/registry.hpp"

namespace weft::flow {

struct Exported {
  std::int64_t cells = 0, points = 0;
};

/// The boundary zones of the mesh of a field file.
struct ExportedZones {
  std::filesystem::path boundary;  ///< the boundary.hdf of the run
  std::vector<std::string> names;  ///< in the order of the mesh
};

/// Writes a field file (VTKHDF) as VTU: one unstructured grid with raw appended data. Points at which parts of ranks meet are one
/// point, unless the file is in single precision, where two points may have the same coordinates. This rank alone.
/// With zones, also writes the faces of each as `<stem>_<index>_<name>.vtu`, with '_' for the special characters of the name, and
/// `<stem>.vtm`, a multiblock data set with the block "cells" and the group "boundary" of one block for each zone.
/// @throws IoError: it cannot be read or written; damaged.
/// @cost  about 80 bytes for each point, 100 for each face of a zone; cells go through in runs.
Exported export_vtu(const std::filesystem::path& fields, const std::filesystem::path& to,
                    const std::optional<ExportedZones>& zones = {});

/// Writes a field file as CGNS (HDF5, CGNS 3.4 and later): one base, one unstructured zone, elements of one type as a section of
/// their own, several types as MIXED, and a FlowSolution_t of the cells. Names are those of the SIDS if it has one (Density,
/// VelocityX, Pressure, Mach, Temperature ...), otherwise those of the fields. Each boundary zone is a section of its faces and a
/// BC_t (UserDefined) with its name, truncated to 32 characters; absent if the file is in single precision, whose points cannot
/// be matched with those of the boundary. Otherwise as export_vtu().
/// @throws IoError also where the points of the zones are not those of the cells.
Exported export_cgns(const std::filesystem::path& fields, const std::filesystem::path& to,
                     const std::optional<ExportedZones>& zones = {});

enum class ExportFormat { vtu, cgns };

struct ExportFormatRow {
  ExportFormat value;
  std::string_view name;  ///< also the extension of its files
  std::string_view doc;
  std::string_view index;  ///< extension with the dot of a file that lists the others; empty: none
  Exported (*write)(const std::filesystem::path& fields, const std::filesystem::path& to,
                    const std::optional<ExportedZones>& zones);
};

inline constexpr Registry kExportFormats{
    "export format", std::array{ExportFormatRow{ExportFormat::vtu, "vtu", "VTK unstructured grid", ".vtm", export_vtu},
                                ExportFormatRow{ExportFormat::cgns, "cgns", "CGNS with the boundary zones", "", export_cgns}}};
[[nodiscard]] constexpr const auto& registry_of(ExportFormat /*tag*/) { return kExportFormats; }
static_assert(is_complete<ExportFormat>());

}  // namespace weft::flow
