// The colours of rows on a GPU.
#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/linear/color_row.hpp"
#include "weft/kernels/linear/row_colors.hpp"

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
  if (!colors_.empty()) copy_bytes(stream, colors_.data(), colors.data(), colors.bytes());
  stream.wait();
  sort_rows(calling_thread());
}

}  // namespace weft::kernels
