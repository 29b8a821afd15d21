// Reading of keys and sections. Each typed reader declares the key, takes the value or default, and records it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "weft/base/contracts.hpp"
#include "weft/io/case/case_reader.hpp"
#include "weft/io/case/case_state.hpp"
#include "weft/io/case/units.hpp"

namespace weft::io {

using detail::CaseEntry;
using detail::CaseValue;
using detail::KeyRecord;
using detail::SectionRecord;
using detail::toml_real;
using detail::toml_text;
using Kind = CaseValue::Kind;

namespace {

// Common part of NumberSpec and NumbersSpec: range and unit.
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

std::optional<std::string> text_or_number(const CaseValue& value) {
  switch (value.kind) {
    case Kind::text:
      return value.text;
    case Kind::integer:
      return fmt::format("{}", value.integer);
    case Kind::real:
      return fmt::format("{}", value.real);
    default:
      return std::nullopt;
  }
}

// Returns TOML text: a number if the text is one.
std::string toml_parameter(const std::string& text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = problem == std::errc{} && end == text.data() + text.size() && std::isfinite(number);
  return is_number && (text == fmt::format("{}", number)) ? text : toml_text(text);
}

// Returns a value in the range, for the reference.
double stand_in(const NumberSpec& spec) {
  if (spec.min) return *spec.min;
  if (spec.max) return *spec.max;
  if (spec.min_exclusive && spec.max_exclusive) return 0.5 * (*spec.min_exclusive + *spec.max_exclusive);
  if (spec.min_exclusive) return *spec.min_exclusive + 1;
  if (spec.max_exclusive) return *spec.max_exclusive - 1;
  return 0;
}

const Unit& declared_unit(const std::string& name) {
  const Unit* unit = find_unit(name);
  WEFT_EXPECTS(unit != nullptr);
  return *unit;
}

// A number in SI units, and its text in the effective case.
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
                 fmt::format("expected a number{}, found {}", pure ? "" : fmt::format(" in {}", unit.name), value.describe()));
  }
  if (!in_range(spec, number)) {
    section.fail(key, fmt::format("must be {}{}, is {}", range_text(spec), pure ? "" : " " + spec.unit, number));
  }
  return {si, toml};
}

std::string vector_toml(Vec3 v) { return fmt::format("[{}, {}, {}]", toml_real(v.x), toml_real(v.y), toml_real(v.z)); }

template <class Range, class Write>
std::string list_toml(const Range& values, Write&& write) {
  std::string toml = "[";
  for (const auto& value : values) toml += (toml.size() == 1 ? "" : ", ") + write(value);
  return toml + "]";
}

template <class Read>
auto required(const std::optional<Read>& value) {
  WEFT_ASSERT(value.has_value());
  return *value;
}

std::string unit_column(const std::string& unit) { return unit == "1" ? std::string() : unit; }

}  // namespace

// ---------------------------------------------------------------------------------------------------------------- the section

const std::string& Section::name() const { return record_->name; }
std::string Section::path() const { return detail::dotted(record_->path()); }
bool Section::present() const { return record_->value != nullptr; }
bool Section::has(std::string_view key) const { return present() && record_->value->find(key) != nullptr; }
bool Section::documenting() const { return state_->documenting; }

Where Section::where(std::string_view key) const {
  // "numerics.gradient" of the root denotes the key of a subsection, or the subsection if the key is missing.
  if (const std::size_t dot = key.find('.'); dot != std::string_view::npos && !has(key)) {
    if (SectionRecord* const below = record_->child(key.substr(0, dot)); below != nullptr)
      return Section(state_, below).where(key.substr(dot + 1));
  }
  const std::string full = detail::dotted(record_->path_of(key));
  if (has(key)) return record_->value->find(key)->value.place.where(full);
  for (const SectionRecord* record = record_; record->parent != nullptr; record = record->parent) {
    if (record->value != nullptr) return record->value->place.where(full);
  }
  return Where{.file = state_->file.path().string(), .key = full};
}

void Section::fail(std::string_view key, const std::string& problem, const std::string& suggestion) const {
  throw InputError(problem, suggestion, where(key));
}

bool Section::attempt(const std::function<void()>& work) const {
  if (!state_->collecting) {
    work();
    return true;
  }
  const std::size_t before = state_->errors.size();
  try {
    work();
  } catch (const InputError& error) {
    if (record_->parent != nullptr) record_->incomplete = true;
    if (state_->errors.size() == before) state_->errors.push_back(error);
  }
  return state_->errors.size() == before;
}

/// Returns the result of `read`; if errors are collected and it throws one, adds that and returns `otherwise()`.
template <class Read, class Otherwise>
auto Section::kept(Read&& read, Otherwise&& otherwise) const {
  if (!state_->collecting) return read();
  try {
    return read();
  } catch (const InputError& error) {
    state_->errors.push_back(error);
    return otherwise();
  }
}

std::optional<std::string> Section::written(std::string_view key) const {
  const CaseEntry* entry = present() ? record_->value->find(key) : nullptr;
  if (entry == nullptr || entry->value.kind != Kind::text) return std::nullopt;
  return entry->value.text;
}

const CaseValue* Section::declare(const std::string& key, KeyRecord record, bool needed) const {
  record.name = key;
  record.required = needed && record.default_toml.empty();
  WEFT_EXPECTS(needed || record.default_toml.empty());  // an optional key has no default
  record.value_toml = record.default_toml;
  const bool required_here = record.required && !state_->documenting;
  const std::string condition = state_->condition();
  auto& keys = record_->keys;
  const auto same =
      std::find_if(keys.begin(), keys.end(), [&](const KeyRecord& other) { return other.same_declaration(record); });
  if (same != keys.end()) {
    if (!condition.empty() && !same->conditions.empty() &&
        std::find(same->conditions.begin(), same->conditions.end(), condition) == same->conditions.end()) {
      same->conditions.push_back(condition);
    }
  } else {
    [[maybe_unused]] const bool declared_otherwise =
        std::any_of(keys.begin(), keys.end(), [&](const KeyRecord& other) { return other.name == key; });
    WEFT_EXPECTS(state_->documenting || !declared_otherwise);
    if (!condition.empty()) record.conditions.push_back(condition);
    keys.push_back(std::move(record));
  }
  const CaseEntry* entry = present() ? record_->value->find(key) : nullptr;
  if (entry == nullptr && required_here) {
    const std::string section = detail::dotted(record_->path());
    fail(key, "is required, and missing",
         fmt::format("add {} = ... {}", detail::toml_key(key), section.empty() ? "at the top" : "to [" + section + "]"));
  }
  return entry == nullptr ? nullptr : &entry->value;
}

void Section::set_value(const std::string& key, const std::string& toml) const {
  for (KeyRecord& record : record_->keys) {
    if (record.name != key) continue;
    record.value_toml = toml;
    record.from_case = true;
  }
}

// ------------------------------------------------------------------------------------------------------------------- the types

std::optional<double> Section::read_number(const std::string& key, const NumberSpec& spec, bool needed) const {
  const Unit& unit = declared_unit(spec.unit);
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
  if (spec.default_value) return unit.to_si(*spec.default_value);
  return needed ? std::optional(unit.to_si(stand_in(spec))) : std::nullopt;
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
    number = static_cast<std::int64_t>(value->real);  // TOML reads 1e6 as a float
  } else if (value->kind != Kind::integer) {
    fail(key, fmt::format("expected an integer, found {}", value->describe()));
  }
  if ((spec.min && number < *spec.min) || (spec.max && number > *spec.max)) {
    fail(key, fmt::format("must be {}, is {}", range_text(spec), number));
  }
  set_value(key, fmt::format("{}", number));
  return number;
}

bool Section::read_boolean(const std::string& key, const BooleanSpec& spec) const {
  const CaseValue* value = declare(
      key,
      {.type = "boolean", .default_toml = spec.default_value ? (*spec.default_value ? "true" : "false") : "", .doc = spec.doc},
      true);
  if (value == nullptr) return spec.default_value.value_or(false);
  if (value->kind != Kind::boolean) fail(key, fmt::format("expected true or false, found {}", value->describe()));
  set_value(key, value->boolean ? "true" : "false");
  return value->boolean;
}

std::optional<std::string> Section::read_text(const std::string& key, const TextSpec& spec, bool needed) const {
  const CaseValue* value = declare(
      key, {.type = "text", .default_toml = spec.default_value ? toml_text(*spec.default_value) : "", .doc = spec.doc}, needed);
  if (value == nullptr) return needed ? std::optional(spec.default_value.value_or("")) : std::nullopt;
  if (value->kind != Kind::text) fail(key, fmt::format("expected text, found {}", value->describe()), "put it in quotes");
  set_value(key, toml_text(value->text));
  return value->text;
}

std::optional<std::filesystem::path> Section::read_path(const std::string& key, const PathSpec& spec, bool needed) const {
  namespace fs = std::filesystem;
  const CaseValue* value = declare(
      key, {.type = "path", .default_toml = spec.default_value ? toml_text(*spec.default_value) : "", .doc = spec.doc}, needed);
  if (value == nullptr && !needed) return std::nullopt;
  if (value != nullptr && value->kind != Kind::text) {
    fail(key, fmt::format("expected a path in quotes, found {}", value->describe()));
  }
  if (value != nullptr && value->text.empty()) fail(key, "expected a path, found empty text");
  std::string text = value != nullptr ? value->text : spec.default_value.value_or("path");
  if (text == "~" || text.starts_with("~/")) {
    const char* const home = std::getenv("HOME");
    if (home == nullptr || *home == '\0')
      fail(key, "the environment does not say which folder ~ is (HOME)", "write the path in full");
    text.replace(0, 1, home);
  }
  fs::path path = text;
  const bool from_override = value != nullptr && value->place.from_override();
  if (!from_override && path.is_relative()) path = state_->file.path().parent_path() / path;
  set_value(key, toml_text(fs::absolute(path).lexically_normal().string()));
  return path;
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
    const auto i = static_cast<std::size_t>(k);
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

std::vector<std::string> Section::read_texts(const std::string& key, const TextsSpec& spec) const {
  const CaseValue* value = declare(key,
                                   {.type = "list of texts",
                                    .default_toml = spec.default_value ? list_toml(*spec.default_value, toml_text) : "",
                                    .doc = spec.doc},
                                   true);
  std::vector<std::string> result;
  if (value == nullptr) return spec.default_value.value_or(result);
  const auto add = [&](const CaseValue& item) {
    if (item.kind != Kind::text)
      fail(key, fmt::format("expected a list of texts, found {} in it", item.describe()), "write [\"a\", \"b\"]");
    result.push_back(item.text);
  };
  if (value->kind == Kind::list) {
    for (const CaseValue& item : value->items) add(item);
  } else {
    add(*value);
  }
  set_value(key, list_toml(result, toml_text));
  return result;
}

std::string Section::read_expression(const std::string& key, const TextSpec& spec) const {
  const CaseValue* value = declare(
      key, {.type = "formula", .default_toml = spec.default_value ? toml_text(*spec.default_value) : "", .doc = spec.doc}, true);
  if (value == nullptr) return spec.default_value.value_or("0");
  const std::optional<std::string> formula = text_or_number(*value);
  if (!formula) {
    fail(key, fmt::format("expected a formula or a number, found {}", value->describe()), "write \"1 + 0.2*sin(x)\"");
  }
  set_value(key, toml_text(*formula));
  return *formula;
}

std::optional<std::string> Section::read_parameter(const std::string& key, const ParameterSpec& spec) const {
  const CaseValue* value = declare(key,
                                   {.type = "number or word",
                                    .unit = spec.unit,
                                    .default_toml = toml_parameter(spec.initial),
                                    .range = spec.range,
                                    .doc = spec.doc},
                                   true);
  if (value == nullptr) return std::nullopt;
  std::optional<std::string> parameter = text_or_number(*value);
  if (!parameter) fail(key, fmt::format("expected a number or a word, found {}", value->describe()));
  set_value(key, toml_parameter(*parameter));
  return parameter;
}

std::string Section::read_choice(const std::string& key, const std::vector<std::string>& choices, const TextSpec& spec) const {
  WEFT_EXPECTS(!choices.empty());
  WEFT_EXPECTS(!spec.default_value || std::find(choices.begin(), choices.end(), *spec.default_value) != choices.end());
  std::string range;
  for (const std::string& one : choices) range += (range.empty() ? "" : ", ") + one;
  const CaseValue* value = declare(key,
                                   {.type = "choice",
                                    .default_toml = spec.default_value ? toml_text(*spec.default_value) : "",
                                    .range = range,
                                    .doc = spec.doc},
                                   true);
  if (value == nullptr) return spec.default_value.value_or(choices.front());
  if (value->kind != Kind::text)
    fail(key, fmt::format("expected one of {}, found {}", range, value->describe()), "put it in quotes");
  if (std::find(choices.begin(), choices.end(), value->text) == choices.end()) {
    const std::string near = closest_match(value->text, choices);
    fail(key, fmt::format("there is no \"{}\"", value->text),
         near.empty() ? "choose one of " + range : fmt::format("did you mean \"{}\"? All choices: {}", near, range));
  }
  set_value(key, toml_text(value->text));
  return value->text;
}

std::string Section::variant(const std::string& key, const std::vector<std::string>& choices, const TextSpec& spec,
                             const std::function<void(const std::string&)>& body) const {
  std::string chosen = read_choice(key, choices, spec);  // the choice determines which keys follow
  const auto visit = [&](const std::string& one) {
    struct Scope {  // removes the condition also if body throws
      std::vector<std::string>& conditions;
      Scope(std::vector<std::string>& all, std::string condition) : conditions(all) {
        conditions.push_back(std::move(condition));
      }
      ~Scope() { conditions.pop_back(); }
      Scope(const Scope&) = delete;
      Scope& operator=(const Scope&) = delete;
    };
    const Scope scope(state_->conditions, fmt::format("{} = {}", key, one));
    body(one);
  };
  if (state_->documenting) {
    for (const std::string& one : choices) visit(one);
  } else {
    visit(chosen);
  }
  return chosen;
}

double Section::number(const std::string& key, const NumberSpec& spec) const {
  const auto otherwise = [&] { return declared_unit(spec.unit).to_si(spec.default_value.value_or(stand_in(spec))); };
  return kept([&] { return required(read_number(key, spec, true)); }, otherwise);
}
std::int64_t Section::integer(const std::string& key, const IntegerSpec& spec) const {
  const auto otherwise = [&] { return spec.default_value.value_or(spec.min.value_or(spec.max.value_or(0))); };
  return kept([&] { return required(read_integer(key, spec, true)); }, otherwise);
}
bool Section::boolean(const std::string& key, const BooleanSpec& spec) const {
  return kept([&] { return read_boolean(key, spec); }, [&] { return spec.default_value.value_or(false); });
}
std::string Section::text(const std::string& key, const TextSpec& spec) const {
  return kept([&] { return required(read_text(key, spec, true)); }, [&] { return spec.default_value.value_or(""); });
}
std::filesystem::path Section::path_to(const std::string& key, const PathSpec& spec) const {
  return kept([&] { return required(read_path(key, spec, true)); },
              [&] { return std::filesystem::path(spec.default_value.value_or("path")); });
}
Vec3 Section::vector3(const std::string& key, const Vector3Spec& spec) const {
  return kept([&] { return required(read_vector3(key, spec, true)); }, [&] { return spec.default_value.value_or(Vec3{}); });
}
std::vector<double> Section::numbers(const std::string& key, const NumbersSpec& spec) const {
  return kept([&] { return read_numbers(key, spec); }, [&] { return spec.default_value.value_or(std::vector<double>{}); });
}
std::vector<std::string> Section::texts(const std::string& key, const TextsSpec& spec) const {
  return kept([&] { return read_texts(key, spec); }, [&] { return spec.default_value.value_or(std::vector<std::string>{}); });
}
std::string Section::expression(const std::string& key, const TextSpec& spec) const {
  return kept([&] { return read_expression(key, spec); }, [&] { return spec.default_value.value_or("0"); });
}
std::string Section::choice(const std::string& key, const std::vector<std::string>& choices, const TextSpec& spec) const {
  return kept([&] { return read_choice(key, choices, spec); }, [&] { return spec.default_value.value_or(choices.front()); });
}
std::optional<double> Section::optional_number(const std::string& key, const NumberSpec& spec) const {
  return kept([&] { return read_number(key, spec, false); }, [] { return std::optional<double>(); });
}
std::optional<std::int64_t> Section::optional_integer(const std::string& key, const IntegerSpec& spec) const {
  return kept([&] { return read_integer(key, spec, false); }, [] { return std::optional<std::int64_t>(); });
}
std::optional<std::string> Section::optional_text(const std::string& key, const TextSpec& spec) const {
  return kept([&] { return read_text(key, spec, false); }, [] { return std::optional<std::string>(); });
}
std::optional<std::filesystem::path> Section::optional_path(const std::string& key, const PathSpec& spec) const {
  return kept([&] { return read_path(key, spec, false); }, [] { return std::optional<std::filesystem::path>(); });
}
std::optional<Vec3> Section::optional_vector3(const std::string& key, const Vector3Spec& spec) const {
  return kept([&] { return read_vector3(key, spec, false); }, [] { return std::optional<Vec3>(); });
}
std::optional<std::string> Section::optional_parameter(const std::string& key, const ParameterSpec& spec) const {
  return kept([&] { return read_parameter(key, spec); }, [] { return std::optional<std::string>(); });
}

}  // namespace weft::io
