#pragma once
/// The assignment of a case's conditions to the boundary zones of a mesh.
///
/// The section of a condition has the name of a zone, or a pattern of names (base/glob.hpp). A zone has the condition with its
/// own name, otherwise that whose pattern matches its name.
#include <string>
#include <vector>

#include "weft/flow/app/case.hpp"

namespace weft::flow {

/// Returns the condition of a zone; null if the case has none.
[[nodiscard]] const ZoneCondition* find_condition(const Case& flow_case, const std::string& zone);

/// Returns whether a list of zones, of names and patterns, contains this zone.
[[nodiscard]] bool lists_zone(const std::vector<std::string>& zones, const std::string& zone);

/// Returns the errors of a case's conditions for a mesh: conditions without a zone, zones without a condition (except those to
/// which such conditions probably refer) or with the patterns of two, and a vortex correction in 3-D. No communication: zones are
/// equal on every rank.
[[nodiscard]] std::vector<InputError> check_conditions(const mesh::Mesh& mesh, const Case& flow_case);

}  // namespace weft::flow
