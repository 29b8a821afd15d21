#pragma once
/// The disturbance of the far field of a plane flow by a lifting body: that of a point vortex.
///
/// J. L. Thomas, M. D. Salas, Far-field boundary conditions for transonic lifting solutions to the Euler equations, AIAA J. 24
/// (1986) 1074-1080: a vortex at the body, with the circulation that corresponds to the lift (Kutta and Joukowski), has the
/// velocity of linearised compressible flow (Prandtl and Glauert); density and pressure follow from the entropy and the total
/// enthalpy of the free stream.
#include <cmath>

#include "weft/flow/physics/gas.hpp"

namespace weft::flow {

template <class Real>
struct BasicPointVortex {
  Real circulation = 0;      ///< m^2/s, positive clockwise with x to the right and y up; 0: no vortex
  BasicVec3<Real> centre{};  ///< m
};
using PointVortex = BasicPointVortex<double>;

/// Returns the circulation, m^2/s, that corresponds to a force on a body in plane flow, N per m of depth; the component along the
/// stream has no effect. @pre the stream moves along x and y.
[[nodiscard]] inline double circulation_of(const Vec3& force, const Primitive& stream) {
  const Vec3 u = stream.velocity;
  return (u.x * force.y - u.y * force.x) / (stream.density * (u.x * u.x + u.y * u.y));
}

/// Returns the state at x of a plane free stream with the vortex. Where the linearised flow has no such state (at the centre, or
/// where the speed would exceed that of expansion into vacuum) it returns the free stream.
/// @pre stream is physical, and its velocity along x and y is subsonic.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> vortex_state(const BasicIdealGas<Real>& gas, const BasicPrimitive<Real>& stream,
                                                               const BasicPointVortex<Real>& vortex, const BasicVec3<Real>& x) {
  constexpr Real kTwoPi = Real(6.283185307179586476925286766559);
  const Real rx = x.x - vortex.centre.x, ry = x.y - vortex.centre.y;
  const Real u = stream.velocity.x, v = stream.velocity.y;
  const Real cc = gas.gamma * stream.pressure / stream.density;
  // r^2 (1 - M^2 sin^2) without computing the angle from the stream to r, whose sine is `across` / (r |velocity|).
  const Real across = u * ry - v * rx;
  const Real stretched = rx * rx + ry * ry - across * across / cc;
  if (!(stretched > 0)) return stream;
  const Real strength = vortex.circulation * std::sqrt(1 - (u * u + v * v) / cc) / (kTwoPi * stretched);
  BasicPrimitive<Real> w = stream;
  w.velocity.x += strength * ry;
  w.velocity.y -= strength * rx;
  const Real gained = w.velocity.x * w.velocity.x + w.velocity.y * w.velocity.y - (u * u + v * v);
  const Real cooled = 1 - Real(0.5) * (gas.gamma - 1) * gained / cc;  // temperature relative to that of the stream
  if (!(cooled > 0)) return stream;
  const Real rarefied = std::pow(cooled, 1 / (gas.gamma - 1));
  w.density *= rarefied;
  w.pressure *= rarefied * cooled;
  return w;
}

}  // namespace weft::flow
