#include "weft/kernels/primitives/aos_soa.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/teams.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::aos_soa_test {
namespace {

TEST(AosSoa, converts_rows_to_components_and_back) {
  for (const std::int64_t rows : {0, 1, 255, 256, 257, 5000}) {
    for (const std::int64_t width : {1, 4, 5}) {
      const std::int64_t stride = rows + 3;
      std::vector<float> aos(static_cast<std::size_t>(rows * width));
      std::iota(aos.begin(), aos.end(), 1.0F);
      test::for_teams([&](Team& team) {
        std::vector<float> soa(static_cast<std::size_t>(width * stride), -1), back(aos.size());
        aos_to_soa(std::span<const float>(aos), rows, width, stride, std::span(soa), team);
        for (std::int64_t c = 0; c < width; ++c) {
          for (std::int64_t i = 0; i < stride; ++i) {
            ASSERT_EQ(soa[static_cast<std::size_t>(c * stride + i)],
                      i < rows ? aos[static_cast<std::size_t>(i * width + c)] : -1);
          }
        }
        soa_to_aos(std::span<const float>(soa), rows, width, stride, std::span(back), team);
        EXPECT_EQ(back, aos);
      });
    }
  }
}

TEST(AosSoa, wrong_sizes_and_overlaps_violate_the_contract) {
  std::vector<int> both(12), other(12);
  const std::span<const int> in(both);
  EXPECT_BREACH(aos_to_soa(in, 4, 3, 4, std::span(both)));
  EXPECT_BREACH(aos_to_soa(in, 4, 3, 3, std::span(other).first(9)));
  EXPECT_BREACH(aos_to_soa(in, 4, 0, 4, std::span(other)));
  EXPECT_BREACH(soa_to_aos(in, 3, 3, 4, std::span(other)));
}

}  // namespace
}  // namespace weft::kernels::aos_soa_test
