// Reading of keys that are words: switches, texts, paths, formulas and choices.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "weft/base/contracts.hpp"
#include "weft/io/case/case_keys.hpp"
#include "weft/io/case/case_reader.hpp"
#include "weft/io/case/case_state.hpp"

namespace weft::io {

using detail::CaseValue;
using detail::list_toml;
using detail::toml_text;
using Kind = CaseValue::Kind;

namespace {

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

// As TOML: a number where the text is one.
std::string toml_parameter(const std::string& text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = problem == std::errc{} && end == text.data() + text.size() && std::isfinite(number);
  return is_number && (text == fmt::format("{}", number)) ? text : toml_text(text);
}

}  // namespace

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
    if (spec.reject) spec.reject(value->text);
    const std::string near = closest_match(value->text, choices);
    fail(key, fmt::format("there is no \"{}\"", value->text),
         near.empty() ? "choose one of " + range : fmt::format("did you mean \"{}\"? All choices: {}", near, range));
  }
  set_value(key, toml_text(value->text));
  return value->text;
}

std::string Section::variant(const std::string& key, const std::vector<std::string>& choices, const TextSpec& spec,
                             const std::function<void(const std::string&)>& body) const {
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
    std::string chosen = read_choice(key, choices, spec);
    for (const std::string& one : choices) visit(one);
    return chosen;
  }
  std::optional<std::string> chosen;
  try {
    chosen = read_choice(key, choices, spec);
  } catch (const InputError& error) {
    if (!state_->collecting) throw;
    state_->errors.push_back(error);
  }
  if (chosen) {
    visit(*chosen);
    return *chosen;
  }
  // Without a valid choice, the keys of every choice are declared, so that they do not count as unknown, and the stand-in is
  // declared last, so that its values remain. Their errors depend on the missing choice, so they are dropped.
  std::string stand_in = spec.default_value.value_or(choices.front());
  const std::size_t errors = state_->errors.size();
  const auto declare_keys = [&](const std::string& one) {
    try {
      visit(one);
    } catch (const InputError&) {  // in keys that depend on the missing choice
    }
  };
  state_->documenting = true;
  for (const std::string& one : choices) {
    if (one != stand_in) declare_keys(one);
  }
  declare_keys(stand_in);
  state_->documenting = false;
  state_->errors.resize(errors, state_->errors.front());
  return stand_in;
}

}  // namespace weft::io
