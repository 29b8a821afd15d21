#pragma once
/// Builds with sanitizers, in which a step takes about 40 times as long, and compute-sanitizer, under which it takes hundreds of
/// times as long.
#include <algorithm>
#include <cstdlib>

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

/// Returns whether compute-sanitizer checks this test: tools/gpu-check sets WEFT_UNDER_COMPUTE_SANITIZER.
[[nodiscard]] inline bool under_compute_sanitizer() {
  static const bool is_set = std::getenv("WEFT_UNDER_COMPUTE_SANITIZER") != nullptr;
  return is_set;
}

/// Returns the first argument, or under compute-sanitizer the second: a smaller size with which a test launches the same kernels.
template <class T>
[[nodiscard]] T full_or_checked(T full, T checked) {
  return under_compute_sanitizer() ? checked : full;
}

/// Returns a number of steps or repetitions, or under compute-sanitizer at most 6, for tests whose first steps launch all kernels
/// that later steps launch.
[[nodiscard]] inline int few_if_checked(int steps) { return full_or_checked(steps, std::min(steps, 6)); }

}  // namespace weft
