// Recordings of programs on one to four ranks: regions, exchanges and plans in one trace, its file, and misuse.
#include "weft/task/recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/traced_region.hpp"
#include "weft/task/graph.hpp"
#include "weft/task/recording_summary.hpp"
#include "weft/task/trace_file.hpp"

#include "task/ring.hpp"

namespace recording_test {
namespace {

namespace fs = std::filesystem;
using namespace weft::task;
using testing::HasSubstr;
using testing::Not;
using weft::Recorder;
using weft::TracedRegion;
using weft::task::test::Ring;
using EventKind = weft::RecordedEvent::Kind;

/// A file in a folder of its own, which rank 0 removes in the end.
class TestFile {
 public:
  explicit TestFile(const weft::Communicator& comm) : comm_(comm) {
    remove();
    if (comm_.is_root()) fs::create_directories(folder());
    comm_.barrier();
  }
  ~TestFile() { remove(); }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;
  [[nodiscard]] std::string path() const { return folder() / "trace.json"; }
  [[nodiscard]] std::string text() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::vector<RankTrace> read() const { return parse_trace(text(), path()); }

 private:
  [[nodiscard]] fs::path folder() const { return fs::temp_directory_path() / ("weft_recording_" + std::to_string(comm_.size())); }
  void remove() const {
    comm_.barrier();
    std::error_code failed;
    if (comm_.is_root()) fs::remove_all(folder(), failed);
    comm_.barrier();
  }
  weft::Communicator comm_;
};

template <class E, class F>
[[nodiscard]] std::string error_of(const F& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "no error";
}

/// Steps with a plan of two tasks and the pulls that they need.
void run_steps(Ring& ring, int steps) {
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v);
  g.add_task("smooth", {reads(u), writes(v)}, [] {});
  g.add_task("copy", {reads(v, Part::owned), writes(u)}, [] {});
  Plan plan = g.compile(2);
  for (int i = 0; i < steps; ++i) {
    Recorder::next_step();
    const TracedRegion step(RecordingSummary::kStep);
    plan.run();
  }
}

TEST(Recording, RegionsExchangesAndPlansAreInOneTrace) {
  Ring ring;
  const int ranks = ring.comm.size();
  const TestFile file(ring.comm);
  Recording recording(ring.comm, file.path(), 3);
  { const TracedRegion start("start-up"); }
  run_steps(ring, 10);
  recording.write();
  if (!ring.comm.is_root()) return;
  const std::vector<RankTrace> traces = file.read();
  ASSERT_EQ(std::ssize(traces), ranks);
  for (const RankTrace& trace : traces) {
    EXPECT_EQ(trace.steps, 10);
    EXPECT_EQ(trace.dropped, 0);
    EXPECT_FALSE(trace.graphs.empty());
    std::map<std::string, int> times;
    for (const RankTrace::Event& event : trace.events) {
      ++times[event.name];
      EXPECT_LE(event.begin, event.end);
      if (event.kind != EventKind::task) continue;
      EXPECT_GE(event.node, 0) << event.name;
      EXPECT_GE(event.iteration, 0) << event.name;
    }
    EXPECT_EQ(times["start-up"], 1);
    EXPECT_EQ(times[RecordingSummary::kStep], 6);
    EXPECT_EQ(times["smooth"], 6);
    EXPECT_EQ(times["start pull u"], ranks > 1 ? 6 : 0);
    EXPECT_EQ(times["start exchange"], ranks > 1 ? 6 : 0);
    if (ranks == 1) continue;
    const auto pull = std::ranges::find_if(trace.exchanges, [](const auto& e) { return e.starts == 10; });
    ASSERT_NE(pull, trace.exchanges.end());
    EXPECT_EQ(std::ssize(pull->sent), ranks == 2 ? 1 : 2);
  }
}

TEST(Recording, EveryArrowOfAMessageHasTwoEnds) {
  Ring ring;
  if (ring.comm.size() == 1) GTEST_SKIP() << "needs messages";
  const TestFile file(ring.comm);
  Recording recording(ring.comm, file.path(), 5);
  run_steps(ring, 5);
  recording.write();
  if (!ring.comm.is_root()) return;
  std::map<std::string, int> balance;
  std::ifstream lines(file.path());
  int arrows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("\"cat\": \"message\"") == std::string::npos) continue;
    const auto at = line.find("\"id\": ");
    const std::string id = line.substr(at, line.find(',', at) - at);
    const bool begins = line.find("\"ph\": \"s\"") != std::string::npos;
    balance[id] += begins ? 1 : -1;
    ++arrows;
  }
  EXPECT_EQ(arrows, 2 * 5 * ring.comm.size() * (ring.comm.size() == 2 ? 1 : 2));
  for (const auto& [id, sum] : balance) EXPECT_EQ(sum, 0) << id;
}

TEST(Recording, TheSummaryHasPhasesPathAndMessages) {
  Ring ring;
  const TestFile file(ring.comm);
  Recording recording(ring.comm, file.path(), 4);
  run_steps(ring, 8);
  recording.write();
  if (!ring.comm.is_root()) return;
  const std::vector<RankTrace> traces = file.read();
  const RecordingSummary summary = summarize_recording(traces);
  EXPECT_EQ(summary.steps, 8);
  EXPECT_EQ(summary.kept, 8);
  EXPECT_EQ(summary.path_steps, 8);
  double sum = 0;
  for (const RecordingSummary::Part& part : summary.critical) sum += part.seconds;
  EXPECT_NEAR(sum, summary.path, 1e-6);
  EXPECT_EQ(summary.phases.front().name, RecordingSummary::kStep);
  EXPECT_EQ(summary.phases.front().executions, 8);
  std::int64_t messages = 0;
  for (const RecordingSummary::Message& m : summary.messages) messages += m.traffic.messages;
  EXPECT_EQ(messages, ring.comm.size() == 1 ? 0 : 8 * ring.comm.size() * (ring.comm.size() == 2 ? 1 : 2));
  const std::string text = summary_text(traces);
  EXPECT_THAT(text, HasSubstr("critical path of the last 8 steps"));
  EXPECT_THAT(text, HasSubstr("task graphs: 8 iterations"));
}

TEST(Recording, TheFileIsATraceFromTheBeginning) {
  const weft::Communicator comm = weft::Communicator::world();
  const TestFile file(comm);
  Recording recording(comm, file.path(), 2);
  const auto steps_in_file = [&] {
    comm.barrier();
    const std::vector<RankTrace> traces = file.read();
    EXPECT_EQ(std::ssize(traces), comm.size());
    return traces.back().steps;
  };
  EXPECT_EQ(steps_in_file(), 0);
  EXPECT_THAT(summary_text(file.read()), HasSubstr("no events"));
  for (int i = 0; i < 5; ++i) {
    recording.write_first_steps();
    Recorder::next_step();
    const TracedRegion step(RecordingSummary::kStep);
  }
  EXPECT_EQ(steps_in_file(), 2);  // it was written when two steps were complete
  recording.write();
  EXPECT_EQ(steps_in_file(), 5);
  comm.barrier();
  if (comm.rank().value() == comm.size() - 1) {
    recording.write_alone();
    const std::vector<RankTrace> alone = file.read();
    EXPECT_EQ(alone.back().steps, 5);
    EXPECT_EQ(alone.front().events.empty(), comm.size() > 1);
  }
}

TEST(Recording, OneThatBeginsInATaskHasTheNextIterations) {
  const weft::Communicator world = weft::Communicator::world();
  const TestFile file(world);
  double number = 0;
  Graph g(world);
  const DataId n = g.add_number("number", number);
  std::optional<Recording> recording;
  g.add_task("begin", {reads_writes(n)}, [&] {
    if (!recording) recording.emplace(world, file.path());
  });
  g.add_task("count", {reads_writes(n)}, [&] { ++number; });
  g.compile().run(2);
  recording->write();
  const std::vector<RankTrace> ranks = file.read();
  int tasks = 0;
  for (const RankTrace::Event& event : ranks.front().events) tasks += event.kind == EventKind::task ? 1 : 0;
  EXPECT_EQ(tasks, 2);
}

TEST(Recording, RefusesFilesThatItCannotWriteOrThatAreNoTraces) {
  const weft::Communicator comm = weft::Communicator::world();
  EXPECT_THAT(error_of<weft::IoError>([&] { Recording(comm, "/proc/no/such/trace.json"); }),
              HasSubstr("/proc/no/such/trace.json"));
  EXPECT_FALSE(Recorder::on());
  const TestFile file(comm);
  if (comm.is_root()) std::ofstream(file.path()) << "[mesh]\n";
  comm.barrier();
  EXPECT_THAT(error_of<weft::IoError>([&] { Recording(comm, file.path()); }), HasSubstr("is no trace"));
  EXPECT_EQ(file.text(), "[mesh]\n");
  EXPECT_THAT(error_of<weft::IoError>([&] { Recording(comm, fs::path(file.path()).parent_path()); }), HasSubstr("is no trace"));
  EXPECT_THAT(error_of<weft::ContractError>([&] { Recording(comm, file.path() + "2", 0); }), HasSubstr("at least one step"));
  const Recording first(comm, file.path() + "3");
  EXPECT_THAT(error_of<weft::ContractError>([&] { Recording(comm, file.path() + "4"); }), HasSubstr("has not ended"));
  EXPECT_TRUE(Recorder::on());
}

/// Rank 0 waits in every step of 10 ms for the message of rank 1, which computes for 8 ms before it sends.
[[nodiscard]] std::vector<RankTrace> two_ranks() {
  std::vector<RankTrace> ranks(2);
  const auto add = [](RankTrace& rank, const char* name, EventKind kind, std::int64_t step, double begin, double end) {
    const bool exchange = kind == EventKind::start || kind == EventKind::finish;
    rank.events.push_back({.name = name,
                           .iteration = -1,
                           .begin = 1e-3 * (10.0 * static_cast<double>(step) + begin),
                           .end = 1e-3 * (10.0 * static_cast<double>(step) + end),
                           .kind = kind,
                           .step = step,
                           .exchange = exchange ? 0 : -1,
                           .round = step});
  };
  for (int r = 0; r < 2; ++r) {
    RankTrace& rank = ranks[r];
    rank.steps = 2;
    rank.exchanges = {{.name = "pull u", .plan = 1, .index = 0, .sent = {{1 - r, 80}}, .received = {{1 - r, 80}}, .starts = 2}};
    const double sends = r == 0 ? 2 : 8;
    for (std::int64_t step = 0; step < 2; ++step) {
      add(rank, RecordingSummary::kStep, EventKind::region, step, 0, 10);
      add(rank, "flux", EventKind::region, step, 0, sends);
      add(rank, "start exchange", EventKind::start, step, sends, sends);
      add(rank, "finish exchange", EventKind::finish, step, r == 0 ? 3 : 8.5, r == 0 ? 9 : 8.5);
      if (r == 1) continue;
      add(rank, "ghost rows", EventKind::wait, step, 3, 9);
      rank.events.back().peer = 1;
    }
  }
  return ranks;
}

TEST(RecordingSummary, TheCriticalPathGoesThroughTheRankThatIsLate) {
  const RecordingSummary summary = summarize_recording(two_ranks());
  EXPECT_NEAR(summary.path, 20e-3, 1e-9);
  ASSERT_FALSE(summary.critical.empty());
  EXPECT_EQ(summary.critical[0].name, "flux");
  EXPECT_EQ(summary.critical[0].rank, 1);
  EXPECT_NEAR(summary.critical[0].seconds, 16e-3, 1e-9);  // 8 ms of each step
  double message = 0;
  for (const auto& part : summary.critical) message += part.name == "ghost rows (wait)" ? part.seconds : 0;
  EXPECT_NEAR(message, 1e-3, 1e-9);  // from 8 to 9 ms of the last step; the one before ends on rank 1
}

TEST(RecordingSummary, FindsWaitsOverlapAndLoad) {
  const RecordingSummary summary = summarize_recording(two_ranks());
  ASSERT_EQ(summary.waits.size(), 2U);
  EXPECT_EQ(summary.waits[0].rank, 0);
  EXPECT_EQ(summary.waits[0].for_rank, 1);
  EXPECT_NEAR(summary.waits[0].seconds, 5e-3, 1e-9);
  EXPECT_EQ(summary.waits[1].for_rank, -1);
  EXPECT_NEAR(summary.waits[1].seconds, 1e-3, 1e-9);
  ASSERT_EQ(summary.exchanges.size(), 1U);
  EXPECT_NEAR(summary.exchanges[0].in_flight, (7e-3 + 0.5e-3) / 2, 1e-9);
  EXPECT_NEAR(summary.overlap(), 1.5 / 7.5, 1e-9);
  EXPECT_EQ(summary.busiest_rank, 1);
  EXPECT_NEAR(summary.computed_most, 10e-3, 1e-9);
  EXPECT_NEAR(summary.computed_mean, 7e-3, 1e-9);
  ASSERT_EQ(summary.messages.size(), 2U);
  EXPECT_EQ(summary.messages[0].traffic, (weft::Traffic{2, 160}));
}

TEST(RecordingSummary, SaysWhatTheTimesOfExchangesOnAGpuAre) {
  std::vector<RankTrace> ranks = two_ranks();
  EXPECT_THAT(summary_text(ranks), Not(HasSubstr("GPU")));
  ranks[1].events.push_back({.name = "start pull u",
                             .thread = kFirstStream + 1,
                             .iteration = -1,
                             .begin = 0,
                             .end = 1e-3,
                             .kind = EventKind::communication});
  EXPECT_THAT(summary_text(ranks), HasSubstr("\n  of exchanges on GPUs, this is the time in which the host enqueues them"));
  EXPECT_THAT(summary_text(ranks), HasSubstr("\nhidden communication on GPUs: not known")) << "the row is of no iteration";
}

TEST(TraceFile, GivesBackWhatWasWritten) {
  const std::vector<RankTrace> before = two_ranks(), after = parse_trace(trace_text(before), "trace.json");
  EXPECT_EQ(summary_text(after), summary_text(before));
  EXPECT_EQ(trace_text(after), trace_text(before));
}

TEST(TraceFile, EveryTruncatedFileIsAnError) {
  const std::string text = trace_text(two_ranks());
  for (std::size_t size = 0; size + 2 < text.size(); size += 17) {
    EXPECT_THAT(error_of<weft::InputError>([&] { (void)parse_trace(text.substr(0, size), "trace.json"); }),
                HasSubstr("the file ends in the middle of a trace"))
        << size;
  }
}

TEST(TraceFile, NamesWhatIsWrong) {
  const auto error = [](const std::string& text) {
    return error_of<weft::InputError>([&] { (void)parse_trace(text, "t.json"); });
  };
  EXPECT_THAT(error("[mesh]\n"), HasSubstr("t.json:1"));
  EXPECT_THAT(error("[mesh]\n"), HasSubstr("is not JSON"));
  EXPECT_THAT(error("{\"calls\": []}"), HasSubstr("is no trace of weft"));
  EXPECT_THAT(error("[{\"name\": \"process_name\"}]"), HasSubstr("is no trace of weft"));
  EXPECT_THAT(error("{\"weft\": {}, \"traceEvents\": []}"), HasSubstr("rank 0 of the trace is wrong"));
  const std::string good = trace_text(two_ranks());
  const auto with = [&](const std::string& before, const std::string& after) {
    std::string text = good;
    const auto at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    return text.replace(at, before.size(), after);
  };
  EXPECT_THAT(error(with("\"pid\": 0, \"tid\"", "\"pid\": 7, \"tid\"")), HasSubstr("of the trace is wrong"));
  EXPECT_THAT(error(with("\"peer\": 1", "\"peer\": 2")), HasSubstr("the rank of a wait"));
  EXPECT_THAT(error(with("\"exchange\": 0", "\"exchange\": 9")), HasSubstr("the number of an exchange"));
  EXPECT_THAT(error(with("\"cat\": \"region\"", "\"cat\": \"other\"")), HasSubstr("the category \"other\""));
  EXPECT_THAT(error(with("\"ts\": 0.000", "\"ts\": \"soon\"")), HasSubstr("event"));
}

TEST(TraceFile, RefusesRanksAndNodesThatDoNotExist) {
  const std::string good = trace_text(two_ranks());
  const auto error = [&](const std::string& before, const std::string& after) {
    std::string text = good;
    const auto at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    text.replace(at, before.size(), after);
    return error_of<weft::InputError>([&] { (void)parse_trace(text, "t.json"); });
  };
  for (const std::string& rank : std::vector<std::string>{"-1", "2"}) {
    EXPECT_THAT(error("\"received\": [[1,", "\"received\": [[" + rank + ","), HasSubstr("the rank of a message"));
    EXPECT_THAT(error("\"sent\": [[1,", "\"sent\": [[" + rank + ","), HasSubstr("the rank of a message"));
    EXPECT_THAT(error("\"sent\": [], ", "\"sent\": [[" + rank + ", 1, 80]], "), HasSubstr("the rank of a message"));
  }
  const auto error_of_graph = [&](const std::string& nodes) { return error("\"graphs\": []", "\"graphs\": [[" + nodes + "]]"); };
  const std::string task = std::to_string(static_cast<int>(Kind::task)), finish = std::to_string(static_cast<int>(Kind::finish));
  EXPECT_THAT(error_of_graph("[" + finish + "]"), HasSubstr("a finish node without its start node"));
  EXPECT_THAT(error_of_graph("[" + task + "], [" + finish + ", 0]"), HasSubstr("a finish node without its start node"));
  EXPECT_THAT(error_of_graph("[" + task + ", 0]"), HasSubstr("a dependency"));
}

}  // namespace
}  // namespace recording_test
