#include "weft/flow/detail/gpu_room.hpp"

#include <gtest/gtest.h>

namespace weft::flow::detail {
namespace {

constexpr std::size_t kGigabyte = 1'000'000'000;

TEST(GpuRoom, NothingIsSaidWhereACaseFits) {
  EXPECT_FALSE(lack_of_room(0, 0, 0, 4));
  EXPECT_FALSE(lack_of_room(5 * kGigabyte, 5 * kGigabyte, 1'000'000, 1));
}

TEST(GpuRoom, SaysBytesPerCellAndHowManyGpusWouldDo) {
  const auto error = lack_of_room(60 * kGigabyte, 40 * kGigabyte, 50'000'000, 1);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->problem(), "the case needs 60 GB on this GPU (1200 bytes for each of 50000000 cells), and 40 GB are free");
  EXPECT_NE(std::string(error->what()).find("spread it over at least 2 GPUs with as much free"), std::string::npos)
      << error->what();
}

TEST(GpuRoom, CountsThePartsOfTheOtherRanks) {
  const auto error = lack_of_room(60 * kGigabyte, 40 * kGigabyte, 50'000'000, 4);  // 240 GB in all
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("at least 6 GPUs"), std::string::npos) << error->what();
  const auto hardly = lack_of_room(40 * kGigabyte + 1, 40 * kGigabyte, 50'000'000, 4);
  ASSERT_TRUE(hardly);
  EXPECT_NE(std::string(hardly->what()).find("at least 5 GPUs"), std::string::npos) << hardly->what();
}

TEST(GpuRoom, AFullGpuIsNotDividedBy) {
  const auto error = lack_of_room(1, 0, 0, 4);
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("end what else runs on this GPU"), std::string::npos) << error->what();
}

}  // namespace
}  // namespace weft::flow::detail
