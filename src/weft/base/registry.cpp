#include "weft/base/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weft::detail {

std::size_t index_of_name(std::string_view name, std::span<const std::string_view> all, const char* what, const Where& where) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == name) return i;
  }
  const std::string near = closest_match(name, all);
  throw InputError(fmt::format("unknown {} \"{}\"", what, name),
                   near.empty() ? fmt::format("use one of {}", fmt::join(all, ", ")) : fmt::format("did you mean \"{}\"?", near),
                   where);
}

std::string described(std::span<const std::pair<std::string_view, std::string_view>> rows) {
  std::string text;
  for (const auto& [name, doc] : rows) {
    if (!doc.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, doc);
  }
  return text;
}

}  // namespace weft::detail
