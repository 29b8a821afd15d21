#pragma once
/// Differences between two cases, key by key.
#include <string>
#include <vector>

namespace weft::io {

/// A key whose values differ, with both values as TOML; empty where the key is missing.
struct CaseChange {
  std::string key;  ///< "numerics.cfl", "mesh.periodic[0].from"
  std::string before, now;
};

/// Compares two effective cases (CaseReader::effective_toml()). A key that only `now` contains, with its default, is not a
/// change: the program that wrote `before` may not have had it.
/// @return the changes in the order of `now`, followed by keys that only `before` contains.
/// @throws InputError: a text is not valid TOML.
[[nodiscard]] std::vector<CaseChange> case_changes(const std::string& before, const std::string& now);

}  // namespace weft::io
