#pragma once
/// Builds with sanitizers, in which a step takes about 40 times as long.

namespace weft {

/// True with AddressSanitizer or ThreadSanitizer. They check memory accesses, arithmetic and races, for which the first steps of
/// a long integration suffice: tests integrate over a tenth of the time and omit the checks of the end, which the other builds
/// make.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Returns the first argument, or with sanitizers the second: a smaller number of cells, steps or repetitions, with which a test
/// executes the same code and makes the same checks.
template <class T>
[[nodiscard]] constexpr T full_or_sanitized(T full, T sanitized) {
  return kSanitized ? sanitized : full;
}

}  // namespace weft
