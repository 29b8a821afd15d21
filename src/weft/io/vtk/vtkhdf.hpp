#pragma once
/// Fields on an unstructured grid for ParaView (5.10 and later) and VTK: VTKHDF 1.0, one file per time, one piece per rank.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <variant>

#include "weft/base/vec3.hpp"
#include "weft/comm/communicator.hpp"

namespace weft::io {

/// This rank's cells. Nodes of cell i are connectivity[offsets[i]] ... connectivity[offsets[i+1] - 1], in VTK's order; they
/// number `points`. Points that no cell uses are left out of the file, so the node list of a mesh with ghosts serves as it is.
struct VtkGrid {
  std::span<const Vec3> points;  ///< m
  std::span<const std::int32_t> connectivity;
  std::span<const std::int64_t> offsets;  ///< cells + 1; may be empty where there are no cells
  std::span<const std::uint8_t> types;    ///< VTK cell types, one per cell
};

/// Values of the cells: `components` per cell, side by side; 3 make a vector.
struct VtkField {
  std::string name;
  std::variant<std::span<const double>, std::span<const std::int64_t>> values;
  int components = 1;
};

struct VtkOptions {
  enum class Precision { float64, float32 };
  double time = 0;                           ///< s; stored as field data "TimeValue"
  std::int64_t step = 0;                     ///< stored as field data "Step"
  Precision precision = Precision::float64;  ///< of points and real fields
  std::string provenance{};                  ///< any text of any length: stored as dataset "Provenance"
};

/// Writes `path`, which appears when it is whole. Ranks without cells are no piece.
/// @throws IoError: cannot be written; ContractError: sizes that do not fit, a node that is not there, fields that differ between
///   ranks. Every rank throws.
/// @collective
/// @cost  per rank, a copy of the used points and of the connectivity.
void write_vtkhdf(const Communicator& comm, const std::filesystem::path& path, const VtkGrid& grid,
                  std::span<const VtkField> cell_fields, const VtkOptions& options = {});

}  // namespace weft::io
