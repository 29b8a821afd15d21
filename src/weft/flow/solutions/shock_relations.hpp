#pragma once
/// Jumps across steady shocks and expansions: NACA Report 1135 (1953). Angles are in radians.
#include "weft/flow/physics/gas.hpp"

namespace weft::flow {

/// The state downstream of a shock or an expansion, relative to the upstream state.
struct Jump {
  double pressure_ratio = 1, density_ratio = 1;
  double mach = 0;        ///< downstream Mach number
  double deflection = 0;  ///< turning angle of the flow
  double angle = 0;       ///< angle between a shock and the upstream flow
};

/// Returns the jump across a normal shock. @throws InputError unless mach >= 1.
[[nodiscard]] Jump normal_shock(double gamma, double mach);

/// Returns the jump across a shock with a given angle to the upstream flow.
/// @throws InputError unless the normal Mach number is at least 1.
[[nodiscard]] Jump oblique_shock_of_angle(double gamma, double mach, double angle);

/// Returns the jump across the weak shock that turns the flow by `deflection` >= 0, to rounding.
/// @throws InputError where mach < 1 or where the shock would detach.
[[nodiscard]] Jump oblique_shock(double gamma, double mach, double deflection);

/// Returns the Prandtl-Meyer angle: the turning angle of an expansion from Mach 1 to `mach`.
[[nodiscard]] double prandtl_meyer_angle(double gamma, double mach);

/// Returns the jump across the isentropic expansion around a corner of `deflection` >= 0.
/// @throws InputError where mach < 1, or where the flow cannot turn by that angle.
[[nodiscard]] Jump expansion(double gamma, double mach, double deflection);

}  // namespace weft::flow
