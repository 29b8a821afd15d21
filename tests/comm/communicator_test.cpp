#include "weft/comm/communicator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "weft/base/error.hpp"

#include "support/contracts.hpp"

namespace weft::communicator_test {
namespace {

/// Returns a value that differs by rank and position.
std::int64_t value_of(int rank, std::size_t i) { return 1000 * rank + static_cast<std::int64_t>(i); }

std::vector<std::int64_t> values_of(int rank, std::size_t count) {
  std::vector<std::int64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value_of(rank, i);
  return values;
}

/// Pieces of messages are 1 GiB, or 24 bytes to test small messages in pieces.
class CommunicatorTest : public ::testing::TestWithParam<std::int64_t> {
 protected:
  CommunicatorTest() { comm.set_piece_bytes(GetParam()); }
  Communicator comm = Communicator::world();
  int rank = comm.rank().value();
  int size = comm.size();
};
INSTANTIATE_TEST_SUITE_P(Pieces, CommunicatorTest, ::testing::Values(std::int64_t{1} << 30, 24),
                         [](const auto& test) { return test.param == 24 ? "tiny" : "whole"; });

/// Returns the sum over ranks first ... last - 1 in the documented order: ranks beyond a power of two combine with their
/// neighbours first, then neighbouring halves are added.
double tree_sum(const std::vector<double>& values) {
  std::vector<double> level;
  const std::size_t joined = 2 * (values.size() - std::bit_floor(values.size()));
  for (std::size_t i = 0; i < joined; i += 2) level.push_back(values[i] + values[i + 1]);
  level.insert(level.end(), values.begin() + static_cast<std::ptrdiff_t>(joined), values.end());
  while (level.size() > 1) {
    for (std::size_t i = 0; i < level.size() / 2; ++i) level[i] = level[2 * i] + level[2 * i + 1];
    level.resize(level.size() / 2);
  }
  return level.front();
}

TEST_P(CommunicatorTest, sums_in_a_fixed_tree) {
  for (int huge = 0; huge < size; ++huge) {
    const double mine = rank == huge ? 1e16 : 1.0;
    EXPECT_EQ(comm.sum(mine), tree_sum(comm.all_gather(mine)));
  }
  std::vector<double> many(1000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = std::sin(static_cast<double>(i) + 7.0 * rank) * std::pow(10.0, i % 20);
  std::vector<std::vector<double>> of_each(many.size());
  for (std::size_t i = 0; i < many.size(); ++i) of_each[i] = comm.all_gather(many[i]);
  comm.sum(std::span(many));
  for (std::size_t i = 0; i < many.size(); ++i) ASSERT_EQ(many[i], tree_sum(of_each[i])) << i;
  EXPECT_TRUE(std::isnan(comm.sum(rank == size - 1 ? std::nan("") : 1.0)));
  EXPECT_EQ(comm.sum(rank), size * (size - 1) / 2);
  std::vector<double> several{1.0 * rank, 2.0 * rank, -1.0};
  comm.sum(std::span(several));
  const double ranks = size * (size - 1) / 2;
  EXPECT_EQ(several, (std::vector{ranks, 2 * ranks, -1.0 * size}));
}

TEST_P(CommunicatorTest, extremes_of_every_type) {
  EXPECT_EQ(comm.min(-1.5 * rank), -1.5 * (size - 1));
  EXPECT_EQ(comm.max(-1.5 * rank), 0.0);
  EXPECT_EQ(comm.min(2.5F + static_cast<float>(rank)), 2.5F);
  EXPECT_EQ(comm.min(std::int64_t{-5} - rank), -5 - (size - 1));
  EXPECT_EQ(comm.max(std::int64_t{-5} - rank), -5);
  EXPECT_EQ(comm.max(std::numeric_limits<std::uint64_t>::max() - static_cast<std::uint64_t>(rank)),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(comm.min(static_cast<std::int8_t>(-rank)), 1 - size);
  constexpr double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(comm.min(rank == 0 ? -inf : 0.0), -inf);
  EXPECT_EQ(comm.max(rank == 0 ? -inf : inf), size == 1 ? -inf : inf);
  std::vector<int> several{rank, -rank, 7, 8, 9};
  comm.max(std::span(several));
  EXPECT_EQ(several, (std::vector{size - 1, 0, 7, 8, 9}));
  several = {rank, -rank, 7, 8, 9};
  comm.min(std::span(several));
  EXPECT_EQ(several, (std::vector{0, 1 - size, 7, 8, 9}));
}

TEST_P(CommunicatorTest, extremes_preserve_nan_of_any_rank) {
  for (const double nan : {std::nan(""), -std::nan("")}) {
    for (int r = 0; r < size; ++r) {
      EXPECT_TRUE(std::isnan(comm.min(rank == r ? nan : 1.0)));
      EXPECT_TRUE(std::isnan(comm.max(rank == r ? nan : 1.0)));
    }
  }
  EXPECT_FALSE(std::signbit(comm.max(rank == 0 ? 0.0 : -0.0)));
}

TEST_P(CommunicatorTest, prefix_and_logic) {
  EXPECT_EQ(comm.exclusive_sum(rank + 1), rank * (rank + 1) / 2);
  std::vector<std::int64_t> several{rank + 1, 7, -2 * rank, 5};
  comm.exclusive_sum(std::span(several));
  EXPECT_EQ(several, (std::vector<std::int64_t>{rank * (rank + 1) / 2, 7 * rank, -rank * (rank - 1), 5 * rank}));
  EXPECT_TRUE(comm.all(true));
  EXPECT_EQ(comm.all(rank == 0), size == 1);
  EXPECT_TRUE(comm.any(rank == size - 1));
  EXPECT_FALSE(comm.any(false));
}

TEST_P(CommunicatorTest, broadcasts_from_any_root) {
  for (int root = 0; root < size; ++root) {
    EXPECT_EQ(comm.broadcast(rank, Rank(root)), root);
    std::vector<std::int64_t> values = values_of(rank, static_cast<std::size_t>(10 * rank));
    comm.broadcast(values, Rank(root));
    EXPECT_EQ(values, values_of(root, static_cast<std::size_t>(10 * root)));
    std::string text = "rank " + std::to_string(rank) + std::string(static_cast<std::size_t>(50 * rank), '.');
    comm.broadcast(text, Rank(root));
    EXPECT_EQ(text, "rank " + std::to_string(root) + std::string(static_cast<std::size_t>(50 * root), '.'));
  }
}

TEST_P(CommunicatorTest, gathers_uneven_parts) {
  const auto count = [](int r) { return static_cast<std::size_t>(r == 1 ? 0 : 5 * r + 2); };
  std::vector<std::int64_t> expected;
  for (int r = 0; r < size; ++r) {
    const auto part = values_of(r, count(r));
    expected.insert(expected.end(), part.begin(), part.end());
  }
  const std::vector<std::int64_t> mine = values_of(rank, count(rank));
  EXPECT_EQ(comm.all_gather(std::span(mine)), expected);
  for (int root = 0; root < size; ++root) {
    const auto gathered = comm.gather(std::span(mine), Rank(root));
    EXPECT_EQ(gathered, rank == root ? expected : std::vector<std::int64_t>{});
  }
  const std::vector<int> ranks = comm.all_gather(rank);
  for (int r = 0; r < size; ++r) EXPECT_EQ(ranks.at(static_cast<std::size_t>(r)), r);
  EXPECT_TRUE(comm.all_gather(std::span<const double>{}).empty());
}

TEST_P(CommunicatorTest, scatters_uneven_parts) {
  for (int root = 0; root < size; ++root) {
    std::vector<std::vector<std::int64_t>> parts;
    if (rank == root) {
      for (int r = 0; r < size; ++r) parts.push_back(values_of(r, static_cast<std::size_t>(4 * r)));
    }
    EXPECT_EQ(comm.scatter(parts, Rank(root)), values_of(rank, static_cast<std::size_t>(4 * rank)));
  }
}

TEST_P(CommunicatorTest, all_to_all_of_uneven_parts) {
  const auto count = [](int from, int to) { return static_cast<std::size_t>((from + 2 * to) % 5 * 3); };
  std::vector<std::vector<std::int64_t>> to;
  for (int r = 0; r < size; ++r) to.push_back(values_of(10 * rank + r, count(rank, r)));
  for (int again = 0; again < 3; ++again) {
    const auto from = comm.all_to_all(to);
    ASSERT_EQ(from.size(), to.size());
    std::vector<std::int64_t> joined;
    for (int r = 0; r < size; ++r) {
      EXPECT_EQ(from[static_cast<std::size_t>(r)], values_of(10 * r + rank, count(r, rank)));
      joined.insert(joined.end(), from[static_cast<std::size_t>(r)].begin(), from[static_cast<std::size_t>(r)].end());
    }
    EXPECT_EQ(comm.all_to_all_joined(to), joined);
  }
}

TEST_P(CommunicatorTest, all_to_all_of_long_and_short_parts_in_many_rounds) {
  // Ranks are out of step: announcements of the next round must not be received in this round.
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<std::int64_t>> to(static_cast<std::size_t>(size));
    const auto count = [&](int from, int there) -> std::size_t {
      const int kind = (7 * from + 3 * there + round) % 5;
      return kind == 0 ? 3000 : kind < 3 ? static_cast<std::size_t>(kind) : 0;
    };
    for (int r = 0; r < size; ++r) to[static_cast<std::size_t>(r)] = values_of(rank + 100 * round, count(rank, r));
    const auto from = comm.all_to_all(to);
    for (int r = 0; r < size; ++r) ASSERT_EQ(from[static_cast<std::size_t>(r)], values_of(r + 100 * round, count(r, rank)));
  }
}

TEST_P(CommunicatorTest, sparse_all_to_all_returns_only_non_empty_lists) {
  // Sends to the next rank, to this rank, and a long list to rank 0; every third list is empty.
  for (int round = 0; round < 20; ++round) {
    const auto count = [&](int from, int there) -> std::size_t {
      if (there != (from + 1) % size && there != from && there != 0) return 0;
      return (from + there + round) % 3 == 0 ? 0 : there == 0 ? 3000 : 2;
    };
    std::vector<RankValues<std::int64_t>> to;
    std::vector<std::int64_t> joined;
    for (int r = 0; r < size; ++r) {
      if (r == rank || r == 0 || count(rank, r) > 0) to.push_back({Rank(r), values_of(10 * rank + r, count(rank, r))});
    }
    const std::vector<RankValues<std::int64_t>> from = comm.all_to_all(to);
    auto next = from.begin();
    for (int r = 0; r < size; ++r) {
      if (count(r, rank) == 0) continue;
      ASSERT_NE(next, from.end());
      EXPECT_EQ(next->rank, Rank(r));
      EXPECT_EQ(next->values, values_of(10 * r + rank, count(r, rank)));
      joined.insert(joined.end(), next->values.begin(), next->values.end());
      ++next;
    }
    EXPECT_EQ(next, from.end());
    EXPECT_EQ(comm.all_to_all_joined(to), joined);
    std::vector<RankSpan<std::int64_t>> spans;
    for (const auto& list : to) spans.push_back({list.rank, list.values});
    std::vector<std::int64_t> here;
    const std::vector<RankCount> counts = comm.all_to_all_joined(spans, [&](std::size_t values) {
      here.resize(values);
      return here.data();
    });
    EXPECT_EQ(here, joined);
    ASSERT_EQ(counts.size(), from.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      EXPECT_EQ(counts[i].rank, from[i].rank);
      EXPECT_EQ(counts[i].values, from[i].values.size());
    }
  }
}

TEST_P(CommunicatorTest, exchange_between_ranks_that_list_each_other) {
  // A ring that includes each rank itself; rank 1 sends empty lists.
  std::vector<Rank> near;
  for (const int r : {(rank + 1) % size, rank, (rank + size - 1) % size}) {
    if (std::find(near.begin(), near.end(), Rank(r)) == near.end()) near.emplace_back(r);
  }
  const auto count = [](int from, int to) { return static_cast<std::size_t>(from == 1 ? 0 : 3 * from + to); };
  for (int again = 0; again < 20; ++again) {
    std::vector<std::vector<std::int64_t>> to;
    for (const Rank r : near) to.push_back(values_of(10 * rank + r.value() + again, count(rank, r.value())));
    const auto from = comm.exchange(std::span<const Rank>(near), to);
    ASSERT_EQ(from.size(), near.size());
    for (std::size_t i = 0; i < near.size(); ++i) {
      const int r = near[i].value();
      EXPECT_EQ(from[i], values_of(10 * r + rank + again, count(r, rank)));
    }
  }
}

TEST(Communicator, counts_its_messages) {
  const Communicator comm = Communicator::world();
  const int size = comm.size(), rank = comm.rank().value();
  const auto cost = [&](const auto& f) {
    const Traffic before = comm.traffic();
    f();
    return comm.traffic() - before;
  };
  std::vector<std::vector<double>> to(static_cast<std::size_t>(size));
  to[static_cast<std::size_t>((rank + 1) % size)] = {1.0, 2.0};
  const int rounds = std::bit_width(static_cast<unsigned>(size) - 1);
  const int others = size > 1 ? 1 : 0;
  EXPECT_EQ(cost([&] { (void)comm.all_to_all(to); }), (Traffic{rounds + others, 24 * others}));
  EXPECT_EQ(cost([&] { (void)comm.max(3.0); }), (Traffic{rounds, 8 * rounds}));
  EXPECT_EQ(cost([&] { (void)comm.all_gather(3.0); }), (Traffic{rounds, 8 * (size - 1)}));
}

TEST_P(CommunicatorTest, split_by_parity) {
  const Communicator half = comm.split(rank % 2);
  EXPECT_EQ(half.size(), rank % 2 == 0 ? (size + 1) / 2 : size / 2);
  EXPECT_EQ(half.rank().value(), rank / 2);
  EXPECT_EQ(half.sum(rank % 2), half.size() * (rank % 2));
  EXPECT_EQ(half.piece_bytes(), comm.piece_bytes());
  EXPECT_EQ(comm.split_shared_memory().size(), size);  // all ranks of the tests run on one machine
  EXPECT_THROW((void)comm.split(-1), CommError);
}

TEST(Communicator, self_and_copies) {
  const Communicator self = Communicator::self();
  EXPECT_EQ(self.size(), 1);
  EXPECT_EQ(self.sum(3), 3);
  Communicator copy = self;
  EXPECT_EQ(copy.handle(), self.handle());
  EXPECT_EQ(copy.all_to_all(std::vector<std::vector<int>>{{1, 2}}), (std::vector<std::vector<int>>{{1, 2}}));
}

TEST(Communicator, empty_communicator_may_be_copied_but_not_used) {
  Communicator none;
  EXPECT_FALSE(none.valid());
  EXPECT_EQ(none.size(), 0);
  const Communicator copy = none;
  EXPECT_BREACH((void)copy.handle());
  EXPECT_BREACH(copy.barrier());
  EXPECT_BREACH((void)copy.sum(1));
  none = Communicator::self();
  EXPECT_EQ(none.max(4), 4);
}

TEST(Communicator, misuse_throws) {
  Communicator comm = Communicator::world();
  EXPECT_THROW((void)Communicator::duplicate(MPI_COMM_NULL), CommError);
  EXPECT_THROW(comm.set_piece_bytes(0), LimitError);
  EXPECT_THROW(comm.set_piece_bytes(std::int64_t{1} << 31), LimitError);
  EXPECT_BREACH((void)comm.broadcast(1, Rank(comm.size())));
  const std::vector<std::vector<int>> too_many(static_cast<std::size_t>(comm.size()) + 1);
  EXPECT_BREACH((void)comm.all_to_all(too_many));
  EXPECT_BREACH((void)comm.all_to_all(std::vector<RankValues<int>>{{Rank(comm.size()), {1}}}));
  EXPECT_BREACH((void)comm.all_to_all(std::vector<RankValues<int>>{{Rank(0), {1}}, {Rank(0), {1}}}));
}

TEST(Communicator, sizes_that_differ_between_ranks_throw_on_every_rank) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) return;
  std::vector<double> values(comm.is_root() ? 2 : 3);
  EXPECT_BREACH(comm.sum(std::span(values)));
  EXPECT_BREACH(comm.max(std::span(values)));
}

TEST(Communicator, mpi_errors_are_thrown) {
  const Communicator comm = Communicator::self();
  int value = 0;
  const int missing_rank = 7;
  EXPECT_NE(MPI_Send(&value, 1, MPI_INT, missing_rank, 0, comm.handle()), MPI_SUCCESS);  // returned, not fatal
}

}  // namespace
}  // namespace weft::communicator_test
