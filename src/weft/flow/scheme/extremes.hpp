#pragma once
/// The extrema of states, from which the limits of a flow follow.
#include <array>
#include <limits>

#include "weft/flow/physics/gas.hpp"
#include "weft/flow/scheme/boundary_condition.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// The extrema of a set of states. Unphysical states are ignored.
struct Extremes {
  static constexpr double kNone = -std::numeric_limits<double>::infinity();
  /// Maxima of density, of p + rho u^2 (the pressure of a gas that is stopped by a wall) and of |u| + c, and negated minima of
  /// density and pressure.
  std::array<double, 5> largest{kNone, kNone, kNone, kNone, kNone};

  void add(const IdealGas& gas, const Primitive& w);
  void add(const Extremes& other);
  /// Adds the states, reservoirs and pressures that a boundary zone prescribes at `time`, s, on this rank's faces.
  /// @throws the exceptions of prescribed states.
  void add(const mesh::Mesh& mesh, const IdealGas& gas, mesh::BoundaryZoneId zone, const BoundaryCondition& condition,
           double time);
  /// Makes them the extrema over all ranks.  @collective
  void reduce(const Communicator& comm);
};

}  // namespace weft::flow
