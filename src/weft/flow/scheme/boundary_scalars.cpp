#include "weft/flow/scheme/boundary_scalars.hpp"

#include <fmt/format.h>

#include <cmath>

namespace weft::flow {

BoundaryScalars::BoundaryScalars(const Scheme& scheme) : scheme_(scheme) {
  const std::int32_t faces = scheme.mesh().faces() - scheme.discretization().first_boundary_face;
  values_.resize(static_cast<std::size_t>(faces) * scheme.scalars().size());
}

bool BoundaryScalars::brings(mesh::BoundaryZoneId zone) const {
  const BoundaryCondition& condition = scheme_.boundary()[zone];
  return condition.prescribed || brings_scalars(condition.params.kind);
}

bool BoundaryScalars::varies() const {
  for (const mesh::BoundaryZoneId z : scheme_.boundary().ids()) {
    for (const ScalarInflow& inflow : scheme_.boundary()[z].scalars) {
      if (brings(z) && inflow.depends_on_time) return true;
    }
  }
  return false;
}

void BoundaryScalars::prescribe(double time) {
  const mesh::Mesh& m = scheme_.mesh();
  const std::size_t n = count();
  for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
    const std::vector<ScalarInflow>& inflows = scheme_.boundary()[z].scalars;
    for (std::size_t k = 0; k < inflows.size() && brings(z); ++k) {
      if (!inflows[k].value || (prescribed_ && !inflows[k].depends_on_time)) continue;
      for (const mesh::LocalFaceId face : m.boundary[z].faces) {
        const std::size_t i = face.index() - scheme_.discretization().first_boundary_face;
        const Vec3 x = m.face_centroid[face];
        const double value = values_[i * n + k] = inflows[k].value(x, time);
        if (std::isfinite(value) || bad_) continue;
        bad_ = {fmt::format("the scalar \"{}\" that comes in through \"{}\" is {} at ({:g}, {:g}, {:g}) at time {:.9g}",
                            scheme_.scalars()[k].name, m.boundary[z].name, value, x.x, x.y, x.z, time),
                inflows[k].where};
      }
    }
  }
  prescribed_ = true;
}

}  // namespace weft::flow
