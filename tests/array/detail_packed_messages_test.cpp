#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "weft/array/detail/packed_messages.hpp"

#include "array/exchange_support.hpp"

namespace weft::detail {
namespace {

/// Rows in memory of the mirror, which begins where 64 divides the address.
class PackedMessagesTest : public ::testing::Test {
 protected:
  [[nodiscard]] Field field(std::size_t row_bytes, std::size_t row_stride) {
    memory.push_back(DeviceStorage::make(Backend::mirror, row_stride * static_cast<std::size_t>(plan.rows()) + 64));
    auto* const first = memory.back()->data();
    auto* const base = first + (64 - reinterpret_cast<std::uintptr_t>(first) % 64) % 64;
    return {.base = base, .allocation = first, .row_bytes = row_bytes, .row_stride = row_stride, .reducers = &kReducers<double>};
  }
  [[nodiscard]] PackedMessages messages(const std::vector<Field>& fields, Direction direction, bool through_host) const {
    return {plan, Backend::mirror, fields, direction, Reduce::insert, through_host};
  }
  /// How many of these messages lie in the rows of `f`.
  [[nodiscard]] std::size_t in(const Field& f, const std::vector<PackedMessages::Message>& messages) const {
    std::size_t n = 0;
    for (const PackedMessages::Message& m : messages) {
      n += m.data >= f.base && m.data < f.base + f.row_stride * static_cast<std::size_t>(plan.rows()) ? 1 : 0;
    }
    return n;
  }

  Communicator comm = Communicator::world();
  GhostPlan plan = test::make_plan(comm, test::Pattern::contiguous);
  std::size_t neighbours = static_cast<std::size_t>(comm.size()) - 1;
  std::vector<std::unique_ptr<DeviceStorage>> memory;
};

TEST_F(PackedMessagesTest, FewDenseFieldsAreReceivedWhereTheyLie) {
  const std::vector<Field> fields{field(32, 32), field(16, 16)};
  const PackedMessages pull = messages(fields, Direction::pull, false);
  EXPECT_EQ(pull.receives().size(), 2 * neighbours);
  EXPECT_EQ(pull.sends().size(), 2 * neighbours);
  for (const Field& f : fields) {
    EXPECT_EQ(in(f, pull.receives()), neighbours);
    EXPECT_EQ(in(f, pull.sends()), neighbours);
  }
}

TEST_F(PackedMessagesTest, PushesAreSentFromGhostsAndCombinedFromABuffer) {
  const std::vector<Field> fields{field(32, 32), field(16, 16)};
  const PackedMessages push = messages(fields, Direction::push, false);
  for (const Field& f : fields) {
    EXPECT_EQ(in(f, push.sends()), neighbours);
    EXPECT_EQ(in(f, push.receives()), 0U);
  }
}

TEST_F(PackedMessagesTest, WhatIsPaddedOrBeginsAnywhereIsPackedInAMessageOfItsOwn) {
  Field shifted = field(16, 16);
  shifted.base += 8;
  const std::vector<Field> fields{field(24, 32), shifted, field(16, 16)};
  const PackedMessages pull = messages(fields, Direction::pull, false);
  EXPECT_EQ(pull.receives().size(), 3 * neighbours);
  EXPECT_EQ(in(fields[0], pull.receives()) + in(fields[0], pull.sends()), 0U);
  EXPECT_EQ(in(fields[1], pull.receives()) + in(fields[1], pull.sends()), 0U);
  EXPECT_EQ(in(fields[2], pull.receives()), neighbours);
}

TEST_F(PackedMessagesTest, ManyFieldsAndThoseThroughTheHostShareAMessage) {
  std::vector<Field> fields;
  for (std::size_t f = 0; f <= kMostAlone; ++f) fields.push_back(field(32, 32));
  for (const Direction direction : {Direction::pull, Direction::push}) {
    EXPECT_EQ(messages(fields, direction, false).receives().size(), neighbours);
    EXPECT_EQ(messages(fields, direction, false).sends().size(), neighbours);
  }
  fields.resize(2);
  const PackedMessages staged = messages(fields, Direction::pull, true);
  EXPECT_EQ(staged.receives().size(), neighbours);
  EXPECT_EQ(in(fields[0], staged.receives()) + in(fields[0], staged.sends()), 0U);
}

TEST_F(PackedMessagesTest, NothingIsSentWhereThereIsNothing) {
  plan = test::make_plan(comm, test::Pattern::one_way);
  const auto rank = static_cast<std::size_t>(comm.rank().value());
  const PackedMessages pull = messages({field(32, 32), field(16, 16)}, Direction::pull, false);
  EXPECT_EQ(pull.receives().size(), 2 * rank);
  EXPECT_EQ(pull.sends().size(), 2 * (neighbours - rank));
}

}  // namespace
}  // namespace weft::detail
