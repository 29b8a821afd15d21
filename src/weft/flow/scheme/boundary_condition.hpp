#pragma once
/// The boundary condition of a zone of the mesh.
#include <functional>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/flow/physics/boundary.hpp"
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/scalar.hpp"

namespace weft::flow {

/// The condition of a boundary zone. Lists of conditions are in the order of mesh.boundary.
struct BoundaryCondition {
  BoundaryParams params;
  /// The exterior state of a face as a function of its centroid and the time, s. Where it is set, this state and the interior
  /// state are the arguments of the numerical flux, whatever params.kind is. Called on the thread that computes a step or, where
  /// the state does not depend on time, on the one that creates the solver.
  std::function<Primitive(Vec3, double)> prescribed{};
  std::vector<ScalarInflow>
      scalars{};                ///< values in the gas that enters, in the order of the scalars; 0 of those that are absent
  bool depends_on_time = true;  ///< `prescribed` depends on time; otherwise it is called at the start only
};

/// Returns the kind of each zone's condition; a zone with prescribed states counts as a supersonic inflow.
[[nodiscard]] std::vector<BoundaryKind> kinds_of(const std::vector<BoundaryCondition>& boundary);

}  // namespace weft::flow
