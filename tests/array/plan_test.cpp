#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/ghost_plan.hpp"
#include "weft/array/par_array.hpp"
#include "weft/array/row_offsets.hpp"
#include "weft/base/error.hpp"

#include "support/gpu.hpp"
#include "support/time_limit.hpp"

namespace weft::plan_test {
namespace {

// Deliberately uneven; rank 1 owns no rows.
std::int32_t uneven_rows(Rank rank) { return rank.value() == 1 ? 0 : 3 + 2 * rank.value(); }

TEST(RowOffsetsTest, ArePrefixSumsOnUnevenRanks) {
  const Communicator comm = Communicator::world();
  const RowOffsets offsets(comm, uneven_rows(comm.rank()));
  std::int64_t sum = 0;
  for (int r = 0; r < comm.size(); ++r) {
    EXPECT_EQ(offsets.first(Rank(r)).value(), sum);
    EXPECT_EQ(offsets.rows_of(Rank(r)), uneven_rows(Rank(r)));
    sum += uneven_rows(Rank(r));
  }
  EXPECT_EQ(offsets.global_rows(), sum);
  EXPECT_EQ(offsets.local_rows(), uneven_rows(comm.rank()));
  EXPECT_EQ(offsets.first(), offsets.first(comm.rank()));
  EXPECT_EQ(offsets.ranks(), comm.size());
  EXPECT_EQ(offsets.table().size(), static_cast<std::size_t>(comm.size()) + 1);
}

TEST(RowOffsetsTest, FindsRankAndLocalRowAtBoundaries) {
  const Communicator comm = Communicator::world();
  const RowOffsets offsets(comm, uneven_rows(comm.rank()));
  std::int64_t global = 0;
  for (int r = 0; r < comm.size(); ++r) {
    for (std::int32_t i = 0; i < uneven_rows(Rank(r)); ++i, ++global) {
      const auto [rank, row] = offsets.find(GlobalRow(global));
      EXPECT_EQ(rank, Rank(r));
      EXPECT_EQ(row, LocalRow(i));
      if (rank == comm.rank()) {
        EXPECT_EQ(offsets.global(row), GlobalRow(global));
      }
    }
  }
}

TEST(RowOffsetsTest, FindThrowsForMissingRows) {
  const Communicator comm = Communicator::world();
  const RowOffsets offsets(comm, uneven_rows(comm.rank()));
  EXPECT_THROW((void)offsets.find(GlobalRow(-1)), LimitError);
  EXPECT_THROW((void)offsets.find(GlobalRow(offsets.global_rows())), LimitError);
  const RowOffsets nothing(comm, 0);
  EXPECT_EQ(nothing.global_rows(), 0);
  EXPECT_THROW((void)nothing.find(GlobalRow(0)), LimitError);
  EXPECT_THROW(RowOffsets(comm, comm.rank().value() == comm.size() - 1 ? -1 : 1), ContractError);
}

TEST(RowOffsetsTest, KnowTheOwnerOfEachRow) {
  const Communicator comm = Communicator::world();
  const RowOffsets offsets(comm, uneven_rows(comm.rank()));
  for (std::int64_t g = 0; g < offsets.global_rows(); ++g) {
    const auto [rank, row] = offsets.find(GlobalRow(g));
    EXPECT_EQ(offsets.owner(GlobalRow(g)), rank);
    EXPECT_EQ(offsets.owns(GlobalRow(g)), rank == comm.rank());
    if (rank == comm.rank()) {
      EXPECT_EQ(offsets.local(GlobalRow(g)), row);
      EXPECT_EQ(offsets.global(row), GlobalRow(g));
    }
  }
  EXPECT_FALSE(offsets.owns(GlobalRow(offsets.global_rows())));
  EXPECT_FALSE(offsets.owns(GlobalRow::invalid()));
  EXPECT_THROW(RowOffsets(comm, comm.is_root() ? std::int64_t{1} << 31 : 0), LimitError);
}

TEST(RowOffsetsTest, EvenOnesDifferByAtMostOneRow) {
  const Communicator comm = Communicator::world();
  for (const std::int64_t rows : {0, 1, 2, 7, 100, 1001}) {
    const RowOffsets even = RowOffsets::even(comm, rows);
    EXPECT_EQ(even.global_rows(), rows);
    for (int r = 0; r < comm.size(); ++r) {
      EXPECT_LE(rows / comm.size(), even.rows_of(Rank(r)));
      EXPECT_GE(rows / comm.size() + 1, even.rows_of(Rank(r)));
      EXPECT_EQ(even.first(Rank(r)).value(), rows * r / comm.size());
    }
    EXPECT_EQ(even.local_rows(), even.rows_of(comm.rank()));
  }
  EXPECT_THROW((void)RowOffsets::even(comm, comm.size() * (std::int64_t{1} << 31)), LimitError);
  EXPECT_EQ(even_start(std::int64_t{1} << 62, 65535, 65536), (std::int64_t{1} << 62) / 65536 * 65535) << "no overflow";
}

TEST(ParArrayTest, NumbersItsRowsOverAllRanks) {
  const Communicator comm = Communicator::world();
  ParArray<double, 2> array(comm);
  EXPECT_EQ(array.global_rows(), 0);
  array.resize(uneven_rows(comm.rank()));
  for (std::int32_t i = 0; i < array.rows(); ++i) array(i, 1) = static_cast<double>(array.global(LocalRow(i)).value());
  const std::vector<double> all = comm.all_gather(std::span<const double>(array.storage()));
  ASSERT_EQ(static_cast<std::int64_t>(all.size()), 2 * array.global_rows());
  for (std::int64_t g = 0; g < array.global_rows(); ++g)
    EXPECT_EQ(all[static_cast<std::size_t>(2 * g + 1)], static_cast<double>(g));
  const ParArray<double, 2> copy = array.clone();
  array.resize(0);
  EXPECT_EQ(array.global_rows(), 0);
  EXPECT_EQ(copy.local().rows(), uneven_rows(comm.rank()));
  EXPECT_EQ(copy.row_offsets().local_rows(), copy.rows());
}

TEST(ParArrayTest, ASizeThatIsImpossibleOnOneRankThrowsOnEveryRank) {
  test::limit_present_test();
  const Communicator comm = Communicator::world();
  const bool last = comm.rank().value() == comm.size() - 1;
  ParArray<double, 2> array(comm);
  array.resize(3);
  EXPECT_THROW(array.resize(last ? std::int64_t{1} << 31 : std::int64_t{2}), LimitError);
  EXPECT_EQ(array.rows(), last ? 3 : 2);
  EXPECT_EQ(array.global_rows(), 2 * comm.size() + 1) << "the numbering is that of the present rows";
  ParArray<double, Dynamic> dynamic(comm, Array<double, Dynamic>(1, 2));
  EXPECT_THROW(dynamic.resize(2, last ? -1 : 2), ContractError);
}

TEST(ParArrayTest, TakesCsrRows) {
  const Communicator comm = Communicator::world();
  Array<std::int32_t, NonUniform> rows(comm.rank().value());
  const ParArray<std::int32_t, NonUniform> array(comm, std::move(rows));
  EXPECT_EQ(array.global_rows(), comm.size() * (comm.size() - 1) / 2);
}

class ParArrayBackendTest : public test::BackendTest {};

TEST_P(ParArrayBackendTest, CopiesItsRowsBetweenHostAndDevice) {
  const Communicator comm = Communicator::world();
  const std::int32_t rows = 2 + comm.rank().value();
  ParArray<double, 2> array(comm, Array<double, 2>(rows, Layout::aos, GetParam()));
  array.set_name("temperatures");
  EXPECT_EQ(array.backend(), GetParam());
  for (std::int32_t i = 0; i < rows; ++i) array(i, 0) = array(i, 1) = i;
  const bool one_side = GetParam() == Backend::host;
  EXPECT_TRUE(array.fresh(Side::host));
  EXPECT_EQ(array.fresh(Side::device), one_side);
  array.to_device(After(), {LocalRow(0), LocalRow(1)}).wait();
  EXPECT_TRUE(array.fresh(Side::device, {LocalRow(0), LocalRow(1)}));
  EXPECT_EQ(array.fresh(Side::device), one_side);
  array.to_device(After()).wait();
  EXPECT_TRUE(array.fresh(Side::device));
  if (one_side) return;
  if (is_cuda(GetParam())) {
    (void)array.view<Aos, space::cuda>();
  } else {
    array.view<Aos, space::mirror>()(0, 1) = -1;
  }
  EXPECT_FALSE(array.fresh(Side::host));
  try {
    (void)array(0, 0);
    FAIL() << "a stale row was read";
  } catch (const DeviceError& error) {
    EXPECT_NE(error.problem().find("temperatures"), std::string::npos) << error.problem();
  }
  array.to_host(After()).wait();
  EXPECT_EQ(array(0, 1), is_cuda(GetParam()) ? 0 : -1);
  EXPECT_EQ(array(rows - 1, 1), rows - 1);
}

TEST_P(ParArrayBackendTest, CopiesCsrRowsBetweenHostAndDevice) {
  ParArray<std::int32_t, NonUniform> array(Communicator::world(),
                                           Array<std::int32_t, NonUniform>({0, 2, 2, 3}, {7, 8, 9}, GetParam()));
  EXPECT_EQ(array.fresh(Side::device), GetParam() == Backend::host);
  array.to_device(After()).wait();
  EXPECT_TRUE(array.fresh(Side::device));
  EXPECT_TRUE(array.fresh(Side::host));
  array(2, 0) = 5;
  EXPECT_EQ(array.fresh(Side::device), GetParam() == Backend::host);
}

INSTANTIATE_TEST_SUITE_P(Backends, ParArrayBackendTest, test::every_backend(), test::backend_name);

// Checks the properties of every plan: order and positions of ghost rows, agreement of sent and received rows.
void expect_consistent(const GhostPlan& plan) {
  const Communicator& comm = plan.comm();
  EXPECT_EQ(plan.rows(), plan.owned_rows() + plan.ghost_rows());
  std::vector<std::vector<std::int64_t>> sent(static_cast<std::size_t>(comm.size()));
  std::int32_t ghosts = plan.owned_rows();
  Rank last(-1);
  for (const GhostPlan::Neighbour& n : plan.neighbours()) {
    EXPECT_LT(last, n.rank);
    last = n.rank;
    EXPECT_EQ(n.ghosts.first().value(), ghosts);
    ghosts = n.ghosts.last().value();
    for (const LocalRow row : n.ghosts) EXPECT_EQ(plan.owner(row), n.rank);
    for (const LocalRow row : n.send_rows) {
      EXPECT_TRUE(row.valid() && row.value() < plan.owned_rows());
      sent[n.rank.index()].push_back(plan.offsets().global(row).value());
    }
    EXPECT_TRUE(std::is_sorted(n.send_rows.begin(), n.send_rows.end()));
  }
  EXPECT_EQ(ghosts, plan.rows());
  const auto received = comm.all_to_all(sent);
  for (const GhostPlan::Neighbour& n : plan.neighbours()) {
    EXPECT_EQ(static_cast<std::int32_t>(received[n.rank.index()].size()), n.ghosts.size());
    for (const LocalRow row : n.ghosts) {
      EXPECT_EQ(received[n.rank.index()].at(row.index() - n.ghosts.first().index()), plan.global(row).value());
    }
  }
  for (std::int32_t i = plan.owned_rows() + 1; i < plan.rows(); ++i)
    EXPECT_LT(plan.ghost(LocalRow(i - 1)), plan.ghost(LocalRow(i)));
  for (std::int32_t i = 0; i < plan.rows(); ++i) {
    const GhostRequest key = plan.ghost(LocalRow(i));
    EXPECT_EQ(plan.find(key.row, key.image), LocalRow(i));
  }
}

TEST(GhostPlanTest, SortsUnsortedAndRepeatedRequests) {
  const Communicator comm = Communicator::world();
  const std::int32_t owned = 4;
  const std::int64_t total = 4 * comm.size();
  std::vector<GlobalRow> requests;
  for (int i = 0; i < 40; ++i) requests.emplace_back((7 * i * i + 3 * comm.rank().value()) % total);
  for (int i = 0; i < 40; ++i) requests.push_back(requests[static_cast<std::size_t>(i)]);
  const GhostPlan plan = GhostPlan::build(comm, owned, requests);
  expect_consistent(plan);
  for (std::size_t i = 0; i < requests.size(); ++i) EXPECT_EQ(plan.global(plan.local_of(i)), requests[i]);
}

TEST(GhostPlanTest, GhostPositionIsOwnedRowsPlusIndex) {
  const Communicator comm = Communicator::world();
  const std::int32_t owned = uneven_rows(comm.rank());
  const RowOffsets offsets(comm, owned);
  // All rows of all ranks in reverse order.
  std::vector<GlobalRow> requests;
  for (std::int64_t g = offsets.global_rows() - 1; g >= 0; --g) requests.emplace_back(g);
  const GhostPlan plan = GhostPlan::build(comm, owned, requests);
  expect_consistent(plan);
  EXPECT_EQ(plan.rows(), offsets.global_rows());
  std::int32_t index = 0;
  for (std::int64_t g = 0; g < offsets.global_rows(); ++g) {
    const bool here = offsets.find(GlobalRow(g)).first == comm.rank();
    const LocalRow row = plan.local_of(static_cast<std::size_t>(offsets.global_rows() - 1 - g));
    EXPECT_EQ(row.value(), here ? static_cast<std::int32_t>(g - offsets.first().value()) : owned + index++);
  }
}

TEST(GhostPlanTest, EmptyGhostSet) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = GhostPlan::build(comm, 5, std::span<const GlobalRow>{});
  expect_consistent(plan);
  EXPECT_EQ(plan.ghost_rows(), 0);
  EXPECT_TRUE(plan.neighbours().empty());
}

TEST(GhostPlanTest, RequestedOwnedRowsGetNoGhostRow) {
  const Communicator comm = Communicator::world();
  const GlobalRow mine(3 * comm.rank().value() + 1);
  const GhostPlan plan = GhostPlan::build(comm, 3, std::vector{mine, mine});
  EXPECT_EQ(plan.ghost_rows(), 0);
  EXPECT_EQ(plan.local_of(0), LocalRow(1));
  EXPECT_EQ(plan.local_of(1), LocalRow(1));
}

TEST(GhostPlanTest, PeriodicImagesOfOwnedRowsGetGhostRows) {
  const Communicator comm = Communicator::world();
  const GlobalRow mine(3 * comm.rank().value() + 1);
  const std::vector<GhostRequest> requests{{mine, 2}, {mine, 0}, {mine, -1}, {mine, 2}};
  const GhostPlan plan = GhostPlan::build(comm, 3, requests);
  expect_consistent(plan);
  EXPECT_EQ(plan.ghost_rows(), 2);
  EXPECT_EQ(plan.local_of(0), LocalRow(4));
  EXPECT_EQ(plan.local_of(1), LocalRow(1));
  EXPECT_EQ(plan.local_of(2), LocalRow(3));
  EXPECT_EQ(plan.neighbours().size(), 1U);
  EXPECT_EQ(plan.neighbours()[0].rank, comm.rank());
}

TEST(GhostPlanTest, MissingRowThrowsOnEveryRank) {
  const Communicator comm = Communicator::world();
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{3} * comm.size()}) {
    std::vector<GlobalRow> requests{GlobalRow(0)};
    if (comm.rank().value() == comm.size() - 1) requests.emplace_back(bad);
    EXPECT_THROW((void)GhostPlan::build(comm, 3, requests), LimitError);
  }
}

TEST(GhostPlanTest, MoreRanksThanRows) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = GhostPlan::build(comm, comm.rank().value() == 0 ? 1 : 0, std::vector{GlobalRow(0)});
  expect_consistent(plan);
  EXPECT_EQ(plan.rows(), 1);
  EXPECT_EQ(plan.local_of(0), LocalRow(0));
  EXPECT_EQ(plan.find(GlobalRow(7)), LocalRow::invalid());
}

TEST(GhostPlanTest, CopiesShareDataAndSerialNumbersDiffer) {
  const Communicator comm = Communicator::world();
  const GhostPlan a = GhostPlan::build(comm, 2, std::span<const GlobalRow>{});
  const GhostPlan b = GhostPlan::build(comm, 2, std::span<const GlobalRow>{});
  const GhostPlan copy = a;  // NOLINT: tests that copies share
  EXPECT_TRUE(copy.same_as(a));
  EXPECT_FALSE(b.same_as(a));
  EXPECT_NE(a.serial(), b.serial());
  const GhostPlan none;
  EXPECT_EQ(none.rows(), 0);
  EXPECT_TRUE(none.neighbours().empty());
  EXPECT_THROW((void)none.comm(), ContractError);
}

TEST(ArrayPairTest, ContainsOwnedThenGhostRowsInOneAllocation) {
  const Communicator comm = Communicator::world();
  const std::vector<GlobalRow> requests{GlobalRow(0), GlobalRow(2 * comm.size() - 1)};
  const GhostPlan plan = GhostPlan::build(comm, 2, requests);
  ArrayPair<double, 5> aos(plan);
  const ArrayPair<double, 5> soa(plan, Layout::soa);
  const ArrayPair<double, Dynamic> dynamic(plan, 7);
  const ArrayPair<LocalRow, NonUniform, Dynamic> padded(plan, 3, Layout::soa);
  const ArrayPair<LocalRow, NonUniform> csr(plan);
  EXPECT_EQ(aos.rows(), plan.rows());
  EXPECT_EQ(soa.layout(), Layout::soa);
  EXPECT_EQ(dynamic.row_size(0), 7);
  EXPECT_EQ(padded.rows(), plan.rows());
  EXPECT_EQ(csr.rows(), plan.rows());
  EXPECT_EQ(aos.storage().size(), 5U * static_cast<std::size_t>(plan.rows()));
  EXPECT_TRUE(aos.plan().same_as(plan));
  aos(plan.local_of(0), 3) = 2.0;
  const ArrayPair<double, 5> copy = aos.clone();
  aos(plan.local_of(0), 3) = 4.0;
  EXPECT_EQ(copy(plan.local_of(0), 3), 2.0);
  EXPECT_THROW((ArrayPair<double, 5>(plan, Array<double, 5>(plan.rows() + 1))), ContractError);
}

}  // namespace
}  // namespace weft::plan_test
