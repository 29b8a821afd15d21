#include "weft/array/row_offsets.hpp"

#include <fmt/format.h>

#include <limits>

#include "weft/base/error.hpp"

namespace weft {
namespace {

constexpr std::int64_t kMostRows = std::numeric_limits<std::int32_t>::max();

[[noreturn]] void throw_too_many(std::size_t rank) {
  throw LimitError(fmt::format("rank {} has more than {} rows, which 32-bit local ids cannot number", rank, kMostRows),
                   "use more ranks");
}

}  // namespace

RowOffsets::RowOffsets() : offsets_(std::make_shared<const std::vector<std::int64_t>>(2, 0)) {}

RowOffsets::RowOffsets(std::vector<std::int64_t> offsets, Rank rank)
    : offsets_(std::make_shared<const std::vector<std::int64_t>>(std::move(offsets))),
      rank_(rank),
      first_((*offsets_)[rank.index()]),
      last_((*offsets_)[rank.index() + 1]) {}

RowOffsets::RowOffsets(const Communicator& comm, std::int64_t owned_rows) {
  constexpr std::int32_t kNegative = -1, kTooMany = -2;
  const std::int32_t mine = owned_rows < 0           ? kNegative
                            : owned_rows > kMostRows ? kTooMany
                                                     : static_cast<std::int32_t>(owned_rows);
  const std::vector<std::int32_t> counts = comm.all_gather(mine);
  std::vector<std::int64_t> offsets(counts.size() + 1, 0);
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (counts[r] == kNegative) {
      throw ContractError(fmt::format("rank {} declares a negative number of owned rows", r), "a rank owns zero rows or more");
    }
    if (counts[r] == kTooMany) throw_too_many(r);
    offsets[r + 1] = offsets[r] + counts[r];
  }
  *this = RowOffsets(std::move(offsets), comm.rank());
}

RowOffsets RowOffsets::even(const Communicator& comm, std::int64_t global_rows) {
  WEFT_EXPECTS(global_rows >= 0);
  std::vector<std::int64_t> offsets;
  offsets.reserve(comm.size() + 1);
  for (int r = 0; r <= comm.size(); ++r) offsets.push_back(even_start(global_rows, r, comm.size()));
  for (std::size_t r = 1; r < offsets.size(); ++r) {
    if (offsets[r] - offsets[r - 1] > kMostRows) throw_too_many(r - 1);
  }
  return {std::move(offsets), comm.rank()};
}

std::pair<Rank, LocalRow> RowOffsets::find(GlobalRow row) const {
  if (!contains(row)) {
    throw LimitError(fmt::format("global row {} of {} rows", row.value(), global_rows()), "global rows count from 0");
  }
  const Rank rank = owner(row);
  return {rank, LocalRow(row.value() - first(rank).value())};
}

}  // namespace weft
