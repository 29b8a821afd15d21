// Exchanges of arrays in managed, mapped and registered memory, whose rows kernels write and read in stream order.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/base/error.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/device/registered_memory.hpp"

#include "array/exchange_support.hpp"
#include "support/gpu.hpp"

namespace weft::shared_memory_exchange_test {
namespace {

/// Value of a global row after `time` steps.
WEFT_HD double value_of(std::int64_t global, int time) { return static_cast<double>(100 * time + global); }

struct WriteOwned {
  View<double, 1, Aos, space::cuda> q;
  std::int64_t first;
  int time;
  WEFT_HD void operator()(std::int32_t i) const { q(i) = value_of(first + i, time); }
};
struct CountWrong {
  View<const double, 1, Aos, space::cuda> q;
  const std::int64_t* global;
  int time;
  WEFT_HD int operator()(std::int32_t i) const { return q(i) == value_of(global[i], time) ? 0 : 1; }
};
struct Sum {
  WEFT_HD int operator()(int a, int b) const { return a + b; }
};

class CudaSharedMemoryExchange : public ::testing::TestWithParam<std::tuple<Backend, bool, Transport>> {
 protected:
  void SetUp() override { WEFT_NEEDS_GPU(); }
};

TEST_P(CudaSharedMemoryExchange, FollowsAndPrecedesKernelsOfTheStream) {
  const auto [backend, registered, transport] = GetParam();
  const GhostPlan plan = test::make_plan(Communicator::world(), test::Pattern::random);
  std::vector<double> values(static_cast<std::size_t>(plan.rows()), -1.0);
  std::unique_ptr<RegisteredMemory> memory;
  if (registered) memory = std::make_unique<RegisteredMemory>(std::span(values));
  ArrayPair<double> q = registered ? ArrayPair<double>(plan, Array<double>(*memory, Layout::aos, backend))
                                   : ArrayPair<double>(plan, Layout::aos, backend);
  Exchange pull = ArrayTransformer(plan, {q}, transport).pull();
  EXPECT_EQ(pull.transport() == Transport::host || pull.transport() == Transport::shared, transport == Transport::host);
  q.to_device(After()).wait();

  std::vector<std::int64_t> ids;
  for (std::int32_t i = 0; i < plan.rows(); ++i) ids.push_back(plan.global(LocalRow(i)).value());
  Stream stream;
  const DeviceVector<std::int64_t> global(Backend::cuda, ids);
  const DeviceVector<int> wrong(stream, 1);
  const std::int64_t first = plan.owned_rows() > 0 ? ids[0] : 0;
  for (int time = 1; time <= 3; ++time) {
    parallel_for(space::cuda{}, stream, plan.owned_rows(), WriteOwned{q.view<Aos, space::cuda>(), first, time});
    EXPECT_FALSE(q.fresh(Side::host, {LocalRow(0), LocalRow(plan.owned_rows())}));
    pull.start(after(stream));
    pull.finish(stream);
    if (transport == Transport::host) q.to_device(after(stream)).wait();
    reduce_into(space::cuda{}, stream, plan.rows(), 0, CountWrong{std::as_const(q).view<Aos, space::cuda>(), global.data(), time},
                Sum{}, wrong.data());
    int count = -1;
    wrong.get(0, {&count, 1}, after(stream));
    EXPECT_EQ(count, 0) << "time " << time;
    if (transport != Transport::host) {
      EXPECT_THROW((void)q(plan.rows() - 1), DeviceError) << "the host reads ghost rows that only the device has";
    }
    q.to_host(after(stream)).wait();
    for (std::int32_t i = 0; i < plan.rows(); ++i)
      ASSERT_EQ(std::as_const(q)(i), value_of(ids[static_cast<std::size_t>(i)], time));
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, CudaSharedMemoryExchange,
                         ::testing::Values(std::tuple(Backend::cuda_managed, false, Transport::automatic),
                                           std::tuple(Backend::cuda_managed, false, Transport::staged),
                                           std::tuple(Backend::cuda_managed, false, Transport::host),
                                           std::tuple(Backend::cuda_mapped, false, Transport::automatic),
                                           std::tuple(Backend::cuda_mapped, false, Transport::staged),
                                           std::tuple(Backend::cuda_mapped, true, Transport::automatic),
                                           std::tuple(Backend::cuda, true, Transport::automatic),
                                           std::tuple(Backend::cuda, true, Transport::host)),
                         [](const auto& test) {
                           return std::string(to_string(std::get<0>(test.param))) +
                                  (std::get<1>(test.param) ? "_registered_" : "_") + to_string(std::get<2>(test.param));
                         });

TEST(CudaSharedMemoryChoice, EveryMemoryOfAGpuIsExchangedTogetherExceptByPeer) {
  WEFT_NEEDS_GPU();
  const GhostPlan plan = test::make_plan(Communicator::world(), test::Pattern::contiguous);
  ArrayPair<double> own(plan, Layout::aos, Backend::cuda), managed(plan, Layout::aos, Backend::cuda_managed),
      mapped(plan, Layout::aos, Backend::cuda_mapped);
  Exchange pull = ArrayTransformer(plan, {own, managed, mapped}).pull();
  EXPECT_NE(pull.transport(), Transport::host);
  EXPECT_NE(pull.transport(), Transport::shared);
  EXPECT_NE(pull.transport(), Transport::peer);
  test::fill_owned(own, 1);
  test::fill_owned(managed, 2);
  test::fill_owned(mapped, 3);
  pull.run(After());
  test::expect_ghosts(own, 1);
  test::expect_ghosts(managed, 2);
  test::expect_ghosts(mapped, 3);
  EXPECT_THROW((void)ArrayTransformer(plan, {managed}, Transport::peer).pull(), InputError);
  EXPECT_THROW((void)ArrayTransformer(plan, {own, mapped}, Transport::peer).push(Reduce::add), InputError);
}

}  // namespace
}  // namespace weft::shared_memory_exchange_test
