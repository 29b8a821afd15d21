#pragma once
/// The exact solution of the one-dimensional Riemann problem, and its standard tests.
#include "weft/flow/physics/gas.hpp"

namespace weft::flow {

/// Two uniform states, left and right of x = 0 at t = 0. The tangential velocities y and z are passive.
struct RiemannStates {
  Primitive left, right;
};

// E. F. Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, 3rd ed., table 4.1 (x0 and end times there), and P. D.
// Lax, Comm. Pure Appl. Math. 7 (1954) 159-193.
inline constexpr RiemannStates kSod{{1, {0, 0, 0}, 1}, {0.125, {0, 0, 0}, 0.1}};
inline constexpr RiemannStates kLax{{0.445, {0.698, 0, 0}, 3.528}, {0.5, {0, 0, 0}, 0.571}};
inline constexpr RiemannStates kToro123{{1, {-2, 0, 0}, 0.4}, {1, {2, 0, 0}, 0.4}};
inline constexpr RiemannStates kToroLeftBlast{{1, {0, 0, 0}, 1000}, {1, {0, 0, 0}, 0.01}};
inline constexpr RiemannStates kToroCollision{{5.99924, {19.5975, 0, 0}, 460.894}, {5.99242, {-6.19633, 0, 0}, 46.0950}};

/// The self-similar solution. Toro, chapter 4.
class RiemannSolution {
 public:
  /// Computes the state between the two acoustic waves (Newton's method, to rounding).
  /// @throws InputError where a state is not physical, or where the states separate so fast that a vacuum forms.
  RiemannSolution(const IdealGas& gas, const RiemannStates& states);

  [[nodiscard]] double star_pressure() const { return pressure_; }
  [[nodiscard]] double star_velocity() const { return speed_; }
  [[nodiscard]] double star_density_left() const { return left_.star_density; }
  [[nodiscard]] double star_density_right() const { return right_.star_density; }

  /// Returns the state at x / t = xi.
  [[nodiscard]] Primitive sample(double xi) const;

 private:
  /// One side, mirrored so that its wave moves to the left.
  struct Side {
    Primitive state;
    double speed = 0;  ///< speed of the gas in the mirrored frame
    double sound = 0;
    double star_density = 0;
    double head = 0, tail = 0;  ///< speeds of the wave's edges; equal for a shock
  };
  void finish(Side& side, double star_speed) const;
  [[nodiscard]] Primitive sample(const Side& side, double xi, double mirror) const;

  IdealGas gas_;
  Side left_, right_;
  double pressure_ = 0, speed_ = 0;
};

}  // namespace weft::flow
