#pragma once
/// Fields on an unstructured grid for ParaView (5.10 and later) and VTK: VTKHDF 1.0, one file per time, one piece per rank.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "weft/base/team.hpp"
#include "weft/base/vec3.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/io/hdf5/pending_file.hpp"

namespace weft::io {

/// The cells of this rank. Nodes of cell i are connectivity[offsets[i]] ... connectivity[offsets[i+1] - 1] in VTK's order, as
/// indices of `points`. Points without cells are not written, so that the nodes of a mesh with ghost cells can be passed.
struct VtkGrid {
  std::span<const Vec3> points;  ///< m
  std::span<const std::int32_t> connectivity;
  std::span<const std::int64_t> offsets;  ///< cells + 1; may be empty without cells
  std::span<const std::uint8_t> types;    ///< VTK cell types
};

/// Cell values: `components` contiguous values per cell; 3 form a vector.
struct VtkField {
  std::string name;
  std::variant<std::span<const double>, std::span<const std::int64_t>> values;
  int components = 1;
};

struct VtkOptions {
  enum class Precision { float64, float32 };
  double time = 0;                           ///< s; stored as field data "TimeValue"
  std::int64_t step = 0;                     ///< stored as field data "Step"
  Precision precision = Precision::float64;  ///< precision of points and real fields
  std::string provenance{};                  ///< text of any length, stored as dataset "Provenance"
};

/// Writes `path`, which appears when it is complete. Ranks without cells write no piece.
/// @throws IoError: write error; ContractError: inconsistent sizes, a missing node, fields that differ between ranks. Every
/// rank throws.
/// @collective
/// @cost  per rank, a copy of the used points and of the connectivity.
void write_vtkhdf(const Communicator& comm, const std::filesystem::path& path, const VtkGrid& grid,
                  std::span<const VtkField> cell_fields, const VtkOptions& options = {});

/// Begins write_vtkhdf(): start() of the file that is returned writes it in a thread of each rank, and finish() names it.
/// @param owner  holds what `grid` and `cell_fields` refer to, until it is written; without one, it must exist until finish().
/// @param team  the threads that copy points and connectivity. @collective
[[nodiscard]] PendingFile begin_vtkhdf(const Communicator& comm, const std::filesystem::path& path, const VtkGrid& grid,
                                       std::span<const VtkField> cell_fields, const VtkOptions& options,
                                       const std::shared_ptr<const void>& owner, Team& team);

}  // namespace weft::io
