#pragma once
/// The boundary condition of a zone of the mesh.
#include <span>
#include <vector>

#include "weft/base/id_vector.hpp"
#include "weft/flow/physics/boundary.hpp"
#include "weft/flow/physics/field_function.hpp"
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/scalar.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// The condition of a boundary zone.
struct BoundaryCondition {
  BoundaryParams params;
  /// The exterior states of the zone's faces, of their centroids and the time, s. Where it is set, this state and the interior
  /// state are the arguments of the numerical flux, whatever params.kind is. Called with all faces of the zone on this rank, on
  /// the thread that computes a step or, where the state does not depend on time, on the one that creates the solver.
  FieldFunction<Primitive> prescribed{};
  std::vector<ScalarInflow>
      scalars{};                ///< values in the gas that enters, in the order of the scalars; 0 of those that are absent
  bool depends_on_time = true;  ///< `prescribed` depends on time; otherwise it is called at the start only
};

using BoundaryConditions = IdVector<mesh::BoundaryZoneId, BoundaryCondition>;  ///< one for each zone of mesh.boundary
using BoundaryKinds = IdVector<mesh::BoundaryZoneId, BoundaryKind>;

/// Returns the centroids of consecutive faces, the points of BoundaryCondition::prescribed.
[[nodiscard]] inline std::span<const Vec3> centroids(const mesh::Mesh& mesh, mesh::FaceRange faces) {
  return std::span(mesh.face_centroid).subspan(faces.first().index(), static_cast<std::size_t>(faces.size()));
}

/// Returns the kind of each zone's condition; a zone with prescribed states counts as a supersonic inflow.
[[nodiscard]] BoundaryKinds kinds_of(const BoundaryConditions& boundary);

}  // namespace weft::flow
