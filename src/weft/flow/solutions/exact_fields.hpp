#pragma once
/// Exact solutions in closed form, as functors `Primitive operator()(Vec3 x, double t)` for host and device. Non-dimensional.
#include <cmath>
#include <numbers>

#include "weft/flow/physics/gas.hpp"

namespace weft::flow {

/// A vortex that a uniform flow of density 1 and pressure 1 transports without change of shape.
/// T = 1 - (gamma-1) beta^2 / (8 gamma pi^2) e^(1-r^2), du = beta / (2 pi) e^((1-r^2)/2) (-y, x), rho = T^(1/(gamma-1)),
/// p = rho T. C.-W. Shu, ICASE Report 97-65 (1997), example 5.
struct IsentropicVortex {
  IdealGas gas{};
  double strength = 5;  ///< beta
  Vec3 centre{5, 5, 0};
  Vec3 velocity{1, 1, 0};
  Vec3 period{10, 10, 0};  ///< lengths of the periodic box; 0: not periodic in that direction

  [[nodiscard]] WEFT_HD Primitive operator()(Vec3 x, double t) const {
    using std::numbers::pi;
    const Vec3 moved = x - centre - t * velocity;
    const double dx = nearest(moved.x, period.x), dy = nearest(moved.y, period.y);
    const double decay = std::exp(0.5 * (1 - dx * dx - dy * dy));
    const double swirl = strength / (2 * pi) * decay;
    const double temperature = 1 - (gas.gamma - 1) / (2 * gas.gamma) * swirl * swirl;
    const double density = std::pow(temperature, 1 / (gas.gamma - 1));
    return {density, velocity + swirl * Vec3{-dy, dx, 0}, density * temperature};
  }

 private:
  [[nodiscard]] WEFT_HD static double nearest(double d, double length) {
    return length > 0 ? d - length * std::round(d / length) : d;
  }
};

/// A sine wave of density in a uniform flow: rho = density + amplitude sin(2 pi wave . (x - velocity t)).
struct EntropyWave {
  double density = 1, amplitude = 0.2;
  Vec3 wave{1, 1, 1};  ///< waves per unit length
  Vec3 velocity{1, 1, 1};
  double pressure = 1;

  [[nodiscard]] WEFT_HD Primitive operator()(Vec3 x, double t) const {
    return {density + amplitude * std::sin(2 * std::numbers::pi * dot(wave, x - t * velocity)), velocity, pressure};
  }
};

/// Double Mach reflection: a Mach 10 shock at 60 degrees to the x axis that moves to the right into gas at rest; it meets y = 0
/// at `foot` at t = 0. The solution above the reflection, and the boundary values there. P. Woodward, P. Colella, J. Comput.
/// Phys. 54 (1984) 115-173, section III. For gamma = 1.4.
struct DoubleMach {
  double foot = 1.0 / 6;

  [[nodiscard]] WEFT_HD static constexpr Primitive behind() { return {8, {kShockX, -4.125, 0}, 116.5}; }
  [[nodiscard]] WEFT_HD static constexpr Primitive ahead() { return {1.4, {0, 0, 0}, 1}; }
  [[nodiscard]] WEFT_HD Primitive operator()(Vec3 x, double t) const {
    return x.x < foot + (x.y + 20 * t) / std::numbers::sqrt3 ? behind() : ahead();
  }

 private:
  static constexpr double kShockX = 4.125 * std::numbers::sqrt3;  // 8.25 cos(30 degrees)
};

/// Uniform inflow and initial state of the forward-facing step: Mach 3. Woodward and Colella, section II. For gamma = 1.4.
inline constexpr Primitive kForwardStep{1.4, {3, 0, 0}, 1};

}  // namespace weft::flow
