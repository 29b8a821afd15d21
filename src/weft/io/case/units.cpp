#include "weft/io/case/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

namespace weft::io {
namespace {

// In the order of messages. Conversion factors are the exact defined ones.
constexpr std::array kUnits{
    Unit{"1", "number"},
    Unit{"m", "length"},
    Unit{"mm", "length", 1, 1e3},
    Unit{"cm", "length", 1, 1e2},
    Unit{"km", "length", 1e3},
    Unit{"in", "length", 254, 1e4},
    Unit{"ft", "length", 3048, 1e4},
    Unit{"m^2", "area"},
    Unit{"cm^2", "area", 1, 1e4},
    Unit{"mm^2", "area", 1, 1e6},
    Unit{"ft^2", "area", 9290304, 1e8},
    Unit{"m^3", "volume"},
    Unit{"cm^3", "volume", 1, 1e6},
    Unit{"l", "volume", 1, 1e3},
    Unit{"s", "time"},
    Unit{"ms", "time", 1, 1e3},
    Unit{"us", "time", 1, 1e6},
    Unit{"ns", "time", 1, 1e9},
    Unit{"min", "time", 60},
    Unit{"h", "time", 3600},
    Unit{"d", "time", 86400},
    Unit{"Hz", "frequency"},
    Unit{"kHz", "frequency", 1e3},
    Unit{"m/s", "velocity"},
    Unit{"km/s", "velocity", 1e3},
    Unit{"km/h", "velocity", 1, 3.6},
    Unit{"ft/s", "velocity", 3048, 1e4},
    Unit{"m/s^2", "acceleration"},
    Unit{"kg/m^3", "density"},
    Unit{"g/cm^3", "density", 1e3},
    Unit{"Pa", "pressure"},
    Unit{"hPa", "pressure", 1e2},
    Unit{"kPa", "pressure", 1e3},
    Unit{"MPa", "pressure", 1e6},
    Unit{"mbar", "pressure", 1e2},
    Unit{"bar", "pressure", 1e5},
    Unit{"atm", "pressure", 101325},
    Unit{"K", "temperature"},
    Unit{"degC", "temperature", 1, 1, 273.15},
    Unit{"rad", "angle"},
    Unit{"deg", "angle", std::numbers::pi, 180},
    Unit{"kg", "mass"},
    Unit{"g", "mass", 1, 1e3},
    Unit{"N", "force"},
    Unit{"kN", "force", 1e3},
    Unit{"J/kg", "specific energy"},
    Unit{"kJ/kg", "specific energy", 1e3},
    Unit{"J/(kg K)", "specific heat"},
    Unit{"kJ/(kg K)", "specific heat", 1e3},
    Unit{"Pa s", "viscosity"},
    Unit{"W/(m K)", "thermal conductivity"},
};

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

const Unit* find_unit(std::string_view name) {
  const auto* unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == name; });
  return unit == kUnits.end() ? nullptr : unit;
}

std::string unit_names(std::string_view dimension) {
  std::string names;
  for (const Unit& unit : kUnits) {
    if (unit.dimension != dimension) continue;
    if (!names.empty()) names += ", ";
    names += unit.name;
  }
  return names;
}

std::optional<Quantity> parse_quantity(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  Quantity quantity;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), quantity.number);
  if (error != std::errc{} || !std::isfinite(quantity.number)) return std::nullopt;
  text.remove_prefix(end - text.data());
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  quantity.unit = std::string(text);
  return quantity;
}

}  // namespace weft::io
