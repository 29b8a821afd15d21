// Warnings of the pressures of inflows and outflows of a case.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "weft/base/error.hpp"
#include "weft/flow/app/case_parts.hpp"

namespace weft::flow::detail {
namespace {

/// Ratio of a total pressure to the static pressure behind an outflow from which on the two have likely different units: kPa next
/// to Pa makes 1000 of a ratio of 1, bar next to Pa 1e5. Air that expands by it reaches Mach 5.6, more than in a duct whose
/// outflow the pressure outside has an effect on.
constexpr double kUnlikelyRatio = 1000;

/// The largest total pressure of the inflows, and the zone that has it.
struct Inflow {
  double total_pressure = 0;
  const ZoneCondition* zone = nullptr;
};

/// Returns the inflow with the largest total pressure. Absent: there is none, or one whose pressure is not known or that is
/// supersonic, so that no pressure behind an outflow is unlikely.
std::optional<Inflow> largest_inflow(const Case& c) {
  Inflow largest;
  for (const ZoneCondition& zone : c.boundary) {
    if (zone.prescribed || zone.params.kind == BoundaryKind::supersonic_inflow) return std::nullopt;
    const GasOutside given = row_of(zone.params.kind).outside(c.gas, zone.params);
    if (given.state && c.gas.mach(*given.state) >= 1) return std::nullopt;
    const double pressure = given.reservoir ? given.reservoir->pressure : given.state ? c.gas.total_pressure(*given.state) : 0;
    if (pressure > largest.total_pressure) largest = {pressure, &zone};
  }
  return largest.zone != nullptr ? std::optional(largest) : std::nullopt;
}

}  // namespace

void warn_of_openings(Case& c) {
  const std::optional<Inflow> inflow = largest_inflow(c);
  if (!inflow) return;
  const bool si = is_in_si_units(c.gas);
  const char* const unit = si ? " Pa" : "";
  const char* const advice =
      si ? "correct one of them; both are in Pa, unless written with a unit as in \"1.2 bar\"" : "correct one of them";
  for (const ZoneCondition& zone : c.boundary) {
    if (zone.prescribed) continue;
    const GasOutside given = row_of(zone.params.kind).outside(c.gas, zone.params);
    if (!given.pressure) continue;
    const double pressure = *given.pressure, total = inflow->total_pressure;
    // Gas under a body force may rest with a higher pressure at the outflow.
    if (pressure > (1 + 1e-9) * total && c.acceleration == Vec3{}) {
      c.warnings.emplace_back(
          InputError(
              fmt::format("the static pressure behind this outflow, {:.6g}{}, is above every total pressure of the inflows "
                          "({:.6g}{} of boundary.{}): the flow would run backwards",
                          pressure, unit, total, unit, inflow->zone->zone),
              advice, zone.where_pressure)
              .what());
    }
    if (total >= kUnlikelyRatio * pressure) {
      c.warnings.emplace_back(
          InputError(fmt::format("the total pressure of boundary.{}, {:.6g}{}, is {:.4g} times the static pressure behind this "
                                 "outflow, {:.6g}{}",
                                 inflow->zone->zone, total, unit, total / pressure, pressure, unit),
                     advice, zone.where_pressure)
              .what());
    }
  }
}

}  // namespace weft::flow::detail
