// The tasks of steps on a GPU in a trace of the run: their times in the streams, their rates, and the flow itself.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "weft/device/device.hpp"
#include "weft/device/info.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/task/rate_summary.hpp"
#include "weft/task/recording.hpp"
#include "weft/task/trace_file.hpp"

#include "flow/solver_settings.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::flow::solver_trace_cuda_test {
namespace {

using test::gathered;

class SolverTraceOnCuda : public ::testing::Test {
 protected:
  void SetUp() override { WEFT_NEEDS_GPU(); }

  static constexpr int kLaunches = 3, kSteps = 64;

  [[nodiscard]] static mesh::Mesh cube() {
    const std::int64_t n = 64;  // 130 MB per task in fp64, more than the cache of a GPU
    return test::generated("box", {{"nx", n}, {"ny", n}, {"nz", n}}, test::periodic_box(3, 1.0));
  }
  /// Returns the flow after launches of kSteps steps.
  [[nodiscard]] static std::vector<double> flow_on(const mesh::Mesh& mesh, Precision precision) {
    Solver solver(mesh, SolverOptions{.numerics = {.cfl = 0.5, .precision = precision}, .backend = Backend::cuda});
    solver.initialise([](Vec3 x) { return test::wavy(x, 3); });
    for (int i = 0; i < kLaunches; ++i) {
      solver.start_steps({.count = kSteps, .until = 1e9});
      (void)solver.finish_steps();
    }
    return gathered(solver);
  }
  [[nodiscard]] static std::string path(const Communicator& comm) {
    return (std::filesystem::temp_directory_path() / ("weft_solver_trace_" + std::to_string(comm.size()) + ".json")).string();
  }
};

TEST_F(SolverTraceOnCuda, TasksAreOnTheStreamsAndTheFlowIsTheSame) {
  const mesh::Mesh m = cube();
  const Communicator& comm = m.comm;
  for (const Precision precision : {Precision::fp64, Precision::mixed}) {
    const std::vector<double> plain = flow_on(m, precision);
    std::vector<double> traced;
    {
      task::Recording recording(comm, path(comm));
      traced = flow_on(m, precision);
      recording.set_rates({}, {.bytes_per_second = measure_bandwidth(current_device()).copy});
      recording.write();
    }
    EXPECT_EQ(traced, plain);
    if (!comm.is_root()) continue;
    std::ifstream file(path(comm));
    const std::vector<task::RankTrace> ranks = task::parse_trace({std::istreambuf_iterator<char>(file), {}}, path(comm));
    const task::RateSummary summary = task::summarize_rates(ranks);
    std::size_t found = 0;
    for (const task::RateSummary::Task& task : summary.tasks) {
      if (!task.on_device || (task.name != "gradients (inner)" && task.name != "fluxes (inner)")) continue;
      ++found;
      EXPECT_EQ(task.executions, 3.0 * kLaunches * comm.size()) << task.name << ": once for each stage of one step of a launch";
      EXPECT_GT(task.count.flops, 0);
      // A third of the bytes may still be in the cache; ranks that share a GPU have a part of its rate, and compute-sanitizer
      // slows kernels that access memory more than the copies of the benchmark.
      EXPECT_LT(task.least_seconds, 2 * task.seconds) << task.name;
      if (comm.size() == 1 && !under_compute_sanitizer()) {
        EXPECT_GT(task.least_seconds, 0.2 * task.seconds) << task.name;
      }
    }
    EXPECT_EQ(found, 2U);
    const bool has_ends = summary.text().find("begin step") != std::string::npos;
    EXPECT_TRUE(has_ends) << summary.text();
    std::filesystem::remove(path(comm));
  }
}

}  // namespace
}  // namespace weft::flow::solver_trace_cuda_test
