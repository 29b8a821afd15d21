// Arrays whose host side is registered memory of others, and their exchange.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/array/par_array.hpp"
#include "weft/base/error.hpp"
#include "weft/device/registered_memory.hpp"

#include "array/exchange_support.hpp"
#include "support/gpu.hpp"

namespace weft::registered_array_test {
namespace {

class RegisteredArrayTest : public test::BackendTest {
 protected:
  Communicator comm = Communicator::world();
  GhostPlan plan = test::make_plan(comm, test::Pattern::random);
  std::size_t rows = static_cast<std::size_t>(plan.rows());
};

TEST_P(RegisteredArrayTest, MemoryOfOthersIsTheHostSide) {
  alignas(64) double values[48];
  for (int i = 0; i < 48; ++i) values[i] = i;
  RegisteredMemory memory{std::span(values)};
  {
    Array<double, 3> aos(memory, Layout::aos, GetParam());
    EXPECT_EQ(aos.rows(), 16);
    EXPECT_EQ(aos(5, 2), 17);
    EXPECT_EQ(aos.data(), values);
    EXPECT_EQ(aos.clone()(5, 2), 17);
    EXPECT_THROW(aos.resize(17), ContractError);
    EXPECT_THROW(aos.resize(15), ContractError);
    aos.resize(16);
    aos(5, 2) = -17;
    EXPECT_EQ(values[17], -17);
  }
  {
    Array<double, Dynamic> content(memory, 4, Layout::soa, GetParam());
    content.resize(12, 4);  // the shape that it has
    EXPECT_EQ(content.data(), values);
    const ParArray<double, Dynamic> soa(comm, std::move(content));
    EXPECT_EQ(soa.rows(), 12);
    EXPECT_EQ(soa(5, 3), 41);
    EXPECT_EQ(soa.global_rows(), 12 * comm.size());
  }
  {
    const Array<double, 5, 5, 64> padded(memory, Layout::aos, GetParam());
    EXPECT_EQ(padded.rows(), 6);
    EXPECT_EQ(padded(2, 4), 20);
  }
  using Five = Array<double, 5>;
  using Aligned = Array<double, 2, 2, 32>;
  EXPECT_THROW(Five(memory, Layout::aos, GetParam()), ContractError) << "48 numbers are not whole rows of 5";
  memory.release();
  const RegisteredMemory behind{std::span(values).subspan(2, 4)};
  EXPECT_THROW(Aligned(behind, Layout::aos, GetParam()), ContractError);
}

TEST_P(RegisteredArrayTest, ExchangesLikeAnArrayOfItsOwn) {
  std::vector<double> values(4 * rows, -1.0);
  std::vector<std::int32_t> columns(2 * rows);
  const RegisteredMemory of_values{std::span(values)}, of_columns{std::span(columns)};
  ArrayPair<double, 4> q(plan, Array<double, 4>(of_values, Layout::aos, GetParam()));
  ArrayPair<std::int32_t, 2> soa(plan, Array<std::int32_t, 2>(of_columns, Layout::soa, GetParam()));
  Exchange pull = ArrayTransformer(plan, {q, soa}).pull();
  for (int time = 0; time < 3; ++time) {
    test::fill_owned(q, time);
    test::fill_owned(soa, time + 1);
    pull.run(After());
    test::expect_ghosts(q, time);
    test::expect_ghosts(soa, time + 1);
    EXPECT_TRUE(q.fresh(Side::host));
    const std::int64_t last = plan.rows() - 1;
    EXPECT_EQ(values[4 * static_cast<std::size_t>(last) + 3], test::value<double>(plan.global(LocalRow(last)).value(), 3, time))
        << "the ghost rows are in the memory of the caller";
  }
  for (std::int32_t i = 0; i < plan.rows(); ++i) q(i, 0) = i < plan.owned_rows() ? 0 : 1;
  ArrayTransformer(plan, {q}).push(Reduce::add).run(After());
  double ghosts = 0;
  for (std::int32_t i = 0; i < plan.owned_rows(); ++i) ghosts += q(i, 0);
  EXPECT_EQ(comm.sum(ghosts), comm.sum(static_cast<double>(plan.ghost_rows())));
}

TEST_P(RegisteredArrayTest, StartIsRefusedAfterTheRegistrationHasEnded) {
  std::vector<double> values(rows, 1.0);
  auto memory = std::make_optional<RegisteredMemory>(std::span(values));
  ArrayPair<double> q(plan, Array<double>(*memory, Layout::aos, GetParam()));
  Exchange pull = ArrayTransformer(plan, {q}).pull();
  pull.run(After());
  memory.reset();
  EXPECT_THROW(pull.start(After()), ContractError);
  EXPECT_FALSE(pull.in_flight());
  EXPECT_THROW((void)q(0), ContractError);
}

INSTANTIATE_TEST_SUITE_P(Backends, RegisteredArrayTest,
                         ::testing::Values(Backend::host, Backend::mirror, Backend::cuda, Backend::cuda_mapped),
                         test::backend_name);

}  // namespace
}  // namespace weft::registered_array_test
