#pragma once
/// Reference values of a flow: the length and the state that make Venkatakrishnan's limiter independent of units, and the limits
/// beyond which a flow has diverged. They depend on the mesh, the start and the boundary conditions alone, so that a resumed run
/// has those of a run in one go.
#include <functional>
#include <vector>

#include "weft/flow/physics/boundary.hpp"
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/state_limits.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

struct BoundaryCondition;
struct SourceTerm;

/// Returns the size of the bodies in the flow, m: twice the largest distance of a node of the slip walls from the centroid of
/// these walls; of all cells where there is no wall. So an airfoil in a far field has about its chord, whatever the extent of the
/// mesh, and turning or moving the mesh leaves it alone. The centroid of an axisymmetric wall is that of the whole turn, on the
/// axis. @collective
[[nodiscard]] double reference_length(const mesh::Mesh& mesh, const std::vector<BoundaryKind>& kinds);

struct ReferenceStates {
  Primitive mean;      ///< volume average of density and pressure at the start, at rest; equal on every rank
  StateLimits limits;  ///< equal on every rank
};

/// A flow has diverged where density or pressure is beyond this multiple of the largest at the start and at the boundaries, or
/// the speed beyond this multiple of the largest |u| + c there, ...
inline constexpr double kMostGrowth = 1e6;
/// ... or beyond this one, where formulas of time or a source may bring in what nobody knows at the start, ...
inline constexpr double kMostGrowthWithSources = 1e30;
/// ... or where density or pressure is below this multiple of the smallest.
inline constexpr double kLeastRemainder = 1e-30;

/// Returns the mean state of a start, and limits from it and what the boundary conditions bring. The largest pressure counts with
/// the momentum flux, p + rho u^2, to which gas is compressed that meets a wall. States that are not physical are left out: they
/// are within no limits.
/// @param start  of an owned cell.  @param time  s, of the start: at which prescribed states are asked.
/// @throws what a prescribed state throws, on every rank.  @collective  @cost three reductions.
[[nodiscard]] ReferenceStates reference_states(const mesh::Mesh& mesh, const IdealGas& gas,
                                               const std::vector<BoundaryCondition>& boundary, const SourceTerm& source,
                                               const std::function<Primitive(std::int32_t)>& start, double time);

}  // namespace weft::flow
