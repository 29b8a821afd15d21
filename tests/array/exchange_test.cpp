#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/array/csr_pair.hpp"
#include "weft/base/error.hpp"
#include "weft/base/vec3.hpp"

#include "array/exchange_support.hpp"

namespace weft::exchange_test {
namespace {

using test::expect_ghosts;
using test::fill_owned;
using test::kPatterns;
using test::length;
using test::make_pair;
using test::make_plan;
using test::Pattern;
using test::value;

template <class P>
class PullTest : public ::testing::Test {};
using Pairs = ::testing::Types<ArrayPair<double>, ArrayPair<double, 5>, ArrayPair<float, Dynamic>, ArrayPair<std::int8_t, 3>,
                               ArrayPair<LocalRow, NonUniform, 8>, ArrayPair<std::int64_t, NonUniform, Dynamic>, ArrayPair<Vec3>,
                               ArrayPair<double, 5, 5, 64>, ArrayPair<Vec3, 15>, ArrayPair<bool, 2>, ArrayPair<GlobalRow, 11>>;
TYPED_TEST_SUITE(PullTest, Pairs);

TYPED_TEST(PullTest, GhostRowsEqualTheirOwnedRows) {
  const Communicator comm = Communicator::world();
  for (const Pattern pattern : kPatterns) {
    const GhostPlan plan = make_plan(comm, pattern);
    for (const Layout layout : {Layout::aos, Layout::soa}) {
      TypeParam pair = make_pair<TypeParam>(plan, layout);
      fill_owned(pair);
      ArrayTransformer(plan, {pair}).pull().run();
      expect_ghosts(pair);
    }
  }
}

TYPED_TEST(PullTest, EachStartSendsTheCurrentValues) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random);
  TypeParam pair = make_pair<TypeParam>(plan, Layout::aos);
  Exchange pull = ArrayTransformer(plan, {pair}).pull();
  for (int time = 0; time < 5; ++time) {
    fill_owned(pair, time);
    pull.start(after(host_stream()));
    EXPECT_TRUE(pull.in_flight());
    pull.finish(host_stream());
    EXPECT_FALSE(pull.in_flight());
    expect_ghosts(pair, time);
  }
}

TYPED_TEST(PullTest, RowsFreshOnTheDeviceAreExchangedAndCopiedBack) {
  const Communicator comm = Communicator::world();
  for (const Pattern pattern : kPatterns) {
    const GhostPlan plan = make_plan(comm, pattern);
    for (const Layout layout : {Layout::aos, Layout::soa}) {
      TypeParam pair = [&] {
        if constexpr (std::is_constructible_v<TypeParam, GhostPlan, Layout, Backend>) {
          return TypeParam(plan, layout, Backend::mirror);
        } else {
          return TypeParam(plan, 3, layout, Backend::mirror);
        }
      }();
      fill_owned(pair);
      Exchange pull = ArrayTransformer(plan, {pair}).pull();
      pull.run(After());  // fresh on the host, which does not change
      expect_ghosts(pair);
      fill_owned(pair, 1);
      pair.to_device(After());
      if (layout == Layout::aos) {
        (void)pair.template view<Aos, space::mirror>();  // like a kernel: the host side becomes stale
      } else {
        (void)pair.template view<Soa, space::mirror>();
      }
      if (plan.owned_rows() > 0) {
        EXPECT_THROW((void)std::as_const(pair).data(), DeviceError);
      }
      pull.run(After());
      // Owned and ghost rows are fresh on the device; they are copied back for the check.
      pair.to_host(After());
      expect_ghosts(pair, 1);
    }
  }
}

TEST(CsrExchangeTest, RowsOfDifferentLengthsArePulled) {
  const Communicator comm = Communicator::world();
  for (const Pattern pattern : kPatterns) {
    const GhostPlan plan = make_plan(comm, pattern);
    Array<std::int64_t, NonUniform> owned;
    for (std::int32_t i = 0; i < plan.owned_rows(); ++i) {
      std::vector<std::int64_t> row;
      const std::int64_t g = plan.global(LocalRow(i)).value();
      for (int k = 0; k < length(g); ++k) row.push_back(value<std::int64_t>(g, k));
      owned.push_row(row);
    }
    ArrayPair<std::int64_t, NonUniform> pair = pull_rows(plan, owned);
    for (std::int32_t i = 0; i < plan.rows(); ++i) EXPECT_EQ(pair.row_size(i), length(plan.global(LocalRow(i)).value()));
    expect_ghosts(pair);

    ArrayPair<double, 2> other(plan);
    Exchange both = ArrayTransformer(plan, {other, pair}).pull();
    for (int time = 1; time < 3; ++time) {
      fill_owned(pair, time);
      fill_owned(other, time);
      both.run();
      expect_ghosts(pair, time);
      expect_ghosts(other, time);
    }
  }
}

TEST(CsrExchangeTest, PushAddsRowsOfDifferentLengths) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::strided);
  Array<double, NonUniform> owned;
  for (std::int32_t i = 0; i < plan.owned_rows(); ++i) {
    owned.push_row(std::vector<double>(static_cast<std::size_t>(length(plan.global(LocalRow(i)).value())), 1.0));
  }
  ArrayPair<double, NonUniform> pair = pull_rows(plan, owned);
  ArrayTransformer(plan, {pair}).push(Reduce::add).run();
  for (std::int32_t i = 0; i < plan.owned_rows(); ++i) {
    for (const double x : pair.row(i)) EXPECT_EQ(x, i % 4 == 0 ? comm.size() : 1.0);
  }
}

TEST(CsrExchangeTest, GlobalAdjacencyBecomesLocal) {
  const Communicator comm = Communicator::world();
  // A ring of 3 rows per rank; the neighbours of each row are the preceding and the following row.
  const std::int64_t total = 3 * comm.size(), first = 3 * comm.rank().value();
  Array<GlobalRow, NonUniform> global;
  for (std::int64_t g = first; g < first + 3; ++g) {
    global.push_row(std::vector{GlobalRow((g + total - 1) % total), GlobalRow((g + 1) % total), GlobalRow::invalid()});
  }
  std::vector<GlobalRow> requests;
  for (const GlobalRow g : global.entries()) {
    if (g.valid()) requests.push_back(g);
  }
  const GhostPlan plan = GhostPlan::build(comm, 3, requests);
  const Array<LocalRow, NonUniform> local = to_local<LocalRow>(plan, global);
  for (std::int32_t i = 0; i < 3; ++i) {
    for (int k = 0; k < 2; ++k) EXPECT_EQ(plan.global(local(i, k)), global(i, k));
    EXPECT_FALSE(local(i, 2).valid());
  }
  Array<GlobalRow, NonUniform> unknown;
  unknown.push_row(std::vector{GlobalRow(total)});
  EXPECT_THROW((void)to_local<LocalRow>(plan, unknown), InputError);
}

TEST(ExchangeTest, ManyArraysAtOnceEqualOneAtATime) {
  const Communicator comm = Communicator::world();
  for (const Pattern pattern : kPatterns) {
    const GhostPlan plan = make_plan(comm, pattern);
    ArrayPair<double, 5> q(plan), q_alone(plan);
    ArrayPair<Vec3, Dynamic> grad(plan, 3, Layout::soa), grad_alone(plan, 3, Layout::soa);
    ArrayPair<LocalRow, NonUniform, 8> list(plan), list_alone(plan);
    ArrayPair<std::int8_t> flag(plan), flag_alone(plan);
    const auto fill = [&](auto&... pairs) { (fill_owned(pairs), ...); };
    fill(q, grad, list, flag, q_alone, grad_alone, list_alone, flag_alone);
    ArrayTransformer(plan, {q, grad, list, flag}).pull().run();
    ArrayTransformer(plan, {q_alone}).pull().run();
    ArrayTransformer(plan, {grad_alone}).pull().run();
    ArrayTransformer(plan, {list_alone}).pull().run();
    ArrayTransformer(plan, {flag_alone}).pull().run();
    expect_ghosts(q);
    expect_ghosts(q_alone);
    expect_ghosts(grad);
    expect_ghosts(grad_alone);
    expect_ghosts(list);
    expect_ghosts(list_alone);
    expect_ghosts(flag);
    expect_ghosts(flag_alone);
  }
}

TEST(ExchangeTest, NothingToExchange) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::empty);
  ArrayPair<double, 5> q(plan);
  ArrayTransformer(plan, {q}).pull().run();
  ArrayTransformer(plan, {q}).push(Reduce::add).run();
  ArrayTransformer(plan, {}).pull().run();
  const GhostPlan nowhere = GhostPlan::build(comm, 0, std::span<const GlobalRow>{});
  ArrayPair<double, 5> none(nowhere), none_either(nowhere);
  Exchange pull = ArrayTransformer(nowhere, {none, none_either}).pull();
  pull.run();
}

TEST(ExchangeTest, PeriodicImagesAreCopiedOnOneRank) {
  const Communicator comm = Communicator::self();
  const std::vector<GhostRequest> requests{{GlobalRow(2), 1}, {GlobalRow(0), -1}, {GlobalRow(2), 2}, {GlobalRow(1), 0}};
  const GhostPlan plan = GhostPlan::build(comm, 3, requests);
  for (const Layout layout : {Layout::aos, Layout::soa}) {
    ArrayPair<double, 2> q(plan, layout);
    ArrayPair<std::int32_t, NonUniform, 4> list(plan, layout);
    fill_owned(q);
    fill_owned(list);
    ArrayTransformer(plan, {q, list}).pull().run();
    expect_ghosts(q);
    expect_ghosts(list);
    q(plan.local_of(0), 1) = 100.0;
    q(plan.local_of(2), 1) = 1000.0;
    ArrayTransformer(plan, {q}).push(Reduce::add).run();
    EXPECT_EQ(q(2, 1), value<double>(2, 1) + 100.0 + 1000.0);
    EXPECT_EQ(q(0, 0), 2 * value<double>(0, 0));
    EXPECT_EQ(q(1, 0), value<double>(1, 0));
  }
}

TEST(ExchangeTest, PeriodicImagesAndRowsOfOtherRanks) {
  const Communicator comm = Communicator::world();
  // A periodic ring of one row per rank: both neighbours are images, on one rank of the row itself.
  const std::int64_t ranks = comm.size(), me = comm.rank().value();
  const std::vector<GhostRequest> requests{{GlobalRow((me + 1) % ranks), me + 1 == ranks ? 1 : 0},
                                           {GlobalRow((me + ranks - 1) % ranks), me == 0 ? -1 : 0}};
  const GhostPlan plan = GhostPlan::build(comm, 1, requests);
  ArrayPair<double> q(plan);
  fill_owned(q);
  ArrayTransformer(plan, {q}).pull().run();
  EXPECT_EQ(q(plan.local_of(0)), value<double>((me + 1) % ranks, 0));
  EXPECT_EQ(q(plan.local_of(1)), value<double>((me + ranks - 1) % ranks, 0));
  ArrayTransformer(plan, {q}).push(Reduce::add).run();
  EXPECT_EQ(q(0), (ranks == 1 ? 3.0 : static_cast<double>(plan.ghost_rows() + 1)) * value<double>(me, 0));
}

TEST(ExchangeTest, TwoExchangesOfOnePlanAreInFlightTogether) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random);
  ArrayPair<double, 5> a(plan), b(plan), c(plan);
  fill_owned(a, 1);
  fill_owned(b, 2);
  fill_owned(c, 3);
  Exchange pull_a = ArrayTransformer(plan, {a}).pull();
  Exchange pull_b = ArrayTransformer(plan, {b}).pull();
  Exchange pull_c = ArrayTransformer(plan, {c}).pull();
  pull_a.start(After());
  pull_b.start(After());
  pull_c.start(After());
  pull_c.wait();
  pull_a.wait();
  pull_b.wait();
  expect_ghosts(a, 1);
  expect_ghosts(b, 2);
  expect_ghosts(c, 3);
}

TEST(ExchangeTest, ArrivedBecomesTrueWithoutWaiting) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random);
  ArrayPair<double, 5> q(plan);
  fill_owned(q);
  Exchange pull = ArrayTransformer(plan, {q}).pull();
  pull.start(After());
  while (!pull.arrived()) {
  }
  pull.finish(host_stream());
  expect_ghosts(q);
}

TEST(ExchangeTest, MovedPairRemainsAttached) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random);
  ArrayPair<double, 5> original(plan);
  Exchange pull = ArrayTransformer(plan, {original}).pull();
  ArrayPair<double, 5> moved(std::move(original));
  fill_owned(moved, 1);
  pull.run();
  expect_ghosts(moved, 1);
  ArrayPair<double, 5> assigned(plan);
  assigned = std::move(moved);
  fill_owned(assigned, 2);
  pull.start(After());
  ArrayPair<double, 5> moved_in_flight(std::move(assigned));
  pull.wait();
  expect_ghosts(moved_in_flight, 2);
}

TEST(ExchangeTest, CloneIsNotAttached) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random);
  ArrayPair<double, 5> original(plan);
  Exchange pull = ArrayTransformer(plan, {original}).pull();
  fill_owned(original, 1);
  pull.run();
  ArrayPair<double, 5> clone = original.clone();
  Exchange pull_clone = ArrayTransformer(plan, {clone}).pull();
  fill_owned(clone, 2);
  pull_clone.run();
  expect_ghosts(clone, 2);
  expect_ghosts(original, 1);
  fill_owned(original, 3);
  pull.run();
  expect_ghosts(original, 3);
  expect_ghosts(clone, 2);
}

TEST(ExchangeTest, MovedExchangeRemainsUsable) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random);
  ArrayPair<double, 5> q(plan);
  ArrayPair<double> w(plan);
  fill_owned(q);
  fill_owned(w);
  Exchange pull = ArrayTransformer(plan, {q, w}).pull();
  pull.start(After());
  Exchange moved = std::move(pull);
  moved.wait();
  expect_ghosts(q);
  expect_ghosts(w);
}

TEST(ExchangeTest, ManyExchangesAreCreatedAndDestroyed) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::one_way);
  ArrayPair<double> q(plan);
  const ArrayTransformer transformer(plan, {q});
  std::vector<Exchange> kept;
  for (int i = 0; i < 20; ++i) {
    fill_owned(q, i);
    transformer.pull().run();
    if (i % 3 == comm.rank().value() % 3) kept.clear();  // ranks release tags at different times
    kept.push_back(transformer.pull());
    kept.back().run();
    expect_ghosts(q, i);
  }
}

}  // namespace
}  // namespace weft::exchange_test
