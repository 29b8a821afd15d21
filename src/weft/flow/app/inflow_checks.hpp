#pragma once
/// Checks of inflow conditions against the mesh, whose normals only it knows.
#include <string>
#include <vector>

#include "weft/flow/app/case.hpp"

namespace weft::flow {

/// Returns a warning, one line as an error's, for each zone whose condition can hardly be meant: a total_pressure_inflow whose
/// direction points out of the domain on some of its faces (there the gas enters against the normal), and a supersonic_inflow
/// whose state is subsonic or leaves the domain. A supersonic state whose normal Mach number is below 1 is none of these: it is
/// that of a steady flow that enters obliquely. Zones that the mesh does not have, and prescribed states, are not looked at.
/// @throws InputError, on every rank, where a direction points out of the domain on every face of its zone.  @collective
[[nodiscard]] std::vector<std::string> check_inflows(const mesh::Mesh& mesh, const Case& flow_case);

}  // namespace weft::flow
