#pragma once
/// The time limits of tests.

#include "support/sanitized.hpp"

namespace weft::test {

/// Seconds for a test in which ranks once waited for each other for ever: it takes less than one, and on a machine with other
/// work a few.
inline constexpr double kHangs = kSanitized ? 180 : 60;

/// Sets the time limit of the present test from now on, in place of WEFT_TEST_LIMIT: a test that has not ended after so many
/// seconds is named on standard error, and its process ends, upon which the launcher ends the other ranks. @param seconds  above
/// 0
void limit_present_test(double seconds = kHangs);

}  // namespace weft::test
