#pragma once
/// Differences between two cases, key by key.
#include <string>
#include <vector>

namespace weft::io {

/// A key whose value differs, with both values as TOML; empty where the key is absent.
struct CaseChange {
  std::string key;  ///< "numerics.cfl", "mesh.periodic[0].from"
  std::string before, now;
};

/// Compares two effective cases (CaseReader::effective_toml()). A key that only `now` has, with its default, is no change: the
/// program that wrote `before` may not have known it.
/// @return the changes in the order of `now`, followed by the keys that only `before` has.
/// @throws InputError: a text is not TOML.
[[nodiscard]] std::vector<CaseChange> case_changes(const std::string& before, const std::string& now);

}  // namespace weft::io
