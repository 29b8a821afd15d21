#pragma once
/// Parts of TOML text for programs that write cases.
#include <string>
#include <string_view>

namespace weft::io {

/// Returns a key in TOML syntax, without quotes where possible.
[[nodiscard]] std::string toml_key(std::string_view name);
/// Returns a TOML basic string with its quotes.
[[nodiscard]] std::string toml_text(std::string_view text);

}  // namespace weft::io
