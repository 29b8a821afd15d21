#pragma once
/// The end of every operation on layouts whose arguments are invalid.
#include <cstdint>

#include "weft/base/macros.hpp"

namespace weft::kernels::layout {

/// Throws InputError. `text` is "problem; remedy", in which {0}, {1}, {2} stand for the numbers.
[[noreturn]] void throw_invalid(const char* text, std::int64_t first, std::int64_t second, std::int64_t third);

/// Ends an operation with invalid arguments. It is not constexpr, so that the operation is rejected in a constant expression:
/// g++, clang++ and nvcc then print the line with the call of this function, and thus the text.
/// @throws InputError on the host. On a GPU the kernel is aborted (trap).
[[noreturn]] WEFT_HD inline void invalid(const char* text, std::int64_t first = 0, std::int64_t second = 0,
                                         std::int64_t third = 0) {
#if defined(__CUDA_ARCH__)
  (void)text, (void)first, (void)second, (void)third;
  __trap();
  __builtin_unreachable();
#else
  throw_invalid(text, first, second, third);
#endif
}

/// Returns a * b for non-negative numbers. @throws InputError if the product exceeds 2^62.
[[nodiscard]] WEFT_HD constexpr std::int64_t product_of(std::int64_t a, std::int64_t b) {
  if (b != 0 && a > (std::int64_t{1} << 62) / b) invalid("{0} times {1} exceeds 2^62; use smaller extents or strides", a, b);
  return a * b;
}

/// Returns a + b for non-negative numbers. @throws InputError if the sum exceeds 2^62.
[[nodiscard]] WEFT_HD constexpr std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  if (a > (std::int64_t{1} << 62) - b) invalid("{0} plus {1} exceeds 2^62; use smaller extents or strides", a, b);
  return a + b;
}

}  // namespace weft::kernels::layout
