#include "weft/flow/detail/gpu_room.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace weft::flow::detail {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kGigabyte = 1'000'000'000;

TEST(GpuRoom, NothingIsSaidWhereACaseFits) {
  EXPECT_FALSE(lack_of_room(0, 0, 0, 0, 4));
  EXPECT_FALSE(lack_of_room(5 * kGigabyte, 5 * kGigabyte, 40 * kGigabyte, 1'000'000, 1));
}

TEST(GpuRoom, SaysBytesPerCellAndHowManyGpusWouldDo) {
  const auto error = lack_of_room(60 * kGigabyte, 39 * kGigabyte, 40 * kGigabyte, 50'000'000, 1);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->problem(), "the case needs 60 GB on this GPU (1200 bytes for each of 50000000 cells), and 39 GB are free");
  EXPECT_THAT(std::string(error->what()), HasSubstr("use a coarser mesh, or at least 2 GPUs of 40 GB for all of it"));
}

TEST(GpuRoom, CountsThePartsOfTheOtherRanks) {
  const auto error = lack_of_room(60 * kGigabyte, 39 * kGigabyte, 40 * kGigabyte, 50'000'000, 4);  // 240 GB in all
  ASSERT_TRUE(error);
  EXPECT_THAT(std::string(error->what()), HasSubstr("at least 6 GPUs"));
  const auto hardly = lack_of_room(40 * kGigabyte + 1, 40 * kGigabyte, 40 * kGigabyte, 50'000'000, 4);
  ASSERT_TRUE(hardly);
  EXPECT_THAT(std::string(hardly->what()), HasSubstr("at least 5 GPUs"));
}

TEST(GpuRoom, WhereOthersHaveTheRestOfAGpuThatIsSaid) {
  const auto shared = lack_of_room(10 * kGigabyte, 9 * kGigabyte, 39 * kGigabyte, 10'000'000, 4);
  ASSERT_TRUE(shared);
  EXPECT_THAT(std::string(shared->what()), HasSubstr("end what else runs on this GPU, give it fewer ranks"));
  EXPECT_THAT(std::string(shared->what()), HasSubstr("at least 2 GPUs"));
  const auto full = lack_of_room(1, 0, kGigabyte, 0, 1);
  ASSERT_TRUE(full);
  EXPECT_THAT(std::string(full->what()), HasSubstr("end what else runs on this GPU"));
  EXPECT_THAT(std::string(lack_of_room(2 * kGigabyte, 0, kGigabyte, 1, 1)->what()), Not(HasSubstr("end what else")));
}

}  // namespace
}  // namespace weft::flow::detail
