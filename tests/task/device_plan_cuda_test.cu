// Plans whose tasks execute on a GPU: what is launched, and misuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/recorder.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/cuda_call_counts.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/task/graph.hpp"
#include "weft/task/rate_summary.hpp"
#include "weft/task/recording.hpp"
#include "weft/task/recording_summary.hpp"
#include "weft/task/trace_file.hpp"

#include "support/gpu.hpp"
#include "task/device_bodies.hpp"
#include "task/ring.hpp"

namespace weft::task::test::device_plan_cuda_test {
namespace {

class CudaPlan : public ::testing::Test {
 protected:
  void SetUp() override { WEFT_NEEDS_GPU(); }
};

/// Sets numbers after some 20 ms.
struct SetLate {
  double* to;
  double value;
  WEFT_HD void operator()(std::int32_t i) const {
#ifdef __CUDA_ARCH__
    const long long begin = clock64();
    while (clock64() - begin < 40'000'000) {
    }
#endif
    to[i] = value;
  }
};

/// A clock and an array that sums its values, on the GPU alone.
struct Clocked {
  explicit Clocked(const Communicator& comm)
      : plan(GhostPlan::build(comm, 100, std::vector<GlobalRow>{})), u(plan, Layout::aos, Backend::cuda), graph(comm) {
    const DataId data = graph.add_array("u", u, 60), t = graph.add_number("time", time);
    graph.add_task("clock", {reads_writes(t)}, on(device),
                   [this](Stream& stream) { parallel_for(space::cuda{}, stream, 1, AddOne{time.write(Side::device).data()}); });
    graph.add_task("add", {reads(t), reads_writes(data)}, on(device), [this](Stream& stream, Rows rows) {
      double* const to = u.view<Aos, space::cuda>().data();
      parallel_for(space::cuda{}, stream, rows.size(), AddNumber{to + rows.first().value(), time.read(Side::device).data()});
    });
  }
  GhostPlan plan;
  Field u;
  HostDeviceVector<double> time{1, Backend::cuda, "time"}, steps{1, Backend::cuda, "steps"};
  Graph graph;
};

TEST_F(CudaPlan, AnIterationIsOneGraphLaunch) {
  Clocked c(Communicator::self());
  Plan plan = c.graph.compile();
  plan.run(2);  // enqueued node by node, then recorded
  const auto before = weft::detail::cuda_call_counts();
  plan.run(1000);
  const auto made = weft::detail::cuda_call_counts() - before;
  EXPECT_EQ(made.graphs, 1000);
  EXPECT_EQ(made.kernels, 0);
  EXPECT_EQ(made.copies, 0);
  EXPECT_EQ(made.allocations, 0);
  EXPECT_LE(made.waits, 3);
  c.u.to_host(After()).wait();
  c.time.to_host(After()).wait();
  EXPECT_EQ(std::as_const(c.time)[0], 1002);
  EXPECT_EQ(std::as_const(c.u)(0, 0), 1002.0 * 1003 / 2);
  EXPECT_EQ(std::as_const(c.u)(99, 0), 1002.0 * 1003 / 2);
}

TEST_F(CudaPlan, EnqueuedIterationsAreLaunchesWithoutTheHost) {
  const Communicator self = Communicator::self();
  const GhostPlan rows = GhostPlan::build(self, 100, std::vector<GlobalRow>{});
  Field u(rows, Layout::aos, Backend::cuda, Side::device);
  DeviceVector<double> buffers(Backend::cuda, std::span<const double>(std::array{1.0, 10.0, 0.0, 0.0}));
  int buffer = 0;
  Graph g(self);
  const DataId data = g.add_array("u", u), numbers = g.add_memory("buffers"), sum = g.add_memory("sum");
  g.add_task("add", {reads(numbers), reads_writes(data)}, on(device), [&](Stream& stream) {
    parallel_for(space::cuda{}, stream, 100, AddNumber{u.view<Aos, space::cuda>().data(), buffers.data() + buffer});
  });
  g.add_task("sum", {reads(data), reads_writes(sum)}, on(device_aside), [&](Stream& stream) {
    parallel_for(space::cuda{}, stream, 1, AddNumber{buffers.data() + 2, u.view<Aos, space::cuda>().data()});
  });
  g.add_task("add again", {reads(numbers), reads_writes(data)}, on(device_urgent), [&](Stream& stream) {
    parallel_for(space::cuda{}, stream, 100, AddNumber{u.view<Aos, space::cuda>().data(), buffers.data() + buffer});
  });
  Plan plan = g.compile();
  Stream stream;
  const auto enqueue = [&](int of) {
    buffer = of;
    plan.enqueue(stream, of);
  };
  for (const int of : {0, 1, 0, 1}) enqueue(of);  // the first one node by node, then each buffer is recorded
  const auto before = weft::detail::cuda_call_counts();
  for (int i = 0; i < 100; ++i) enqueue(i % 2);
  const auto made = weft::detail::cuda_call_counts() - before;
  EXPECT_EQ(made.graphs, 100);
  EXPECT_EQ(made.kernels, 0);
  EXPECT_EQ(made.waits, 0);
  parallel_for(space::cuda{}, stream, 1, SetLate{buffers.data() + 3, 5});
  const Event late = stream.record();
  plan.finish(stream);
  EXPECT_TRUE(late.done()) << "finish(stream) did not wait for work of the caller";
  EXPECT_EQ((weft::detail::cuda_call_counts() - before).waits, 1);
  plan.finish(stream);  // no sequence: waits for the stream
  EXPECT_EQ((weft::detail::cuda_call_counts() - before).waits, 2);
  double expected = 0, sums = 0;
  for (int i = 0; i < 104; ++i) {
    expected += i % 2 == 0 ? 1 : 10;
    sums += expected;
    expected += i % 2 == 0 ? 1 : 10;
  }
  std::vector<double> values(3);
  const auto value = [&] {
    std::vector<double> all(100);
    copy_bytes(stream, all.data(), std::as_const(u).view<Aos, space::cuda>().data(), 100 * sizeof(double));
    buffers.get(0, values, after(stream));
    EXPECT_EQ(all.front(), all.back());
    return all.front();
  };
  EXPECT_EQ(value(), expected);
  EXPECT_EQ(values[2], sums);
  plan.renew_recordings();
  buffer = 1;
  plan.enqueue(stream, 0);  // recorded again, with the other buffer
  plan.enqueue(stream, std::nullopt);
  EXPECT_EQ(value(), expected + 40);
  Stream of_host = Stream::for_backend(Backend::mirror);
  EXPECT_THAT(error_of<ContractError>([&] { plan.enqueue(of_host); }), ::testing::HasSubstr("not of the device"));
}

TEST_F(CudaPlan, IterationsFollowThoseInOtherStreams) {
  const Communicator self = Communicator::self();
  const GhostPlan plan = GhostPlan::build(self, 100, std::vector<GlobalRow>{});
  Field u(plan, Layout::aos, Backend::cuda);
  const DeviceVector<double> summand(Backend::cuda, std::span<const double>(std::array{1.0}));
  double late = 0;
  Graph g(self);
  const DataId data = g.add_array("u", u), number = g.add_memory("summand");
  g.add_task("late", {writes(number)}, on(device), [&](Stream& stream) {
    if (late > 0) parallel_for(space::cuda{}, stream, 1, SetLate{summand.data(), late});
  });
  g.add_task("add", {reads(number), reads_writes(data)}, on(device), [&](Stream& stream) {
    parallel_for(space::cuda{}, stream, 100, AddNumber{u.view<Aos, space::cuda>().data(), summand.data()});
  });
  Plan tasks = g.compile(1, Check::none, Transport::automatic, Launch::by_bodies);
  Stream first, second;
  late = 10;
  tasks.enqueue(first, std::nullopt);
  late = 0;
  tasks.enqueue(second, std::nullopt);
  late = 100;
  tasks.enqueue(second, std::nullopt);
  late = 0;
  tasks.run(1);
  u.to_host(After(), u.space().owned()).wait();
  EXPECT_EQ(std::as_const(u)(99, 0), 10 + 10 + 100 + 100);
}

TEST_F(CudaPlan, AHostTaskOfASequenceReadsWhatTheIterationBeforeLeft) {
  Ring ring(Backend::cuda);
  double seen = -1;
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u);
  g.add_task("look", {reads(u, Part::owned)}, [&] { seen = std::as_const(ring.u)(0, 0); });
  g.add_task("late", {writes(u)}, on(device), [&](Stream& stream) {
    parallel_for(space::cuda{}, stream, kRows, SetLate{ring.u.view<Aos, space::cuda>().data(), 7});
  });
  for (int i = 0; i < kRows; ++i) ring.u(i, 0) = 1;
  Plan plan = g.compile();
  Stream stream;
  plan.enqueue(stream);
  EXPECT_EQ(seen, 1);
  plan.enqueue(stream);
  EXPECT_EQ(seen, 7);
  plan.finish();
}

TEST_F(CudaPlan, ATraceHasTheTimesOfTasksInTheirStreams) {
  Ring ring(Backend::cuda);
  ring.u.to_device(After()).wait();
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u);
  g.add_task("late", {writes(u)}, on(device), [&](Stream& stream) {
    parallel_for(space::cuda{}, stream, kRows, SetLate{ring.u.view<Aos, space::cuda>().data(), 1});
  });
  g.add_task("look", {reads(u, Part::owned)}, [] {});
  Plan plan = g.compile();
  plan.run(3);
  Trace trace(Trace::Streams::shown);
  plan.run(2, &trace);
  int late = 0, copies = 0;
  for (const Trace::Event& event : trace.events()) {
    if (event.thread < kFirstStream) continue;
    const bool is_late = event.name == "late";
    (is_late ? late : copies) += 1;
    if (is_late) {
      EXPECT_GT(event.end - event.begin, std::chrono::milliseconds(5));
    }
    EXPECT_LT(event.end - event.begin, std::chrono::seconds(2));
    EXPECT_GE(event.begin, trace.events().front().begin - std::chrono::milliseconds(5));
  }
  EXPECT_EQ(late, 2);
  EXPECT_EQ(copies, 2);
  plan.run(3);  // by graphs again
}

TEST_F(CudaPlan, ARecordingHasTheTimesOfOneIterationAndTheOthersAreGraphs) {
  Clocked c(Communicator::self());
  c.graph.set_count("add", {100, 1600});
  Plan plan = c.graph.compile();
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("weft_cuda_plan_trace_" + std::to_string(Communicator::world().rank().value()) + ".json"))
                               .string();
  Recording recording(Communicator::self(), path);
  Recorder::next_step();
  plan.run(2);  // enqueued node by node, then recorded
  const auto before = weft::detail::cuda_call_counts();
  plan.run(100);
  const auto made = weft::detail::cuda_call_counts() - before;
  EXPECT_EQ(made.graphs, 99);
  EXPECT_EQ(made.kernels, 3) << "the clock, and both halves of the sum";
  recording.write();
  std::ifstream file(path);
  const std::vector<RankTrace> ranks = parse_trace({std::istreambuf_iterator<char>(file), {}}, path);
  OperationCount count;
  for (const RateSummary::Task& task : summarize_rates(ranks).tasks) {
    EXPECT_TRUE(task.on_device) << task.name;
    EXPECT_EQ(task.executions, 1) << task.name;
    EXPECT_GT(task.seconds, 0) << task.name;
    EXPECT_LT(task.seconds, 0.1) << task.name;
    count += task.count;
  }
  EXPECT_EQ(count, (OperationCount{100, 1600}));
  c.time.to_host(After()).wait();
  c.u.to_host(After()).wait();
  EXPECT_EQ(std::as_const(c.time)[0], 102);
  EXPECT_EQ(std::as_const(c.u)(99, 0), 102.0 * 103 / 2);
  std::filesystem::remove(path);
}

TEST_F(CudaPlan, BodiesAreCalledInEachIterationWithoutGraphs) {
  Clocked c(Communicator::self());
  int calls = 0;
  const DataId data = c.graph.add_number("steps", c.steps);
  c.graph.add_task("allocates", {reads_writes(data)}, on(device), [&](Stream& stream) {
    ++calls;
    const DeviceVector<double> memory(Backend::cuda, std::span<const double>(std::array{1.0 * calls}));
    parallel_for(space::cuda{}, stream, 1, AddNumber{c.steps.write(Side::device).data(), memory.data()});
    stream.wait();
  });
  Plan plan = c.graph.compile(1, Check::none, Transport::automatic, Launch::by_bodies);
  const auto before = weft::detail::cuda_call_counts();
  plan.run(10);
  EXPECT_EQ((weft::detail::cuda_call_counts() - before).graphs, 0);
  EXPECT_EQ(calls, 10);
  c.steps.to_host(After()).wait();
  c.time.to_host(After()).wait();
  EXPECT_EQ(std::as_const(c.steps)[0], 55);
  EXPECT_EQ(std::as_const(c.time)[0], 10);
}

TEST_F(CudaPlan, ExchangesOfPeriodicImagesAreInTheGraph) {
  const Communicator self = Communicator::self();
  const GhostPlan plan = GhostPlan::build(self, kRows, std::vector{GhostRequest{GlobalRow(kRows - 1), 1}});
  Field u(plan, Layout::aos, Backend::cuda);
  for (int i = 0; i < kRows; ++i) u(i, 0) = i;
  Graph g(self);
  const DataId data = g.add_array("u", u);
  g.add_task("add the image", {reads(data, Part::ghost), reads_writes(data)}, on(device), [&](Stream& stream) {
    double* const rows = u.view<Aos, space::cuda>().data();
    parallel_for(space::cuda{}, stream, kRows, AddNumber{rows, rows + kRows});
  });
  Plan tasks = g.compile();
  tasks.run(2);
  const auto before = weft::detail::cuda_call_counts();
  tasks.run(5);
  const auto made = weft::detail::cuda_call_counts() - before;
  EXPECT_EQ(made.graphs, 5) << tasks.text();
  EXPECT_EQ(made.kernels, 0);
  tasks.close();
  u.to_host(After(), u.space().owned()).wait();
  for (int i = 0; i < kRows; ++i) EXPECT_EQ(std::as_const(u)(i, 0), i + 3.0 * 127);  // 3, 6, 12, ... is added
}

TEST_F(CudaPlan, ExchangesInGraphsAreCountedAtEachLaunch) {
  constexpr int kIterations = 40;
  Ring ring(Backend::cuda);
  for (int i = 0; i < kRows; ++i) ring.u(i, 0) = 1;
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u);
  g.add_task("count", {reads(u), reads_writes(u, Part::owned)}, on(device),
             [&](Stream& stream) { parallel_for(space::cuda{}, stream, 1, AddOne{ring.u.view<Aos, space::cuda>().data()}); });
  Plan plan = g.compile();
  const std::string path = (std::filesystem::temp_directory_path() / "weft_cuda_plan_messages.json").string();
  Recording recording(ring.comm, path);
  Recorder::next_step();
  plan.run(kIterations);
  Traffic sent, expected;
  for (const Exchange& exchange : plan.exchanges()) {
    sent += exchange.sent();
    for (const Exchange::Message& message : exchange.messages()) {
      expected += {kIterations, kIterations * message.bytes};
    }
  }
  EXPECT_EQ(sent, expected);
  recording.write();
  ring.comm.barrier();
  std::ifstream file(path);
  Traffic recorded;
  for (const auto& m : summarize_recording(parse_trace({std::istreambuf_iterator<char>(file), {}}, path)).messages) {
    if (m.from == ring.comm.rank().value()) recorded += m.traffic;
  }
  EXPECT_EQ(recorded, expected);
  ring.comm.barrier();
  if (ring.comm.is_root()) std::filesystem::remove(path);
  plan.close();
}

TEST_F(CudaPlan, ABodyThatWaitsIsAnErrorWhenItIsRecorded) {
  Ring ring(Backend::cuda);
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u);
  g.add_task("impatient", {reads_writes(u)}, on(device), [](Stream& stream) { stream.wait(); });
  Plan plan = g.compile();
  plan.run(1);
  const std::string message = error_of<DeviceError>([&] { plan.run(3); });
  EXPECT_THAT(message, ::testing::HasSubstr("task 'impatient'"));
  Clocked c(ring.comm);  // the GPU is usable
  c.graph.compile().run(3);
  c.time.to_host(After()).wait();
  EXPECT_EQ(std::as_const(c.time)[0], 3);
}

TEST_F(CudaPlan, ABodyThatThrowsWhileItIsRecordedIsCalledAgain) {
  Clocked c(Communicator::self());
  int calls = 0;
  const DataId data = c.graph.add_number("steps", c.steps);
  c.graph.add_task("throws", {reads_writes(data)}, on(device), [&](Stream& stream) {
    if (++calls == 2) throw PhysicsError("the density is negative", "use a smaller CFL");
    parallel_for(space::cuda{}, stream, 1, AddOne{c.steps.write(Side::device).data()});
  });
  Plan plan = c.graph.compile();
  plan.run(1);
  EXPECT_THAT(error_of<PhysicsError>([&] { plan.run(1); }), ::testing::HasSubstr("task 'throws': the density is negative"));
  plan.run(3);
  c.steps.to_host(After()).wait();
  EXPECT_EQ(std::as_const(c.steps)[0], 4);
  EXPECT_EQ(calls, 3);
}

TEST_F(CudaPlan, HostAndDeviceTakeTurnsWithTheRightValues) {
  Ring ring(Backend::cuda);
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u, 2), v = g.add_array("v", ring.v, 2);
  g.add_task("to v", {reads(u), writes(v, Part::owned | Part::ghost)}, on(device), [&](Stream& stream) {
    parallel_for(space::cuda{}, stream, kRows + ring.plan.ghost_rows(),
                 Copy{std::as_const(ring.u).view<Aos, space::cuda>().data(), ring.v.view<Aos, space::cuda>().data()});
  });
  g.add_task("on the host", {reads(v), writes(u)}, [&](Rows rows) {
    for (const LocalRow row : rows) ring.u(row, 0) = std::as_const(ring.v)(row, 0) + 1;
  });
  for (int i = 0; i < kRows; ++i) ring.u(i, 0) = static_cast<double>(ring.first() + i);
  for (const int threads : {1, 2}) {
    Plan plan = g.compile(threads);
    plan.run(200);
    plan.close();
  }
  PairRef(ring.v).bring(Side::host, ring.v.space().ghosts());
  const int ghost = ring.plan.find(GlobalRow(ring.behind())).value();
  EXPECT_EQ(std::as_const(ring.v)(ghost, 0), static_cast<double>(ring.behind()) + 399);
  for (int i = 0; i < kRows; ++i) EXPECT_EQ(std::as_const(ring.u)(i, 0), static_cast<double>(ring.first() + i) + 400);
}

}  // namespace
}  // namespace weft::task::test::device_plan_cuda_test
