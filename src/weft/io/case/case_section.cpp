// Reading of keys and sections. Each typed reader declares the key, takes the value or default, and records it.
#include <fmt/format.h>

#include <algorithm>

#include "weft/base/contracts.hpp"
#include "weft/io/case/case_keys.hpp"
#include "weft/io/case/case_reader.hpp"
#include "weft/io/case/case_state.hpp"

namespace weft::io {

using detail::CaseEntry;
using detail::CaseValue;
using detail::KeyRecord;
using detail::SectionRecord;

namespace {

template <class Read>
auto required(const std::optional<Read>& value) {
  WEFT_ASSERT(value.has_value());
  return *value;
}

}  // namespace

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

void Section::fail_as_a_whole(std::string_view key, const std::string& problem, const std::string& suggestion) const {
  if (!state_->collecting) fail(key, problem, suggestion);
  const std::string full = detail::dotted(record_->path_of(key)), section = full.substr(0, full.size() - key.size());
  const bool has_another = std::any_of(state_->errors.begin(), state_->errors.end(),
                                       [&](const InputError& error) { return error.where().key.starts_with(section); });
  if (!has_another) state_->errors.emplace_back(problem, suggestion, where(key));
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

void Section::ignore_other_keys() const { record_->incomplete = true; }

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
  if (entry == nullptr || entry->value.kind != CaseValue::Kind::text) return std::nullopt;
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

double Section::number(const std::string& key, const NumberSpec& spec) const {
  const auto otherwise = [&] { return detail::stand_in(spec); };
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
