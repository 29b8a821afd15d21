#pragma once
/// Jumps across steady shocks and expansions: NACA Report 1135 (1953). Angles are in radians.
#include "weft/flow/physics/gas.hpp"

namespace weft::flow {

/// What lies behind a shock or an expansion, relative to what lies ahead.
struct Jump {
  double pressure_ratio = 1, density_ratio = 1;
  double mach = 0;        ///< behind
  double deflection = 0;  ///< of the flow
  double angle = 0;       ///< of a shock, to the flow ahead
};

/// @throws InputError unless mach >= 1.
[[nodiscard]] Jump normal_shock(double gamma, double mach);

/// The shock of a given angle to the flow ahead.
/// @throws InputError unless the flow across it is supersonic.
[[nodiscard]] Jump oblique_shock_of_angle(double gamma, double mach, double angle);

/// The weak shock that turns the flow by `deflection` >= 0. To rounding.
/// @throws InputError where mach < 1 or where the shock would detach.
[[nodiscard]] Jump oblique_shock(double gamma, double mach, double deflection);

/// The angle by which a sonic flow has turned when it reaches `mach`.
[[nodiscard]] double prandtl_meyer_angle(double gamma, double mach);

/// The isentropic expansion around a corner of `deflection` >= 0.
/// @throws InputError where mach < 1, or where the flow cannot turn that far.
[[nodiscard]] Jump expansion(double gamma, double mach, double deflection);

}  // namespace weft::flow
