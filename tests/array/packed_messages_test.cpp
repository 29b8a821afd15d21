#include "weft/array/transport/packed_messages.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "weft/base/error.hpp"

#include "array/exchange_support.hpp"

namespace weft::detail::packed_messages_test {
namespace {

/// Rows in memory of the mirror, aligned to 64 bytes.
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
  /// Returns the number of these messages whose buffer is within the rows of `f`.
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

TEST_F(PackedMessagesTest, OneContiguousFieldIsReceivedInPlace) {
  const Field f = field(32, 32);
  const PackedMessages pull = messages({f}, Direction::pull, false);
  EXPECT_EQ(pull.receives().size(), neighbours);
  EXPECT_EQ(in(f, pull.receives()), neighbours);
  EXPECT_EQ(in(f, pull.sends()), 0U);
  EXPECT_EQ(in(f, messages({f}, Direction::push, false).receives()), 0U);  // to be combined
  EXPECT_EQ(in(f, messages({f}, Direction::pull, true).receives()), 0U);
}

TEST_F(PackedMessagesTest, SeveralFieldsShareAMessage) {
  const std::vector<Field> fields{field(32, 32), field(16, 16)};
  for (const Direction direction : {Direction::pull, Direction::push}) {
    const PackedMessages both = messages(fields, direction, false);
    EXPECT_EQ(both.receives().size(), neighbours);
    EXPECT_EQ(both.sends().size(), neighbours);
    EXPECT_EQ(in(fields[0], both.receives()) + in(fields[1], both.receives()), 0U);
  }
}

TEST_F(PackedMessagesTest, PaddedRowsArePacked) {
  const Field f = field(24, 32);
  EXPECT_EQ(in(f, messages({f}, Direction::pull, false).receives()), 0U);
}

TEST_F(PackedMessagesTest, LongMessagesAreReceivedInPlaceOnlyIfAligned) {
  for (const std::size_t row_bytes : {std::size_t{32}, std::size_t{1} << 20}) {
    Field f = field(row_bytes, row_bytes);
    EXPECT_EQ(in(f, messages({f}, Direction::pull, false).receives()), neighbours);
    f.base += 8;
    EXPECT_EQ(in(f, messages({f}, Direction::pull, false).receives()), row_bytes == 32 ? neighbours : 0);
  }
}

TEST_F(PackedMessagesTest, EntriesBeyond32BitsAreRefused) {
  constexpr std::int64_t kFirst = std::int64_t{1} << 31;
  const std::vector<std::int64_t> offsets{0, kFirst, kFirst + 1};
  const Field csr{.row_bytes = sizeof(double), .offsets = offsets.data(), .reducers = &kReducers<double>};
  const std::vector<PushedMessage> arrivals{{0, RowSet(IdRange(LocalRow(1), LocalRow(2)))}};
  EXPECT_THROW((void)make_combine_list(Backend::mirror, {csr}, Reduce::add, nullptr, arrivals), LimitError);
}

TEST_F(PackedMessagesTest, EmptyMessagesAreNotSent) {
  plan = test::make_plan(comm, test::Pattern::one_way);
  const auto rank = static_cast<std::size_t>(comm.rank().value());
  const PackedMessages pull = messages({field(32, 32), field(16, 16)}, Direction::pull, false);
  EXPECT_EQ(pull.receives().size(), rank);
  EXPECT_EQ(pull.sends().size(), neighbours - rank);
}

}  // namespace
}  // namespace weft::detail::packed_messages_test
