#pragma once
/// Patterns of names, as of the zones of a mesh: `*` stands for any text, `?` for any character.
#include <string_view>

namespace weft {

/// Returns whether `text` has a character that stands for others.
[[nodiscard]] bool is_pattern(std::string_view text);

/// Returns whether the whole of `name` matches. Upper and lower case differ.  @cost O(|pattern| |name|)
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);

}  // namespace weft
