// Rows of the streams of a device in a trace, with the mirror as the device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "weft/base/recorder.hpp"
#include "weft/base/traced_region.hpp"
#include "weft/task/device_overlap.hpp"
#include "weft/task/graph.hpp"
#include "weft/task/rate_summary.hpp"
#include "weft/task/recording.hpp"
#include "weft/task/recording_summary.hpp"
#include "weft/task/trace_file.hpp"
#include "weft/task/trace_summary.hpp"

#include "task/ring.hpp"

namespace weft::task::test::device_trace_test {
namespace {

using ::testing::HasSubstr;

/// A task of 2 ms on the device, one aside, and one of the host that needs a copy.
struct Program {
  Ring ring{Backend::mirror};
  Graph g{ring.comm};
  Program() {
    const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v);
    g.add_task("slow", {reads(u), writes(v)}, on(device),
               [](Stream&) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
    g.add_task("sums", {reads(v, Part::owned)}, on(device_aside), [](Stream&) {});
    g.add_task("on the host", {reads(v, Part::owned), reads_writes(u)}, [] {});
  }
};

[[nodiscard]] std::vector<Trace::Event> in_streams(const Trace& trace) {
  std::vector<Trace::Event> list = trace.events();
  std::erase_if(list, [](const Trace::Event& event) { return event.thread < kFirstStream; });
  return list;
}

TEST(DeviceTrace, TasksAndCopiesAreOnRowsOfTheirStreams) {
  Program p;
  Plan plan = p.g.compile();
  Trace trace(Trace::Streams::shown);
  plan.run(3, &trace);
  std::vector<Trace::Event> events = in_streams(trace);
  const auto named = [&](const std::string& name) {
    std::vector<Trace::Event> list = events;
    std::erase_if(list, [&](const Trace::Event& event) { return event.name != name; });
    return list;
  };
  ASSERT_EQ(named("slow").size(), 3U);
  for (const Trace::Event& event : named("slow")) {
    EXPECT_EQ(std::string(stream_name(event.thread)), "stream of tasks");
    EXPECT_GE(event.end - event.begin, std::chrono::milliseconds(2));
  }
  ASSERT_EQ(named("sums").size(), 3U);
  EXPECT_EQ(std::string(stream_name(named("sums").front().thread)), "stream of tasks aside");
  const auto copy = std::ranges::find_if(events, [](const auto& event) { return event.name.starts_with("copy v"); });
  ASSERT_NE(copy, events.end());
  EXPECT_EQ(std::string(stream_name(copy->thread)), "stream of copies to the host");
  EXPECT_GE(copy->begin, named("slow").front().end);
}

TEST(DeviceTrace, StreamsAreHiddenByDefault) {
  Program p;
  Plan plan = p.g.compile();
  Trace hidden, shown(Trace::Streams::shown);
  plan.run(2, &shown);
  const std::size_t before = in_streams(shown).size();
  plan.run(2, &hidden);
  EXPECT_TRUE(in_streams(hidden).empty());
  EXPECT_EQ(in_streams(shown).size(), before) << "times are taken in runs with that trace alone";
}

TEST(DeviceTrace, RecordingsShowOneIterationIn16AndInAStep) {
  Program p;
  p.g.set_count("slow", {1000, 3000});
  const std::string path = (std::filesystem::temp_directory_path() / "weft_device_recording.json").string();
  const auto in_the_recording = [&](const auto& run) {
    Plan plan = p.g.compile();
    Recording recording(p.ring.comm, path, 100);
    run(plan);
    recording.write();
    p.ring.comm.barrier();
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    const std::vector<RankTrace> ranks = parse_trace(text.str(), path);
    p.ring.comm.barrier();
    return summarize_rates(ranks).tasks;
  };
  const auto slow_in = [](const std::vector<RateSummary::Task>& tasks) {
    const auto found = std::ranges::find_if(tasks, [](const auto& task) { return task.on_device && task.name == "slow"; });
    return found == tasks.end() ? RateSummary::Task{} : *found;
  };
  const int ranks = p.ring.comm.size();
  const RateSummary::Task steps = slow_in(in_the_recording([](Plan& plan) {
    for (int i = 0; i < 40; ++i) {
      Recorder::next_step();
      plan.run();
    }
  }));
  EXPECT_EQ(steps.executions, 3 * ranks) << "iterations 3, 19 and 35";
  EXPECT_GE(steps.seconds, 2e-3 * steps.executions);
  EXPECT_EQ(steps.count, steps.executions * OperationCount({1000, 3000}));
  const RateSummary::Task one_step = slow_in(in_the_recording([](Plan& plan) {
    Recorder::next_step();
    plan.run(40);
  }));
  EXPECT_EQ(one_step.executions, ranks);
  EXPECT_EQ(slow_in(in_the_recording([](Plan& plan) { plan.run(2); })).executions, 0) << "the first iterations are not typical";
  if (p.ring.comm.is_root()) std::filesystem::remove(path);
}

TEST(DeviceTrace, FilesNameTheRowsAndAreReadAgain) {
  Program p;
  Plan plan = p.g.compile();
  Trace trace(Trace::Streams::shown);
  plan.run(2, &trace);
  const std::string path = (std::filesystem::temp_directory_path() / "weft_device_trace.json").string();
  trace.write(p.ring.comm, path);
  const std::string summary = trace.summary(p.ring.comm);
  if (!p.ring.comm.is_root()) return;
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("\"tid\": 1000, \"args\": {\"name\": \"stream of tasks\"}"));
  const std::vector<RankTrace> ranks = parse_trace(text.str(), path);
  ASSERT_EQ(std::ssize(ranks), p.ring.comm.size());
  EXPECT_EQ(ranks.front().events.size(), trace.events().size());
  EXPECT_THAT(summary, HasSubstr("2 iterations on"));
  EXPECT_FALSE(is_recording(ranks)) << "rows of streams are in iterations of the plan";
  EXPECT_EQ(summary.find("\nhidden communication on GPUs: ") != std::string::npos, p.ring.comm.size() > 1);
  std::filesystem::remove(path);
}

enum class Source { trace_with_streams, trace, recording };

/// Returns the traces of all ranks after some iterations in which an exchange on the mirror is under way while a task of 5 ms is
/// executed that does not depend on it, or with `needs_ghosts` one that does. The messages to rank 0 are sent 10 ms late.
[[nodiscard]] std::vector<RankTrace> traces_of_exchange(const Communicator& comm, bool needs_ghosts, Source source) {
  Ring ring{Backend::mirror};
  Graph g(comm);
  const DataId u = g.add_array("u", ring.u, 2), v = g.add_array("v", ring.v, 2);
  const auto delay = std::chrono::milliseconds(comm.is_root() ? 0 : 10);
  g.add_task("change", {reads_writes(u, Part::owned)}, on(device), [delay](Stream&) { std::this_thread::sleep_for(delay); });
  g.add_task("prepare", {reads_writes(v, Part::inner)}, [] {});  // on the host, so that inner is launched after the start
  const Part rows = needs_ghosts ? Part::inner | Part::ghost : Part::inner;
  g.add_task("inner", {reads(u, rows), reads_writes(v, Part::inner)}, on(device),
             [](Stream&) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
  g.add_task("border", {reads(u, Part::border | Part::ghost), writes(v, Part::border)}, on(device), [](Stream&) {});
  Plan plan = g.compile();
  const std::string path =
      (std::filesystem::temp_directory_path() / ("weft_device_overlap_" + std::to_string(comm.size()) + ".json")).string();
  if (source == Source::recording) {
    Recording recording(comm, path);
    for (int i = 0; i < 4; ++i) {
      Recorder::next_step();
      const TracedRegion step(RecordingSummary::kStep);
      plan.run();
    }
    recording.write();
  } else {
    Trace trace(source == Source::trace ? Trace::Streams::hidden : Trace::Streams::shown);
    plan.run(4, &trace);
    trace.write(comm, path);
  }
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::vector<RankTrace> ranks = parse_trace(text.str(), path);
  comm.barrier();
  if (comm.is_root()) std::filesystem::remove(path);
  comm.barrier();
  return ranks;
}

TEST(DeviceTrace, SummariesHaveTheShareOfExchangesThatTasksHide) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "needs messages";
  const std::vector<RankTrace> ranks = traces_of_exchange(comm, false, Source::trace_with_streams);
  const DeviceOverlap summary = summarize_device_overlap(ranks);
  ASSERT_EQ(summary.exchanges.size(), 1U) << trace_text(ranks);
  EXPECT_EQ(summary.exchanges[0].name, "pull u");
  EXPECT_EQ(summary.iterations, 4);
  EXPECT_EQ(summary.without_rows, 0);
  EXPECT_GT(summary.exchanges[0].seconds, 0);
  EXPECT_GT(summary.exchanges[0].can_be_hidden, 0) << "inner rows are independent of the exchange";
  EXPECT_LE(summary.exchanges[0].hidden, summary.exchanges[0].can_be_hidden);
  EXPECT_TRUE(summarize(ranks).exchanges.empty()) << "it is no exchange of the host";
  const DeviceOverlap of_rank_0 = summarize_device_overlap(std::span(ranks).first(1));
  EXPECT_GT(of_rank_0.hidden_share(), 0.5) << "inner rows are computed while the messages are late: " << of_rank_0.text();
  EXPECT_GT(of_rank_0.exchanges[0].seconds, 5e-3);
}

TEST(DeviceTrace, SummariesOfRecordingsHaveTheShareInTheIterationWithRows) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "needs messages";
  const std::vector<RankTrace> ranks = traces_of_exchange(comm, false, Source::recording);
  const DeviceOverlap summary = summarize_device_overlap(ranks);
  ASSERT_EQ(summary.exchanges.size(), 1U);
  EXPECT_EQ(summary.iterations, 1);
  EXPECT_EQ(summary.without_rows, 3);
  EXPECT_GT(summary.exchanges[0].can_be_hidden, 0);
  const std::string text = summary_text(ranks);
  EXPECT_THAT(text, HasSubstr("\n  of exchanges on GPUs, this is the time in which the host enqueues them"));
  EXPECT_THAT(text, HasSubstr("\nhidden communication on GPUs: "));
  EXPECT_THAT(text, HasSubstr("\n  not contained: 3 iterations without rows in streams"));
}

TEST(DeviceTrace, NothingIsHiddenWhereEachTaskNeedsTheGhostRows) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "needs messages";
  const DeviceOverlap summary = summarize_device_overlap(traces_of_exchange(comm, true, Source::trace_with_streams));
  ASSERT_EQ(summary.exchanges.size(), 1U);
  EXPECT_EQ(summary.exchanges[0].hidden, 0);
  EXPECT_EQ(summary.exchanges[0].can_be_hidden, 0);
  EXPECT_THAT(summary.text(), HasSubstr("none, because no task is independent of an exchange"));
}

TEST(DeviceTrace, WithoutRowsOfStreamsTheShareIsNotKnown) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "needs messages";
  const DeviceOverlap summary = summarize_device_overlap(traces_of_exchange(comm, false, Source::trace));
  EXPECT_TRUE(summary.has_exchanges);
  EXPECT_FALSE(summary.known());
}

}  // namespace
}  // namespace weft::task::test::device_trace_test
