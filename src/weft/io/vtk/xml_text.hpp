#pragma once
/// Text in XML files.
#include <string>
#include <string_view>

namespace weft::io {

/// Returns text as the value of an attribute in double quotes.
[[nodiscard]] inline std::string xml_text(std::string_view text) {
  std::string safe;
  for (const char c : text) safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
  return safe;
}

}  // namespace weft::io
