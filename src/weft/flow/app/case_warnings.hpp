#pragma once
/// Warnings about a case that its mesh shows.
#include <string>
#include <vector>

#include "weft/flow/app/case.hpp"

namespace weft::flow {

/// Returns the warnings of check_inflows(), one line for each velocity along z in a plane flow, and one for each reference value
/// of forces (`area`, `length`, `moment_centre`) and each numerics.reference_length that is written in the case and does not fit
/// the walls of the scaled mesh: values of another unit than metres. An area or a length is doubtful if it is above 30 times that
/// of the box around the walls and the zones of the force, or below 1/30 of the smallest that the box around these zones has
/// (where sides count as at least a tenth of the longest); a moment centre if it is 30 times the longest side away. @throws
/// InputError as check_inflows().
/// @collective
[[nodiscard]] std::vector<std::string> warnings_on_mesh(const mesh::Mesh& mesh, const Case& flow_case);

}  // namespace weft::flow
