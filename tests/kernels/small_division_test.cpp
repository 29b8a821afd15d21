#include "weft/kernels/primitives/small_division.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "support/contracts.hpp"

namespace weft::kernels::small_division_test {
namespace {

TEST(SmallDivision, equals_division_at_all_multiples) {
  constexpr std::int64_t kLimit = detail::SmallDivision::kLimit;
  for (std::int64_t divisor = 1; divisor <= kLimit; ++divisor) {
    const detail::SmallDivision by_divisor(divisor);
    ASSERT_EQ(by_divisor.divisor(), divisor);
    // The quotient changes at multiples only, so that the numbers before and at each of them suffice.
    for (std::int64_t multiple = 0; multiple < kLimit; multiple += divisor) {
      ASSERT_EQ(by_divisor(static_cast<int>(multiple)), multiple / divisor) << multiple << " / " << divisor;
      const std::int64_t before = std::max<std::int64_t>(multiple - 1, 0);
      ASSERT_EQ(by_divisor(static_cast<int>(before)), before / divisor) << before << " / " << divisor;
    }
    ASSERT_EQ(by_divisor(static_cast<int>(kLimit - 1)), (kLimit - 1) / divisor);
  }
}

TEST(SmallDivision, other_divisors_violate_the_contract) {
  EXPECT_BREACH(detail::SmallDivision(0));
  EXPECT_BREACH(detail::SmallDivision(-1));
  EXPECT_BREACH(detail::SmallDivision(detail::SmallDivision::kLimit + 1));
}

}  // namespace
}  // namespace weft::kernels::small_division_test
