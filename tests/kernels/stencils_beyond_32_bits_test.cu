// Stencils on more than 2^32 entries on a GPU. Entries and weights are whole numbers, so that sums are exact.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>

#include "weft/base/id.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/primitives/line_stencil.cuh"
#include "weft/kernels/primitives/star_stencil.cuh"
#include "weft/kernels/primitives/stencil.cuh"

#include "kernels/many_entries.cuh"
#include "support/gpu_memory.hpp"

namespace weft::kernels::stencils_beyond_32_bits_test {
namespace {

using test::counted_at;
using test::kMany;
using test::StoreCounted;
using test::wrong_entries;

constexpr space::cuda kGpu{};

struct SumOnLine {
  WEFT_HD float operator()(std::int64_t i) const {
    return counted_at<float>(i) + 2 * counted_at<float>(i + 1) + 4 * counted_at<float>(i + 2);
  }
};

TEST(CudaLineStencil, sums_entries_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(kMany * 8);
  Stream stream;
  const DeviceVector<float> in(stream, to_index(kMany + 2)), out(stream, to_index(kMany));
  parallel_for(kGpu, stream, kMany + 2, StoreCounted<float>{in.data()});
  apply_line_stencil(kGpu, stream, LineStencil<float, 1>{{1, 2, 4}}, std::span<const float>(in.span()), out.span());
  EXPECT_EQ(wrong_entries(stream, out, SumOnLine{}), 0U);
}

/// The sums at points of a box, and 0 elsewhere.
template <int kGhosts, class Sum>
struct SumOnBox {
  GhostBox<kGhosts> box;
  Sum sum;
  WEFT_HD float operator()(std::int64_t at) const {
    const std::int64_t i = at % box.row - kGhosts, k = at / box.plane() - kGhosts;
    const std::int64_t j = at % box.plane() / box.row - kGhosts;
    const bool is_point = i >= 0 && i < box.nx && j >= 0 && j < box.ny && k >= 0 && k < box.nz;
    return is_point ? sum(at, box.row, box.plane()) : 0;
  }
};

template <int kGhosts, class Apply, class Sum>
void expect_sums(const GhostBox<kGhosts>& box, const Apply& apply, const Sum& sum) {
  SCOPED_TRACE(box.row);
  Stream stream;
  const std::int64_t n = box.entries();
  ASSERT_GT(n, kMany);
  const DeviceVector<float> in(stream, to_index(n)), out(stream, to_index(n));
  parallel_for(kGpu, stream, n, StoreCounted<float>{in.data()});
  set_bytes(stream, out.data(), 0, out.bytes());
  apply(stream, std::span<const float>(in.span()), out.span());
  EXPECT_EQ(wrong_entries(stream, out, SumOnBox<kGhosts, Sum>{box, sum}), 0U);
}

struct SumOfSeven {
  WEFT_HD float operator()(std::int64_t at, std::int64_t row, std::int64_t plane) const {
    return 7 * counted_at<float>(at) + counted_at<float>(at - 1) + 2 * counted_at<float>(at + 1) +
           3 * counted_at<float>(at - row) + 4 * counted_at<float>(at + row) + 5 * counted_at<float>(at - plane) +
           6 * counted_at<float>(at + plane);
  }
};

/// Rows that are copied by one entry and by four entries at a time.
TEST(CudaStencil, sums_entries_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(std::int64_t{36} << 30);
  for (const Box& box : {Box{2001, 1501, 1449}, Box{2001, 1501, 1449, 2004}}) {
    const auto apply = [&box](Stream& stream, std::span<const float> in, std::span<float> out) {
      apply_stencil(kGpu, stream, StencilWeights<float>{7, 1, 2, 3, 4, 5, 6}, box, in, out);
    };
    expect_sums(box, apply, SumOfSeven{});
  }
}

struct SumOfStar {
  WEFT_HD float operator()(std::int64_t at, std::int64_t row, std::int64_t plane) const {
    float sum = 13 * counted_at<float>(at);
    for (int r = 1; r <= kStarRadius; ++r) {
      const auto pair = [=](std::int64_t apart) { return counted_at<float>(at - r * apart) + counted_at<float>(at + r * apart); };
      sum += static_cast<float>(r) * pair(1) + static_cast<float>(4 + r) * pair(row) + static_cast<float>(8 + r) * pair(plane);
    }
    return sum;
  }
};

TEST(CudaStarStencil, sums_entries_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(std::int64_t{36} << 30);
  const StarBox box{1701, 1601, 1601};
  const auto apply = [&box](Stream& stream, std::span<const float> in, std::span<float> out) {
    apply_star_stencil(kGpu, stream, StarWeights<float>{13, {1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, box, in, out);
  };
  expect_sums(box, apply, SumOfStar{});
}

}  // namespace
}  // namespace weft::kernels::stencils_beyond_32_bits_test
