#pragma once
/// Ringleb's flow: a smooth transonic flow between two of its streamlines. F. Ringleb, ZAMM 20 (1940) 185-198.
#include "weft/flow/physics/gas.hpp"

namespace weft::flow {

/// Exact for gamma = 1.4, with sound speed and density 1 at rest. With speed q and streamline k:
/// a^2 = 1 - q^2/5, rho = a^5, J = 1/a + 1/(3a^3) + 1/(5a^5) - ln((1+a)/(1-a))/2,
/// x = (2/k^2 - 1/q^2) / (2 rho) - J/2, y = +- sqrt(1 - q^2/k^2) / (k rho q). The flow is towards +y, from q < k to q = k at
/// y = 0 and back to smaller q; the streamlines are smooth for k up to 1.65.
struct Ringleb {
  static constexpr double kGamma = 1.4;

  /// Returns the point with speed q on streamline k, in the half y >= 0.
  /// @pre 0 < q <= k < sqrt(5).
  [[nodiscard]] static Vec3 place(double q, double k);

  /// Returns the state at (x.x, x.y).
  /// @throws InputError where the flow is not defined.
  [[nodiscard]] Primitive operator()(Vec3 x) const;
};

}  // namespace weft::flow
