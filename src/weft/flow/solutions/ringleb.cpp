#include "weft/flow/solutions/ringleb.hpp"

#include <fmt/format.h>

#include <cmath>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"

namespace weft::flow {
namespace {

constexpr double kSlowest = 0.02, kFastest = 2.2, kStep = 0.01;

struct Hodograph {
  double density, sound, j;
};

Hodograph hodograph(double q) {
  const double aa = 1 - 0.2 * q * q, a = std::sqrt(aa), aaa = a * aa, density = aaa * aa;
  return {density, a, 1 / a + 1 / (3 * aaa) + 1 / (5 * density) - 0.5 * std::log((1 + a) / (1 - a))};
}

[[noreturn]] void fail(Vec3 x) {
  throw InputError(fmt::format("Ringleb's flow does not reach ({:g}, {:g})", x.x, x.y),
                   "keep the mesh between the streamlines k = 0.5 and k = 1.65");
}

/// Returns the distance of x outside the circle on which the speed is q; negative inside. Points of equal speed lie on a circle.
double outside_circle(Vec3 x, double q) {
  const Hodograph h = hodograph(q);
  return std::hypot(x.x + 0.5 * h.j, x.y) - 0.5 / (h.density * q * q);
}

}  // namespace

Vec3 Ringleb::place(double q, double k) {
  WEFT_EXPECTS(0 < q && q <= k && 0.2 * k * k < 1);
  const Hodograph h = hodograph(q);
  return {(2 / (k * k) - 1 / (q * q)) / (2 * h.density) - 0.5 * h.j, std::sqrt(1 - q * q / (k * k)) / (k * h.density * q), 0};
}

Primitive Ringleb::operator()(Vec3 x) const {
  // The solution is the smallest speed whose circle passes through x: step up to it, then bisect.
  double slow = kSlowest, fast = slow;
  while (fast < kFastest && outside_circle(x, fast) < 0) {
    slow = fast;
    fast += kStep;
  }
  if (!(fast > slow && fast < kFastest)) fail(x);
  for (;;) {
    const double middle = 0.5 * (slow + fast);
    if (middle <= slow || middle >= fast) break;
    (outside_circle(x, middle) < 0 ? slow : fast) = middle;
  }
  const double q = slow;
  const Hodograph h = hodograph(q);
  // The angle on the circle is twice the flow angle.
  const double turn = 0.5 * std::atan2(x.y, x.x + 0.5 * h.j);
  const double across = -q * std::sin(turn), along = q * std::cos(turn);
  if (!(5 * along * along > q * q * q * q)) fail(x);  // k = q^2 / along is below its limit
  return {h.density, {across, along, 0}, h.density * h.sound * h.sound / kGamma};
}

}  // namespace weft::flow
