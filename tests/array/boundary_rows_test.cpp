// Arrays with owned, ghost and boundary rows: exchanges leave boundary rows alone, on the host and on devices.
#include <gtest/gtest.h>

#include <limits>
#include <type_traits>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/array/csr_pair.hpp"
#include "weft/array/index_space.hpp"
#include "weft/base/error.hpp"

#include "array/exchange_support.hpp"
#include "support/gpu.hpp"

namespace weft::boundary_rows_test {
namespace {

using namespace test;

TEST(IndexSpace, rows_are_owned_then_ghost_then_boundary) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::contiguous);
  const IndexSpace space(plan, 4);
  EXPECT_EQ(space.rows(), plan.rows() + 4);
  EXPECT_EQ(space.boundary_rows(), 4);
  EXPECT_EQ(space.owned().last(), space.ghosts().first());
  EXPECT_EQ(space.ghosts().last(), space.boundary().first());
  EXPECT_EQ(space.boundary().last().value(), space.rows());
  const IndexSpace without = plan;
  EXPECT_EQ(without.rows(), plan.rows());
  EXPECT_TRUE(without.boundary().empty());
  EXPECT_EQ(IndexSpace().rows(), 0);
  EXPECT_THROW(IndexSpace(plan, -1), ContractError);
  EXPECT_THROW(IndexSpace(plan, std::numeric_limits<std::int32_t>::max()), LimitError);
}

/// Fills the boundary rows with numbers that depend on row, entry and time.
template <class P>
void fill_boundary(P& pair, int time) {
  for (const LocalRow row : pair.space().boundary()) {
    if constexpr (kHasRowSizes<P>) pair.resize_row(row, length(row.value()));
    for (int k = 0; k < pair.row_size(row); ++k) pair(row, k) = value<typename P::value_type>(1000 + row.value(), k, time);
  }
}
template <class P>
void expect_boundary(const P& pair, int time) {
  for (const LocalRow row : pair.space().boundary()) {
    if constexpr (kHasRowSizes<P>) {
      EXPECT_EQ(pair.row_size(row), length(row.value()));
    }
    for (int k = 0; k < pair.row_size(row); ++k) {
      EXPECT_EQ(pair(row, k), value<typename P::value_type>(1000 + row.value(), k, time))
          << "row " << row.value() << ", entry " << k;
    }
  }
}
/// As expect_ghosts() of exchange_support.hpp, which stops at the boundary rows.
template <class P>
void expect_ghosts_of(const P& pair, int time) {
  for (const LocalRow row : pair.space().ghosts()) {
    const std::int64_t g = pair.plan().global(row).value();
    for (int k = 0; k < pair.row_size(row); ++k) EXPECT_EQ(pair(row, k), value<typename P::value_type>(g, k, time));
  }
}

template <class P>
P pair_with_boundary(const IndexSpace& space, Layout layout, Backend backend) {
  if constexpr (std::is_constructible_v<P, IndexSpace, Layout, Backend>) {
    return P(space, layout, backend);
  } else {
    return P(space, 3, layout, backend);
  }
}

class BoundaryRowsTest : public test::BackendTest {
 protected:
  template <class P>
  static void exchange(Layout layout) {
    const Communicator comm = Communicator::world();
    for (const Pattern pattern : kPatterns) {
      const GhostPlan plan = make_plan(comm, pattern);
      P pair = pair_with_boundary<P>(IndexSpace(plan, 5 + comm.rank().value()), layout, GetParam());
      P other = pair_with_boundary<P>(plan, layout, GetParam());  // travels in the same messages, without boundary rows
      Exchange pull = ArrayTransformer(plan, {pair, other}).pull();
      for (const int time : {1, 2}) {
        fill_owned(pair, time);
        fill_owned(other, time + 1);
        fill_boundary(pair, time);
        pull.run(After());
        expect_ghosts_of(pair, time);
        expect_ghosts(other, time + 1);
        expect_boundary(pair, time);
      }
      // On the device side: what is written there and pulled there comes back with its boundary rows.
      pair.to_device(After()).wait();
      const auto on_device = [&](auto space) { (void)pair.template view<Aos, decltype(space)>(); };
      if (GetParam() == Backend::mirror && layout == Layout::aos) on_device(space::mirror{});
      if (GetParam() == Backend::cuda && layout == Layout::aos) on_device(space::cuda{});
      pull.run(After());
      pair.to_host(After()).wait();
      expect_ghosts_of(pair, 2);
      expect_boundary(pair, 2);
      pull.close();
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, BoundaryRowsTest, ::testing::Values(Backend::host, Backend::mirror, Backend::cuda),
                         test::backend_name);

TEST_P(BoundaryRowsTest, stay_as_they_are_in_a_pull) {
  exchange<ArrayPair<double, 5>>(Layout::aos);
  exchange<ArrayPair<double, 5>>(Layout::soa);
  exchange<ArrayPair<float, Dynamic>>(Layout::soa);
  exchange<ArrayPair<std::int32_t, NonUniform, 8>>(Layout::aos);
}

TEST_P(BoundaryRowsTest, stay_as_they_are_in_a_push) {
  const Communicator comm = Communicator::world();
  for (const Layout layout : {Layout::aos, Layout::soa}) {
    const GhostPlan plan = make_plan(comm, Pattern::random);
    ArrayPair<double, 5> pair(IndexSpace(plan, 7), layout, GetParam());
    ArrayPair<double, 5> plain(plan, layout, GetParam());
    for (const LocalRow row : IdRange(LocalRow(0), LocalRow(plan.rows()))) {
      for (int k = 0; k < 5; ++k) pair(row, k) = plain(row, k) = static_cast<double>(comm.rank().value() + row.value() + k);
    }
    fill_boundary(pair, 3);
    Exchange push = ArrayTransformer(plan, {pair}).push(Reduce::add),
             plain_push = ArrayTransformer(plan, {plain}).push(Reduce::add);
    push.run(After());
    plain_push.run(After());
    for (const LocalRow row : pair.space().owned()) {
      for (int k = 0; k < 5; ++k) EXPECT_EQ(pair(row, k), plain(row, k));
    }
    expect_boundary(pair, 3);
    push.close();
    plain_push.close();
  }
}

TEST(BoundaryRows, clones_and_moves_keep_them) {
  const GhostPlan plan = make_plan(Communicator::world(), Pattern::strided);
  ArrayPair<double, 2> pair(IndexSpace(plan, 3));
  fill_boundary(pair, 1);
  const ArrayPair<double, 2> clone = pair.clone();
  EXPECT_EQ(clone.boundary_rows(), 3);
  expect_boundary(clone, 1);
  const ArrayPair<double, 2> moved = std::move(pair);
  EXPECT_EQ(moved.rows(), plan.rows() + 3);
  expect_boundary(moved, 1);
  EXPECT_EQ(pair.boundary_rows(), 0);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(moved.view().rows(), moved.rows());
}

TEST(BoundaryRows, content_must_have_all_rows) {
  const GhostPlan plan = make_plan(Communicator::world(), Pattern::strided);
  using Pair = ArrayPair<double, 2>;
  EXPECT_NO_THROW(Pair(IndexSpace(plan, 3), Pair::ArrayType(plan.rows() + 3)));
  EXPECT_THROW(Pair(IndexSpace(plan, 3), Pair::ArrayType(plan.rows())), ContractError);
  Pair pair(IndexSpace(plan, 3));
  EXPECT_THROW(pair.assign(Pair::ArrayType(plan.rows())), ContractError);
}

TEST(BoundaryRows, compressed_rows_may_have_them) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = make_plan(comm, Pattern::contiguous);
  std::vector<std::int64_t> offsets{0};
  for (std::int32_t i = 0; i < plan.rows(); ++i) offsets.push_back(offsets.back() + length(plan.global(LocalRow(i)).value()));
  for (int i = 0; i < 2; ++i) offsets.push_back(offsets.back() + 3);
  const std::vector<double> entries(static_cast<std::size_t>(offsets.back()), -7.0);
  ArrayPair<double, NonUniform> pair(IndexSpace(plan, 2), Array<double, NonUniform>(offsets, entries));
  fill_owned(pair, 4);
  ArrayTransformer(plan, {pair}).pull().run();
  expect_ghosts_of(pair, 4);
  for (const LocalRow row : pair.space().boundary()) {
    for (const double entry : pair.row(row)) EXPECT_EQ(entry, -7.0);
  }
}

}  // namespace
}  // namespace weft::boundary_rows_test
