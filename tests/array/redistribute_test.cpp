#include "weft/array/redistribute.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "weft/array/array.hpp"
#include "weft/base/error.hpp"
#include "weft/base/vec3.hpp"

#include "support/time_limit.hpp"

namespace weft::redistribute_test {
namespace {

std::int32_t uneven_rows(const Communicator& comm) { return comm.rank().value() == 1 ? 0 : 4 + 3 * comm.rank().value(); }

// Companion arrays of a key, in all layouts.
struct Companions {
  std::vector<std::int64_t> key;
  std::vector<double> pairs;  // two per row
  Array<double, 5> q;
  Array<Vec3, Dynamic> grad;
  Array<LocalRow, NonUniform, 4> padded;
  Array<std::int8_t, NonUniform, Dynamic> max;
  Array<std::int64_t, NonUniform> csr;
};

Companions make(std::int32_t rows, std::int64_t first_key) {
  Companions c;
  c.q = Array<double, 5>(rows, Layout::soa);
  c.grad = Array<Vec3, Dynamic>(rows, 3);
  c.padded = Array<LocalRow, NonUniform, 4>(rows);
  c.max = Array<std::int8_t, NonUniform, Dynamic>(rows, 3, Layout::soa);
  for (std::int32_t i = 0; i < rows; ++i) {
    const std::int64_t key = first_key + i;
    c.key.push_back(key);
    c.pairs.push_back(static_cast<double>(key));
    c.pairs.push_back(0.5);
    for (int k = 0; k < 5; ++k) c.q(i, k) = static_cast<double>(10 * key + k);
    for (int k = 0; k < 3; ++k) c.grad(i, k) = Vec3{static_cast<double>(key), static_cast<double>(k), 1.0};
    c.padded.resize_row(i, static_cast<int>(key % 5));
    for (int k = 0; k < key % 5; ++k) c.padded(i, k) = LocalRow(key + k);
    c.max.resize_row(i, static_cast<int>(key % 4));
    for (int k = 0; k < key % 4; ++k) c.max(i, k) = static_cast<std::int8_t>((key + k) % 100);
    c.csr.push_row(std::vector<std::int64_t>(static_cast<std::size_t>(key % 3), key));
  }
  return c;
}

Companions apply(const Redistribution& r, const Companions& old) {
  Companions c;
  c.key = r.apply(old.key);
  c.pairs = r.apply(old.pairs, 2);
  c.q = r.apply(old.q);
  c.grad = r.apply(old.grad);
  c.padded = r.apply(old.padded);
  c.max = r.apply(old.max);
  c.csr = r.apply(old.csr);
  return c;
}

void expect_row_follows_key(const Companions& c, std::int32_t rows) {
  ASSERT_EQ(c.key.size(), static_cast<std::size_t>(rows));
  EXPECT_EQ(c.q.rows(), rows);
  EXPECT_EQ(c.q.layout(), Layout::soa);
  EXPECT_EQ(c.csr.rows(), rows);
  for (std::int32_t i = 0; i < rows; ++i) {
    const std::int64_t key = c.key[static_cast<std::size_t>(i)];
    EXPECT_EQ(c.pairs[2 * static_cast<std::size_t>(i)], static_cast<double>(key));
    EXPECT_EQ(c.pairs[2 * static_cast<std::size_t>(i) + 1], 0.5);
    for (int k = 0; k < 5; ++k) EXPECT_EQ(c.q(i, k), static_cast<double>(10 * key + k));
    for (int k = 0; k < 3; ++k) EXPECT_EQ(c.grad(i, k), (Vec3{static_cast<double>(key), static_cast<double>(k), 1.0}));
    EXPECT_EQ(c.padded.row_size(i), key % 5);
    for (int k = 0; k < key % 5; ++k) EXPECT_EQ(c.padded(i, k), LocalRow(key + k));
    EXPECT_EQ(c.max.row_size(i), key % 4);
    for (int k = 0; k < key % 4; ++k) EXPECT_EQ(c.max(i, k), (key + k) % 100);
    EXPECT_EQ(c.csr.row_size(i), key % 3);
    for (const std::int64_t entry : c.csr.row(i)) EXPECT_EQ(entry, key);
  }
}

// The key is the old global row; destination(key, total) is the new one.
void check_permutation(const std::function<std::int64_t(std::int64_t, std::int64_t)>& destination) {
  const Communicator comm = Communicator::world();
  const std::int32_t rows = uneven_rows(comm);
  const RowOffsets offsets(comm, rows);
  const Companions old = make(rows, offsets.first().value());
  std::vector<GlobalRow> to;
  for (const std::int64_t key : old.key) to.emplace_back(destination(key, offsets.global_rows()));
  const Redistribution r = Redistribution::to_rows(comm, to, rows);
  const Companions fresh = apply(r, old);
  expect_row_follows_key(fresh, rows);
  for (std::int32_t i = 0; i < rows; ++i) {
    const std::int64_t key = fresh.key[static_cast<std::size_t>(i)];
    EXPECT_EQ(destination(key, offsets.global_rows()), r.new_offsets().global(LocalRow(i)).value());
    EXPECT_EQ(r.old_global(LocalRow(i)).value(), key);
    EXPECT_EQ(r.new_global(LocalRow(i)), to[static_cast<std::size_t>(i)]);
  }
}

TEST(RedistributionTest, IdentityKeepsEveryRow) {
  check_permutation([](std::int64_t g, std::int64_t) { return g; });
}
TEST(RedistributionTest, ReverseMovesRowsWithTheirKeys) {
  check_permutation([](std::int64_t g, std::int64_t n) { return n - 1 - g; });
}
TEST(RedistributionTest, RoundRobinMovesRowsWithTheirKeys) {
  // Rows 0, 3, 6, ..., followed by rows 1, 4, 7, ... and rows 2, 5, 8, ...
  check_permutation([](std::int64_t g, std::int64_t n) {
    const std::int64_t hand = g % 3, before = hand * (n / 3) + std::min(hand, n % 3);
    return before + g / 3;
  });
}

TEST(RedistributionTest, ToRanksOrdersByOldRow) {
  const Communicator comm = Communicator::world();
  const std::int32_t rows = uneven_rows(comm);
  const RowOffsets offsets(comm, rows);
  const Companions old = make(rows, offsets.first().value());
  std::vector<Rank> to;
  for (const std::int64_t key : old.key) to.emplace_back((key * key) % comm.size());
  const Redistribution r = Redistribution::to_ranks(comm, to);
  const Companions fresh = apply(r, old);
  std::vector<std::int64_t> expected;
  for (std::int64_t g = 0; g < offsets.global_rows(); ++g) {
    if ((g * g) % comm.size() == comm.rank().value()) expected.push_back(g);
  }
  EXPECT_EQ(fresh.key, expected);
  expect_row_follows_key(fresh, static_cast<std::int32_t>(expected.size()));
}

TEST(RedistributionTest, RowsOfFewRanksAreDividedEvenly) {
  const Communicator comm = Communicator::world();
  for (int writers = 1; writers <= std::min(3, comm.size()); ++writers) {
    const std::int32_t rows = comm.rank().value() < writers ? 11 + comm.rank().value() : 0;
    const RowOffsets offsets(comm, rows);
    const Redistribution r = Redistribution::to_even_blocks(comm, rows);
    const Companions fresh = apply(r, make(rows, offsets.first().value()));
    const std::int64_t n = offsets.global_rows(), rank = comm.rank().value(), ranks = comm.size();
    EXPECT_EQ(r.new_offsets().first().value(), n * rank / ranks);
    expect_row_follows_key(fresh, static_cast<std::int32_t>(n * (rank + 1) / ranks - n * rank / ranks));
    for (std::size_t i = 0; i < fresh.key.size(); ++i) {
      EXPECT_EQ(fresh.key[i], r.new_offsets().first().value() + static_cast<std::int64_t>(i));
    }
  }
}

TEST(RedistributionTest, AllRowsToOneRankAndBack) {
  const Communicator comm = Communicator::world();
  const std::int32_t rows = uneven_rows(comm);
  const RowOffsets offsets(comm, rows);
  const Companions old = make(rows, offsets.first().value());
  const Rank last(comm.size() - 1);
  const Redistribution gather = Redistribution::to_ranks(comm, std::vector<Rank>(old.key.size(), last));
  const Companions gathered = apply(gather, old);
  EXPECT_EQ(static_cast<std::int64_t>(gathered.key.size()), comm.rank() == last ? offsets.global_rows() : 0);
  std::vector<GlobalRow> home;
  for (std::int32_t i = 0; i < gather.new_offsets().local_rows(); ++i) home.push_back(gather.old_global(LocalRow(i)));
  const Redistribution scatter = Redistribution::to_rows(comm, home, rows);
  const Companions back = apply(scatter, gathered);
  EXPECT_EQ(back.key, old.key);
  expect_row_follows_key(back, rows);
}

TEST(RedistributionTest, NoRows) {
  const Communicator comm = Communicator::world();
  const Redistribution r = Redistribution::to_even_blocks(comm, 0);
  EXPECT_EQ(apply(r, make(0, 0)).key.size(), 0U);
}

TEST(RedistributionTest, DestinationsThatAreNoPermutationThrowOnEveryRank) {
  const Communicator comm = Communicator::world();
  const std::int64_t n = 2 * comm.size(), first = 2 * comm.rank().value();
  const bool last = comm.rank().value() == comm.size() - 1;
  const std::vector<GlobalRow> twice{GlobalRow(first), GlobalRow(last ? 0 : first + 1)};
  EXPECT_THROW((void)Redistribution::to_rows(comm, twice, 2), InputError);
  const std::vector<GlobalRow> outside{GlobalRow(first), GlobalRow(last ? n : first + 1)};
  EXPECT_THROW((void)Redistribution::to_rows(comm, outside, 2), InputError);
  const std::vector<GlobalRow> negative{GlobalRow(last ? -1 : first), GlobalRow(first + 1)};
  EXPECT_THROW((void)Redistribution::to_rows(comm, negative, 2), InputError);
  const std::vector<GlobalRow> right{GlobalRow(first), GlobalRow(first + 1)};
  EXPECT_THROW((void)Redistribution::to_rows(comm, right, last ? 1 : 2), InputError);
  EXPECT_THROW((void)Redistribution::to_ranks(comm, std::vector<Rank>{Rank(last ? comm.size() : 0)}), InputError);
}

TEST(RedistributionTest, ArraysOfWrongSizeThrowOnEveryRank) {
  const Communicator comm = Communicator::world();
  const bool last = comm.rank().value() == comm.size() - 1;
  const Redistribution r = Redistribution::to_even_blocks(comm, 3);
  EXPECT_THROW((void)r.apply(Array<double, 2>(last ? 2 : 3)), ContractError);
  if (comm.size() > 1) {
    EXPECT_THROW((void)r.apply(Array<double, Dynamic>(3, last ? 2 : 3)), CommError);
  }
}

TEST(RedistributionTest, ElementsOfOneRankThatAreNoWholeRowsThrowOnEveryRank) {
  test::limit_present_test();
  const Communicator comm = Communicator::world();
  const bool last = comm.rank().value() == comm.size() - 1;
  const Redistribution r = Redistribution::to_even_blocks(comm, 3);
  EXPECT_THROW((void)r.apply(std::vector<double>(last ? 7 : 6), 2), ContractError);
  EXPECT_THROW((void)r.apply(std::vector<double>(6), last ? 0 : 2), ContractError);
  EXPECT_EQ(r.apply(std::vector<double>(6, 1.5), 2), std::vector<double>(6, 1.5));
}

TEST(RedistributionTest, ExampleOfTheHeader) {
  const Communicator comm = Communicator::world();
  if (comm.size() != 2) GTEST_SKIP() << "the example is one of two ranks";
  const bool first = comm.rank().value() == 0;
  const std::vector<GlobalRow> to = first ? std::vector{GlobalRow(3), GlobalRow(0)} : std::vector{GlobalRow(1), GlobalRow(2)};
  const Redistribution r = Redistribution::to_rows(comm, to, first ? 1 : 3);
  for (int row = 0; row < 2; ++row) EXPECT_EQ(r.new_global(LocalRow(row)), to[static_cast<std::size_t>(row)]);
  const std::vector<int> from = first ? std::vector{1} : std::vector{2, 3, 0};
  for (int row = 0; row < (first ? 1 : 3); ++row)
    EXPECT_EQ(r.old_global(LocalRow(row)), GlobalRow(from[static_cast<std::size_t>(row)])) << row;
}

}  // namespace
}  // namespace weft::redistribute_test
