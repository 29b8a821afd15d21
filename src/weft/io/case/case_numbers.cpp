// Reading of keys that are numbers: alone, in vectors and in lists, with units.
#include <fmt/format.h>

#include <cmath>

#include "weft/base/contracts.hpp"
#include "weft/io/case/case_keys.hpp"
#include "weft/io/case/case_reader.hpp"
#include "weft/io/case/case_state.hpp"
#include "weft/io/case/units.hpp"

namespace weft::io {

using detail::CaseValue;
using detail::list_toml;
using detail::toml_real;
using detail::toml_text;
using Kind = CaseValue::Kind;

namespace {

// NumberSpec and NumbersSpec have the same range and unit.
template <class Spec>
std::string range_text(const Spec& spec) {
  std::string text;
  const auto add = [&](const char* relation, const auto& bound) {
    if (bound) text += fmt::format("{}{} {}", text.empty() ? "" : " and ", relation, *bound);
  };
  add(">=", spec.min);
  if constexpr (requires { spec.min_exclusive; }) add(">", spec.min_exclusive);
  add("<=", spec.max);
  if constexpr (requires { spec.max_exclusive; }) add("<", spec.max_exclusive);
  return text;
}

template <class Spec>
bool in_range(const Spec& spec, double number) {
  return !((spec.min && number < *spec.min) || (spec.min_exclusive && number <= *spec.min_exclusive) ||
           (spec.max && number > *spec.max) || (spec.max_exclusive && number >= *spec.max_exclusive));
}

const Unit& declared_unit(const std::string& name) {
  const Unit* unit = find_unit(name);
  WEFT_EXPECTS(unit != nullptr);
  return *unit;
}

// A number of a case in SI, and as the effective case writes it.
struct ReadNumber {
  double si = 0;
  std::string toml;
};

template <class Spec>
ReadNumber take_number(const Section& section, const std::string& key, const CaseValue& value, const Spec& spec) {
  const Unit& unit = declared_unit(spec.unit);
  const bool pure = unit.dimension == "number";
  double number = 0, si = 0;
  std::string toml;
  if (value.kind == Kind::integer || value.kind == Kind::real) {
    number = value.kind == Kind::integer ? static_cast<double>(value.integer) : value.real;
    if (!std::isfinite(number)) section.fail(key, fmt::format("must be finite, is {}", number));
    si = unit.to_si(number);
    toml = toml_real(number);
  } else if (value.kind == Kind::text && !pure) {
    const auto quantity = parse_quantity(value.text);
    const std::string help =
        fmt::format("units of {}: {}; a bare number is in {}", unit.dimension, unit_names(unit.dimension), unit.name);
    if (!quantity) section.fail(key, fmt::format("expected a number with a unit, found {}", value.describe()), help);
    const Unit* given = quantity->unit.empty() ? &unit : find_unit(quantity->unit);
    if (given == nullptr) section.fail(key, fmt::format("unknown unit \"{}\"", quantity->unit), help);
    if (given->dimension != unit.dimension) {
      section.fail(key, fmt::format("\"{}\" is a unit of {}, not of {}", given->name, given->dimension, unit.dimension), help);
    }
    si = given->to_si(quantity->number);
    number = given == &unit ? quantity->number : (si - unit.offset) * unit.divide / unit.multiply;
    toml = toml_text(value.text);
  } else {
    section.fail(key,
                 fmt::format("expected a number{}, found {}", pure ? "" : fmt::format(" in {}", unit.name), value.describe()),
                 value.kind == Kind::text && value.text.find(',') != std::string::npos ? "decimals have a point, as in 0.5" : "");
  }
  if (!in_range(spec, number)) {
    section.fail(key, fmt::format("must be {}{}, is {}", range_text(spec), pure ? "" : " " + spec.unit, number));
  }
  return {si, toml};
}

std::string vector_toml(Vec3 v) { return fmt::format("[{}, {}, {}]", toml_real(v.x), toml_real(v.y), toml_real(v.z)); }

std::string unit_column(const std::string& unit) { return unit == "1" ? std::string() : unit; }

// Returns some value in range.
double in_some_range(const NumberSpec& spec) {
  if (spec.min) return *spec.min;
  if (spec.max) return *spec.max;
  if (spec.min_exclusive && spec.max_exclusive) return 0.5 * (*spec.min_exclusive + *spec.max_exclusive);
  if (spec.min_exclusive) return *spec.min_exclusive + 1;
  if (spec.max_exclusive) return *spec.max_exclusive - 1;
  return 0;
}

}  // namespace

double detail::stand_in(const NumberSpec& spec) {
  const Unit& unit = declared_unit(spec.unit);
  return unit.to_si(spec.default_value ? *spec.default_value : in_some_range(spec));
}

std::optional<double> Section::read_number(const std::string& key, const NumberSpec& spec, bool needed) const {
  WEFT_EXPECTS(!spec.default_value || in_range(spec, *spec.default_value));
  const CaseValue* value = declare(key,
                                   {.type = "number",
                                    .unit = unit_column(spec.unit),
                                    .default_toml = spec.default_value ? toml_real(*spec.default_value) : "",
                                    .range = range_text(spec),
                                    .doc = spec.doc},
                                   needed);
  if (value != nullptr) {
    const ReadNumber read = take_number(*this, key, *value, spec);
    set_value(key, read.toml);
    return read.si;
  }
  return spec.default_value || needed ? std::optional(detail::stand_in(spec)) : std::nullopt;
}

std::optional<std::int64_t> Section::read_integer(const std::string& key, const IntegerSpec& spec, bool needed) const {
  const CaseValue* value = declare(key,
                                   {.type = "integer",
                                    .default_toml = spec.default_value ? fmt::format("{}", *spec.default_value) : "",
                                    .range = range_text(spec),
                                    .doc = spec.doc},
                                   needed);
  if (value == nullptr) {
    if (spec.default_value) return spec.default_value;
    return needed ? std::optional(spec.min.value_or(spec.max.value_or(0))) : std::nullopt;
  }
  std::int64_t number = value->integer;
  if (value->kind == Kind::real && std::nearbyint(value->real) == value->real && std::abs(value->real) < 9e15) {
    number = static_cast<std::int64_t>(value->real);  // 1e6 is a float in TOML
  } else if (value->kind != Kind::integer) {
    fail(key, fmt::format("expected an integer, found {}", value->describe()));
  }
  if ((spec.min && number < *spec.min) || (spec.max && number > *spec.max)) {
    fail(key, fmt::format("must be {}, is {}", range_text(spec), number));
  }
  set_value(key, fmt::format("{}", number));
  return number;
}

std::optional<Vec3> Section::read_vector3(const std::string& key, const Vector3Spec& spec, bool needed) const {
  const Unit& unit = declared_unit(spec.unit);
  const CaseValue* value = declare(key,
                                   {.type = "vector",
                                    .unit = unit_column(spec.unit),
                                    .default_toml = spec.default_value ? vector_toml(*spec.default_value) : "",
                                    .doc = spec.doc},
                                   needed);
  Vec3 vector;
  if (value == nullptr) {
    if (!needed) return std::nullopt;
    const Vec3 given = spec.default_value.value_or(Vec3{});
    for (int k = 0; k < 3; ++k) vector[k] = unit.to_si(given[k]);
    return vector;
  }
  if (value->kind != Kind::list || value->items.size() < 2 || value->items.size() > 3) {
    fail(key, fmt::format("expected a list of two or three numbers, found {}", value->describe()), "write [1.0, 0.0, 0.0]");
  }
  const NumberSpec component{.unit = spec.unit};
  std::string toml = "[";
  for (int k = 0; k < 3; ++k) {
    CaseValue zero;
    zero.kind = Kind::integer;
    const std::size_t i = k;
    const ReadNumber read = take_number(*this, key, i < value->items.size() ? value->items[i] : zero, component);
    vector[k] = read.si;
    toml += (k == 0 ? "" : ", ") + read.toml;
  }
  set_value(key, toml + "]");
  return vector;
}

std::vector<double> Section::read_numbers(const std::string& key, const NumbersSpec& spec) const {
  const Unit& unit = declared_unit(spec.unit);
  const CaseValue* value = declare(key,
                                   {.type = "list of numbers",
                                    .unit = unit_column(spec.unit),
                                    .default_toml = spec.default_value ? list_toml(*spec.default_value, toml_real) : "",
                                    .range = range_text(spec),
                                    .doc = spec.doc},
                                   true);
  std::vector<double> result;
  if (value == nullptr) {
    if (spec.default_value) {
      for (const double number : *spec.default_value) result.push_back(unit.to_si(number));
    }
    return result;
  }
  std::string toml = "[";
  const auto add = [&](const CaseValue& item) {
    const ReadNumber read = take_number(*this, key, item, spec);
    toml += (result.empty() ? "" : ", ") + read.toml;
    result.push_back(read.si);
  };
  if (value->kind == Kind::list) {
    for (const CaseValue& item : value->items) add(item);
  } else {
    add(*value);
  }
  set_value(key, toml + "]");
  return result;
}

}  // namespace weft::io
