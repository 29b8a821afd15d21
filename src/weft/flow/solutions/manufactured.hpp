#pragma once
/// A manufactured solution of the Euler equations: a sine wave in every variable, and the source term for which it is a solution.
#include <cmath>
#include <numbers>

#include "weft/flow/physics/gas.hpp"

namespace weft::flow {

/// w_k = mean_k + amplitude_k sin(2 pi (wave_k . x - frequency t) + phase_k) for every primitive variable k. It solves the Euler
/// equations with source() on the right-hand side. Trivially copyable; for host and device.
struct ManufacturedSolution {
  static constexpr int kVars = IdealGas::kVars;

  Primitive mean{1, {0.7, 0.5, 0.3}, 1};
  Primitive amplitude{0.15, {0.1, 0.12, 0.08}, 0.2};
  Vec3 wave[kVars] = {{1, 1, 1}, {1, -1, 1}, {-1, 1, 1}, {1, 1, -1}, {1, 0, 1}};  ///< waves per unit length
  double phase[kVars] = {0.1, 0.7, 1.3, 2.1, 2.9};
  double frequency = 0;  ///< 0: steady

  /// Returns a solution that is periodic on a box of edge `length`; in 2-D it does not depend on z and has no velocity along z.
  [[nodiscard]] WEFT_HD static ManufacturedSolution periodic(int dim, double length) {
    ManufacturedSolution m;
    for (Vec3& vector : m.wave) {
      if (dim < 3) vector.z = 0;
      vector *= 1 / length;
    }
    if (dim < 3) m.mean.velocity.z = m.amplitude.velocity.z = 0;
    return m;
  }

  [[nodiscard]] WEFT_HD Primitive operator()(Vec3 x, double t = 0) const {
    Primitive w;
    for (int k = 0; k < kVars; ++k) w[k] = mean[k] + amplitude[k] * std::sin(angle(k, x, t));
    return w;
  }

  /// Returns dU/dt + div F(U) of the solution, per volume.
  [[nodiscard]] WEFT_HD Conserved source(const IdealGas& gas, Vec3 x, double t = 0) const {
    const Primitive w = (*this)(x, t);
    Vec3 gradient[kVars];
    Primitive rate;
    for (int k = 0; k < kVars; ++k) {
      const double slope = 2 * std::numbers::pi * amplitude[k] * std::cos(angle(k, x, t));
      gradient[k] = slope * wave[k];
      rate[k] = -slope * frequency;
    }
    const Vec3 u = w.velocity, density_gradient = gradient[0], pressure_gradient = gradient[kVars - 1];
    const Vec3* velocity_gradient = gradient + 1;  // gradients of the components of u
    const double divergence = velocity_gradient[0].x + velocity_gradient[1].y + velocity_gradient[2].z;

    // Mass: rho_t + u . grad rho + rho div u.
    const double mass = rate.density + dot(u, density_gradient) + w.density * divergence;
    // Momentum: u mass + rho (u_t + u . grad u) + grad p.
    const Vec3 acceleration =
        rate.velocity + Vec3{dot(u, velocity_gradient[0]), dot(u, velocity_gradient[1]), dot(u, velocity_gradient[2])};
    const Vec3 momentum = mass * u + w.density * acceleration + pressure_gradient;
    // Energy: internal, p_t / (g-1) + g / (g-1) p div u + u . grad p g / (g-1), and kinetic, |u|^2/2 mass + rho u . (u_t + u .
    // grad u).
    const double internal = (rate.pressure + gas.gamma * (w.pressure * divergence + dot(u, pressure_gradient))) / (gas.gamma - 1);
    const double kinetic = 0.5 * dot(u, u) * mass + w.density * dot(u, acceleration);
    return {mass, momentum, internal + kinetic};
  }

 private:
  [[nodiscard]] WEFT_HD double angle(int k, Vec3 x, double t) const {
    return 2 * std::numbers::pi * (dot(wave[k], x) - frequency * t) + phase[k];
  }
};

}  // namespace weft::flow
