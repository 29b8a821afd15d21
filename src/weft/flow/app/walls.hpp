#pragma once
/// The flow on the walls in a file of its own, for plots of the pressure and for ParaView.
#include <filesystem>
#include <string>

#include "weft/flow/app/case.hpp"
#include "weft/flow/scheme/solver.hpp"

namespace weft::flow {

/// Returns whether any boundary zone of the mesh is a solid wall.
[[nodiscard]] bool has_walls(const mesh::Mesh& mesh, const Case& flow_case);

/// Writes each face of the solid walls as a cell of a VTKHDF grid (lines in 2-D, triangles and quads in 3-D) with `pressure`,
/// that of the numerical flux from which forces are computed, `cp` if the case has a free stream that moves, and `zone`, its
/// number among the mesh's boundary zones.
/// @pre has_walls(), and solver.refresh() since the last step.  @throws IoError  @collective
void write_walls(const Solver& solver, const Case& flow_case, const std::filesystem::path& file, const std::string& provenance);

}  // namespace weft::flow
