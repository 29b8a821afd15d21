// A rank whose device fails while the devices of the others wait for its rows within graphs that contain exchanges: a transport
// for the mirror, for which the host does not wait, takes the place of `peer`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "weft/array/transport/peer_transport.hpp"
#include "weft/array/transport/stop_flag.hpp"
#include "weft/base/error.hpp"
#include "weft/task/graph.hpp"
#include "weft/task/schedule.hpp"

#include "support/time_limit.hpp"
#include "task/ring.hpp"

namespace weft::task::test::stopped_graph_test {
namespace {

using testing::HasSubstr;

/// The number of the start of an exchange in which the device of the last rank fails.
constexpr int kFailing = 20;
int g_started = 0;
int g_closed = 0;
bool g_close_fails = false;

/// Exchanges no rows, but waits like the kernel of `peer`: each rank writes the number of the exchange to the memory of its
/// neighbours, and the work of the device (which is the host) ends when they have written theirs here.
class PutNumbers final : public weft::detail::TransportBody {
 public:
  explicit PutNumbers(const weft::detail::TransportSetup& setup)
      : comm_(setup.plan.comm()), ranks_(neighbours(setup.plan)), stop_(comm_, ranks_, Backend::host) {
    here_ = SharedMemory::make(sizeof(std::uint32_t) * comm_.size());
    const auto names = comm_.exchange(std::span<const Rank>(ranks_),
                                      std::vector<std::vector<SharedMemory::Name>>(ranks_.size(), {here_.name()}));
    for (const auto& name : names) there_.push_back(SharedMemory::map(name.at(0)));
    comm_.barrier();
  }

  void start(const After& /*after*/) override {
    if (++g_started == kFailing && comm_.rank().value() == comm_.size() - 1)
      throw DeviceError("the GPU has stopped", "replace it");
    ++number_;
    for (const SharedMemory& memory : there_) number_in(memory, comm_.rank()).store(number_);
  }
  void finish(Stream& /*stream*/) override {
    while (!arrived()) std::this_thread::yield();
  }
  [[nodiscard]] bool arrived() override {
    const auto written = [this](Rank rank) { return number_in(here_, rank).load() >= number_; };
    return stop_.raised() || std::ranges::all_of(ranks_, written);
  }
  void close() override {
    ++g_closed;
    if (g_close_fails) throw DeviceError("the GPU cannot be reached", "replace it");
  }
  void stop() noexcept override { stop_.raise(); }
  [[nodiscard]] bool stopped() const noexcept override { return stop_.raised(); }

 private:
  [[nodiscard]] static std::vector<Rank> neighbours(const GhostPlan& plan) {
    std::vector<Rank> ranks;
    for (const GhostPlan::Neighbour& n : plan.neighbours()) {
      if (n.rank != plan.comm().rank()) ranks.push_back(n.rank);
    }
    return ranks;
  }
  [[nodiscard]] static std::atomic_ref<std::uint32_t> number_in(const SharedMemory& memory, Rank from) {
    return std::atomic_ref(reinterpret_cast<std::uint32_t*>(memory.data())[from.value()]);
  }

  Communicator comm_;
  std::vector<Rank> ranks_;
  weft::detail::StopFlag stop_;
  SharedMemory here_;
  std::vector<SharedMemory> there_;
  std::uint32_t number_ = 0;
};

class StoppedGraph : public ::testing::Test {
 protected:
  void SetUp() override {
    if (ring.comm.size() == 1) GTEST_SKIP() << "needs ranks that wait for each other";
    weft::test::limit_present_test();
    g_started = g_closed = 0;
    g_close_fails = false;
    weft::detail::set_peer_of_mirrors_for_tests([](const weft::detail::TransportSetup& setup) {
      return std::unique_ptr<weft::detail::TransportBody>(std::make_unique<PutNumbers>(setup));
    });
    u = g.add_array("u", ring.u);
    v = g.add_array("v", ring.v);
    g.add_task("count", {reads_writes(u)}, on(device), [this](Stream&) { ++counted; });
    g.add_task("use", {reads(u), writes(v)}, on(device), [](Stream&) {});
  }
  void TearDown() override { weft::detail::set_peer_of_mirrors_for_tests(nullptr); }

  [[nodiscard]] Plan compile() const {
    Plan plan = g.compile(1, Check::none, Transport::peer);
    for (const Node& node : plan.schedule().repeated.nodes) EXPECT_EQ(node.graph, 0) << node.name << ": not in the graph";
    return plan;
  }
  [[nodiscard]] bool fails() const { return ring.comm.rank().value() == ring.comm.size() - 1; }
  /// Expects that each rank has executed the body up to the failure. A rank is at most one iteration ahead of or behind its
  /// neighbours: d steps along the ring from the failed rank, whose exchange number kFailing does not start, it has begun
  /// iteration kFailing - d at least, and kFailing + d - 1 at most.
  void expect_counts() const {
    const int apart = ring.comm.size() - 1 - ring.comm.rank().value(), distance = std::min(apart, ring.comm.size() - apart);
    EXPECT_GE(counted, kFailing - distance);
    EXPECT_LE(counted, kFailing + std::max(distance - 1, 0));
  }

  Ring ring{Backend::mirror};
  Graph g{ring.comm};
  DataId u, v;
  int counted = 0;
};

TEST_F(StoppedGraph, EndsARunOnAllRanks) {
  Plan plan = compile();
  EXPECT_THAT(error_of<DeviceError>([&] { plan.run(1000); }), HasSubstr("the GPU has stopped; replace it"));
  expect_counts();
  EXPECT_THAT(error_of<ContractError>([&] { plan.run(1); }), HasSubstr("failed before"));
}

TEST_F(StoppedGraph, EndsASequenceOnAllRanks) {
  Plan plan = compile();
  Stream stream = Stream::for_backend(Backend::mirror);
  for (int i = 0; i < 100; ++i) plan.enqueue(stream);
  EXPECT_THAT(error_of<DeviceError>([&] { plan.finish(); }), HasSubstr("the GPU has stopped; replace it"));
  expect_counts();
  EXPECT_THAT(error_of<ContractError>([&] { plan.enqueue(stream); }), HasSubstr("failed before"));
}

TEST_F(StoppedGraph, EndsASequenceWithoutAgreement) {
  Plan plan = compile();
  Stream stream = Stream::for_backend(Backend::mirror);
  for (int i = 0; i < 100; ++i) plan.enqueue(stream);
  const std::string problem = error_of<Error>([&] { plan.finish(stream, Errors::on_this_rank); });
  EXPECT_THAT(problem, HasSubstr(fails() ? "the GPU has stopped" : "a rank with which this one exchanges rows has failed"));
  expect_counts();
  ring.comm.barrier();
}

TEST_F(StoppedGraph, ClosesAfterAFailure) {
  Plan plan = compile();
  EXPECT_FALSE(error_of<DeviceError>([&] { plan.run(1000); }).empty());
  EXPECT_NO_THROW(plan.close());
}

TEST_F(StoppedGraph, ClosesAllExchangesIfOneCannotBeClosed) {
  g.add_task("use again", {reads(v), reads_writes(u)}, on(device), [](Stream&) {});
  Plan plan = compile();
  ASSERT_EQ(plan.exchanges().size(), 2);
  plan.run(3);
  g_close_fails = true;
  EXPECT_THAT(error_of<DeviceError>([&] { plan.close(); }), HasSubstr("the GPU cannot be reached"));
  EXPECT_EQ(g_closed, 2);
}

}  // namespace
}  // namespace weft::task::test::stopped_graph_test
