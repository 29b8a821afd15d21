// Exchanges between GPUs within a graph, replayed many times.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/base/error.hpp"
#include "weft/device/graph.hpp"
#include "weft/device/parallel_for.cuh"

#include "array/exchange_support.hpp"
#include "support/gpu.hpp"
#include "support/sanitized.hpp"

namespace weft::exchange_graph_test {
namespace {

struct AddOne {
  double* rows;
  WEFT_HD void operator()(std::int32_t i) const { rows[i] += 1; }
};

/// Counts the ghost entries that differ from their owned entries after `time` steps.
struct Wrong {
  const double *rows, *first;
  const double* time;
  std::int32_t begin;
  WEFT_HD int operator()(std::int32_t i) const { return rows[begin + i] == first[begin + i] + *time ? 0 : 1; }
};
struct Sum {
  WEFT_HD int operator()(int a, int b) const { return a + b; }
};
struct Accumulate {
  const int* wrong;
  int* all;
  double* time;
  WEFT_HD void operator()(int /*i*/) const {
    *all += *wrong;
    *time += 1;
  }
};

class CudaGraphExchange : public ::testing::TestWithParam<std::tuple<Transport, test::Pattern>> {
 protected:
  void SetUp() override { WEFT_NEEDS_GPU(); }
};

TEST_P(CudaGraphExchange, EachReplaySendsTheCurrentValues) {
  const Communicator comm = Communicator::world();
  const auto [transport, pattern] = GetParam();
  const GhostPlan plan = test::make_plan(comm, pattern);
  constexpr int kWidth = 5;
  ArrayPair<double, kWidth> q(plan, Layout::aos, Backend::cuda, Side::device), first(plan, Layout::aos, Backend::cuda);
  std::vector<double> begin;
  for (std::int32_t i = 0; i < plan.rows(); ++i) {
    for (int k = 0; k < kWidth; ++k) {
      first(i, k) = static_cast<double>(10 * plan.global(LocalRow(i)).value() + k);
      begin.push_back(i < plan.owned_rows() ? first(i, k) : -1);
    }
  }
  first.to_device(After()).wait();
  double* const rows = q.view<Aos, space::cuda>().data();
  const double* const firsts = first.view<Aos, space::cuda>().data();
  std::optional<Exchange> pull;
  try {
    pull = ArrayTransformer(plan, {q}, transport).pull();
  } catch (const InputError& refused) {
    GTEST_SKIP() << refused.what();
  }
  const std::int32_t owned = kWidth * plan.owned_rows(), ghosts = kWidth * plan.ghost_rows();
  Stream stream;
  copy_bytes(stream, rows, begin.data(), begin.size() * sizeof(double));
  const auto wrong = DeviceStorage::make(Backend::cuda, 2 * sizeof(int));
  const auto time = DeviceStorage::make(Backend::cuda, sizeof(double));
  set_bytes(stream, wrong->data(), 0, 2 * sizeof(int));
  set_bytes(stream, time->data(), 0, sizeof(double));
  auto* const counts = reinterpret_cast<int*>(wrong->data());
  auto* const clock = reinterpret_cast<double*>(time->data());
  const auto step = [&](Stream& s) {
    pull->start(after(s));
    pull->finish(s);
    reduce_into(space::cuda{}, s, ghosts, 0, Wrong{rows, firsts, clock, owned}, Sum{}, counts);
    parallel_for(space::cuda{}, s, 1, Accumulate{counts, counts + 1, clock});
    parallel_for(space::cuda{}, s, owned, AddOne{rows});
  };
  step(stream);  // sets up the transport
  stream.wait();
  Graph graph = Graph::capture(stream, step);
  const int replays = full_or_checked(2000, 50);
  for (int i = 0; i < replays; ++i) graph.launch(stream);
  int all = -1;
  double steps = 0;
  copy_bytes(stream, &all, counts + 1, sizeof(int));
  copy_bytes(stream, &steps, clock, sizeof(double));
  stream.wait();
  EXPECT_EQ(all, 0);
  EXPECT_EQ(steps, replays + 1);
}

TEST_P(CudaGraphExchange, AnExchangeOfAFailedCaptureCanBeStartedAgain) {
  const Communicator comm = Communicator::world();
  const auto [transport, pattern] = GetParam();
  const GhostPlan plan = test::make_plan(comm, pattern);
  ArrayPair<double> q(plan, Layout::aos, Backend::cuda);
  for (std::int32_t i = 0; i < plan.owned_rows(); ++i) q(i, 0) = static_cast<double>(plan.global(LocalRow(i)).value());
  q.to_device(After()).wait();
  std::optional<Exchange> pull;
  try {
    pull = ArrayTransformer(plan, {q}, transport).pull();
  } catch (const InputError& refused) {
    GTEST_SKIP() << refused.what();
  }
  (void)q.view<Aos, space::cuda>();  // the values of the device are the present ones
  Stream stream;
  pull->run(after(stream));  // sets up the transport
  EXPECT_THROW((void)Graph::capture(stream,
                                    [&](Stream& s) {
                                      pull->start(after(s));
                                      throw PhysicsError("no", "none");
                                    }),
               PhysicsError);
  EXPECT_TRUE(pull->in_flight());
  pull->discard_capture();
  EXPECT_FALSE(pull->in_flight());
  pull->run(after(stream));
  q.to_host(After(), q.space().ghosts()).wait();
  for (std::int32_t i = plan.owned_rows(); i < plan.rows(); ++i) {
    EXPECT_EQ(std::as_const(q)(i, 0), static_cast<double>(plan.global(LocalRow(i)).value()));
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, CudaGraphExchange,
                         ::testing::Combine(::testing::Values(Transport::peer, Transport::nccl),
                                            ::testing::Values(test::Pattern::random, test::Pattern::contiguous)),
                         [](const auto& test) {
                           return std::string(to_string(std::get<0>(test.param))) +
                                  (std::get<1>(test.param) == test::Pattern::random ? "_random" : "_contiguous");
                         });

}  // namespace
}  // namespace weft::exchange_graph_test
