#include "weft/io/case/case_changes.hpp"

#include <fmt/format.h>

#include <sstream>

#include "weft/io/case/case_value.hpp"

namespace weft::io {
namespace {

using detail::CaseEntry;
using detail::CaseValue;

struct Leaf {
  std::string key, toml;
  std::int64_t line = 0;
};

std::string toml_of(const CaseValue& value) {
  switch (value.kind) {
    case CaseValue::Kind::boolean:
      return value.boolean ? "true" : "false";
    case CaseValue::Kind::integer:
      return std::to_string(value.integer);
    case CaseValue::Kind::real:
      return detail::toml_real(value.real);
    case CaseValue::Kind::text:
      return detail::toml_text(value.text);
    default:
      break;
  }
  std::string items;
  for (const CaseValue& item : value.items) items += (items.empty() ? "" : ", ") + toml_of(item);
  for (const CaseEntry& entry : value.entries)
    items += fmt::format("{}{} = {}", items.empty() ? "" : ", ", detail::toml_key(entry.name), toml_of(entry.value));
  return value.is_table() ? "{" + items + "}" : "[" + items + "]";
}

void collect(const CaseValue& value, const std::string& key, std::vector<Leaf>& leaves) {
  if (value.is_table() && !value.entries.empty()) {
    for (const CaseEntry& entry : value.entries)
      collect(entry.value, (key.empty() ? "" : key + ".") + detail::toml_key(entry.name), leaves);
  } else if (value.is_list_of_tables()) {
    for (std::size_t k = 0; k < value.items.size(); ++k) collect(value.items[k], fmt::format("{}[{}]", key, k), leaves);
  } else if (!key.empty() && !value.is_table()) {
    leaves.push_back({key, toml_of(value), value.place.line});
  }
}

std::vector<Leaf> leaves_of(const std::string& text, const char* name) {
  std::vector<Leaf> leaves;
  collect(detail::parse_toml(text, name), {}, leaves);
  return leaves;
}

const Leaf* find(const std::vector<Leaf>& leaves, const std::string& key) {
  for (const Leaf& leaf : leaves) {
    if (leaf.key == key) return &leaf;
  }
  return nullptr;
}

/// Returns for each line of an effective case, by line number - 1, whether it is marked as a default.
std::vector<bool> default_lines(const std::string& text) {
  std::vector<bool> is_default;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) is_default.push_back(line.ends_with("# default"));
  return is_default;
}

}  // namespace

std::vector<CaseChange> case_changes(const std::string& before, const std::string& now) {
  const std::vector<Leaf> old_leaves = leaves_of(before, "the earlier case"), new_leaves = leaves_of(now, "the case");
  const std::vector<bool> is_default = default_lines(now);
  std::vector<CaseChange> changes;
  for (const Leaf& leaf : new_leaves) {
    const Leaf* const old = find(old_leaves, leaf.key);
    if (old == nullptr && is_default.at(leaf.line - 1)) continue;
    if (old == nullptr || old->toml != leaf.toml) changes.push_back({leaf.key, old == nullptr ? "" : old->toml, leaf.toml});
  }
  for (const Leaf& leaf : old_leaves) {
    if (find(new_leaves, leaf.key) == nullptr) changes.push_back({leaf.key, leaf.toml, ""});
  }
  return changes;
}

}  // namespace weft::io
