// Gather, scatter, histograms and conversions of rows on a GPU: the results of the host.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"
#include "weft/device/graph.hpp"
#include "weft/kernels/primitives/aos_soa.cuh"
#include "weft/kernels/primitives/gather.cuh"
#include "weft/kernels/primitives/histogram.cuh"

#include "kernels/late_write.cuh"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::rows_test {
namespace {

using test::OnGpu;

template <class T>
std::vector<T> counted(std::size_t n) {
  std::vector<T> values(n);
  std::iota(values.begin(), values.end(), T{1});
  return values;
}

TEST(CudaGather, gathers_and_scatters_as_the_host) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const std::size_t n : {0U, 1U, 2U, 255U, 257U, 50'001U}) {
    for (const std::size_t width : {1U, 3U, 5U}) {
      std::vector<std::int32_t> index(n);
      for (std::size_t i = 0; i < n; ++i) index[i] = static_cast<std::int32_t>((i * 7919 + 3) % n);  // 7919 is prime
      const std::vector<double> in = counted<double>(n * width);
      std::vector<double> gathered(in.size()), scattered(in.size());
      gather(std::span(in), std::span(index), std::span(gathered), width);
      scatter(std::span(in), std::span(index), std::span(scattered), width);
      const OnGpu on_gpu(stream, in, 1), out(stream, in, 1);
      const OnGpu indices(stream, index, 1);
      gather(space::cuda{}, stream, on_gpu.input(), indices.span(), out.span(), width);
      EXPECT_EQ(out.values(stream), gathered) << n << ' ' << width;
      scatter(space::cuda{}, stream, on_gpu.input(), indices.input(), out.span(), width);
      EXPECT_EQ(out.values(stream), scattered) << n << ' ' << width;
    }
  }
}

TEST(CudaGather, mismatched_sizes_and_overlaps_violate_the_contract) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu a(stream, std::vector<double>(6)), b(stream, std::vector<double>(6));
  const OnGpu index(stream, std::vector<std::int32_t>(3));
  EXPECT_BREACH(gather(space::cuda{}, stream, a.input(), index.input(), b.span()));
  EXPECT_BREACH(scatter(space::cuda{}, stream, a.input(), index.input(), b.span(), 3));
  EXPECT_BREACH(gather(space::cuda{}, stream, a.input(), index.input(), a.span(), 2));
}

struct BinOf {
  WEFT_HD std::int32_t operator()(std::int64_t i) const {
    return static_cast<std::int32_t>(mix_bits(static_cast<std::uint64_t>(i)) % 9973) - 1;
  }
};

TEST(CudaHistogram, counts_as_the_host) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const std::int64_t n : {0, 1, 511, 513, 300'001}) {
    for (const std::size_t bins : {0U, 1U, 7U, 8192U, 8193U, 20'000U}) {
      std::vector<std::int64_t> expected(bins);
      histogram(n, BinOf{}, std::span(expected));
      const OnGpu counts(stream, std::vector<std::int64_t>(bins, 99));
      histogram(space::cuda{}, stream, n, BinOf{}, counts.span());
      EXPECT_EQ(counts.values(stream), expected) << n << ' ' << bins;
    }
  }
}

TEST(CudaHistogram, can_be_captured_in_a_graph) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu counts(stream, std::vector<std::int64_t>(100));
  Graph graph = Graph::capture(stream, [&](Stream& s) { histogram(space::cuda{}, s, 100'000, BinOf{}, counts.span()); });
  graph.launch(stream);
  graph.launch(stream);
  std::vector<std::int64_t> expected(100);
  histogram(100'000, BinOf{}, std::span(expected));
  EXPECT_EQ(counts.values(stream), expected);
}

TEST(CudaHistogram, host_streams_and_2_to_the_40_indices_violate_the_contract) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu counts(stream, std::vector<std::int64_t>(100));
  EXPECT_BREACH(histogram(space::cuda{}, host_stream(), 1, BinOf{}, counts.span()));
  EXPECT_BREACH(histogram(space::cuda{}, stream, std::int64_t{1} << 40, BinOf{}, counts.span()));
}

template <class T>
void check_rows(std::int64_t rows, std::int64_t width) {
  Stream stream;
  const std::int64_t stride = rows + 5;
  const std::vector<T> aos = counted<T>(static_cast<std::size_t>(rows * width));
  std::vector<T> soa(static_cast<std::size_t>(width * stride), T(7));
  const OnGpu rows_on_gpu(stream, aos, 1), components(stream, soa, 1), back(stream, std::vector<T>(aos.size()), 1);
  aos_to_soa(std::span<const T>(aos), rows, width, stride, std::span(soa));
  aos_to_soa(space::cuda{}, stream, rows_on_gpu.input(), rows, width, stride, components.span());
  EXPECT_EQ(components.values(stream), soa) << rows << ' ' << width;
  soa_to_aos(space::cuda{}, stream, components.input(), rows, width, stride, back.span());
  EXPECT_EQ(back.values(stream), aos) << rows << ' ' << width;
}

TEST(CudaAosSoa, converts_as_the_host) {
  WEFT_NEEDS_GPU();
  for (const std::int64_t rows : {0, 1, 255, 256, 257, 20'011}) {
    for (const std::int64_t width : {1, 2, 5, 8, 33}) {
      check_rows<float>(rows, width);
      check_rows<double>(rows, width);
    }
  }
  check_rows<double>(3, 6143);  // a row of 6143 doubles is the longest that 48 kB of shared memory hold
}

TEST(CudaAosSoa, reads_the_writes_of_the_preceding_kernel) {
  WEFT_NEEDS_GPU();
  Stream stream;
  constexpr std::int64_t kRows = 1000, kWidth = 5;
  const std::vector<double> in = counted<double>(kRows * kWidth);
  std::vector<double> expected(in.size());
  aos_to_soa(std::span(in), kRows, kWidth, kRows, std::span(expected));
  const OnGpu source(stream, in), rows(stream, std::vector<double>(in.size())), out(stream, std::vector<double>(in.size()));
  test::write_late(stream, source, rows);
  aos_to_soa(space::cuda{}, stream, rows.input(), kRows, kWidth, kRows, out.span());
  EXPECT_EQ(out.values(stream), expected);
}

TEST(CudaAosSoa, long_rows_and_wrong_sizes_are_rejected) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu a(stream, std::vector<double>(6145)), b(stream, std::vector<double>(6145));
  EXPECT_THROW(aos_to_soa(space::cuda{}, stream, a.input(), 1, 6145, 1, b.span()), LimitError);
  EXPECT_BREACH(aos_to_soa(space::cuda{}, stream, a.input(), 2, 6145, 2, b.span()));
  EXPECT_BREACH(soa_to_aos(space::cuda{}, stream, a.input(), 6145, 1, 6145, a.span()));
  EXPECT_BREACH(soa_to_aos(space::cuda{}, host_stream(), a.input(), 6145, 1, 6145, b.span()));
}

TEST(AosSoaTile, fits_into_shared_memory) {
  static_assert(detail::aos_tile_rows(1, 1) == 32768 && detail::aos_tile_rows(5, 8) == 512);
  static_assert(detail::aos_tile_rows(24, 8) == 128 && detail::aos_tile_rows(767, 8) == 4 && detail::aos_tile_rows(769, 8) == 4);
  static_assert(detail::aos_tile_rows(1500, 8) == 4 && detail::aos_tile_rows(3000, 8) == 2);
  static_assert(detail::aos_tile_rows(6143, 8) == 1 && detail::aos_tile_rows(6144, 8) == 0);
  static_assert(detail::aos_tile_rows(std::int64_t{1} << 40, 16) == 0);
}

}  // namespace
}  // namespace weft::kernels::rows_test
