#include "weft/array/row_offsets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/base/error.hpp"

namespace weft {

RowOffsets::RowOffsets() : offsets_(std::make_shared<const std::vector<std::int64_t>>(2, 0)) {}

RowOffsets::RowOffsets(const Communicator& comm, std::int32_t owned_rows) : rank_(comm.rank()) {
  const std::vector<std::int32_t> counts = comm.all_gather(owned_rows);
  std::vector<std::int64_t> offsets(counts.size() + 1, 0);
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (counts[r] < 0) {
      throw ContractError(fmt::format("rank {} declares {} owned rows", r, counts[r]), "a rank owns zero rows or more");
    }
    offsets[r + 1] = offsets[r] + counts[r];
  }
  offsets_ = std::make_shared<const std::vector<std::int64_t>>(std::move(offsets));
}

std::pair<Rank, LocalRow> RowOffsets::find(GlobalRow row) const {
  if (!contains(row)) {
    throw LimitError(fmt::format("global row {} of {} rows", row.value(), global_rows()), "global rows count from 0");
  }
  const auto after = std::upper_bound(offsets_->begin(), offsets_->end(), row.value());
  const auto rank = static_cast<std::size_t>(after - offsets_->begin()) - 1;
  return {Rank(rank), LocalRow(row.value() - (*offsets_)[rank])};
}

}  // namespace weft
