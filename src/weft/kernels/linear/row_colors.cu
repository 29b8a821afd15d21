// The colours of rows on a GPU.
#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/linear/color_row.hpp"
#include "weft/kernels/linear/row_colors.hpp"
#include "weft/kernels/primitives/histogram.cuh"
#include "weft/kernels/primitives/sort.cuh"

namespace weft::kernels {

namespace {

/// Colours a row if it can be, and otherwise reports that one is left.
struct ColorOrReport {
  detail::ColorRow color;
  std::int32_t* left;
  WEFT_HD void operator()(std::int32_t row) const {
    if (!color(row)) *left = 1;
  }
};

struct StoreRow {
  std::int32_t* order;
  WEFT_HD void operator()(std::int32_t row) const { order[row] = row; }
};

struct LoadColor {
  const std::int32_t* colors;
  WEFT_HD std::int32_t operator()(std::int64_t row) const { return colors[row]; }
};

constexpr int kSweeps = 4;  ///< sweeps before the host tests whether rows are left

}  // namespace

RowColors::RowColors(space::cuda gpu, Stream& stream, const BsrPattern& pattern) : colors_(to_index(pattern.rows()), -1) {
  WEFT_EXPECTS(!stream.is_host());
  const DeviceVector<std::int32_t> colors(stream, colors_.size()), left(stream, 1);
  if (!colors_.empty()) set_bytes(stream, colors.data(), 0xff, colors.bytes());
  const detail::ColorRow color{pattern.view<space::cuda>(), pattern.transpose<space::cuda>(), colors.data()};
  for (std::int32_t rows_left = pattern.rows(); rows_left > 0;) {
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      set_bytes(stream, left.data(), 0, left.bytes());
      parallel_for(gpu, stream, pattern.rows(), ColorOrReport{color, left.data()});
    }
    copy_bytes(stream, &rows_left, left.data(), sizeof rows_left);
    stream.wait();
  }
  if (colors_.empty()) {
    offsets_ = {0};
    return;
  }
  copy_bytes(stream, colors_.data(), colors.data(), colors.bytes());
  const DeviceVector<std::int32_t> order(stream, colors_.size());
  parallel_for(gpu, stream, pattern.rows(), StoreRow{order.data()});
  stable_sort_by_key(gpu, stream, colors.span(), order.span());
  order_.resize(colors_.size());
  copy_bytes(stream, order_.data(), order.data(), order.bytes());
  std::int32_t last = 0;
  copy_bytes(stream, &last, colors.data() + colors_.size() - 1, sizeof last);
  stream.wait();
  const DeviceVector<std::int64_t> counts(stream, to_index(last) + 1);
  histogram(gpu, stream, pattern.rows(), LoadColor{colors.data()}, counts.span());
  std::vector<std::int64_t> first(counts.size() + 1, 0);
  copy_bytes(stream, first.data(), counts.data(), counts.bytes());
  stream.wait();
  offsets_from_counts(first);
  offsets_.assign(first.begin(), first.end());
}

}  // namespace weft::kernels
