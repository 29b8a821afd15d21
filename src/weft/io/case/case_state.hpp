#pragma once
/// Declared and read keys of a case, shared by all Sections of a CaseReader.
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/io/case/case_file.hpp"
#include "weft/io/case/case_value.hpp"

namespace weft::io::detail {

/// One declared key.
struct KeyRecord {
  std::string name{}, type{}, unit{}, default_toml{}, range{}, doc{};
  bool required = false;
  std::vector<std::string> conditions{};  ///< variants to which it belongs; empty: all
  std::string value_toml{};               ///< as read; empty: missing, without default
  bool from_case = false;

  [[nodiscard]] bool same_declaration(const KeyRecord& other) const {
    return name == other.name && type == other.type && unit == other.unit && default_toml == other.default_toml &&
           range == other.range && doc == other.doc && required == other.required;
  }
};

struct SectionRecord {
  /// single: [name]; named: the parent of sections with names of the user; member: one of these; list: the parent of
  /// [[name]]; item: one of these.
  enum class Kind { root, single, named, member, list, item };

  Kind kind = Kind::root;
  std::string name, doc;
  SectionRecord* parent = nullptr;
  const CaseValue* value = nullptr;  ///< null: missing in the case
  bool incomplete = false;           ///< unread keys may be valid: reading ended at an error, or they are ignored
  std::vector<std::string> conditions;
  std::vector<KeyRecord> keys;
  std::vector<std::unique_ptr<SectionRecord>> children;

  [[nodiscard]] std::vector<std::string> path() const {
    if (parent == nullptr) return {};
    std::vector<std::string> names = parent->path();
    names.push_back(name);
    return names;
  }
  [[nodiscard]] std::vector<std::string> path_of(std::string_view key) const {
    std::vector<std::string> names = path();
    names.emplace_back(key);
    return names;
  }
  [[nodiscard]] SectionRecord* child(std::string_view wanted) const {
    for (const auto& candidate : children) {
      if (candidate->name == wanted) return candidate.get();
    }
    return nullptr;
  }
};

struct CaseState {
  CaseFile file;
  bool documenting = false;
  SectionRecord root;
  std::vector<std::string> conditions;  ///< variants currently being read
  bool collecting = false;              ///< errors are collected instead of thrown
  std::vector<InputError> errors;       ///< collected errors

  /// Returns "type = inflow, mode = total"; empty outside variants.
  [[nodiscard]] std::string condition() const {
    std::string all;
    for (const std::string& one : conditions) all += (all.empty() ? "" : ", ") + one;
    return all;
  }
};

}  // namespace weft::io::detail
