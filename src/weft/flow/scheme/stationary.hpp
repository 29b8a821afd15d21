#pragma once
/// Checks of the state that Numerics::well_balanced preserves.
#include <cstdint>
#include <functional>
#include <span>

#include "weft/flow/scheme/scheme.hpp"

namespace weft::flow {

/// Checks that a state is physical in every owned cell. @param state  conserved values of an owned cell.
/// @throws PhysicsError on every rank, naming the cell.  @collective
void check_stationary_state(const Scheme& scheme, const std::function<Conserved(mesh::LocalCellId)>& state);

/// Checks that a stable time step with the rates that the scheme computes for the state changes no cell by much.
/// @param rates  volume * d(conserved)/dt, owned x kVars.
/// @throws PhysicsError on every rank, naming the cell.  @collective
void check_stationary_rates(const Scheme& scheme, const std::function<Conserved(mesh::LocalCellId)>& state,
                            std::span<const double> rates);

}  // namespace weft::flow
