#pragma once
/// Counts with their nouns, for messages.
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/// Returns the number followed by the noun in singular or plural: "1 cell", "2 cells", "3 tetrahedra".
[[nodiscard]] inline std::string counted(std::int64_t number, std::string_view noun) {
  std::string text = std::to_string(number) + " " + std::string(noun);
  if (number == 1) return text;
  if (!noun.ends_with("hedron")) return text + "s";
  text.resize(text.size() - 2);
  return text + "a";
}

}  // namespace weft
