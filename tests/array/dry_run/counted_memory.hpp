#pragma once
/// Counts the memory that a program holds by `new`; a program has it that links counted_memory.cpp.
#include <cstdint>

namespace weft::counted_memory {

/// Returns the bytes that are held now.
[[nodiscard]] std::int64_t held();
/// Returns the most bytes that were held at once since watch().
[[nodiscard]] std::int64_t peak();
void watch();

}  // namespace weft::counted_memory
