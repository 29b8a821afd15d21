#pragma once
/// Numbers of things, for messages.
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/// "1 cell", "2 cells", "3 tetrahedra".
[[nodiscard]] inline std::string counted(std::int64_t number, std::string_view thing) {
  std::string text = std::to_string(number) + " " + std::string(thing);
  if (number == 1) return text;
  if (!thing.ends_with("hedron")) return text + "s";
  text.resize(text.size() - 2);
  return text + "a";
}

}  // namespace weft
