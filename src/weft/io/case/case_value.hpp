#pragma once
/// The values of a parsed case file, each with its place. Private to io: users read them through Section.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"

namespace weft::io::detail {

struct Place {
  std::string file;  ///< or "--set key=value"
  std::int64_t line = 0, column = 0;

  [[nodiscard]] bool from_override() const { return file.starts_with("--set "); }
  [[nodiscard]] Where where(std::string key) const {
    return Where{.file = file, .line = line, .column = column, .key = std::move(key)};
  }
};

struct CaseEntry;

struct CaseValue {
  enum class Kind { boolean, integer, real, text, list, table, date };

  Kind kind = Kind::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<CaseValue> items;
  std::vector<CaseEntry> entries;  ///< of a table, in the order of the file
  Place place;

  [[nodiscard]] bool is_table() const { return kind == Kind::table; }
  [[nodiscard]] bool is_list_of_tables() const;
  [[nodiscard]] const CaseEntry* find(std::string_view name) const;
  [[nodiscard]] CaseEntry* find(std::string_view name);
  /// For messages: `number 3.5`, `text "abc"`, `a list of 3`.
  [[nodiscard]] std::string describe() const;
};

struct CaseEntry {
  std::string name;
  Place place;  ///< of the key
  CaseValue value;
};

/// @throws InputError with line and column: not TOML, or a key given twice.
[[nodiscard]] CaseValue parse_toml(std::string_view text, const std::string& name);

/// Puts one "dotted.key=value" into the tree. The value is TOML; what is not TOML is text.
/// @throws InputError that names the override.
void apply_override(CaseValue& root, const std::string& assignment);

/// "flow.cfl"; names that TOML would have to quote are quoted.
[[nodiscard]] std::string dotted(const std::vector<std::string>& path);
/// A key as TOML writes it: bare where possible.
[[nodiscard]] std::string toml_key(std::string_view name);
/// A TOML basic string with its quotes.
[[nodiscard]] std::string toml_text(std::string_view text);
/// The shortest number that reads back as the same double; always with a point or an exponent.
[[nodiscard]] std::string toml_real(double number);

}  // namespace weft::io::detail
