#pragma once
/// Arithmetic that g++, clang++ and nvcc compile alike: std::min is no device function, and std::fmin costs a call on x86.
#include "weft/base/macros.hpp"

namespace weft::flow::detail {

[[nodiscard]] WEFT_HD constexpr double lesser(double a, double b) { return a < b ? a : b; }
[[nodiscard]] WEFT_HD constexpr double greater(double a, double b) { return a > b ? a : b; }
[[nodiscard]] WEFT_HD constexpr double absolute(double a) { return a < 0 ? -a : a; }
[[nodiscard]] WEFT_HD constexpr double square(double a) { return a * a; }

}  // namespace weft::flow::detail
