#pragma once
/// Text as a string of JSON, which Graphviz reads as well.
#include <string>
#include <string_view>

namespace weft::task {

/// Returns `text` in quotation marks; control characters become spaces.
[[nodiscard]] inline std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + '"';
}

}  // namespace weft::task
