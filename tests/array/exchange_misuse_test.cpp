#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/array/csr_pair.hpp"
#include "weft/base/error.hpp"
#include "weft/base/vec3.hpp"
#include "weft/device/registered_memory.hpp"

#include "array/exchange_support.hpp"
#include "support/time_limit.hpp"

namespace weft::exchange_misuse_test {
namespace {

using test::expect_ghosts;
using test::fill_owned;
using test::make_plan;
using test::Pattern;

TEST(CsrExchangeTest, GhostRowsOfWrongLengthThrowOnEveryRank) {
  test::limit_present_test();
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

TEST(CsrExchangeTest, GhostRowsOfWrongLengthAndEqualTotalThrowOnEveryRank) {
  test::limit_present_test();
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) return;
  // Rank 0 owns rows of 3 and 1 entries; their ghost rows on the last rank have 1 and 3.
  std::vector<GlobalRow> wanted;
  if (!comm.is_root()) wanted = {GlobalRow(0), GlobalRow(1)};
  const GhostPlan plan = GhostPlan::build(comm, comm.is_root() ? 2 : 0, wanted);
  const bool wrong = comm.rank().value() == comm.size() - 1;
  const std::vector<std::int64_t> offsets{0, wrong ? 1 : 3, 4};
  ArrayPair<float> other(plan);
  ArrayPair<double, NonUniform> pair(plan, Array<double, NonUniform>(offsets, std::vector<double>(4)));
  try {
    const ArrayTransformer transformer(plan, {other, pair});
    FAIL() << "nothing was refused";
  } catch (const CommError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("array 1, float64 csr"), std::string::npos) << text;
    EXPECT_NE(text.find("global row 0 has 3 entries on its owner, rank 0, and 1 in the ghost rows of rank " +
                        std::to_string(comm.size() - 1)),
              std::string::npos)
        << text;
  }
}

TEST(PushTest, ElementsWithoutTheOperationThrow) {
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
  EXPECT_THROW(pull.run(), ContractError);  // NOLINT: tests the use after a move
  EXPECT_FALSE(pull.in_flight());
  other.run();
}

TEST(ExchangeMisuseTest, TwoExchangesOfOneArrayInFlight) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random);
  ArrayPair<double, 5> q(plan), other(plan);
  ArrayPair<double> plain(plan);
  fill_owned(q);
  Exchange pull = ArrayTransformer(plan, {q, plain}).pull();
  Exchange push = ArrayTransformer(plan, {other, q}).push(Reduce::add);
  Exchange plain_again = ArrayTransformer(plan, {plain}).pull();
  Exchange other_alone = ArrayTransformer(plan, {other}).pull();
  pull.start(After());
  EXPECT_THROW(push.start(After()), ContractError);
  EXPECT_FALSE(push.in_flight());
  EXPECT_THROW(plain_again.start(After()), ContractError);
  other_alone.run();  // the rejected start has changed nothing
  pull.wait();
  expect_ghosts(q);
  push.run();
  plain_again.run();
}

TEST(ExchangeMisuseTest, TwoExchangesOfAnArrayWithoutRowsInFlight) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = GhostPlan::build(comm, 0, std::vector<GlobalRow>());
  ArrayPair<double> q(plan);
  Exchange pull = ArrayTransformer(plan, {q}).pull(), again = ArrayTransformer(plan, {q}).pull();
  pull.start(After());
  EXPECT_THROW(again.start(After()), ContractError);  // as on a rank with rows
  EXPECT_THROW(ArrayTransformer(plan, {q, q}), ContractError);
  pull.wait();
  again.run();
}

TEST(ExchangeMisuseTest, ArrayDestroyedBeforeItsExchangeIsCreated) {
  const GhostPlan plan = make_plan(Communicator::world(), Pattern::random);
  auto q = std::make_unique<ArrayPair<double, 5>>(plan);
  const ArrayTransformer transformer(plan, {*q});
  q.reset();
  EXPECT_THROW((void)transformer.pull(), ContractError);
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

TEST(ExchangeMisuseTest, MemoryOfAnArrayDestroyedInFlightIsRetained) {
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

TEST(ExchangeMisuseTest, CsrRowsReplacedByRowsOfTheSameTotalLength) {
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
  for (int i = 0; i < 4; ++i) {  // the allocator may return the same address
    pair.assign(all_entries_in(1));
    EXPECT_THROW(pull.run(), ContractError);
  }
}

TEST(ExchangeMisuseTest, RowsStaleOnBothSidesThrowAndStartNothing) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::contiguous);
  ArrayPair<double> q(plan, Layout::aos, Backend::mirror);
  for (std::int32_t i = 0; i < plan.rows(); ++i) q(i) = 1.0;
  q.to_device(After());
  (void)q.view<Aos, space::mirror>();
  q.to_host(After(), {LocalRow(0), LocalRow(1)});
  q(0) = 2.0;  // row 0 is fresh only on the host, the others only on the device
  Exchange pull = ArrayTransformer(plan, {q}).pull();
  EXPECT_THROW(pull.start(After()), DeviceError);
  EXPECT_FALSE(pull.in_flight());
  q.to_host(After(), {LocalRow(1), LocalRow(plan.rows())});
  pull.run(After());
  EXPECT_EQ(q(plan.rows() - 1), plan.ghost_rows() > 0 ? 1.0 : q(plan.rows() - 1));
}

TEST(ExchangeMisuseTest, RunBetweenDevicesWithoutADependency) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::contiguous);
  ArrayPair<double> q(plan, Layout::aos, Backend::mirror);
  for (std::int32_t i = 0; i < plan.rows(); ++i) q(i) = 1.0;
  Exchange pull = ArrayTransformer(plan, {q}).pull();
  try {
    pull.run();
    ADD_FAILURE() << "no error without a dependency";
  } catch (const ContractError& error) {
    EXPECT_NE(std::string(error.what()).find("run(after(stream))"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(pull.in_flight());
  Stream stream = Stream::for_backend(Backend::mirror);
  pull.run(after(stream));
}

TEST(ExchangeMisuseTest, ArrayOfAnotherPlan) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random), other = make_plan(comm, Pattern::random);
  ArrayPair<double, 5> q(other);
  EXPECT_THROW(ArrayTransformer(plan, {q}), ContractError);
  const GhostPlan copy = plan;  // NOLINT: a copy is the same plan
  ArrayPair<double, 5> mine(copy);
  ArrayTransformer(plan, {mine}).pull().run();
}

TEST(ExchangeMisuseTest, WrongArrayOnOneRank) {
  test::limit_present_test();
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
  test::limit_present_test();
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
  test::limit_present_test();
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::contiguous);
  ArrayPair<double, 5> q(plan);
  ArrayPair<double, 2> w(plan);
  {
    Exchange dropped = ArrayTransformer(plan, {q, w}).pull();
    Exchange direct = ArrayTransformer(plan, {q}).pull();
    dropped.start(After());
    EXPECT_THROW(direct.start(After()), ContractError);
  }
  // The arrays can be used again, and no message of the abandoned exchange is received.
  for (int time = 1; time < 4; ++time) {
    Exchange pull = ArrayTransformer(plan, {q, w}).pull();
    fill_owned(q, time);
    fill_owned(w, time);
    pull.run();
    expect_ghosts(q, time);
    expect_ghosts(w, time);
  }
}

/// Starts an exchange of an array and destroys it in flight.
template <class P>
void abandon_exchange(P& pair) {
  Exchange pull = ArrayTransformer(pair.plan(), {pair}).pull();
  pull.start(After());
}

/// Returns memory that is never freed while MPI may access it.
std::span<double> lasting_memory(std::size_t size) {
  static std::vector<std::vector<double>> all;
  return all.emplace_back(size);
}

TEST(ExchangeMisuseTest, MemoryReplacedAfterItsExchangeWasDestroyedInFlightIsRetained) {
  test::limit_present_test();
  const GhostPlan plan = make_plan(Communicator::world(), Pattern::contiguous);
  const auto rows = static_cast<std::size_t>(plan.rows());
  const RegisteredMemory first(lasting_memory(rows)), second(lasting_memory(rows)), third(lasting_memory(rows));
  {
    ArrayPair<double> q(plan, Array<double>(first));
    abandon_exchange(q);
    q.assign(Array<double>(second));
    EXPECT_TRUE(first.wrapped());
    abandon_exchange(q);
    q.assign(Array<double>(third));
    EXPECT_TRUE(first.wrapped());
    EXPECT_TRUE(second.wrapped());
    q.assign(Array<double>(plan.rows()));
    EXPECT_FALSE(third.wrapped()) << "no exchange accesses it";
    fill_owned(q);
    ArrayTransformer(plan, {q}).pull().run();
    expect_ghosts(q);
  }
  EXPECT_TRUE(first.wrapped());
  EXPECT_TRUE(second.wrapped());
}

TEST(ExchangeMisuseTest, ArrayResizedAfterItsExchangeWasDestroyedInFlight) {
  test::limit_present_test();
  const GhostPlan plan = make_plan(Communicator::world(), Pattern::contiguous);
  ArrayPair<double, Dynamic> q(plan, 3);
  fill_owned(q);
  abandon_exchange(q);
  for (const int width : {4, 5}) {
    q.resize_width(width);
    EXPECT_EQ(q.array().width(), width);
    EXPECT_EQ(q(0, 2), test::value<double>(plan.global(LocalRow(0)).value(), 2)) << "values are preserved";
  }
  fill_owned(q, 1);
  ArrayTransformer(plan, {q}).pull().run();
  expect_ghosts(q, 1);
}

}  // namespace
}  // namespace weft::exchange_misuse_test
