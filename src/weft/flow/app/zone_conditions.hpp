#pragma once
/// Which condition of a case each boundary zone of a mesh has.
///
/// The section of a condition has the name of a zone, or a pattern of names (base/glob.hpp). A zone has the condition with its
/// own name, else that whose pattern its name matches.
#include <string>
#include <vector>

#include "weft/flow/app/case.hpp"

namespace weft::flow {

/// Returns the condition of a zone; null where the case has none.
[[nodiscard]] const ZoneCondition* find_condition(const Case& flow_case, const std::string& zone);

/// Returns whether a list of zones, of names and patterns, has this zone.
[[nodiscard]] bool lists_zone(const std::vector<std::string>& zones, const std::string& zone);

/// Returns what is wrong with the conditions of a case for a mesh: conditions without a zone, zones without a condition (but for
/// those that such conditions seem to mean) or with the patterns of two, and a vortex correction in 3-D. No communication: zones
/// are equal on every rank.
[[nodiscard]] std::vector<InputError> check_conditions(const mesh::Mesh& mesh, const Case& flow_case);

}  // namespace weft::flow
