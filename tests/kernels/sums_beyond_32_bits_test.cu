// Sums, scalar products, reductions of segments and runs of more than 2^32 entries on a GPU.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/id.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/kernels/primitives/reduce.cuh"
#include "weft/kernels/primitives/select.cuh"

#include "kernels/many_entries.cuh"
#include "kernels/on_gpu.hpp"
#include "support/gpu_memory.hpp"

namespace weft::kernels::sums_beyond_32_bits_test {
namespace {

using test::counted_at;
using test::kMany;
using test::kPeriod;
using test::OnGpu;
using test::StoreCounted;
using test::StoreOffset;
using test::wrong_entries;

constexpr space::cuda kGpu{};

/// Returns the sum of the first n entries.
WEFT_HD std::int64_t sum_of_first(std::int64_t n) {
  const std::int64_t rest = n % kPeriod;
  return n / kPeriod * (kPeriod * (kPeriod - 1) / 2) + rest * (rest - 1) / 2;
}
/// Returns the sum of the squares of all entries.
std::int64_t sum_of_squares() {
  const auto below = [](std::int64_t n) { return (n - 1) * n * (2 * n - 1) / 6; };
  return kMany / kPeriod * below(kPeriod) + below(kMany % kPeriod);
}

TEST(CudaReduce, sums_and_multiplies_entries_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(kMany);
  Stream stream;
  const DeviceVector<std::uint8_t> x(stream, to_index(kMany));
  const std::span<const std::uint8_t> entries = x.span();
  const OnGpu result(stream, std::vector<std::int64_t>(1));
  parallel_for(kGpu, stream, kMany, StoreCounted<std::uint8_t>{x.data()});
  sum(kGpu, stream, entries, result.data());
  EXPECT_EQ(result.values(stream)[0], sum_of_first(kMany));
  dot(kGpu, stream, entries, entries, result.data());
  EXPECT_EQ(result.values(stream)[0], sum_of_squares());
}

struct ThreeTimes {
  WEFT_HD float operator()(std::int64_t i) const { return 3 * counted_at<float>(i); }
};

/// All sums are whole numbers below 2^53, and so exact.
TEST(CudaReduce, updates_entries_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(kMany * 8);
  Stream stream;
  const DeviceVector<float> x(stream, to_index(kMany)), y(stream, to_index(kMany));
  const OnGpu alpha(stream, std::vector<float>{2});
  const OnGpu result(stream, std::vector<double>(1));
  parallel_for(kGpu, stream, kMany, StoreCounted<float>{x.data()});
  parallel_for(kGpu, stream, kMany, StoreCounted<float>{y.data()});
  axpy_dot(kGpu, stream, alpha.data(), std::span<const float>(x.span()), y.span(), x.span(), result.data());
  EXPECT_EQ(result.values(stream)[0], static_cast<double>(3 * sum_of_squares()));
  EXPECT_EQ(wrong_entries(stream, y, ThreeTimes{}), 0U);
}

/// Sums of segments modulo 2^32.
struct SumOfSegment {
  std::int64_t length;
  WEFT_HD std::uint32_t operator()(std::int64_t s) const {
    const std::int64_t first = s * length, last = first + length < kMany ? first + length : kMany;
    return static_cast<std::uint32_t>(sum_of_first(last) - sum_of_first(first));
  }
};

/// As many segments as entries, segments for threads and warps, divided ones, and a single one.
TEST(CudaReduce, reduces_segments_of_entries_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(kMany * 13);
  Stream stream;
  const DeviceVector<std::uint8_t> x(stream, to_index(kMany));
  parallel_for(kGpu, stream, kMany, StoreCounted<std::uint8_t>{x.data()});
  for (const std::int64_t length : {std::int64_t{1}, std::int64_t{100}, std::int64_t{1000}, std::int64_t{1'000'003}, kMany}) {
    const std::int64_t segments = (kMany + length - 1) / length;
    const DeviceVector<std::int64_t> offsets(stream, to_index(segments + 1));
    const DeviceVector<std::uint32_t> sums(stream, to_index(segments));
    parallel_for(kGpu, stream, segments + 1, StoreOffset{offsets.data(), length, kMany});
    segmented_reduce(kGpu, stream, std::span<const std::uint8_t>(x.span()), std::span<const std::int64_t>(offsets.span()),
                     sums.span(), 0U, Plus{});
    EXPECT_EQ(wrong_entries(stream, sums, SumOfSegment{length}), 0U) << length;
  }
}

/// Key r modulo 251 in run r of `length` keys.
struct StoreRuns {
  std::uint8_t* keys;
  std::int64_t length;
  WEFT_HD void operator()(std::int64_t i) const { keys[i] = counted_at<std::uint8_t>(i / length); }
};
/// The keys of runs, and the initial value after them.
struct KeyOfRun {
  std::int64_t runs;
  WEFT_HD std::uint8_t operator()(std::int64_t r) const { return r < runs ? counted_at<std::uint8_t>(r) : std::uint8_t{0xff}; }
};
/// The offsets of runs, the number of keys, and the initial value after that.
struct OffsetOfRun {
  std::int64_t length, runs;
  WEFT_HD std::int64_t operator()(std::int64_t r) const { return r < runs ? r * length : r == runs ? kMany : -1; }
};

/// As many runs as keys, and long ones.
TEST(CudaSelect, encodes_runs_of_keys_beyond_32_bits) {
  WEFT_NEEDS_GPU_MEMORY(kMany * 10);
  Stream stream;
  const DeviceVector<std::uint8_t> keys(stream, to_index(kMany)), out(stream, to_index(kMany));
  const DeviceVector<std::int64_t> offsets(stream, to_index(kMany + 1));
  const std::span<const std::uint8_t> in = keys.span();
  const OnGpu count(stream, std::vector<std::int64_t>(1));
  for (const std::int64_t length : {1, 1'000'003}) {
    SCOPED_TRACE(length);
    const std::int64_t runs = (kMany + length - 1) / length;
    parallel_for(kGpu, stream, kMany, StoreRuns{keys.data(), length});
    set_bytes(stream, out.data(), 0xff, out.bytes());
    set_bytes(stream, offsets.data(), 0xff, offsets.bytes());
    run_length_encode(kGpu, stream, in, out.span(), offsets.span(), count.data());
    EXPECT_EQ(count.values(stream)[0], runs);
    EXPECT_EQ(wrong_entries(stream, out, KeyOfRun{runs}), 0U);
    EXPECT_EQ(wrong_entries(stream, offsets, OffsetOfRun{length, runs}), 0U);
    set_bytes(stream, out.data(), 0xff, out.bytes());
    unique(kGpu, stream, in, out.span(), count.data());
    EXPECT_EQ(count.values(stream)[0], runs);
    EXPECT_EQ(wrong_entries(stream, out, KeyOfRun{runs}), 0U);
  }
}

}  // namespace
}  // namespace weft::kernels::sums_beyond_32_bits_test
