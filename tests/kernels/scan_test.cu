#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "weft/device/graph.hpp"
#include "weft/kernels/primitives/scan.cuh"
#include "weft/kernels/primitives/scan.hpp"

#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::scan_test {
namespace {

using test::OnGpu;

constexpr std::size_t kSizes[] = {0, 1, 2, 31, 32, 33, 4095, 4096, 4097, 8191, 8192, 8193, 16'384, 70'001, 1'000'003};

template <class In>
std::vector<In> some_numbers(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<In> numbers(n);
  for (In& number : numbers) number = static_cast<In>(random() % 5);
  return numbers;
}

/// Compares both scans of n numbers with the host, for aligned and unaligned addresses.
template <class In, class Out>
void check_scans(std::size_t n) {
  Stream stream;
  const std::vector<In> numbers = some_numbers<In>(n);
  const std::span<const In> in(numbers);
  std::vector<Out> exclusive(n), inclusive(n);
  const Out sum = exclusive_scan(in, std::span(exclusive));
  inclusive_scan(in, std::span(inclusive));
  for (const auto& [shift, out_shift] : {std::pair<std::size_t, std::size_t>{0, 0}, {1, 1}, {0, 1}, {1, 0}}) {
    const OnGpu on_gpu(stream, numbers, shift);
    const OnGpu out(stream, std::vector<Out>(n, Out{77}), out_shift), total(stream, std::vector<Out>(1, Out{77}));
    exclusive_scan(space::cuda{}, stream, on_gpu.input(), out.span(), total.data());
    EXPECT_EQ(out.values(stream), exclusive) << n;
    EXPECT_EQ(total.values(stream), std::vector{sum});
    inclusive_scan(space::cuda{}, stream, on_gpu.input(), out.span());
    EXPECT_EQ(out.values(stream), inclusive) << n;
  }
}

TEST(CudaScan, matches_the_host) {
  WEFT_NEEDS_GPU();
  for (const std::size_t n : kSizes) {
    check_scans<std::int32_t, std::int32_t>(n);
    check_scans<std::int32_t, std::int64_t>(n);
    check_scans<std::uint64_t, std::uint64_t>(n);
    check_scans<std::uint8_t, std::int32_t>(n);
    check_scans<std::int64_t, std::int32_t>(n);
  }
}

TEST(CudaScan, processes_more_tiles_than_are_resident) {
  WEFT_NEEDS_GPU();
  check_scans<std::uint8_t, std::uint32_t>(20'000'001);
  check_scans<std::uint8_t, std::int64_t>(10'000'001);
}

TEST(CudaScan, sums_may_be_wider_than_counts_and_wrap_around) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const std::vector<std::int32_t> most(5000, std::numeric_limits<std::int32_t>::max()), least(3, -1);
  const OnGpu in(stream, most), negative(stream, least);
  const OnGpu wide(stream, std::vector<std::int64_t>(5000)), below(stream, std::vector<std::int64_t>(3));
  const OnGpu narrow(stream, std::vector<std::uint32_t>(5000));
  inclusive_scan(space::cuda{}, stream, in.input(), wide.span());
  inclusive_scan(space::cuda{}, stream, in.input(), narrow.span());
  inclusive_scan(space::cuda{}, stream, negative.input(), below.span());
  EXPECT_EQ(wide.values(stream).back(), 5000LL * most[0]);
  EXPECT_EQ(narrow.values(stream).back(), 5000U * static_cast<std::uint32_t>(most[0]));
  EXPECT_EQ(below.values(stream), (std::vector<std::int64_t>{-1, -2, -3}));
}

TEST(CudaScan, works_in_place_and_in_a_graph) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const std::vector<std::int32_t> ones(10'000, 1);
  const OnGpu numbers(stream, ones);
  const auto scan_in_place = [&](Stream& s) { inclusive_scan(space::cuda{}, s, numbers.input(), numbers.span()); };
  scan_in_place(stream);
  Graph graph = Graph::capture(stream, scan_in_place);
  graph.launch(stream);
  graph.launch(stream);
  const std::vector<std::int32_t> values = numbers.values(stream);
  for (std::int64_t i = 0; i < 10'000; ++i)  // the third repeated sum of ones
    ASSERT_EQ(values[static_cast<std::size_t>(i)], static_cast<std::int32_t>((i + 1) * (i + 2) / 2 * (i + 3) / 3)) << i;
}

TEST(CudaScan, mismatched_sizes_and_host_streams_violate_the_contract) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu a(stream, std::vector<std::int32_t>(3));
  EXPECT_BREACH(exclusive_scan(space::cuda{}, stream, a.input(), a.span().first(2)));
  EXPECT_BREACH(exclusive_scan(space::cuda{}, host_stream(), a.input(), a.span()));
}

}  // namespace
}  // namespace weft::kernels::scan_test
