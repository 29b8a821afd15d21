// Tasks on a device, with the mirror as the device: what the plan copies, and misuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/device/parallel_for.hpp"
#include "weft/task/graph.hpp"
#include "weft/task/schedule.hpp"

#include "support/gpu.hpp"
#include "support/time_limit.hpp"
#include "task/ring.hpp"

namespace weft::task::test::device_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

[[nodiscard]] double* device_rows(Field& field) { return field.view<Aos, space::mirror>().data(); }

TEST(DeviceTasks, HostAndDeviceTakeTurns) {
  Ring ring(Backend::mirror);
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u, 2), v = g.add_array("v", ring.v, 2);
  g.add_task("double", {reads(u, Part::owned), writes(v)}, on(device), [&](Stream&, Rows rows) {
    for (const LocalRow row : rows) device_rows(ring.v)[row.index()] = 2 * device_rows(ring.u)[row.index()];
  });
  g.add_task("add one", {reads(v, Part::owned), writes(u)}, [&](Rows rows) {
    for (const LocalRow row : rows) ring.u(row, 0) = std::as_const(ring.v)(row, 0) + 1;
  });
  for (int i = 0; i < kRows; ++i) ring.u(i, 0) = i;
  g.compile(2).run(3);
  for (int i = 0; i < kRows; ++i) EXPECT_EQ(std::as_const(ring.u)(i, 0), 8 * i + 7);
  EXPECT_FALSE(ring.u.fresh(Side::device, ring.u.space().owned()));
  EXPECT_TRUE(ring.v.fresh(Side::device, ring.v.space().owned()));
  EXPECT_TRUE(ring.v.fresh(Side::host, ring.v.space().owned()));
}

TEST(DeviceTasks, BringsValuesToTheDeviceAndLeavesThemThere) {
  Ring ring(Backend::mirror);
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u);
  g.add_task("double", {reads_writes(u)}, on(device), [&](Stream&, Rows rows) {
    for (const LocalRow row : rows) device_rows(ring.u)[row.index()] *= 2;
  });
  Plan plan = g.compile();
  EXPECT_THAT(plan.text(), Not(HasSubstr("copy")));
  for (int i = 0; i < kRows; ++i) ring.u(i, 0) = i;
  plan.run(2);
  EXPECT_FALSE(ring.u.fresh(Side::host, ring.u.space().owned()));
  ring.u.to_host(After(), ring.u.space().owned()).wait();
  ring.u(1, 0) = 100;  // the next run begins with this value
  ring.u.to_device(After(), ring.u.space().owned()).wait();
  plan.run(1);
  ring.u.to_host(After(), ring.u.space().owned()).wait();
  EXPECT_EQ(std::as_const(ring.u)(1, 0), 200);
  EXPECT_EQ(std::as_const(ring.u)(2, 0), 16);
}

TEST(DeviceTasks, NumbersHaveTwoSides) {
  Ring ring(Backend::mirror);
  HostDeviceVector<double> dt(1, Backend::mirror, "dt");
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), n = g.add_number("dt", dt);
  g.add_task("limit", {reads(u, Part::owned), reduces(n, Reduce::max)}, on(device), [&](Stream&) {
    double* const limit = dt.write(Side::device).data();
    for (int i = 0; i < kRows; ++i) limit[0] = std::max(limit[0], device_rows(ring.u)[i]);
  });
  g.add_task("add", {reads(n), reads_writes(u)}, on(device), [&](Stream&, Rows rows) {
    for (const LocalRow row : rows) device_rows(ring.u)[row.index()] += dt.read(Side::device)[0];
  });
  for (int i = 0; i < kRows; ++i) ring.u(i, 0) = static_cast<double>(ring.first() + i);
  Plan plan = g.compile();
  if (ring.comm.size() == 1) {
    EXPECT_THAT(plan.text(), Not(HasSubstr("copy")));
  } else {
    EXPECT_THAT(plan.text(),
                HasSubstr("copy dt to the host  after 1\n      because the reduction over ranks needs 'dt' on the host, which "
                          "'limit' changed on the device"));
    EXPECT_THAT(plan.text(), HasSubstr("copy dt to the device"));
  }
  plan.run(2);
  const auto largest = static_cast<double>(ring.all() - 1);
  ring.u.to_host(After(), ring.u.space().owned()).wait();
  EXPECT_EQ(std::as_const(ring.u)(0, 0), static_cast<double>(ring.first()) + 3 * largest);
}

TEST(DeviceTasks, ANumberOnTheDeviceAloneGetsMemoryOnTheHost) {
  double memory = 4;
  HostDeviceVector<double> count(std::span(&memory, 1), Backend::mirror, "count");
  Graph g(Communicator::world());
  const DataId n = g.add_number("count", count);
  g.add_task("count", {reduces(n, Reduce::add)}, on(device), [&](Stream&) { count.write(Side::device)[0] += 1; });
  g.add_task("double", {reads_writes(n)}, [&] { count.write(Side::host)[0] *= 2; });
  g.compile().run(2);
  EXPECT_EQ(std::as_const(count)[0], 2.0 * Communicator::world().size());
}

TEST(DeviceTasks, CompileAllocatesTheDeviceSidesOfNumbers) {
  Ring ring(Backend::mirror);
  HostDeviceVector<double> dt(1, Backend::mirror, "dt");
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), n = g.add_number("dt", dt);
  g.add_task("add", {reads(n), reads_writes(u)}, on(device), [](Stream&) {});
  EXPECT_FALSE(dt.allocated(Side::device));
  const Plan plan = g.compile();
  EXPECT_TRUE(dt.allocated(Side::device)) << "run() would have to agree on an error";
  EXPECT_TRUE(dt.is_tracked());
}

TEST(DeviceTasks, AConditionIsOnANumberOfTheHostAlone) {
  HostDeviceVector<double> count(1, Backend::mirror, "count");
  Graph g(Communicator::world());
  const DataId n = g.add_number("count", count);
  g.add_task("count", {reads_writes(n)}, on(device), [&](Stream&) { count.write(Side::device)[0] += 1; });
  Plan plan = g.compile();
  plan.run(1);
  EXPECT_THAT(error_of<ContractError>([&] {
                (void)plan.repeat_until(
                    n, [](double x) { return x >= 3; }, 5);
              }),
              HasSubstr("no number of its graph on the host"));
}

TEST(DeviceTasks, AllWorkOfAnIterationIsOneGraph) {
  Ring ring(Backend::mirror);
  Graph g(Communicator::self());
  const GhostPlan plan = GhostPlan::build(Communicator::self(), kRows, std::vector<GlobalRow>{});
  Field a(plan, Layout::aos, Backend::mirror), b(plan, Layout::aos, Backend::mirror);
  const DataId da = g.add_array("a", a, 2), db = g.add_array("b", b, 2);
  g.add_task("to b", {reads(da), writes(db)}, on(device), [](Stream&, Rows) {});
  g.add_task("to a", {reads(db), writes(da)}, on(device), [](Stream&, Rows) {});
  Plan tasks = g.compile();
  for (const Node& node : tasks.schedule().repeated.nodes) EXPECT_EQ(node.graph, 0) << node.name;
  Trace trace;
  tasks.run(3, &trace);
  EXPECT_EQ(trace.events().size(), 3U);
  EXPECT_EQ(trace.events().front().name, "graph of 4 nodes from 'to b (inner)'");
  EXPECT_THAT(tasks.json(), HasSubstr("\"side\": \"device\", \"graph\": 0"));
}

TEST(DeviceTasks, AnErrorOfOneRankReachesAllAndNamesTheTask) {
  Ring ring(Backend::mirror);
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u, 2), v = g.add_array("v", ring.v, 2);
  bool fails = true;
  std::atomic<int> later{0};
  g.add_task("flux", {reads(u), writes(v)}, on(device), [&](Stream&) {
    if (fails && ring.comm.rank().value() == ring.comm.size() - 1)
      throw PhysicsError("the density is negative", "use a smaller CFL");
  });
  g.add_task("use", {reads(v), writes(u)}, [&](Rows) { ++later; });
  Plan plan = g.compile(2);
  EXPECT_THAT(error_of<PhysicsError>([&] { plan.run(3); }), HasSubstr("task 'flux': the density is negative"));
  if (ring.comm.rank().value() == ring.comm.size() - 1) {
    EXPECT_EQ(later, 0);
  }
  fails = false;
  plan.run(2);  // the plan remains usable
  EXPECT_GT(later, 0);
  ring.u(0, 0) = 1;  // and freshness is tracked again
  EXPECT_FALSE(ring.u.fresh(Side::device, ring.u.space().owned()));
}

TEST(DeviceTasks, RefusesDataOfTheWrongSide) {
  Ring ring;
  const auto on_device_task = [](Graph& g, std::vector<Access> accesses) {
    g.add_task("kernel", std::move(accesses), on(device), [](Stream&) {});
  };
  {
    Graph g(ring.comm);
    on_device_task(g, {reads_writes(g.add_array("u", ring.u))});
    EXPECT_THAT(error_of<ContractError>([&] { (void)g.compile(); }), HasSubstr("no data of the graph have a device side"));
  }
  Ring mirrored(Backend::mirror);
  double number = 0;
  {
    Graph g(ring.comm);
    (void)g.add_array("m", mirrored.u);
    on_device_task(g, {reads_writes(g.add_array("u", ring.u))});
    EXPECT_THAT(error_of<ContractError>([&] { (void)g.compile(); }),
                HasSubstr("'kernel' and 'u': a task on a device accesses data without a device side"));
  }
  {
    Graph g(ring.comm);
    on_device_task(g, {reads_writes(g.add_array("m", mirrored.u)), reads(g.add_number("dt", number))});
    EXPECT_THAT(error_of<ContractError>([&] { (void)g.compile(); }), HasSubstr("add a HostDeviceVector of one element"));
  }
  {
    Field alone(ring.plan, Layout::aos, Backend::mirror, Side::device);
    Graph g(ring.comm);
    const DataId id = g.add_array("alone", alone);
    g.add_task("on the host", {reads(id)}, [] {});
    EXPECT_THAT(error_of<ContractError>([&] { (void)g.compile(); }),
                HasSubstr("'on the host' and 'alone': a task on the host accesses an array that has no memory there"));
  }
  HostDeviceVector<double> two(2, Backend::mirror);
  Graph g(ring.comm);
  EXPECT_THAT(error_of<ContractError>([&] { g.add_number("two", two); }), HasSubstr("has 2 elements"));
}

TEST(DeviceTasks, MemoryOrdersTasksAndIsNeitherCopiedNorExchanged) {
  Ring ring(Backend::mirror);
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u, 2), faces = g.add_memory("faces"), others = g.add_memory("others");
  g.add_task("to faces", {reads(u), writes(faces)}, on(device), [](Stream&) {});
  g.add_task("to others", {reads(u, Part::owned), writes(others)}, on(device_aside), [](Stream&) {});
  g.add_task("from faces", {reads(faces), reads_writes(u)}, on(device_urgent), [](Stream&) {});
  Plan plan = g.compile();
  const Stage& stage = plan.schedule().repeated;
  const auto number = [&](const std::string& name) {
    return static_cast<int>(std::ranges::find(stage.nodes, name, &Node::name) - stage.nodes.begin());
  };
  const auto follows = [&](const std::string& later, const std::string& earlier) {
    return std::ranges::find(stage.successors_of(number(earlier)), number(later)) != stage.successors_of(number(earlier)).end();
  };
  EXPECT_TRUE(follows("from faces", "to faces")) << plan.text();
  EXPECT_FALSE(follows("to others", "to faces")) << plan.text();
  EXPECT_THAT(plan.text(), Not(HasSubstr("copy")));
  plan.run(2);
  g.add_task("on the host", {reads(faces)}, [] {});
  EXPECT_THAT(error_of<ContractError>([&] { (void)g.compile(); }),
              HasSubstr("'on the host' and 'faces': a task on the host accesses memory of a device"));
  Graph alone(ring.comm);
  alone.add_task("kernel", {writes(alone.add_memory("faces"))}, on(device), [](Stream&) {});
  EXPECT_THAT(error_of<ContractError>([&] { (void)alone.compile(); }), HasSubstr("no data of the graph have a device side"));
  Graph reduced(ring.comm);
  (void)reduced.add_array("u", ring.u);
  reduced.add_task("kernel", {reduces(reduced.add_memory("faces"), Reduce::add)}, on(device), [](Stream&) {});
  EXPECT_THAT(error_of<ContractError>([&] { (void)reduced.compile(); }), HasSubstr("cannot be combined"));
}

TEST(DeviceTasks, IterationsAreEnqueuedInAStream) {
  Ring ring(Backend::mirror);
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u, 2);
  double summand = 1;
  g.add_task("add", {reads(u, Part::ghost), reads_writes(u)}, on(device), [&](Stream&) {
    for (int i = 0; i < kRows; ++i) device_rows(ring.u)[i] += summand;
  });
  Plan plan = g.compile();
  for (int i = 0; i < kRows; ++i) ring.u(i, 0) = i;
  Stream stream = Stream::for_backend(Backend::mirror);
  for (const int number : {0, 1, 0, 1}) {
    summand = number == 0 ? 1 : 10;
    plan.enqueue(stream, number);
  }
  summand = 100;
  plan.renew_recordings();
  plan.enqueue(stream, 1);
  plan.enqueue(stream, std::nullopt);
  plan.finish(stream);
  EXPECT_FALSE(ring.u.fresh(Side::host, ring.u.space().owned()));
  ring.u.to_host(After(), ring.u.space().owned()).wait();
  for (int i = 0; i < kRows; ++i) EXPECT_EQ(std::as_const(ring.u)(i, 0), i + 222);
}

TEST(DeviceTasks, APlanOfTheHostCannotBeEnqueued) {
  Ring ring;
  Graph g(ring.comm);
  g.add_task("nothing", {reads(g.add_array("u", ring.u))}, [] {});
  Plan plan = g.compile();
  EXPECT_THAT(error_of<ContractError>([&] { plan.enqueue(host_stream()); }), HasSubstr("call run()"));
}

/// A sequence of iterations with an exchange, in which the last rank can fail.
struct Sequence {
  Sequence() {
    const DataId id = g.add_array("u", *u);
    g.add_task("flux", {reads(id, Part::ghost), reads_writes(id)}, on(device), [this](Stream&) {
      ++calls;
      if (last() && calls == fails_at) throw PhysicsError("the density is negative", "use a smaller CFL");
      for (int i = 0; i < kRows; ++i) device_rows(*u)[i] += 1;
    });
  }
  [[nodiscard]] bool last() const { return ring.comm.rank().value() == ring.comm.size() - 1; }
  [[nodiscard]] double value() {
    u->to_host(After(), u->space().owned()).wait();
    return std::as_const(*u)(0, 0);
  }
  Ring ring{Backend::mirror};
  std::optional<Field> u{Field(ring.plan, Layout::aos, Backend::mirror)};
  Graph g{ring.comm};
  int calls = 0, fails_at = 0;
};

TEST(DeviceTasks, AnErrorOfASequenceIsThatOfAllRanks) {
  Sequence s;
  Plan plan = s.g.compile();
  s.fails_at = 2;
  for (int i = 0; i < 5; ++i) plan.enqueue(host_stream(), i % 2);
  EXPECT_THAT(error_of<PhysicsError>([&] { plan.finish(); }), HasSubstr("task 'flux': the density is negative"));
  EXPECT_EQ(s.calls, s.last() ? 2 : 5);
  plan.finish();  // the error was thrown
  plan.enqueue(host_stream());
  plan.finish();
  EXPECT_EQ(s.calls, s.last() ? 3 : 6);
}

TEST(DeviceTasks, AnErrorOfASequenceCanBeThatOfItsRank) {
  Sequence s;
  Plan plan = s.g.compile();
  s.fails_at = 1;
  for (int i = 0; i < 2; ++i) plan.enqueue(host_stream());
  Stream& stream = host_stream();
  EXPECT_THAT(error_of<PhysicsError>([&] { plan.finish(stream, Errors::on_this_rank); }),
              HasSubstr(s.last() ? "task 'flux'" : ""));
  plan.finish(stream, Errors::on_this_rank);  // the error was thrown
}

TEST(DeviceTasks, ARankThatLeavesASequenceEndsItOnAllRanks) {
  Sequence s;
  Plan plan = s.g.compile();
  plan.enqueue(host_stream());
  if (s.last()) s.u.reset();
  for (int i = 0; i < 3; ++i) plan.enqueue(host_stream());
  EXPECT_THAT(error_of<ContractError>([&] { plan.finish(); }), HasSubstr("was destroyed"));
  EXPECT_THAT(error_of<ContractError>([&] { plan.enqueue(host_stream()); }), HasSubstr("communication of this plan has failed"));
  plan.close();  // with exchanges in flight on ranks that waited for the last one
  EXPECT_THAT(error_of<ContractError>([&] { plan.run(); }), HasSubstr("was closed"));
}

TEST(DeviceTasks, ARankThatLeavesBeforeItsFirstIterationTakesPartInReductions) {
  weft::test::limit_present_test();
  double memory = 0;  // on the device alone: the last rank never allocates the host side
  HostDeviceVector<double> count(std::span(&memory, 1), Backend::mirror, "count");
  Ring ring(Backend::mirror);
  std::optional<Field> u{Field(ring.plan, Layout::aos, Backend::mirror)};
  Graph g(ring.comm);
  const DataId id = g.add_array("u", *u), n = g.add_number("count", count);
  g.add_task("count", {reads(id), reduces(n, Reduce::add)}, on(device), [&](Stream&) { count.write(Side::device)[0] += 1; });
  g.add_task("change", {reads(n), reads_writes(id)}, on(device), [](Stream&) {});
  Plan plan = g.compile();
  if (ring.comm.rank().value() == ring.comm.size() - 1) u.reset();
  for (int i = 0; i < 2; ++i) plan.enqueue(host_stream());
  EXPECT_THAT(error_of<ContractError>([&] { plan.finish(); }), HasSubstr("was destroyed"));
  plan.close();
}

TEST(DeviceTasks, RunFollowsEnqueuedIterations) {
  Sequence s;
  Plan plan = s.g.compile();
  for (int i = 0; i < 3; ++i) plan.enqueue(host_stream());
  plan.run(2);
  EXPECT_EQ(s.value(), 5);
  s.fails_at = 7;
  for (int i = 0; i < 3; ++i) plan.enqueue(host_stream());
  EXPECT_THAT(error_of<PhysicsError>([&] { plan.run(2, nullptr, Errors::on_this_rank); }), HasSubstr("task 'flux'"));
  EXPECT_EQ(s.calls, s.last() ? 7 : 8);
  s.fails_at = 0;
  plan.run(1);
  EXPECT_EQ(s.calls, s.last() ? 8 : 9);
}

TEST(DeviceTasks, ABuildOrMachineWithoutGpuSaysSo) {
  WEFT_NEEDS_NO_GPU();
  EXPECT_THAT(error_of<DeviceError>([] { const Ring ring(Backend::cuda); }), HasSubstr("GPU"));
}

TEST(DeviceTasks, CopiesInABodyAreRefused) {
  Ring ring(Backend::mirror);
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u);
  g.add_task("copies", {reads_writes(u)}, on(device), [&](Stream& stream) { (void)ring.u.to_host(after(stream)); });
  Plan plan = g.compile();
  EXPECT_THAT(error_of<ContractError>([&] { plan.run(); }),
              HasSubstr("a copy between the sides while a plan of tasks is executed"));
}

}  // namespace
}  // namespace weft::task::test::device_test
