#include "weft/base/mix.hpp"

#include <gtest/gtest.h>

#include <set>

namespace weft::mix_test {
namespace {

TEST(MixTest, IsTheFinaliserOfSplitMix64) {
  // The first outputs of SplitMix64 with seed 0 (Vigna, splitmix64.c).
  EXPECT_EQ(mix_bits(kGoldenRatioBits), 0xe220a8397b1dcdafU);
  EXPECT_EQ(mix_bits(2 * kGoldenRatioBits), 0x6e789e6aa1b965f4U);
  EXPECT_EQ(mix_bits(3 * kGoldenRatioBits), 0x06c45d188009454fU);
}

TEST(MixTest, HashOfASequenceDependsOnItsOrderAndLength) {
  const auto of = [](auto... values) {
    std::uint64_t h = 0;
    ((h = hash_with(h, static_cast<std::uint64_t>(values))), ...);
    return h;
  };
  EXPECT_EQ(of(0), 0xe220a8397b1dcdafU);
  const std::set<std::uint64_t> all{of(0), of(0, 0), of(0, 0, 0), of(1), of(0, 1), of(1, 0), of(-1), of(1, -1), of(-1, 1)};
  EXPECT_EQ(all.size(), 9U);
}

TEST(MixTest, HashOfATextContinuesThatBeforeIt) {
  EXPECT_EQ(hash_text(""), 0U);
  EXPECT_EQ(hash_text("plan 3", hash_text("ghost ")), hash_text("ghost plan 3"));
  EXPECT_NE(hash_text("ab"), hash_text("ba"));
  EXPECT_NE(hash_text(std::string_view("a\0", 2)), hash_text("a"));
}

}  // namespace
}  // namespace weft::mix_test
