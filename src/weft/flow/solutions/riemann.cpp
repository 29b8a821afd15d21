#include "weft/flow/solutions/riemann.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "weft/base/error.hpp"

namespace weft::flow {
namespace {

constexpr int kMaxIterations = 200;

struct Curve {
  double jump, slope;
};

/// Returns the velocity change across the wave that changes `w` to pressure p, and its derivative. Toro eqs (4.6), (4.7), (4.37).
Curve wave_curve(const IdealGas& gas, const Primitive& w, double sound, double p) {
  const double g = gas.gamma;
  if (p > w.pressure) {
    const double a = 2 / ((g + 1) * w.density), b = (g - 1) / (g + 1) * w.pressure;
    const double root = std::sqrt(a / (p + b));
    return {(p - w.pressure) * root, root * (1 - 0.5 * (p - w.pressure) / (p + b))};
  }
  const double ratio = p / w.pressure;
  return {2 * sound / (g - 1) * (std::pow(ratio, (g - 1) / (2 * g)) - 1),
          std::pow(ratio, -(g + 1) / (2 * g)) / (w.density * sound)};
}

}  // namespace

RiemannSolution::RiemannSolution(const IdealGas& gas, const RiemannStates& states) : gas_(gas) {
  if (!gas.physical(states.left) || !gas.physical(states.right)) {
    throw InputError("a state of the Riemann problem is unphysical",
                     "density and pressure must be positive and all variables finite on both sides");
  }
  left_ = {.state = states.left, .speed = states.left.velocity.x, .sound = gas.sound_speed(states.left)};
  right_ = {.state = states.right, .speed = -states.right.velocity.x, .sound = gas.sound_speed(states.right)};
  const double separation_speed = -left_.speed - right_.speed;
  if (separation_speed >= 2 * (left_.sound + right_.sound) / (gas.gamma - 1)) {
    throw InputError(
        fmt::format("the two states of the Riemann problem separate at {:g}: a vacuum opens between them", separation_speed),
        "bring the velocities closer together");
  }

  // The function is concave and increasing: from the left of the root, Newton's method converges monotonically.
  double p = 0.5 * (states.left.pressure + states.right.pressure);
  for (int i = 0; i < kMaxIterations; ++i) {
    const Curve l = wave_curve(gas, left_.state, left_.sound, p), r = wave_curve(gas, right_.state, right_.sound, p);
    const double next = std::max(p - (l.jump + r.jump + separation_speed) / (l.slope + r.slope), 0.01 * p);
    const bool done = std::abs(next - p) <= 1e-15 * p;
    p = next;
    if (done) break;
  }
  pressure_ = p;
  speed_ = 0.5 * (left_.speed - right_.speed) +
           0.5 * (wave_curve(gas, right_.state, right_.sound, p).jump - wave_curve(gas, left_.state, left_.sound, p).jump);
  finish(left_, speed_);
  finish(right_, -speed_);
}

void RiemannSolution::finish(Side& side, double star_speed) const {
  const double g = gas_.gamma, ratio = pressure_ / side.state.pressure;
  if (ratio > 1) {
    const double weak = (g - 1) / (g + 1);
    side.star_density = side.state.density * (ratio + weak) / (weak * ratio + 1);
    side.head = side.tail = side.speed - side.sound * std::sqrt((g + 1) / (2 * g) * ratio + (g - 1) / (2 * g));
  } else {
    side.star_density = side.state.density * std::pow(ratio, 1 / g);
    side.head = side.speed - side.sound;
    side.tail = star_speed - side.sound * std::pow(ratio, (g - 1) / (2 * g));
  }
}

Primitive RiemannSolution::sample(double xi) const { return xi <= speed_ ? sample(left_, xi, 1) : sample(right_, -xi, -1); }

Primitive RiemannSolution::sample(const Side& side, double xi, double mirror) const {
  if (xi <= side.head) return side.state;
  Primitive w = side.state;
  if (xi >= side.tail) {
    w.density = side.star_density;
    w.velocity.x = speed_;
    w.pressure = pressure_;
    return w;
  }
  const double g = gas_.gamma;
  const double sound = (2 * side.sound + (g - 1) * (side.speed - xi)) / (g + 1);
  const double ratio = sound / side.sound;
  w.density *= std::pow(ratio, 2 / (g - 1));
  w.pressure *= std::pow(ratio, 2 * g / (g - 1));
  w.velocity.x = mirror * (xi + sound);
  return w;
}

}  // namespace weft::flow
