#pragma once
/// Counts the memory that a program allocates by `new`, if the program links counted_memory.cpp.
#include <cstdint>

namespace weft::counted_memory {

/// Returns the bytes currently allocated.
[[nodiscard]] std::int64_t held();
/// Returns the maximum bytes allocated at the same time since watch().
[[nodiscard]] std::int64_t peak();
void watch();

}  // namespace weft::counted_memory
