#pragma once
/// The error of a state that the caller sets: one that a step computes is an error of StepFailures.
#include <string_view>

#include "weft/base/error.hpp"
#include "weft/flow/physics/gas.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// Returns the error of a state that is not physical in a cell. @param name  of the state, which begins the message.
[[nodiscard]] PhysicsError unphysical_state(const mesh::Mesh& m, mesh::LocalCellId cell, const Primitive& state,
                                            std::string_view name);

}  // namespace weft::flow
