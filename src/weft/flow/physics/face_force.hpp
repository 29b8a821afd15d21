#pragma once
/// The force and moment of the gas on a body, face by face.
#include "weft/base/macros.hpp"
#include "weft/base/vec3.hpp"
#include "weft/flow/physics/gas.hpp"

namespace weft::flow {

struct ForceAndMoment {
  Vec3 force;   ///< N
  Vec3 moment;  ///< N m

  WEFT_HD constexpr ForceAndMoment& operator+=(const ForceAndMoment& other) {
    force += other.force, moment += other.moment;
    return *this;
  }
};

/// Returns the force and moment of the gas on a face, relative to a uniform pressure.
/// @param flux  out of the gas per unit area: its momentum is the force.
/// @param normal  unit, out of the gas.  @param area  m^2.  @param arm  moment arm, m: from the moment centre to the centroid of
///   the face.  @param pressure  Pa.
[[nodiscard]] WEFT_HD inline ForceAndMoment force_on_face(const Conserved& flux, const Vec3& normal, double area, const Vec3& arm,
                                                          double pressure) {
  const Vec3 force = area * (flux.momentum - pressure * normal);
  return {force, cross(arm, force)};
}

}  // namespace weft::flow
