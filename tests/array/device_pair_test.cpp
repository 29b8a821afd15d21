// Pairs with memory on the device only: their exchanges, and what is refused because there is no host side.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/array/index_space.hpp"
#include "weft/base/error.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/device_vector.hpp"

#include "array/exchange_support.hpp"
#include "support/gpu.hpp"

namespace weft::device_pair_test {
namespace {

using namespace test;

template <class A>
bool has_host_memory(const A& array) {
  return detail::ArrayAccess::allocated(array, Side::host);
}

/// Calls f(space tag) with the device space of a backend.
template <class F>
decltype(auto) on_device_of(Backend backend, const F& f) {
  return backend == Backend::mirror ? f(space::mirror{}) : f(space::cuda{});
}

/// Both backends whose device side is a memory of its own.
class DevicePairTest : public test::BackendTest {
 protected:
  using Pair = ArrayPair<double, 5>;
  static constexpr int kWidth = 5;

  [[nodiscard]] Backend backend() const { return GetParam(); }
  [[nodiscard]] Pair pair_on(const IndexSpace& space, Layout layout = Layout::aos) const {
    return Pair(space, layout, backend(), Side::device);
  }
  template <class P>
  [[nodiscard]] auto* address(P& pair) const {
    return on_device_of(backend(), [&](auto space) {
      using S = decltype(space);
      return pair.layout() == Layout::aos ? pair.template view<Aos, S>().data() : pair.template view<Soa, S>().data();
    });
  }
  /// Returns the place of an entry in the storage.
  static std::size_t place(const Pair& pair, LocalRow row, int k) {
    const auto entry = static_cast<std::size_t>(k);
    return pair.layout() == Layout::aos ? row.index() * kWidth + entry
                                        : entry * static_cast<std::size_t>(pair.rows()) + row.index();
  }
  /// Writes known values to owned rows and -1 to the others, on the device.
  void fill(Pair& pair, int time) const {
    std::vector<double> values(static_cast<std::size_t>(pair.rows()) * kWidth, -1.0);
    for (const LocalRow row : pair.space().owned()) {
      for (int k = 0; k < kWidth; ++k) values[place(pair, row, k)] = value<double>(pair.plan().global(row).value(), k, time);
    }
    Stream stream = Stream::for_backend(backend());
    copy_bytes(stream, address(pair), values.data(), values.size() * sizeof(double));
    stream.wait();
  }
  [[nodiscard]] std::vector<double> entries(const Pair& pair) const {
    std::vector<double> values(static_cast<std::size_t>(pair.rows()) * kWidth);
    Stream stream = Stream::for_backend(backend());
    copy_bytes(stream, values.data(), address(pair), values.size() * sizeof(double));
    stream.wait();
    return values;
  }
  void expect_pulled(const Pair& pair, int time) const {
    const std::vector<double> found = entries(pair);
    for (const LocalRow row : IdRange(LocalRow(0), LocalRow(pair.rows()))) {
      for (int k = 0; k < kWidth; ++k) {
        const double expected =
            row < pair.space().ghosts().last() ? value<double>(pair.plan().global(row).value(), k, time) : -1.0;
        EXPECT_EQ(found[place(pair, row, k)], expected) << "row " << row.value() << ", entry " << k;
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, DevicePairTest, ::testing::Values(Backend::mirror, Backend::cuda), test::backend_name);

TEST_P(DevicePairTest, uses_memory_of_others_on_the_device) {
  const GhostPlan plan = make_plan(Communicator::world(), Pattern::random);
  const auto rows = static_cast<std::size_t>(plan.rows());
  std::vector<double> values(rows * kWidth, -1.0);
  for (std::int32_t i = 0; i < plan.owned_rows(); ++i) {
    for (int k = 0; k < kWidth; ++k) {
      values[static_cast<std::size_t>(i * kWidth + k)] = value<double>(plan.global(LocalRow(i)).value(), k, 0);
    }
  }
  DeviceVector<double> memory(backend(), std::span<const double>(values));
  using Content = Array<double, Dynamic>;
  ArrayPair<double, Dynamic> pair(plan, Content(memory.span(), kWidth, Layout::aos, backend()));
  EXPECT_FALSE(pair.fresh(Side::host) && rows > 0);
  EXPECT_TRUE(pair.fresh(Side::device));
  EXPECT_EQ(address(pair), memory.data());
  Exchange pull = ArrayTransformer(plan, {pair}).pull();
  EXPECT_NE(pull.transport(), Transport::peer) << "other processes cannot map memory of others";
  pull.run(After());
  pair.to_host(After()).wait();
  for (std::int32_t i = 0; i < plan.rows(); ++i) {
    const auto image = plan.ghost(LocalRow(i));
    for (int k = 0; k < kWidth; ++k) EXPECT_EQ(pair(i, k), value<double>(image.row.value(), k, 0));
  }
  const std::int32_t owned = plan.owned_rows();
  if (owned > 0) pair(0, 0) = 17;
  pair.to_device(After()).wait();
  memory.get(0, values, After());
  EXPECT_TRUE(owned == 0 || values[0] == 17);
  EXPECT_THROW(pair.resize_width(kWidth + 1), ContractError);
  double three[3] = {};
  EXPECT_THROW(Content(std::span(three), kWidth, Layout::aos, Backend::mirror), ContractError);
  pull.close();
}

TEST_P(DevicePairTest, gives_access_to_some_rows_of_a_side) {
  const GhostPlan plan = make_plan(Communicator::world(), Pattern::random);
  for (const Layout layout : {Layout::aos, Layout::soa}) {
    Pair pair = pair_on(IndexSpace(plan), layout);
    pair.to_host(After()).wait();
    const IdRange<LocalRow> owned = pair.space().owned(), ghosts = pair.space().ghosts();
    const bool any_owned = !owned.empty(), any_ghosts = !ghosts.empty();
    EXPECT_EQ(static_cast<const void*>(pair.access(Side::device, owned, false)), address(std::as_const(pair)));
    EXPECT_TRUE(pair.fresh(Side::host)) << "reading marks nothing";
    EXPECT_EQ(static_cast<const void*>(pair.access(Side::host, owned, true)), pair.array().data());
    EXPECT_EQ(pair.fresh(Side::device, owned), !any_owned);
    EXPECT_TRUE(pair.fresh(Side::device, ghosts)) << "only the rows that are written are stale on the other side";
    if (any_owned) {
      EXPECT_THROW((void)pair.access(Side::device, owned, false), DeviceError);
    }
    (void)pair.access(Side::device, ghosts, true);
    EXPECT_EQ(pair.fresh(Side::host, ghosts), !any_ghosts);
  }
  Pair on_host(IndexSpace(plan), Layout::aos);
  EXPECT_THROW((void)on_host.access(Side::device, on_host.space().owned(), false), ContractError);
}

TEST_P(DevicePairTest, has_no_host_memory_before_one_asks_for_it) {
  const GhostPlan plan = make_plan(Communicator::world(), Pattern::random);
  Pair pair = pair_on(IndexSpace(plan, 3));
  pair.set_name("slopes");
  EXPECT_FALSE(has_host_memory(pair.array()));
  EXPECT_EQ(entries(pair), std::vector<double>(static_cast<std::size_t>(pair.rows()) * kWidth, 0.0));
  try {
    (void)pair(0, 0);
    ADD_FAILURE() << "a stale row was read";
  } catch (const DeviceError& error) {
    EXPECT_NE(error.problem().find("\"slopes\": the host side is stale"), std::string::npos) << error.problem();
  }
  EXPECT_THROW((void)pair.clone(), DeviceError);
  EXPECT_FALSE(has_host_memory(pair.array()));
  pair.to_host(After()).wait();
  EXPECT_TRUE(has_host_memory(pair.array()));
  EXPECT_EQ(pair(0, 0), 0.0);
}

TEST_P(DevicePairTest, is_exchanged_without_host_memory) {
  for (const Pattern pattern : kPatterns) {
    const GhostPlan plan = make_plan(Communicator::world(), pattern);
    for (const Layout layout : {Layout::aos, Layout::soa}) {
      Pair pair = pair_on(IndexSpace(plan, 4), layout), other = pair_on(plan, layout);
      Exchange pull = ArrayTransformer(plan, {pair, other}).pull();
      for (const int time : {1, 2, 3}) {
        fill(pair, time);
        fill(other, time + 1);
        pull.run(After());
        expect_pulled(pair, time);
        expect_pulled(other, time + 1);
      }
      EXPECT_EQ(has_host_memory(pair.array()), pair.empty());
      EXPECT_EQ(has_host_memory(other.array()), other.empty());
      pull.close();
    }
  }
}

TEST_P(DevicePairTest, is_pushed_as_a_pair_with_both_sides) {
  const GhostPlan plan = make_plan(Communicator::world(), Pattern::strided);
  Pair pair = pair_on(plan), both(plan, Layout::aos, backend());
  fill(pair, 2);
  for (const LocalRow row : IdRange(LocalRow(0), LocalRow(plan.rows()))) {
    for (int k = 0; k < kWidth; ++k) {
      both(row, k) = row.value() < plan.owned_rows() ? value<double>(plan.global(row).value(), k, 2) : -1.0;
    }
  }
  Exchange push = ArrayTransformer(plan, {pair}).push(Reduce::add), of_both = ArrayTransformer(plan, {both}).push(Reduce::add);
  push.run(After());
  of_both.run(After());
  EXPECT_FALSE(has_host_memory(pair.array()));
  EXPECT_EQ(entries(pair), entries(both));
  push.close();
  of_both.close();
}

TEST_P(DevicePairTest, is_not_exchanged_by_the_host_before_it_has_a_host_side) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::contiguous);
  Pair pair = pair_on(plan);
  fill(pair, 5);
  for (const Transport transport : {Transport::host, Transport::shared}) {
    try {
      (void)ArrayTransformer(plan, {pair}, transport).pull();
      ADD_FAILURE() << "exchanged by the host";
    } catch (const ContractError& error) {
      EXPECT_NE(error.problem().find("an array without memory on the host (float64 static_fixed(5)"), std::string::npos)
          << error.problem();
      EXPECT_NE(error.suggestion().find("to_host()"), std::string::npos) << error.suggestion();
    }
  }
  ArrayPair<double> of_host(plan);  // together with it, the host would have to exchange both
  EXPECT_THROW((void)ArrayTransformer(plan, {pair, of_host}).pull(), ContractError);
  if (comm.is_root() && comm.size() > 1) pair.to_host(After()).wait();
  EXPECT_THROW((void)ArrayTransformer(plan, {pair}, Transport::host).pull(), ContractError);  // on every rank
  pair.to_host(After()).wait();
  Exchange pull = ArrayTransformer(plan, {pair}, Transport::host).pull();
  pull.run();
  expect_ghosts(pair, 5);
  expect_pulled(pair, 5);
}

TEST_P(DevicePairTest, is_recognised_in_two_exchanges) {
  const GhostPlan plan = make_plan(Communicator::world(), Pattern::random);
  Pair pair = pair_on(plan), other = pair_on(plan);
  EXPECT_THROW(ArrayTransformer(plan, {pair, pair}), ContractError);
  Exchange pull = ArrayTransformer(plan, {pair}).pull(), both = ArrayTransformer(plan, {other, pair}).pull(),
           of_other = ArrayTransformer(plan, {other}).pull();
  fill(pair, 1);
  fill(other, 2);
  pull.start(After());
  EXPECT_THROW(both.start(After()), ContractError);
  of_other.run(After());  // the rejected start has changed nothing
  pull.wait();
  expect_pulled(pair, 1);
  expect_pulled(other, 2);
  Pair moved = std::move(pair);
  fill(moved, 3);
  both.run(After());  // a moved pair remains attached
  expect_pulled(moved, 3);
  for (Exchange* exchange : {&pull, &both, &of_other}) exchange->close();
}

/// Not on a GPU, where memory that other processes map must not be freed before close().
class MirrorPairTest : public DevicePairTest {};
INSTANTIATE_TEST_SUITE_P(Backends, MirrorPairTest, ::testing::Values(Backend::mirror), test::backend_name);

TEST_P(MirrorPairTest, destroyed_in_flight_is_retained) {
  const GhostPlan plan = make_plan(Communicator::world(), Pattern::contiguous);
  auto pair = std::make_unique<Pair>(pair_on(plan));
  Exchange pull = ArrayTransformer(plan, {*pair}).pull();
  pull.start(After());
  pair.reset();
  pull.wait();
  EXPECT_THROW(pull.start(After()), ContractError);
  pull.close();
}

TEST_P(DevicePairTest, of_another_plan_is_refused) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::random), other = make_plan(comm, Pattern::random);
  Pair pair = pair_on(other);
  EXPECT_THROW(ArrayTransformer(plan, {pair}), ContractError);
}

TEST_P(DevicePairTest, can_be_resized_once_its_values_are_on_the_host) {
  const GhostPlan plan = make_plan(Communicator::world(), Pattern::random);
  ArrayPair<double, Dynamic> pair(plan, 2, Layout::aos, backend(), Side::device);
  Exchange pull = ArrayTransformer(plan, {pair}).pull();
  pull.start(After());
  EXPECT_THROW(pair.resize_width(3), ContractError);
  pull.wait();
  pull.close();
  EXPECT_THROW(pair.resize_width(3), DeviceError);
  EXPECT_EQ(pair.rows(), plan.rows());  // nothing has changed
  pair.to_host(After()).wait();
  pair.resize_width(3);
  EXPECT_EQ(pair.row_size(0), 3);
  EXPECT_EQ(pair(0, 1), 0.0);
}

TEST(DevicePair, with_one_memory_has_no_other_side) {
  const GhostPlan plan = make_plan(Communicator::world(), Pattern::random);
  ArrayPair<double, 2> pair(plan, Layout::aos, Backend::host, Side::device);
  fill_owned(pair, 1);
  ArrayTransformer(plan, {pair}).pull().run();
  expect_ghosts(pair, 1);
}

}  // namespace
}  // namespace weft::device_pair_test
