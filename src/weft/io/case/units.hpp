#pragma once
/// Units of the numbers of a case: SI internally, any unit in the file.
#include <optional>
#include <string>
#include <string_view>

namespace weft::io {

/// A unit of measurement: SI value = number * multiply / divide + offset. The factor is a quotient so that powers of ten
/// below one cause no rounding: 1.5 ms is the double nearest to 0.0015.
struct Unit {
  std::string_view name;
  std::string_view dimension;
  double multiply = 1, divide = 1, offset = 0;

  [[nodiscard]] constexpr double to_si(double number) const { return number * multiply / divide + offset; }
};

/// Returns the unit of that name ("ms", "kg/m^3", "1" for a pure number), or null.
[[nodiscard]] const Unit* find_unit(std::string_view name);

/// Returns the names of all units of a dimension: "s, ms, us, ns, min, h".
[[nodiscard]] std::string unit_names(std::string_view dimension);

/// A number and the unit that follows it, if any: "1.5 ms", "3deg", "-2e3".
struct Quantity {
  double number = 0;
  std::string unit;
};

/// Parses a quantity; returns nothing if `text` does not begin with a finite number. Does not check the unit.
[[nodiscard]] std::optional<Quantity> parse_quantity(std::string_view text);

}  // namespace weft::io
