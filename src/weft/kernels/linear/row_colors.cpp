#include "weft/kernels/linear/row_colors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "weft/base/error.hpp"
#include "weft/base/id.hpp"
#include "weft/kernels/linear/color_row.hpp"

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
  sort_rows();
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
  sort_rows();
}

void RowColors::sort_rows() {
  const std::int32_t count = colors_.empty() ? 0 : 1 + *std::max_element(colors_.begin(), colors_.end());
  offsets_.assign(to_index(count) + 1, 0);
  for (const std::int32_t color : colors_) ++offsets_[to_index(color) + 1];
  for (std::size_t color = 1; color < offsets_.size(); ++color) offsets_[color] += offsets_[color - 1];
  std::vector<std::int32_t> next(offsets_.begin(), offsets_.end() - 1);
  order_.resize(colors_.size());
  for (std::size_t row = 0; row < colors_.size(); ++row) {
    order_[to_index(next[to_index(colors_[row])]++)] = static_cast<std::int32_t>(row);
  }
}

}  // namespace weft::kernels
