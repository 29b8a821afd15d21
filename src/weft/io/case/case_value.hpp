#pragma once
/// Values of a parsed case file with their locations. Private to io; other modules read them through Section.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"

namespace weft::io::detail {

struct Place {
  std::string file;  ///< or "--set key=value", "--threads 2"
  std::int64_t line = 0, column = 0;

  [[nodiscard]] bool from_override() const { return file.starts_with("--"); }
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
  std::vector<CaseEntry> entries;  ///< entries of a table in the order of the file
  Place place;

  [[nodiscard]] bool is_table() const { return kind == Kind::table; }
  [[nodiscard]] bool is_list_of_tables() const;
  [[nodiscard]] const CaseEntry* find(std::string_view name) const;
  [[nodiscard]] CaseEntry* find(std::string_view name);
  /// Returns a description for messages: `number 3.5`, `text "abc"`, `a list of 3`.
  [[nodiscard]] std::string describe() const;
};

struct CaseEntry {
  std::string name;
  Place place;  ///< location of the key
  CaseValue value;
};

/// Parses a case. @throws InputError with line and column: invalid TOML, or a duplicate key.
[[nodiscard]] CaseValue parse_toml(std::string_view text, const std::string& name);

/// Returns an override of CaseFile::read() as on the command line: "--set dotted.key=value", or "--threads 2".
[[nodiscard]] std::string as_option(const std::string& given);

/// Applies an override of CaseFile::read() to the tree. @throws InputError with as_option().
void apply_override(CaseValue& root, const std::string& given);

/// Returns a dotted name, "flow.cfl"; parts are quoted where TOML requires it.
[[nodiscard]] std::string dotted(const std::vector<std::string>& path);
/// Returns a key in TOML syntax, without quotes where possible.
[[nodiscard]] std::string toml_key(std::string_view name);
/// Returns a TOML basic string with its quotes.
[[nodiscard]] std::string toml_text(std::string_view text);
/// Returns the shortest number that reads back as the same double, always with a point or an exponent.
[[nodiscard]] std::string toml_real(double number);

}  // namespace weft::io::detail
