#pragma once
/// The cases of cases/, which are part of the program.
#include <string>
#include <string_view>
#include <vector>

namespace weft::app {

struct Template {
  std::string_view name;  ///< file name without .toml
  std::string_view text;
  /// First line, a comment, without the "# ".
  [[nodiscard]] std::string_view title() const {
    const std::size_t start = text.starts_with("# ") ? 2 : 0;
    return text.substr(start, text.find('\n') - start);
  }
};

/// Returns the templates by name.
[[nodiscard]] const std::vector<Template>& templates();

}  // namespace weft::app
