// Hidden communication of a GPU, by a trace of a plan: one rank exchanges rows with a periodic image of itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "weft/device/parallel_for.cuh"
#include "weft/task/device_overlap.hpp"
#include "weft/task/graph.hpp"
#include "weft/task/trace_file.hpp"

#include "support/gpu.hpp"
#include "support/sanitized.hpp"
#include "task/ring.hpp"

namespace weft::task::test::device_overlap_cuda_test {
namespace {

using ::testing::HasSubstr;

class CudaDeviceOverlap : public ::testing::Test {
 protected:
  void SetUp() override { WEFT_NEEDS_GPU(); }
};

/// Sets a row after a number of cycles; a million takes about 0.5 ms.
struct SetRowLate {
  double* to;
  long long cycles;
  WEFT_HD void operator()(std::int32_t /*i*/) const {
#ifdef __CUDA_ARCH__
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
#endif
    *to = 1;
  }
};

/// Returns what the trace of 4 iterations says in which inner rows take 20 ms, and the rows that are exchanged 1 ms, so that a
/// task in another stream is at work before the exchange begins.
/// @param place  of the task of inner rows.  @param needs_ghosts  it waits for the exchange.
[[nodiscard]] DeviceOverlap traced(DevicePlace place, bool needs_ghosts, Trace::Streams streams) {
  const Communicator self = Communicator::self();
  const GhostPlan plan = GhostPlan::build(self, kRows, std::vector{GhostRequest{GlobalRow(kRows - 1), 1}});
  Field u(plan, Layout::aos, Backend::cuda), v(plan, Layout::aos, Backend::cuda);
  for (Field* const field : {&u, &v}) field->to_device(After()).wait();
  Graph g(self);
  const DataId of_u = g.add_array("u", u, kRows / 2), of_v = g.add_array("v", v, kRows / 2);
  const Part rows = needs_ghosts ? Part::inner | Part::ghost : Part::inner;
  g.add_task("inner", {reads(of_u, rows), writes(of_v, Part::inner)}, place, [&](Stream& stream) {
    parallel_for(space::cuda{}, stream, 1, SetRowLate{v.view<Aos, space::cuda>().data(), 40'000'000});
  });
  g.add_task("change", {reads_writes(of_u, Part::border)}, on(device_urgent), [&](Stream& stream) {
    parallel_for(space::cuda{}, stream, 1, SetRowLate{&u.view<Aos, space::cuda>()(kRows - 1, 0), 2'000'000});
  });
  g.add_task("border", {reads(of_u, Part::border | Part::ghost), writes(of_v, Part::border)}, on(device_urgent), [](Stream&) {});
  Plan tasks = g.compile();
  tasks.run(3);  // loads kernels
  Trace trace(streams);
  tasks.run(4, &trace);
  const std::string name = "weft_cuda_overlap_" + std::to_string(Communicator::world().rank().value()) + ".json";
  const std::string path = (std::filesystem::temp_directory_path() / name).string();
  trace.write(self, path);
  std::ifstream file(path);
  const std::vector<RankTrace> ranks = parse_trace({std::istreambuf_iterator<char>(file), {}}, path);
  std::filesystem::remove(path);
  tasks.close();
  return summarize_device_overlap(ranks);
}

TEST_F(CudaDeviceOverlap, AnExchangeDuringALongTaskIsHidden) {
  const DeviceOverlap summary = traced(on(device), false, Trace::Streams::shown);
  ASSERT_EQ(summary.exchanges.size(), 1U);
  EXPECT_EQ(summary.exchanges[0].name, "pull u");
  EXPECT_EQ(summary.iterations, 4);
  EXPECT_GT(summary.exchanges[0].seconds, 0);
  if (under_compute_sanitizer()) return;  // it delays launches
  EXPECT_GT(summary.hidden_share(), 0.9) << summary.text();
}

TEST_F(CudaDeviceOverlap, AnExchangeInTheStreamOfTheTaskIsNotHidden) {
  const DeviceOverlap summary = traced(on(device_urgent), false, Trace::Streams::shown);
  ASSERT_EQ(summary.exchanges.size(), 1U);
  EXPECT_GT(summary.exchanges[0].can_be_hidden, 0);
  EXPECT_LT(summary.hidden_share(), 0.1) << summary.text();
}

TEST_F(CudaDeviceOverlap, WhereEachTaskNeedsTheGhostRowsNothingCanBeHidden) {
  const DeviceOverlap summary = traced(on(device), true, Trace::Streams::shown);
  ASSERT_EQ(summary.exchanges.size(), 1U);
  EXPECT_LT(summary.exchanges[0].hidden, 1e-6);
  EXPECT_THAT(summary.text(), HasSubstr("hidden communication on GPUs: none"));
}

TEST_F(CudaDeviceOverlap, IterationsOfGraphsHaveNoRows) {
  const DeviceOverlap summary = traced(on(device), false, Trace::Streams::hidden);
  EXPECT_TRUE(summary.has_exchanges);
  EXPECT_FALSE(summary.known());
  EXPECT_THAT(summary.text(), HasSubstr("nodes within a CUDA graph have none"));
}

}  // namespace
}  // namespace weft::task::test::device_overlap_cuda_test
