#pragma once
/// Functions that the readers of keys share. Private to io.
#include <string>

#include "weft/io/case/case_reader.hpp"

namespace weft::io::detail {

/// Returns the default in SI, or, where there is none, some value in range: what a key reads as in the reference, and after an
/// error.
[[nodiscard]] double stand_in(const NumberSpec& spec);

/// Returns a TOML list of `write(value)` of each value.
template <class Range, class Write>
[[nodiscard]] std::string list_toml(const Range& values, Write&& write) {
  std::string toml = "[";
  for (const auto& value : values) toml += (toml.size() == 1 ? "" : ", ") + write(value);
  return toml + "]";
}

}  // namespace weft::io::detail
