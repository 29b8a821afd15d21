#pragma once
/// Text in XML files.
#include <string>
#include <string_view>

namespace weft {

/// Returns text as the content of an element, or as the value of an attribute in double quotes. Control characters, which XML
/// does not permit, become spaces.
[[nodiscard]] inline std::string xml_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return safe;
}

}  // namespace weft
