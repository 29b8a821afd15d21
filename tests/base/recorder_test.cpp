// Recordings of regions and waits: order, nesting, threads, and the bound of memory.
#include "weft/base/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/team.hpp"
#include "weft/base/traced_region.hpp"
#include "weft/base/waiting.hpp"

namespace weft::recorder_test {
namespace {

using testing::ElementsAre;
using Kind = RecordedEvent::Kind;

/// Ends the recording of a test, also of one that fails.
struct Recorded {
  explicit Recorded(int steps) { Recorder::start(steps); }
  ~Recorded() { Recorder::stop(); }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
};

[[nodiscard]] std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const RecordedEvent& event : Recorder::events()) list.emplace_back(event.name);
  return list;
}

TEST(Recorder, RecordsNestedRegionsInTheOrderOfTheirBeginnings) {
  const Recorded recorded(3);
  {
    const TracedRegion outer("outer");
    TracedRegion inner("first");
    inner.next("second");
  }
  const std::vector<RecordedEvent> events = Recorder::events();
  EXPECT_THAT(names(), ElementsAre("outer", "first", "second"));
  EXPECT_LE(events[0].begin, events[1].begin);
  EXPECT_LE(events[1].begin, events[1].end);
  EXPECT_LE(events[1].end, events[2].begin);
  EXPECT_LE(events[2].end, events[0].end);
  EXPECT_EQ(events[0].step, RecordedEvent::kNone);
  EXPECT_EQ(events[0].thread, 0);
}

TEST(Recorder, RecordsNothingOutsideOfARecording) {
  const std::int64_t session = [] {
    const Recorded recorded(1);
    const TracedRegion kept("kept");
    return Recorder::session();
  }();
  { const TracedRegion after("after"); }
  Recorder::add({.name = "after"});
  Recorder::next_step();
  EXPECT_FALSE(Recorder::on());
  EXPECT_THAT(names(), ElementsAre("kept"));  // they remain until the next recording
  EXPECT_EQ(Recorder::steps(), 0);
  const Recorded next(1);
  EXPECT_THAT(names(), ElementsAre());
  EXPECT_NE(Recorder::session(), session);
}

TEST(Recorder, ARegionThatBeganBeforeTheRecordingIsNotRecorded) {
  auto before = std::make_unique<TracedRegion>("before");
  const Recorded recorded(1);
  before.reset();
  EXPECT_THAT(names(), ElementsAre());
}

TEST(Recorder, KeepsTheStartAndTheFirstAndLastSteps) {
  constexpr int kKept = 3, kSteps = 100;
  const Recorded recorded(kKept);
  { const TracedRegion start("start"); }
  for (int step = 0; step < kSteps; ++step) {
    Recorder::next_step();
    const TracedRegion region("step");
  }
  EXPECT_EQ(Recorder::steps(), kSteps);
  std::vector<std::int64_t> steps;
  for (const RecordedEvent& event : Recorder::events()) steps.push_back(event.step);
  EXPECT_THAT(steps, ElementsAre(-1, 0, 1, 2, 97, 98, 99));
  EXPECT_EQ(Recorder::dropped(), 0);
}

TEST(Recorder, AThreadWithoutEventsInTheLastStepsKeepsNoOlderOnes) {
  const Recorded recorded(2);
  for (int step = 0; step < 10; ++step) {
    Recorder::next_step();
    if (step < 7) const TracedRegion region("step");
  }
  std::vector<std::int64_t> steps;
  for (const RecordedEvent& event : Recorder::events()) steps.push_back(event.step);
  EXPECT_THAT(steps, ElementsAre(0, 1));
}

TEST(Recorder, CountsTheEventsThatAStepHasTooMany) {
  constexpr int kMany = 30'000;
  const Recorded recorded(1);
  for (int step = 0; step < 2; ++step) Recorder::next_step();
  for (int i = 0; i < kMany; ++i) const TracedRegion region("one of many");
  const auto kept = std::ssize(Recorder::events());
  EXPECT_LT(kept, kMany);
  EXPECT_EQ(kept + Recorder::dropped(), kMany);
}

TEST(Recorder, ThreadsOfATeamRecordUnderTheirNumbers) {
  constexpr int kThreads = 4, kRounds = 200;
  const Recorded recorded(1);
  for (int twice = 0; twice < 2; ++twice) {  // the second team takes the memory that the threads of the first have left
    Team team(kThreads);
    for (int round = 0; round < kRounds; ++round) {
      team.run([](int /*thread*/) noexcept { const TracedRegion region("job"); });
    }
  }
  std::vector<int> counts(kThreads);
  for (const RecordedEvent& event : Recorder::events()) ++counts.at(static_cast<std::size_t>(event.thread));
  EXPECT_THAT(counts, testing::Each(2 * kRounds));
}

TEST(Recorder, TheOutermostWaitIsRecordedWithItsRank) {
  const Recorded recorded(1);
  {
    const Waiting outer("ghost rows", 2);
    const Waiting inner("MPI_Waitall");
  }
  { const Waiting all("MPI_Allreduce"); }
  const std::vector<RecordedEvent> events = Recorder::events();
  ASSERT_THAT(names(), ElementsAre("ghost rows", "MPI_Allreduce"));
  EXPECT_EQ(events[0].kind, Kind::wait);
  EXPECT_EQ(events[0].peer, 2);
  EXPECT_EQ(events[1].peer, RecordedEvent::kNone);
}

TEST(Recorder, WaitsAreRecordedAndWatched) {
  const Recorded recorded(1);
  const Watchdog watchdog(100, "test");
  {
    const Waiting waiting("MPI_Barrier");
    EXPECT_THAT(Watchdog::report(), testing::HasSubstr("MPI_Barrier"));
  }
  EXPECT_THAT(names(), ElementsAre("MPI_Barrier"));
}

TEST(Recorder, NamesAreKeptOnce) {
  const char* const name = Recorder::name(std::string("pull") + " u");
  EXPECT_STREQ(name, "pull u");
  EXPECT_EQ(Recorder::name("pull u"), name);
  EXPECT_NE(Recorder::name("pull v"), name);
}

TEST(Recorder, CountsTheStartsOfExchanges) {
  const Recorded recorded(1);
  const int number = Recorder::add_exchange({.name = "pull u", .plan = 7, .index = 0, .sent = {{1, 80}}});
  EXPECT_EQ(Recorder::count_start(number), 0);
  EXPECT_EQ(Recorder::count_start(number), 1);
  ASSERT_EQ(Recorder::exchanges().size(), 1U);
  EXPECT_EQ(Recorder::exchanges()[0].starts, 2);
}

#if !defined(NDEBUG) || defined(WEFT_CONTRACTS)
TEST(Recorder, RefusesASecondRecordingAndNoSteps) {
  EXPECT_THROW(Recorder::start(0), ContractError);
  const Recorded recorded(1);
  EXPECT_THROW(Recorder::start(1), ContractError);
}
#endif

}  // namespace
}  // namespace weft::recorder_test
