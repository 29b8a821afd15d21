#include "weft/array/element_type.hpp"

#include <fmt/format.h>

namespace weft {

std::string to_string(const ElementType& type) {
  static constexpr const char* kNames[] = {"bytes",  "int8",   "int16",  "int32",   "int64",  "uint8",
                                           "uint16", "uint32", "uint64", "float32", "float64"};
  if (type.scalar == ElementType::Scalar::bytes) return fmt::format("bytes{}", type.bytes);
  const char* const scalar = kNames[static_cast<std::size_t>(type.scalar)];
  return type.components == 1 ? scalar : fmt::format("{}x{}", scalar, type.components);
}

}  // namespace weft
