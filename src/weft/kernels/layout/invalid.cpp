#include "weft/kernels/layout/invalid.hpp"

#include <fmt/format.h>

#include <string>

#include "weft/base/error.hpp"

namespace weft::kernels::layout {

void throw_invalid(const char* text, std::int64_t first, std::int64_t second, std::int64_t third) {
  const std::string message = fmt::format(fmt::runtime(text), first, second, third);
  const auto end = message.find("; ");
  throw InputError("layout: " + message.substr(0, end), end == std::string::npos ? std::string{} : message.substr(end + 2));
}

}  // namespace weft::kernels::layout
