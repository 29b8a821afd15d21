#include "weft/base/waiting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "weft/base/error.hpp"

namespace weft::waiting_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(Waiting, ReportsTheInnermostWaitAndItsRank) {
  const Watchdog dog(1000, "test");
  EXPECT_THAT(Watchdog::report(), MatchesRegex("has computed for .* s since .*"));
  {
    const Waiting outer("MPI_Bcast");
    EXPECT_THAT(Watchdog::report(), MatchesRegex("has waited .* s for the other ranks .MPI_Bcast."));
    {
      const Waiting inner("ghost rows", 3);
      EXPECT_THAT(Watchdog::report(), MatchesRegex("has waited .* s for rank 3 .ghost rows."));
    }
    EXPECT_THAT(Watchdog::report(), HasSubstr("for the other ranks (MPI_Bcast)"));
    const Waiting alone("work of the GPU", Waiting::kNoRank);
    EXPECT_THAT(Watchdog::report(), MatchesRegex("has waited .* s .work of the GPU."));
  }
  EXPECT_THAT(Watchdog::report(), HasSubstr("since MPI_Bcast"));
}

TEST(Waiting, ReportsTheInnermostDetail) {
  const auto text = [](const char* of) { return [of] { return std::string(of); }; };
  const WaitDetail unwatched(text("not asked for"));
  const Watchdog dog(1000, "test");
  EXPECT_THAT(Watchdog::report(), MatchesRegex("has computed for .* s since [^\n]*"));
  const WaitDetail outer(text("  3 tasks wait"));
  {
    const WaitDetail inner(text("  'pull u' waits for rank 1"));
    EXPECT_THAT(Watchdog::report(), EndsWith("\n  'pull u' waits for rank 1"));
  }
  EXPECT_THAT(Watchdog::report(), EndsWith("\n  3 tasks wait"));
}

TEST(Waiting, AllowsOneWatchdogAtATime) {
  std::optional<Watchdog> dog;
  dog.emplace(1000, "test");
  EXPECT_THROW(Watchdog(1000, "second"), ContractError);
  dog.reset();
  EXPECT_THROW(Watchdog(0, "no time"), ContractError);
  dog.emplace(1000, "third");
}

// The death test style is not "threadsafe", which restarts the program: under mpirun the child would initialise MPI with the rank
// of its parent and hang. The thread of the watchdog starts after the fork.
TEST(Waiting, AnExpiredWatchdogEndsTheProcess) {
  EXPECT_EXIT(
      {
        const Watchdog dog(0.5, "rank 1 of 2");
        const Waiting waiting("ghost rows", 0);
        for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
      },
      ::testing::ExitedWithCode(Watchdog::kExitCode), "weft: watchdog: rank 1 of 2 has waited .* s for rank 0 .ghost rows.");
}

}  // namespace
}  // namespace weft::waiting_test
