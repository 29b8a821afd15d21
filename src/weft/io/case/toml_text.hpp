#pragma once
/// Pieces of TOML, for programs that write cases.
#include <string>
#include <string_view>

namespace weft::io {

/// Returns a key as TOML writes it: bare where it can be, else in quotes.
[[nodiscard]] std::string toml_key(std::string_view name);
/// Returns a TOML basic string, with its quotes.
[[nodiscard]] std::string toml_text(std::string_view text);

}  // namespace weft::io
