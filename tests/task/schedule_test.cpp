// The compiler of task graphs: which communication it inserts, where, and which nodes wait for which.
#include "weft/task/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/task/segments.hpp"

namespace schedule_test {
namespace {

using namespace weft::task;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using weft::Reduce;

constexpr DataId u{0}, v{1}, w{2}, dt{3};

/// Arrays u, v and w of one plan with inner rows, of which none is sent, and the number dt.
const std::vector<DataShape> kData{{.name = "u", .sent = Part::border, .has_inner = true},
                                   {.name = "v", .sent = Part::border, .has_inner = true},
                                   {.name = "w", .sent = Part::border, .has_inner = true},
                                   {.name = "dt", .is_array = false}};

[[nodiscard]] std::vector<std::string> names(const Stage& stage) {
  std::vector<std::string> list;
  for (const Node& node : stage.nodes) list.push_back(node.name);
  return list;
}

[[nodiscard]] int node(const Stage& stage, const std::string& name) {
  const std::vector<std::string> list = names(stage);
  const auto found = std::ranges::find(list, name);
  if (found == list.end()) throw std::out_of_range("there is no node " + name);
  return static_cast<int>(found - list.begin());
}

/// Returns true if node b is executed after node a whatever the order of execution.
[[nodiscard]] bool follows(const Stage& stage, int a, int b) {
  if (a == b) return true;
  for (const int successor : stage.successors_of(a)) {
    if (follows(stage, successor, b)) return true;
  }
  return false;
}
[[nodiscard]] bool follows(const Stage& stage, const std::string& a, const std::string& b) {
  return follows(stage, node(stage, a), node(stage, b));
}

TEST(Schedule, PullsGhostRowsThatATaskReads) {
  const std::vector<TaskShape> tasks{{"smooth", {reads(u), writes(v)}}, {"copy", {reads(v, Part::owned), writes(u)}}};
  const Schedule schedule = compile(kData, tasks);
  EXPECT_THAT(names(schedule.repeated), ElementsAre("start pull u", "finish pull u", "smooth", "copy"));
  ASSERT_EQ(schedule.exchanges.size(), 1U);
  EXPECT_THAT(schedule.exchanges[0].arrays, ElementsAre(u));
  EXPECT_EQ(schedule.repeated.nodes[0].reason, "'smooth' reads ghost rows of 'u', which was changed by 'copy'");
  EXPECT_TRUE(schedule.repeated.nodes[0].urgent == false);  // nothing in the iteration precedes it
}

TEST(Schedule, DividesATaskSoThatTheMessageTravelsMeanwhile) {
  const std::vector<TaskShape> tasks{{"smooth", {reads(u), writes(v)}, true}, {"copy", {reads(v, Part::owned), writes(u)}, true}};
  const Stage stage = compile(kData, tasks).repeated;
  EXPECT_THAT(names(stage),
              ElementsAre("start pull u", "finish pull u", "smooth (inner)", "smooth (border)", "copy (inner)", "copy (border)"));
  EXPECT_FALSE(follows(stage, "finish pull u", "smooth (inner)"));
  EXPECT_TRUE(follows(stage, "finish pull u", "smooth (border)"));
  EXPECT_FALSE(follows(stage, "smooth (inner)", "smooth (border)"));
}

TEST(Schedule, StartsAPullAfterTheBorderRowsOnly) {
  const std::vector<TaskShape> tasks{{"update", {reads_writes(u)}, true}, {"smooth", {reads(u), writes(v)}, true}};
  const Stage stage = compile(kData, tasks).repeated;
  EXPECT_FALSE(follows(stage, "update (inner)", "start pull u"));
  EXPECT_TRUE(follows(stage, "update (border)", "start pull u"));
  EXPECT_TRUE(stage.nodes[node(stage, "update (border)")].urgent);
  EXPECT_FALSE(stage.nodes[node(stage, "update (inner)")].urgent);
}

TEST(Schedule, WaitsForInnerRowsThatAreSent) {
  std::vector<DataShape> data = kData;
  data[0].sent = Part::owned;
  const Stage stage =
      compile(data, std::vector<TaskShape>{{"update", {reads_writes(u)}, true}, {"smooth", {reads(u), writes(v)}, true}})
          .repeated;
  EXPECT_TRUE(follows(stage, "update (inner)", "start pull u"));
}

TEST(Schedule, MergesPullsThatCanTravelTogether) {
  const std::vector<TaskShape> tasks{{"a", {writes(u)}}, {"b", {writes(v)}}, {"c", {reads(u), reads(v), writes(w)}}};
  EXPECT_THAT(names(compile(kData, tasks).repeated), ElementsAre("a", "b", "start pull u, v", "finish pull u, v", "c"));
  // The first of these must have ended before the second can start.
  const std::vector<TaskShape> apart{{"a", {writes(u)}}, {"b", {reads(u), writes(v)}}, {"c", {reads(v), writes(w)}}};
  EXPECT_THAT(names(compile(kData, apart).repeated),
              ElementsAre("a", "start pull u", "finish pull u", "b", "start pull v", "finish pull v", "c"));
  std::vector<DataShape> spaces = kData;
  spaces[1].space = 1;
  EXPECT_EQ(compile(spaces, tasks).exchanges.size(), 2U);
}

TEST(Schedule, PullsOnceWhatDoesNotChange) {
  const std::vector<TaskShape> tasks{{"use", {reads(u), writes(v)}}, {"use again", {reads(u), writes(w)}}};
  const Schedule schedule = compile(kData, tasks);
  EXPECT_THAT(names(schedule.first), ElementsAre("start pull u", "finish pull u", "use", "use again"));
  EXPECT_THAT(names(schedule.repeated), ElementsAre("use", "use again"));
}

TEST(Schedule, PushesContributionsBeforeTheyAreRead) {
  const std::vector<TaskShape> tasks{{"gather a", {reads(u, Part::owned), reduces(v, Reduce::add)}},
                                     {"gather b", {reads(w, Part::owned), reduces(v, Reduce::add)}},
                                     {"use", {reads(v), writes(u)}}};
  const Stage stage = compile(kData, tasks).repeated;
  EXPECT_THAT(names(stage), ElementsAre("neutralize ghosts of v", "gather a", "gather b", "start push sum v", "finish push sum v",
                                        "start pull v", "finish pull v", "use"));
  EXPECT_TRUE(follows(stage, "gather a", "gather b"));  // in the order of recording: the same sums in every run
  EXPECT_TRUE(follows(stage, "finish push sum v", "start pull v"));
}

TEST(Schedule, MergesPushesUnlessAPullDependsOnOne) {
  const std::vector<TaskShape> together{
      {"a", {reduces(u, Reduce::add)}}, {"b", {reduces(v, Reduce::add)}}, {"c", {reads(u), reads(v, Part::owned)}}};
  EXPECT_THAT(names(compile(kData, together).repeated), testing::Contains("start push sum u, v"));
  const std::vector<TaskShape> by_op{
      {"a", {reduces(u, Reduce::add)}}, {"b", {reduces(v, Reduce::min)}}, {"c", {reads(u, Part::owned), reads(v, Part::owned)}}};
  EXPECT_EQ(compile(kData, by_op).exchanges.size(), 2U);
  const std::vector<TaskShape> pulled{
      {"a", {reduces(u, Reduce::add)}}, {"b", {reduces(v, Reduce::add)}}, {"c", {reads(u)}}, {"d", {reads(v, Part::owned)}}};
  const Stage stage = compile(kData, pulled).repeated;
  EXPECT_LT(node(stage, "finish push sum u"), node(stage, "start pull u"));
  EXPECT_TRUE(follows(stage, "finish push sum u", "start pull u"));
  EXPECT_TRUE(follows(stage, "start pull u", "c"));
}

TEST(Schedule, EndsAnIterationWithWholeValues) {
  const Stage stage =
      compile(kData, std::vector<TaskShape>{{"a", {reduces(u, Reduce::max)}}, {"b", {reduces(dt, Reduce::min)}}}).repeated;
  EXPECT_THAT(names(stage), ElementsAre("neutralize ghosts of u", "a", "start push maximum u", "finish push maximum u",
                                        "reset dt", "b", "minimum of dt over ranks"));
}

TEST(Schedule, CombinesANumberBeforeItIsRead) {
  const std::vector<TaskShape> tasks{{"limit", {reads(u, Part::owned), reduces(dt, Reduce::min)}, true},
                                     {"other", {reads_writes(w)}},
                                     {"step", {reads(dt), reads_writes(u)}, true}};
  const Stage stage = compile(kData, tasks).repeated;
  EXPECT_THAT(names(stage),
              ElementsAre("reset dt", "limit", "minimum of dt over ranks", "other", "step (inner)", "step (border)"));
  EXPECT_FALSE(follows(stage, "other", "step (inner)"));
  EXPECT_TRUE(follows(stage, "minimum of dt over ranks", "step (inner)"));
  EXPECT_THAT(stage.communication, ElementsAre(2));
}

TEST(Schedule, IndependentTasksDoNotWait) {
  const Stage stage =
      compile(kData, std::vector<TaskShape>{{"a", {reads_writes(u)}}, {"b", {reads_writes(v)}}, {"c", {reads(u, Part::owned)}}})
          .repeated;
  EXPECT_THAT(stage.predecessors, ElementsAre(0, 0, 1));
}

TEST(Schedule, BoundaryRowsArePlainData) {
  const std::vector<TaskShape> tasks{{"walls", {reads(u, Part::owned), writes(u, Part::boundary)}},
                                     {"flux", {reads(u), writes(v)}, true}};
  const Stage stage = compile(kData, tasks).first;
  EXPECT_TRUE(follows(stage, "walls", "flux (inner)"));
  EXPECT_FALSE(follows(stage, "walls", "start pull u"));
}

TEST(Schedule, ATaskMayWriteGhostRowsItself) {
  const std::vector<TaskShape> tasks{{"everywhere", {writes(u, Part::owned | Part::ghost)}}, {"use", {reads(u), writes(v)}}};
  EXPECT_THAT(compile(kData, tasks).exchanges, IsEmpty());
}

/// Returns the same data, and dt, with a side on the device.
[[nodiscard]] std::vector<DataShape> with_devices() {
  std::vector<DataShape> data = kData;
  for (DataShape& shape : data) shape.on_device = true;
  return data;
}
[[nodiscard]] TaskShape on_device(std::string name, std::vector<Access> accesses, bool divisible = false) {
  return {std::move(name), std::move(accesses), divisible, weft::Side::device};
}

TEST(Schedule, CopiesWhatTheOtherSideNeeds) {
  const std::vector<TaskShape> tasks{on_device("kernel", {reads(u, Part::owned), writes(v)}), {"host", {reads(v, Part::owned)}}};
  const Schedule schedule = compile(with_devices(), tasks);
  EXPECT_THAT(names(schedule.first), ElementsAre("kernel", "copy v (owned) to the host", "host"));
  EXPECT_THAT(names(schedule.repeated), ElementsAre("kernel", "copy v (owned) to the host", "host"));
  EXPECT_EQ(schedule.repeated.nodes[1].reason, "'host' needs 'v' on the host, which 'kernel' changed on the device");
  EXPECT_EQ(schedule.begin[0].of(Part::inner), bit(weft::Side::device));  // u is brought there before the first iteration
  EXPECT_EQ(schedule.begin[1].of(Part::inner), 0);                        // v is overwritten
  EXPECT_EQ(schedule.end[1].of(Part::border), bit(weft::Side::host) | bit(weft::Side::device));
  EXPECT_EQ(schedule.end[1].of(Part::ghost), 0);
}

TEST(Schedule, CopiesOnceWhatDoesNotChange) {
  const std::vector<TaskShape> tasks{{"host", {reads(u, Part::owned), writes(v)}},
                                     on_device("kernel", {reads(u, Part::owned), writes(w)}),
                                     on_device("again", {reads(u, Part::owned), reads_writes(w)})};
  const Schedule schedule = compile(with_devices(), tasks);
  EXPECT_THAT(names(schedule.first), ElementsAre("host", "copy u (owned) to the device", "kernel", "again"));
  EXPECT_THAT(names(schedule.repeated), ElementsAre("host", "kernel", "again"));
}

TEST(Schedule, DoesNotCopyWhatIsOverwritten) {
  const std::vector<TaskShape> tasks{
      {"host", {writes(u)}}, on_device("kernel", {writes(u)}), on_device("use", {reads(u, Part::owned)})};
  EXPECT_THAT(names(compile(with_devices(), tasks).repeated), ElementsAre("host", "kernel", "use"));
}

TEST(Schedule, CopiesThePartsOfDifferentTasksSeparately) {
  const std::vector<TaskShape> tasks{on_device("update", {reads_writes(u)}, true), {"host", {reads(u, Part::owned)}}};
  const Stage stage = compile(with_devices(), tasks).repeated;
  EXPECT_THAT(names(stage), ElementsAre("update (inner)", "update (border)", "copy u (inner) to the host",
                                        "copy u (border) to the host", "host"));
  EXPECT_FALSE(follows(stage, "update (inner)", "copy u (border) to the host"));
  EXPECT_TRUE(follows(stage, "update (border)", "copy u (border) to the host"));
}

TEST(Schedule, ExchangesWhereTheRowsWereChanged) {
  const std::vector<TaskShape> tasks{on_device("update", {reads_writes(u)}), {"host", {reads(u, Part::ghost), writes(v)}}};
  const Schedule schedule = compile(with_devices(), tasks);
  EXPECT_EQ(schedule.exchanges.at(0).side, weft::Side::device);
  EXPECT_THAT(names(schedule.repeated),
              ElementsAre("update", "start pull u", "finish pull u", "copy u (ghost) to the host", "host"));
  const std::vector<TaskShape> from_host{{"host", {reads_writes(u)}}, on_device("kernel", {reads(u), writes(v)}, true)};
  const Schedule other = compile(with_devices(), from_host);
  EXPECT_EQ(other.exchanges.at(0).side, weft::Side::host);
  const Stage& stage = other.repeated;
  EXPECT_THAT(names(stage), ElementsAre("host", "start pull u", "finish pull u", "copy u (owned) to the device", "kernel (inner)",
                                        "copy u (ghost) to the device", "kernel (border)"));
  EXPECT_FALSE(follows(stage, "finish pull u", "kernel (inner)"));
}

TEST(Schedule, CopiesRowsOfBothSidesBeforeAnExchange) {
  std::vector<DataShape> data = with_devices();
  data[0].sent = Part::owned;
  const std::vector<TaskShape> tasks{{"inner", {writes(u, Part::inner)}},
                                     on_device("border", {writes(u, Part::border)}),
                                     on_device("use", {reads(u), writes(v)})};
  EXPECT_THAT(names(compile(data, tasks).repeated),
              ElementsAre("inner", "border", "copy u (inner) to the device", "start pull u", "finish pull u", "use"));
}

TEST(Schedule, OnlyExchangesOfOneSideAreMerged) {
  const std::vector<TaskShape> tasks{
      on_device("a", {writes(u)}), {"b", {writes(v)}}, {"c", {reads(u, Part::ghost), reads(v), writes(w)}}};
  EXPECT_EQ(compile(with_devices(), tasks).exchanges.size(), 2U);
}

TEST(Schedule, ReducesWhereTheContributionsAre) {
  const std::vector<TaskShape> tasks{on_device("scatter", {reduces(u, Reduce::add)}), on_device("use", {reads(u, Part::owned)}),
                                     on_device("limit", {reduces(dt, Reduce::min)}), on_device("step", {reads(dt)})};
  const Schedule schedule = compile(with_devices(), tasks);
  EXPECT_THAT(names(schedule.repeated),
              ElementsAre("neutralize ghosts of u", "scatter", "start push sum u", "finish push sum u", "use", "reset dt",
                          "limit", "copy dt to the host", "minimum of dt over ranks", "copy dt to the device", "step"));
  EXPECT_EQ(schedule.exchanges.at(0).side, weft::Side::device);
  EXPECT_THAT(names(compile(with_devices(), tasks, 1).repeated), Not(testing::Contains("minimum of dt over ranks")));
}

TEST(Schedule, TheSidesOfAnArrayAreTwoMemories) {
  const std::vector<TaskShape> tasks{
      {"host", {writes(u)}}, on_device("kernel", {reads(u, Part::owned), writes(v)}), {"next", {writes(u)}}};
  const Stage stage = compile(with_devices(), tasks).repeated;
  EXPECT_TRUE(follows(stage, "copy u (owned) to the device", "next"));
  EXPECT_FALSE(follows(stage, "kernel", "next"));  // it reads the copy
}

TEST(Schedule, WithoutGhostRowsNothingIsExchanged) {
  std::vector<DataShape> data = kData;
  for (DataShape& shape : data) shape.present = Part::owned;
  const std::vector<TaskShape> tasks{{"smooth", {reads(u), writes(v)}}, {"scatter", {reduces(u, Reduce::add)}}};
  EXPECT_THAT(names(compile(data, tasks).repeated), ElementsAre("smooth", "scatter"));
}

TEST(Segments, JoinWhatFollowsAndPrecedesTheSameNodes) {
  const std::vector<TaskShape> tasks{on_device("rate", {reads(u), writes(v)}, true),
                                     on_device("advance", {reads(v, Part::owned), reads_writes(u)}, true),
                                     {"host", {writes(w)}},
                                     on_device("other", {reads(w, Part::owned)})};
  const Stage stage = compile(with_devices(), tasks).repeated;
  const SegmentedStage joined = join_segments(stage, false);
  EXPECT_THAT(names(joined.stage),
              ElementsAre("start pull u", "finish pull u", "rate (inner)", "graph of 3 nodes from 'rate (border)'", "host",
                          "copy w (owned) to the device", "other"));
  EXPECT_FALSE(follows(joined.stage, "finish pull u", "rate (inner)"));
  EXPECT_THAT(joined.stage.communication, ElementsAre(0));
  EXPECT_FALSE(is_of_device(stage));
  const std::vector<TaskShape> kernels(tasks.begin(), tasks.begin() + 2);
  const Stage of_device = compile(with_devices(), kernels).repeated;
  EXPECT_TRUE(is_of_device(of_device));
  EXPECT_THAT(names(join_segments(of_device, true).stage), ElementsAre("graph of 6 nodes from 'start pull u'"));
}

TEST(Segments, AreInAnOrderThatRespectsTheDependencies) {
  // first -> host;  other -> next -> last -> host, next -> also: the segment of first and last waits for that of the others.
  const auto node = [](const char* name, weft::Side side) { return Node{.kind = Kind::task, .side = side, .name = name}; };
  Stage stage;
  for (const char* const name : {"first", "other", "next", "last"}) stage.nodes.push_back(node(name, weft::Side::device));
  for (const char* const name : {"host", "also"}) stage.nodes.push_back(node(name, weft::Side::host));
  stage.successors = {4, 2, 3, 5, 4};
  stage.first_successor = {0, 1, 2, 4, 5, 5, 5};
  stage.predecessors = {0, 0, 1, 1, 2, 1};
  stage.communication = {4};
  const SegmentedStage joined = join_segments(stage, false);
  EXPECT_THAT(names(joined.stage), ElementsAre("graph of 2 nodes from 'other'", "graph of 2 nodes from 'first'", "host", "also"));
  EXPECT_THAT(joined.stage.successors, ElementsAre(1, 3, 2));
  EXPECT_THAT(joined.stage.predecessors, ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(joined.stage.communication, ElementsAre(2));
}

struct Impossible {
  const char* what;
  TaskShape task;
  const char* message;
};

TEST(Schedule, NamesTaskAndDataOfImpossibleAccesses) {
  const std::vector<Impossible> table{
      {"unknown data", {"t", {reads(DataId(9))}}, "task 't' is to data that the graph does not have"},
      {"no data", {"t", {reads(DataId())}}, "data that the graph does not have"},
      {"no rows", {"t", {reads(u, Part::none)}}, "'t' and 'u': no rows are accessed"},
      {"insert", {"t", {reduces(u, Reduce::insert)}}, "insert is no reduction"},
      {"twice read", {"t", {reads(u), reads(u, Part::owned)}}, "is listed twice"},
      {"twice written", {"t", {writes(u), reads_writes(u)}}, "is listed twice"},
      {"read and written by rows", {"t", {reads(u), writes(u)}, true}, "is listed twice"},
      {"read and reduced", {"t", {reads(u, Part::owned), reduces(u, Reduce::add)}}, "is reduced and accessed otherwise"},
      {"reduced and read", {"t", {reduces(dt, Reduce::min), reads(dt)}}, "'t' and 'dt': is reduced and accessed otherwise"},
      {"reduced by rows", {"t", {reduces(u, Reduce::add)}, true}, "cannot reduce into ghost rows"},
      {"number by rows", {"t", {writes(u), writes(dt)}, true}, "overwrites a number in each of its parts"},
      {"ghosts by rows", {"t", {writes(u, Part::all)}, true}, "writes all owned rows and no others"},
      {"border by rows", {"t", {writes(u, Part::border)}, true}, "writes all owned rows and no others"}};
  for (const Impossible& row : table) {
    try {
      (void)compile(kData, std::vector<TaskShape>{row.task});
      ADD_FAILURE() << row.what << " is accepted";
    } catch (const weft::ContractError& error) {
      EXPECT_THAT(error.what(), HasSubstr(row.message)) << row.what;
    }
  }
}

}  // namespace
}  // namespace schedule_test
