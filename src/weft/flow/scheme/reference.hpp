#pragma once
/// Reference values of a flow: the length and the state that make Venkatakrishnan's limiter independent of units, and the limits
/// beyond which a flow has diverged. They depend on the mesh, the initial state and the boundary conditions alone, so that a
/// resumed run uses the same values as an uninterrupted one.
#include <functional>
#include <vector>

#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/state_limits.hpp"
#include "weft/flow/scheme/boundary_condition.hpp"
#include "weft/kernels/primitives/threads.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

struct BoundaryCondition;
struct SourceTerm;

/// Returns the size of the bodies in the flow, m: twice the largest distance of a node of the slip walls from the centroid of
/// these walls; of all cells if there is no wall. For an airfoil in a far field it is about the chord, independent of the extent
/// of the mesh and of rotations and translations. The centroid of an axisymmetric wall is that of the whole revolution, on the
/// axis. @collective
[[nodiscard]] double reference_length(const mesh::Mesh& mesh, const BoundaryKinds& kinds);

struct ReferenceStates {
  Primitive mean;      ///< volume average of density and pressure at the start, at rest; equal on every rank
  StateLimits limits;  ///< equal on every rank
  bool unknown;        ///< a user source or time-dependent boundary states may exceed the limits: see LimitsWithSources
};

/// A flow has diverged where density or pressure exceeds this multiple of the largest at the start and at the boundaries, or the
/// speed this multiple of the largest |u| + c there, ...
inline constexpr double kMostGrowth = 1e6;
/// ... or where density or pressure is below this multiple of the smallest.
inline constexpr double kLeastRemainder = 1e-30;

/// Returns the mean initial state, and limits derived from it and from the boundary conditions. The largest pressure includes the
/// momentum flux, p + rho u^2, the pressure of a gas that is stopped by a wall. Unphysical states are ignored: they are within no
/// limits.
/// @param start  of an owned cell; called by all threads of the team, on whose number the result does not depend.
/// @param time  s, of the start: at which prescribed states are evaluated.
/// @throws the exceptions of prescribed states, on every rank.  @collective  @cost three reductions.
[[nodiscard]] ReferenceStates reference_states(const mesh::Mesh& mesh, const IdealGas& gas, const BoundaryConditions& boundary,
                                               const SourceTerm& source, const std::function<Primitive(mesh::LocalCellId)>& start,
                                               double time, Team& team = kernels::calling_thread());

}  // namespace weft::flow
