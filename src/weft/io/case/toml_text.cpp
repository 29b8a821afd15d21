#include "weft/io/case/toml_text.hpp"

#include "weft/io/case/case_value.hpp"

namespace weft::io {

std::string toml_key(std::string_view name) { return detail::toml_key(name); }
std::string toml_text(std::string_view text) { return detail::toml_text(text); }

}  // namespace weft::io
