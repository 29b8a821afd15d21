// The end of a solver: collective if all ranks succeed, local if a rank fails.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "weft/base/clock.hpp"
#include "weft/base/error.hpp"
#include "weft/flow/scheme/solver.hpp"

#include "flow/scalar_support.hpp"
#include "support/gpu.hpp"

namespace weft::flow::solver_close_test {
namespace {

using test::gathered;

class SolverEnd : public ::testing::TestWithParam<std::tuple<Backend, Transport>> {
 protected:
  void SetUp() override {
    if (is_cuda(std::get<0>(GetParam()))) WEFT_NEEDS_GPU();
    try {
      make()->close();
    } catch (const InputError& refused) {  // on every rank
      GTEST_SKIP() << refused.what();
    }
  }
  /// Creates a solver with scalars, which have exchanges of their own.
  [[nodiscard]] std::unique_ptr<Solver> make() const {
    const auto [backend, transport] = GetParam();
    auto solver = std::make_unique<Solver>(
        mesh,
        SolverOptions{.numerics = {.cfl = 0.4}, .scalars = test::three_scalars(), .backend = backend, .transport = transport});
    solver->initialise([](Vec3 x) { return test::wavy(x, 2); });
    return solver;
  }
  static void go(Solver& solver) {  // launches graphs from the second step on, on a GPU
    for (int i = 0; i < 5; ++i) solver.step(1.0);
  }

  mesh::Mesh mesh = test::generated("box", {{"nx", std::int64_t{9}}, {"ny", std::int64_t{8}}}, test::periodic_box(2, 1));
};

TEST_P(SolverEnd, CloseReleasesMemoryOnEveryRank) {
  std::optional<std::vector<double>> first;
  for (int again = 0; again < 3; ++again) {
    const auto solver = make();
    go(*solver);
    const std::vector<double> end = gathered(*solver);
    solver->close();
    EXPECT_THROW((void)solver->sent(), ContractError) << "its exchanges are still there";
    EXPECT_THROW(solver->close(), ContractError);
    if (first) {
      EXPECT_EQ(*first, end);
    }
    first = end;
  }
}

TEST_P(SolverEnd, OneRankThatThrowsDoesNotWait) {
  const Communicator& comm = mesh.comm;
  const bool fails = comm.rank().value() + 1 == comm.size();
  Stopwatch leaving;
  double seconds = 0;
  try {
    const auto solver = make();
    go(*solver);
    leaving.restart();
    if (fails) throw std::runtime_error("one rank alone");
    std::this_thread::sleep_for(std::chrono::seconds(2));
  } catch (const std::runtime_error&) {
    seconds = leaving.seconds();
  }
  EXPECT_LT(seconds, 1.5) << "it has waited for the others";
  comm.barrier();
  const auto next = make();  // communication works again
  go(*next);
  next->close();
}

INSTANTIATE_TEST_SUITE_P(Host, SolverEnd,
                         ::testing::Combine(::testing::Values(Backend::host),
                                            ::testing::Values(Transport::host, Transport::shared)),
                         [](const auto& test) { return std::string(to_string(std::get<1>(test.param))); });
INSTANTIATE_TEST_SUITE_P(Cuda, SolverEnd,
                         ::testing::Combine(::testing::Values(Backend::cuda),
                                            ::testing::Values(Transport::staged, Transport::nccl, Transport::peer)),
                         [](const auto& test) { return std::string(to_string(std::get<1>(test.param))); });

}  // namespace
}  // namespace weft::flow::solver_close_test
