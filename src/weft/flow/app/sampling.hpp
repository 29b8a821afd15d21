#pragma once
/// Values along lines and on plane sections of the domain, written to separate small files.
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/app/locate.hpp"
#include "weft/flow/app/output_fields.hpp"
#include "weft/flow/scheme/solver.hpp"

namespace weft::flow {

/// Points from + k (to - from) / (points - 1), 0 <= k < points; m.
struct LineChoice {
  std::string name;
  Vec3 from, to;
  std::int64_t points = 101;
  Where where{};  ///< place in the case, for messages
};

/// The plane (x - point) . normal = 0 in a 3-D mesh.
struct SectionChoice {
  std::string name;
  Vec3 point, normal;
  Where where{};
};

/// A state, and the fields of it that lines and sections write.
struct SampledState {
  const Solver& solver;
  std::span<const CellGradient> gradients;  ///< Solver::gradients() of the owned cells
  std::span<const FieldKind> fields;
  FieldReference reference;
};

/// A line through a mesh, whose cells are found once.
class Line {
 public:
  /// @throws InputError on every rank if none of its points is in the mesh.  @collective  @cost as locate_on_line().
  Line(const mesh::Mesh& mesh, LineChoice choice);
  [[nodiscard]] const std::string& name() const { return choice_.name; }
  /// Writes a row for each point in, or very close to, a cell: distance from `from`, x, y, z, then the fields and scalars at the
  /// point, linear within its cell. @pre solver.refresh() since the last step.  @throws IoError on every rank. @collective
  /// @cost rank 0 holds all rows.
  void write(const SampledState& state, const std::filesystem::path& file) const;

 private:
  LineChoice choice_;
  std::vector<Location> where_;
};

/// Checks a section. @throws InputError on every rank if the mesh is 2-D, or the plane does not intersect it.  @collective
void check_section(const mesh::Mesh& mesh, const SectionChoice& choice);

/// Writes a plane section as a .vtu: the intersection polygon of each cell with the plane, with the fields and scalars at its
/// centre, linear within the cell (scalars: of the cell), and cell_id. Polygons are in the order of the ranks' cells.
/// @pre solver.refresh() since the last step.  @throws IoError on every rank.  @collective
/// @cost a pass over the nodes of all cells; rank 0 holds the whole section.
void write_section(const SampledState& state, const SectionChoice& choice, const std::filesystem::path& file);

}  // namespace weft::flow
