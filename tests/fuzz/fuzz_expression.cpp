// Any text is a formula or an InputError to Expression.
#include <cstddef>
#include <cstdint>
#include <string>

#include "weft/flow/app/expression.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const weft::flow::Expression formula(std::string(reinterpret_cast<const char*>(data), size));
    static_cast<void>(formula({0.5, -0.25, 2.0}));
  } catch (const weft::InputError&) {  // expected for a wrong formula
  }
  return 0;
}
