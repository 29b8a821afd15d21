#pragma once
/// Checks of inflow conditions against the normals of the mesh.
#include <string>
#include <vector>

#include "weft/flow/app/case.hpp"

namespace weft::flow {

/// Returns a warning, one line in the form of an error, for each zone with a doubtful condition: a total_pressure_inflow whose
/// direction points out of the domain on some of its faces (where the gas enters opposite to the normal), and a supersonic_inflow
/// whose state is subsonic or leaves the domain. A supersonic state whose normal Mach number is below 1 is accepted: it is that
/// of a steady flow that enters obliquely. Zones that the mesh does not have, and prescribed states, are not checked.
/// @throws InputError, on every rank, where a direction points out of the domain on every face of its zone.  @collective
[[nodiscard]] std::vector<std::string> check_inflows(const mesh::Mesh& mesh, const Case& flow_case);

}  // namespace weft::flow
