// The streams of a plan with a device, their priorities, and the nodes of a stage that are launched as one graph.
#include "weft/task/device_streams.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "weft/task/device_work.hpp"

namespace device_streams_test {
namespace {

using namespace weft::task;
using testing::Each;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr DataId u{0}, v{1}, w{2};

/// Arrays of one plan with inner rows, of which none is sent, with a side on the device.
const std::vector<DataShape> kData{{.name = "u", .sent = Part::border, .has_inner = true, .on_device = true},
                                   {.name = "v", .sent = Part::border, .has_inner = true, .on_device = true},
                                   {.name = "w", .sent = Part::border, .has_inner = true, .on_device = true}};

[[nodiscard]] TaskShape kernel(std::string name, std::vector<Access> accesses, bool divisible = false,
                               DeviceStream stream = DeviceStream::main) {
  return {std::move(name), std::move(accesses), divisible, weft::Side::device, stream};
}

/// Returns the streams of the nodes that are executed in one, by their names.
[[nodiscard]] std::map<std::string, int> streams_of(const Stage& stage) {
  std::map<std::string, int> streams;
  for (const Node& node : stage.nodes) {
    if (in_streams(node)) streams[node.name] = stream_of(node);
  }
  return streams;
}

TEST(DeviceStreams, UrgentWorkHasAStreamOfHighPriority) {
  for (std::uint8_t stream = 0; stream < kStreams; ++stream) {
    EXPECT_EQ(priority_of(stream), stream == kUrgent ? weft::Priority::high : weft::Priority::normal) << kStreamNames.at(stream);
  }
}

TEST(DeviceStreams, BorderRowsAndExchangesAreUrgent) {
  const std::vector<TaskShape> tasks{kernel("update", {reads_writes(u)}, true), kernel("smooth", {reads(u), writes(v)}, true)};
  EXPECT_THAT(
      streams_of(compile(kData, tasks).repeated),
      UnorderedElementsAre(Pair("update (inner)", kMain), Pair("update (border)", kUrgent), Pair("start pull u", kUrgent),
                           Pair("finish pull u", kUrgent), Pair("smooth (inner)", kMain), Pair("smooth (border)", kUrgent)));
}

TEST(DeviceStreams, TasksForWhichAnExchangeWaitsAreUrgent) {
  const std::vector<TaskShape> tasks{kernel("update", {reads_writes(u)}), kernel("other", {reads_writes(w)}),
                                     kernel("smooth", {reads(u), writes(v)})};
  EXPECT_THAT(streams_of(compile(kData, tasks).repeated),
              UnorderedElementsAre(Pair("update", kUrgent), Pair("other", kMain), Pair("start pull u", kUrgent),
                                   Pair("finish pull u", kUrgent), Pair("smooth", kMain)));
}

TEST(DeviceStreams, ATaskIsInTheStreamThatItStates) {
  const std::vector<TaskShape> tasks{kernel("main", {reads_writes(u, Part::owned)}),
                                     kernel("urgent", {reads_writes(v, Part::owned)}, false, DeviceStream::urgent),
                                     kernel("aside", {reads_writes(w, Part::owned)}, true, DeviceStream::aside)};
  EXPECT_THAT(streams_of(compile(kData, tasks).repeated),
              UnorderedElementsAre(Pair("main", kMain), Pair("urgent", kUrgent), Pair("aside (inner)", kAside),
                                   Pair("aside (border)", kAside)));
}

TEST(DeviceStreams, EachDirectionOfCopiesHasAStream) {
  const std::vector<TaskShape> tasks{
      {"host", {writes(u)}}, kernel("kernel", {reads(u, Part::owned), writes(v)}), {"use", {reads(v, Part::owned)}}};
  EXPECT_THAT(streams_of(compile(kData, tasks).repeated),
              UnorderedElementsAre(Pair("copy u (owned) to the device", kToDevice), Pair("kernel", kMain),
                                   Pair("copy v (owned) to the host", kToHost)));
}

/// Returns the kinds of the nodes that an executor sees.
[[nodiscard]] std::vector<Kind> kinds(const DeviceStage& stage) {
  std::vector<Kind> list;
  for (const Node& node : stage.stage().nodes) list.push_back(node.kind);
  return list;
}

TEST(DeviceStages, AllWorkOfTheDeviceIsOneLaunch) {
  const std::vector<TaskShape> tasks{kernel("update", {reads_writes(u)}, true), kernel("smooth", {reads(u), writes(v)}, true),
                                     kernel("urgent", {reads(v, Part::owned), writes(w)}, false, DeviceStream::urgent),
                                     kernel("aside", {reads_writes(w)}, true, DeviceStream::aside)};
  Schedule schedule = compile(kData, tasks);
  for (Stage* const stage : {&schedule.first, &schedule.repeated}) {
    const DeviceStage launched(*stage, true);
    ASSERT_THAT(kinds(launched), testing::ElementsAre(Kind::segment));
    EXPECT_THAT(launched.stage().communication, testing::IsEmpty());
    std::vector<std::string> members, all;
    launched.for_each_member(launched.stage().nodes[0], [&](const Node& node) { members.push_back(node.name); });
    for (const Node& node : stage->nodes) all.push_back(node.name);
    EXPECT_EQ(members, all);
    launched.number_graphs(*stage);
    std::vector<int> graphs;
    for (const Node& node : stage->nodes) graphs.push_back(node.graph);
    EXPECT_THAT(graphs, Each(0));
  }
}

TEST(DeviceStages, ExchangesThatNoGraphCanContainAreBetweenLaunches) {
  const std::vector<TaskShape> tasks{kernel("update", {reads_writes(u)}), kernel("smooth", {reads(u), writes(v)})};
  const Stage stage = compile(kData, tasks).repeated;
  EXPECT_THAT(kinds(DeviceStage(stage, false)), testing::ElementsAre(Kind::segment, Kind::start, Kind::finish, Kind::segment));
}

TEST(DeviceStages, WorkOfTheHostDividesALaunch) {
  const std::vector<TaskShape> tasks{kernel("update", {reads_writes(u, Part::owned)}),
                                     {"host", {reads_writes(u, Part::owned)}},
                                     kernel("again", {reads_writes(u, Part::owned)})};
  const Stage stage = compile(kData, tasks).repeated;
  EXPECT_THAT(kinds(DeviceStage(stage, true)),
              testing::ElementsAre(Kind::segment, Kind::copy, Kind::task, Kind::copy, Kind::segment));
}

}  // namespace
}  // namespace device_streams_test
