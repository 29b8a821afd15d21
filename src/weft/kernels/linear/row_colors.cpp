#include "weft/kernels/linear/row_colors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "weft/base/error.hpp"
#include "weft/base/id.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/kernels/linear/color_row.hpp"
#include "weft/kernels/primitives/distribute.hpp"

namespace weft::kernels {

RowColors::RowColors(const BsrPattern& pattern, Team& team) : colors_(to_index(pattern.rows()), -1) {
  const detail::ColorRow color{pattern.view(), pattern.transpose(), colors_.data()};
  for (std::atomic<bool> finished = false; !finished;) {
    finished = true;
    detail::split(team, pattern.rows(), 4096, [&](std::int64_t begin, std::int64_t end) {
      bool all = true;
      for (std::int64_t row = begin; row < end; ++row) all = color(static_cast<std::int32_t>(row)) && all;
      if (!all) finished = false;
    });
  }
  sort_rows(team);
}

RowColors::RowColors(const BsrPattern& pattern, std::vector<std::int32_t> colors) : colors_(std::move(colors)) {
  if (colors_.size() != to_index(pattern.rows())) {
    throw InputError(fmt::format("{} colours were given for {} block rows", colors_.size(), pattern.rows()),
                     "pass one colour for each row");
  }
  const BsrPatternView view = pattern.view();
  for (std::int32_t row = 0; row < pattern.rows(); ++row) {
    const std::int32_t color = colors_[to_index(row)];
    if (color < 0 || color >= pattern.rows()) {
      throw InputError(fmt::format("block row {} has colour {}, which is outside 0 ... {}", row, color, pattern.rows() - 1),
                       "number the colours from 0 on");
    }
    for (std::int32_t k = 0; k < view.sizes[row]; ++k) {
      const std::int32_t column = view.column[view.slot(row, k)];
      if (column != row && column < pattern.rows() && colors_[to_index(column)] == color) {
        throw InputError(fmt::format("block row {} has a block in column {}, and both have colour {}", row, column, color),
                         "give rows that are coupled different colours");
      }
    }
  }
  sort_rows(calling_thread());
}

void RowColors::sort_rows(Team& team) {
  const auto rows = static_cast<std::int64_t>(colors_.size());
  std::vector<std::int32_t> most(to_index(team.size()), -1);
  for_shares(team, rows, [&](LoopShare share) {
    std::int32_t own = -1;
    for (std::int64_t row = share.begin; row < share.end; ++row) own = std::max(own, colors_[to_index(row)]);
    most[to_index(share.number)] = own;
  });
  const std::int32_t count = 1 + *std::max_element(most.begin(), most.end());
  order_.resize(colors_.size());
  const std::vector<std::size_t> first = distribute(
      rows, to_index(count), [&](std::int64_t row) { return colors_[to_index(row)]; },
      [&](std::int64_t row, std::size_t position) { order_[position] = static_cast<std::int32_t>(row); }, team);
  offsets_.assign(first.begin(), first.end());
}

}  // namespace weft::kernels
