#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"

#include "array/exchange_support.hpp"

namespace weft::exchange_push_test {
namespace {

using test::make_plan;
using test::Pattern;

TEST(PushTest, InsertsAddsAndTakesMinimumAndMaximum) {
  const Communicator comm = Communicator::world();
  const int ranks = comm.size(), me = comm.rank().value();
  for (const Layout layout : {Layout::aos, Layout::soa}) {
    const GhostPlan plan = make_plan(comm, Pattern::strided);
    ArrayPair<double, 2> q(plan, layout);
    ArrayPair<std::int32_t> n(plan, layout);
    const auto reset = [&] {
      for (std::int32_t i = 0; i < plan.rows(); ++i) {
        const bool ghost = i >= plan.owned_rows();
        q(i, 0) = ghost ? 100.0 + me : 50.0;
        q(i, 1) = ghost ? -100.0 - me : -50.0;
        n(i) = ghost ? me : -1;
      }
    };
    const ArrayTransformer transformer(plan, {q, n});
    const auto check = [&](Reduce op, auto expected_q, auto expected_n) {
      reset();
      transformer.push(op).run();
      for (std::int32_t i = 0; i < plan.owned_rows(); ++i) {
        const bool shared = i % 4 == 0 && ranks > 1;
        EXPECT_EQ(q(i, 0), shared ? expected_q(0) : 50.0);
        EXPECT_EQ(q(i, 1), shared ? expected_q(1) : -50.0);
        EXPECT_EQ(n(i), shared ? expected_n : -1);
      }
      for (std::int32_t i = plan.owned_rows(); i < plan.rows(); ++i) EXPECT_EQ(n(i), me) << "ghosts keep their values";
    };
    // Each shared row has ghost rows on all other ranks.
    const int last = me == ranks - 1 ? ranks - 2 : ranks - 1;
    double sum = 0;
    for (int r = 0; r < ranks; ++r) sum += r == me ? 0 : 100.0 + r;
    check(
        Reduce::insert, [&](int k) { return k == 0 ? 100.0 + last : -100.0 - last; }, last);
    check(
        Reduce::add, [&](int k) { return k == 0 ? 50.0 + sum : -50.0 - sum; }, -1 + static_cast<int>(sum) - 100 * (ranks - 1));
    check(
        Reduce::max, [&](int k) { return k == 0 ? 100.0 + last : -50.0; }, last);
    check(
        Reduce::min, [&](int k) { return k == 0 ? 50.0 : -100.0 - last; }, -1);
  }
}

TEST(PushTest, CombinesInTheOrderOfRanksNotOfArrival) {
  const Communicator comm = Communicator::world();
  const int ranks = comm.size(), me = comm.rank().value();
  const GhostPlan plan = make_plan(comm, Pattern::strided);
  ArrayPair<double> q(plan);
  Exchange push = ArrayTransformer(plan, {q}).push(Reduce::add);
  // Sums whose last digits depend on the order of their terms.
  const auto term = [](int r) { return 1.0 / (3 + 7 * r) * (r % 2 == 0 ? 1e8 : 1.0); };
  double expected = 0.1;
  for (int r = 0; r < ranks; ++r) expected += r == me ? 0.0 : term(r);
  for (int late = 0; late < ranks; ++late) {
    for (std::int32_t i = 0; i < plan.rows(); ++i) q(i) = i < plan.owned_rows() ? 0.1 : term(me);
    comm.barrier();
    if (late == me) {
      // The other ranks have sent long before this rank starts.
      volatile double spent = 0;
      for (int k = 0; k < 200000; ++k) spent = spent + k;
    }
    push.run();
    EXPECT_EQ(q(0), expected);
    EXPECT_EQ(q(1), 0.1);
  }
}

TEST(PushTest, RowLengthsAreCopiedByInsertOnly) {
  const Communicator comm = Communicator::self();
  const GhostPlan plan = GhostPlan::build(comm, 1, std::vector<GhostRequest>{{GlobalRow(0), 1}});
  ArrayPair<std::int32_t, NonUniform, 4> list(plan);
  list.resize_row(0, 2);
  list.resize_row(1, 3);
  for (int k = 0; k < 2; ++k) list(0, k) = 1;
  for (int k = 0; k < 3; ++k) list(1, k) = 10;
  const ArrayTransformer transformer(plan, {list});
  transformer.push(Reduce::add).run();
  EXPECT_EQ(list.row_size(0), 2);
  EXPECT_EQ(list(0, 1), 11);
  transformer.push(Reduce::insert).run();
  EXPECT_EQ(list.row_size(0), 3);
  EXPECT_EQ(list(0, 2), 10);
}

TEST(PushTest, PullAndPushOfTheDeviceSide) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::strided);
  ArrayPair<double, 2> q(plan, Layout::aos, Backend::mirror);
  for (std::int32_t i = 0; i < plan.rows(); ++i) q(i, 0) = q(i, 1) = 1.0;
  q.to_device(After());
  const auto view = q.view<Aos, space::mirror>();
  for (std::int32_t i = 0; i < plan.rows(); ++i) view(i, 1) = 2.0;
  ArrayTransformer(plan, {q}).push(Reduce::add).run(After());
  const auto result = std::as_const(q).view<Aos, space::mirror>();
  for (std::int32_t i = 0; i < plan.owned_rows(); ++i) {
    const int copies = i % 4 == 0 ? comm.size() : 1;
    EXPECT_EQ(result(i, 0), copies);
    EXPECT_EQ(result(i, 1), 2.0 * copies);
  }
}

}  // namespace
}  // namespace weft::exchange_push_test
