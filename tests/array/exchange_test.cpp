#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/array/csr_pair.hpp"
#include "weft/base/error.hpp"
#include "weft/base/vec3.hpp"
#include "weft/comm/agreement.hpp"

namespace weft {
namespace {

enum class Pattern { contiguous, strided, random, empty, one_way, few_rows };
constexpr Pattern kPatterns[] = {Pattern::contiguous, Pattern::strided, Pattern::random,
                                 Pattern::empty,      Pattern::one_way, Pattern::few_rows};

// What each rank wants to see of the others, in awkward order. Rank 1 owns nothing where there are few rows.
GhostPlan make_plan(const Communicator& comm, Pattern pattern) {
  const int ranks = comm.size(), rank = comm.rank().value();
  const std::int32_t owned = pattern == Pattern::few_rows ? (rank == 0 ? 2 : 0) : 12;
  const auto global = [&](int r, int i) { return GlobalRow(pattern == Pattern::few_rows ? i : 12 * r + i); };
  std::vector<GlobalRow> requests;
  for (int r = ranks - 1; r >= 0; --r) {
    switch (pattern) {
      case Pattern::contiguous:
        for (int i = 8; i >= 3; --i) requests.push_back(global(r, i));
        break;
      case Pattern::strided:
        for (int i = 0; i < 12; i += 4) requests.push_back(global(r, i));
        break;
      case Pattern::random:
        for (int i = 0; i < 9; ++i) requests.push_back(global(r, (5 * i * i + 7 * rank + i) % 12));
        break;
      case Pattern::empty:
        break;
      case Pattern::one_way:  // lower ranks send only, higher ranks receive only
        if (r < rank) requests.push_back(global(r, r % 12));
        break;
      case Pattern::few_rows:
        requests.push_back(global(0, 1));
        requests.push_back(global(0, 0));
        break;
    }
  }
  return GhostPlan::build(comm, owned, requests);
}

// Entry k of global row g, at a time.
template <class T>
T value(std::int64_t g, int k, int time = 0) {
  if constexpr (std::is_same_v<T, Vec3>) {
    return {static_cast<double>(g), static_cast<double>(k), static_cast<double>(time)};
  } else {
    return static_cast<T>((7 * g + 13 * k + 31 * time) % 101);
  }
}
int length(std::int64_t g) { return static_cast<int>(g % 4); }

template <class P>
constexpr bool kHasRowSizes = P::kKind == RowKind::static_max || P::kKind == RowKind::max;

template <class P>
void fill_owned(P& pair, int time = 0) {
  for (std::int32_t i = 0; i < pair.owned_rows(); ++i) {
    const std::int64_t g = pair.plan().global(LocalRow(i)).value();
    if constexpr (kHasRowSizes<P>) pair.resize_row(i, length(g));
    for (int k = 0; k < pair.row_size(i); ++k) pair(i, k) = value<typename P::value_type>(g, k, time);
  }
}
template <class P>
void expect_ghosts(const P& pair, int time = 0) {
  for (std::int32_t i = 0; i < pair.rows(); ++i) {
    const std::int64_t g = pair.plan().global(LocalRow(i)).value();
    if constexpr (kHasRowSizes<P>) {
      EXPECT_EQ(pair.row_size(i), length(g)) << "row " << i;
    }
    for (int k = 0; k < pair.row_size(i); ++k) {
      EXPECT_EQ(pair(i, k), value<typename P::value_type>(g, k, time)) << "row " << i << ", entry " << k;
    }
  }
}

template <class P>
P make_pair(const GhostPlan& plan, Layout layout) {
  if constexpr (std::is_constructible_v<P, GhostPlan, Layout>) {
    return P(plan, layout);
  } else {
    return P(plan, 3, layout);
  }
}

template <class P>
class PullTest : public ::testing::Test {};
using Pairs = ::testing::Types<ArrayPair<double>, ArrayPair<double, 5>, ArrayPair<float, Dynamic>, ArrayPair<std::int8_t, 3>,
                               ArrayPair<LocalRow, NonUniform, 8>, ArrayPair<std::int64_t, NonUniform, Dynamic>, ArrayPair<Vec3>,
                               ArrayPair<double, 5, 5, 64>, ArrayPair<Vec3, 15>, ArrayPair<bool, 2>, ArrayPair<GlobalRow, 11>>;
TYPED_TEST_SUITE(PullTest, Pairs);

TYPED_TEST(PullTest, GhostsAreTheirOwnersRowsInEveryPatternAndLayout) {
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

TYPED_TEST(PullTest, PersistentExchangeSeesNewValuesEveryTime) {
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

TYPED_TEST(PullTest, DeviceFreshRowsAreStagedAndComeBack) {
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
      pull.run();  // host side fresh: stays there
      expect_ghosts(pair);
      fill_owned(pair, 1);
      pair.to_device(After());
      if (layout == Layout::aos) {
        (void)pair.template view<Aos, space::mirror>();  // as a kernel would: the host side is stale now
      } else {
        (void)pair.template view<Soa, space::mirror>();
      }
      if (plan.owned_rows() > 0) {
        EXPECT_THROW((void)std::as_const(pair).data(), DeviceError);
      }
      pull.run();
      // Owned and ghost rows are fresh on the device; bring them back to look at them.
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

TEST(CsrExchangeTest, GhostRowsOfOtherLengthsThanTheirOwnersAreRefusedOnEveryRank) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) return;
  const GhostPlan plan = make_plan(comm, Pattern::contiguous);
  ArrayPair<double, NonUniform> pair = pull_rows(plan, Array<double, NonUniform>(plan.owned_rows()));
  Array<double, NonUniform> longer(plan.rows() - 1);
  longer.push_row(std::vector<double>{1.0});
  if (comm.rank().value() == comm.size() - 1) pair.assign(std::move(longer));
  EXPECT_THROW(ArrayTransformer(plan, {pair}), CommError);
  EXPECT_THROW((void)pull_rows(plan, Array<double, NonUniform>(plan.owned_rows() + comm.rank().value())), ContractError);
}

TEST(CsrExchangeTest, GlobalAdjacencyBecomesLocal) {
  const Communicator comm = Communicator::world();
  // A ring of 3 rows per rank; each row's neighbours are the rows before and after it.
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
    std::vector<double> plain(static_cast<std::size_t>(plan.rows())), plain_alone = plain;
    const auto fill = [&](auto&... pairs) { (fill_owned(pairs), ...); };
    fill(q, grad, list, flag, q_alone, grad_alone, list_alone, flag_alone);
    for (std::int32_t i = 0; i < plan.owned_rows(); ++i) {
      plain[static_cast<std::size_t>(i)] = plain_alone[static_cast<std::size_t>(i)] =
          value<double>(plan.global(LocalRow(i)).value(), 0);
    }
    ArrayTransformer(plan, {q, grad, PairRef::rows(plain), list, flag}).pull().run();
    ArrayTransformer(plan, {q_alone}).pull().run();
    ArrayTransformer(plan, {grad_alone}).pull().run();
    ArrayTransformer(plan, {list_alone}).pull().run();
    ArrayTransformer(plan, {flag_alone}).pull().run();
    ArrayTransformer(plan, {PairRef::rows(plain_alone)}).pull().run();
    expect_ghosts(q);
    expect_ghosts(q_alone);
    expect_ghosts(grad);
    expect_ghosts(grad_alone);
    expect_ghosts(list);
    expect_ghosts(list_alone);
    expect_ghosts(flag);
    expect_ghosts(flag_alone);
    EXPECT_EQ(plain, plain_alone);
    for (std::int32_t i = 0; i < plan.rows(); ++i) {
      EXPECT_EQ(plain[static_cast<std::size_t>(i)], value<double>(plan.global(LocalRow(i)).value(), 0));
    }
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

TEST(ExchangeTest, PeriodicImagesAreCopiedOnOneRankToo) {
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

TEST(ExchangeTest, PeriodicImagesMixWithOtherRanksRows) {
  const Communicator comm = Communicator::world();
  // A periodic ring with one row per rank: both neighbours as images, which on one rank are the row itself.
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
    // Every other rank holds each shared row.
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

TEST(PushTest, OrderIsThatOfRanksNotOfArrival) {
  const Communicator comm = Communicator::world();
  const int ranks = comm.size(), me = comm.rank().value();
  const GhostPlan plan = make_plan(comm, Pattern::strided);
  ArrayPair<double> q(plan);
  Exchange push = ArrayTransformer(plan, {q}).push(Reduce::add);
  // Sums that depend on the order of their terms in the last digits.
  const auto term = [](int r) { return 1.0 / (3 + 7 * r) * (r % 2 == 0 ? 1e8 : 1.0); };
  double expected = 0.1;
  for (int r = 0; r < ranks; ++r) expected += r == me ? 0.0 : term(r);
  for (int late = 0; late < ranks; ++late) {
    for (std::int32_t i = 0; i < plan.rows(); ++i) q(i) = i < plan.owned_rows() ? 0.1 : term(me);
    comm.barrier();
    if (late == me) {
      // The others have long sent when this rank starts.
      volatile double spent = 0;
      for (int k = 0; k < 200000; ++k) spent = spent + k;
    }
    push.run();
    EXPECT_EQ(q(0), expected);
    EXPECT_EQ(q(1), 0.1);
  }
}

TEST(PushTest, RowLengthsFollowInsertOnly) {
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

TEST(PushTest, ElementsThatDoNotKnowTheOperationAreRefused) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::strided);
  ArrayPair<LocalRow> ids(plan);
  ArrayPair<Vec3> vectors(plan);
  EXPECT_THROW((void)ArrayTransformer(plan, {ids}).push(Reduce::add), ContractError);
  EXPECT_THROW((void)ArrayTransformer(plan, {vectors}).push(Reduce::min), ContractError);
  ArrayTransformer(plan, {ids}).push(Reduce::max).run();
  ArrayTransformer(plan, {vectors}).push(Reduce::add).run();
  ArrayTransformer(plan, {ids, vectors}).push(Reduce::insert).run();
}

TEST(PushTest, PullAndPushOfTheDeviceSide) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::strided);
  ArrayPair<double, 2> q(plan, Layout::aos, Backend::mirror);
  for (std::int32_t i = 0; i < plan.rows(); ++i) q(i, 0) = q(i, 1) = 1.0;
  q.to_device(After());
  const auto view = q.view<Aos, space::mirror>();
  for (std::int32_t i = 0; i < plan.rows(); ++i) view(i, 1) = 2.0;
  ArrayTransformer(plan, {q}).push(Reduce::add).run();
  const auto result = std::as_const(q).view<Aos, space::mirror>();
  for (std::int32_t i = 0; i < plan.owned_rows(); ++i) {
    const int copies = i % 4 == 0 ? comm.size() : 1;
    EXPECT_EQ(result(i, 0), copies);
    EXPECT_EQ(result(i, 1), 2.0 * copies);
  }
}

TEST(ExchangeTest, TwoExchangesOfOnePlanFlyAtTheSameTime) {
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

TEST(ExchangeTest, MovedPairIsTheOneThatIsExchanged) {
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

TEST(ExchangeTest, CloneExchangesItsOwnArray) {
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

TEST(ExchangeTest, MovedExchangeGoesOn) {
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

TEST(ExchangeMisuseTest, StartTwice) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random);
  ArrayPair<double, 5> q(plan);
  fill_owned(q);
  Exchange pull = ArrayTransformer(plan, {q}).pull();
  pull.start(After());
  EXPECT_THROW(pull.start(After()), ContractError);
  pull.wait();
  expect_ghosts(q);
}

TEST(ExchangeMisuseTest, FinishWithoutStart) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random);
  ArrayPair<double, 5> q(plan);
  Exchange pull = ArrayTransformer(plan, {q}).pull();
  EXPECT_THROW(pull.finish(host_stream()), ContractError);
  EXPECT_THROW(pull.wait(), ContractError);
  EXPECT_THROW((void)pull.arrived(), ContractError);
  pull.run();
  EXPECT_THROW(pull.wait(), ContractError);
}

TEST(ExchangeMisuseTest, MovedFromExchange) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random);
  ArrayPair<double, 5> q(plan);
  Exchange pull = ArrayTransformer(plan, {q}).pull();
  Exchange other = std::move(pull);
  EXPECT_THROW(pull.run(), ContractError);  // NOLINT: that is the misuse
  EXPECT_FALSE(pull.in_flight());
  other.run();
}

TEST(ExchangeMisuseTest, TwoExchangesOfOneArrayInFlight) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random);
  ArrayPair<double, 5> q(plan), other(plan);
  std::vector<double> plain(static_cast<std::size_t>(plan.rows()));
  fill_owned(q);
  Exchange pull = ArrayTransformer(plan, {q, PairRef::rows(plain)}).pull();
  Exchange push = ArrayTransformer(plan, {other, q}).push(Reduce::add);
  Exchange plain_again = ArrayTransformer(plan, {PairRef::rows(plain)}).pull();
  Exchange other_alone = ArrayTransformer(plan, {other}).pull();
  pull.start(After());
  EXPECT_THROW(push.start(After()), ContractError);
  EXPECT_FALSE(push.in_flight());
  EXPECT_THROW(plain_again.start(After()), ContractError);
  other_alone.run();  // the refused start left nothing behind
  pull.wait();
  expect_ghosts(q);
  push.run();
  plain_again.run();
}

TEST(ExchangeMisuseTest, ArrayDestroyedOrReplaced) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random);
  auto q = std::make_unique<ArrayPair<double, 5>>(plan);
  Exchange pull = ArrayTransformer(plan, {*q}).pull();
  pull.run();
  *q = ArrayPair<double, 5>(plan);
  EXPECT_THROW(pull.run(), ContractError);
  Exchange again = ArrayTransformer(plan, {*q}).pull();
  again.run();
  q.reset();
  EXPECT_THROW(again.run(), ContractError);
  EXPECT_FALSE(again.in_flight());
}

TEST(ExchangeMisuseTest, ArrayDestroyedInFlightKeepsItsMemoryUntilTheEnd) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::contiguous);
  auto q = std::make_unique<ArrayPair<double, 5>>(plan);
  Exchange pull = ArrayTransformer(plan, {*q}).pull();
  pull.start(After());
  q.reset();
  pull.wait();
  EXPECT_THROW(pull.start(After()), ContractError);
}

TEST(ExchangeMisuseTest, ArrayResized) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random);
  ArrayPair<double, Dynamic> q(plan, 3);
  Exchange pull = ArrayTransformer(plan, {q}).pull();
  pull.start(After());
  EXPECT_THROW(q.resize_width(4), ContractError);
  EXPECT_THROW(q.assign((Array<double, Dynamic>(plan.rows(), 4))), ContractError);
  pull.wait();
  q.resize_width(4);
  EXPECT_THROW(pull.start(After()), ContractError);
  fill_owned(q);
  ArrayTransformer(plan, {q}).pull().run();
  expect_ghosts(q);
}

TEST(ExchangeMisuseTest, CsrRowsReplacedByOthersOfTheSameTotalLength) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::contiguous);
  const std::int32_t rows = plan.rows();
  const auto all_entries_in = [&](std::int32_t row) {
    Array<double, NonUniform> array;
    for (std::int32_t i = 0; i < rows; ++i) array.push_row(std::vector<double>(i == row ? 8 : 0));
    return array;
  };
  ArrayPair<double, NonUniform> pair(plan, all_entries_in(0));
  Exchange pull = ArrayTransformer(plan, {pair}).pull();
  pull.run();
  for (int i = 0; i < 4; ++i) {  // memory may come back to the same address
    pair.assign(all_entries_in(1));
    EXPECT_THROW(pull.run(), ContractError);
  }
}

TEST(ExchangeMisuseTest, StaleOnBothSidesIsNoFlight) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::contiguous);
  ArrayPair<double> q(plan, Layout::aos, Backend::mirror);
  for (std::int32_t i = 0; i < plan.rows(); ++i) q(i) = 1.0;
  q.to_device(After());
  (void)q.view<Aos, space::mirror>();
  q.to_host(After(), {LocalRow(0), LocalRow(1)});
  q(0) = 2.0;  // row 0 is fresh on the host only, the others on the device only
  Exchange pull = ArrayTransformer(plan, {q}).pull();
  EXPECT_THROW(pull.start(After()), DeviceError);
  EXPECT_FALSE(pull.in_flight());
  q.to_host(After(), {LocalRow(1), LocalRow(plan.rows())});
  pull.run();
  EXPECT_EQ(q(plan.rows() - 1), plan.ghost_rows() > 0 ? 1.0 : q(plan.rows() - 1));
}

TEST(ExchangeMisuseTest, ArrayOfAnotherPlan) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random), other = make_plan(comm, Pattern::random);
  ArrayPair<double, 5> q(other);
  EXPECT_THROW(ArrayTransformer(plan, {q}), ContractError);
  std::vector<double> short_by_one(static_cast<std::size_t>(plan.rows()) - 1);
  EXPECT_THROW(ArrayTransformer(plan, {PairRef::rows(short_by_one)}), ContractError);
  EXPECT_THROW((void)PairRef::rows(short_by_one, 2 * plan.rows()), ContractError);
  const GhostPlan copy = plan;  // NOLINT: copies are the same plan
  ArrayPair<double, 5> mine(copy);
  ArrayTransformer(plan, {mine}).pull().run();
}

TEST(ExchangeMisuseTest, OneRankAloneBringsTheWrongArray) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random), other = make_plan(comm, Pattern::random);
  ArrayPair<double, 5> q(comm.rank().value() == comm.size() - 1 ? other : plan);
  EXPECT_THROW(ArrayTransformer(plan, {q}), ContractError);
}

TEST(ExchangeMisuseTest, SameArrayTwice) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random);
  ArrayPair<double, 5> q(plan);
  EXPECT_THROW(ArrayTransformer(plan, {q, q}), ContractError);
}

TEST(ExchangeMisuseTest, SignaturesThatDifferBetweenRanks) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) return;
  const bool odd = comm.rank().value() == 1;
  const GhostPlan plan = make_plan(comm, Pattern::random);
  ArrayPair<double, Dynamic> width(plan, odd ? 4 : 5);
  EXPECT_THROW(ArrayTransformer(plan, {width}), CommError);
  ArrayPair<double, 5> layout(plan, odd ? Layout::soa : Layout::aos);
  EXPECT_THROW(ArrayTransformer(plan, {layout}), CommError);
  ArrayPair<double> a(plan);
  ArrayPair<float> b(plan);
  EXPECT_THROW((odd ? ArrayTransformer(plan, {a, b}) : ArrayTransformer(plan, {b, a})), CommError);
  EXPECT_THROW((odd ? ArrayTransformer(plan, {a}) : ArrayTransformer(plan, {a, b})), CommError);
  const GhostPlan twin = make_plan(comm, Pattern::random);
  ArrayPair<double> on_twin(twin);
  EXPECT_THROW((odd ? ArrayTransformer(plan, {a}) : ArrayTransformer(twin, {on_twin})), CommError);
  const ArrayTransformer agreed_on(plan, {a});
  EXPECT_THROW((void)(odd ? agreed_on.pull() : agreed_on.push(Reduce::add)), CommError);
  EXPECT_THROW((void)agreed_on.push(odd ? Reduce::min : Reduce::add), CommError);
  agreed_on.pull().run();
}

TEST(ExchangeMisuseTest, ExchangeDestroyedInFlight) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::contiguous);
  ArrayPair<double, 5> q(plan);
  ArrayPair<double, 2> w(plan);
  {
    Exchange dropped = ArrayTransformer(plan, {q, w}).pull();
    Exchange direct = ArrayTransformer(plan, {PairRef::rows(q.storage(), 5)}).pull();
    dropped.start(After());
    EXPECT_THROW(direct.start(After()), ContractError);
  }
  // The arrays can be used again, and no old message is taken for a new one.
  for (int time = 1; time < 4; ++time) {
    Exchange pull = ArrayTransformer(plan, {q, w}).pull();
    fill_owned(q, time);
    fill_owned(w, time);
    pull.run();
    expect_ghosts(q, time);
    expect_ghosts(w, time);
  }
}

TEST(ExchangeTest, ManyExchangesComeAndGo) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::one_way);
  ArrayPair<double> q(plan);
  const ArrayTransformer transformer(plan, {q});
  std::vector<Exchange> kept;
  for (int i = 0; i < 20; ++i) {
    fill_owned(q, i);
    transformer.pull().run();
    if (i % 3 == comm.rank().value() % 3) kept.clear();  // ranks give tags back at different times
    kept.push_back(transformer.pull());
    kept.back().run();
    expect_ghosts(q, i);
  }
}

}  // namespace
}  // namespace weft
