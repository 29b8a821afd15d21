// Provider::library: the results of Provider::own for integers.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"
#include "weft/kernels/primitives/histogram.cuh"
#include "weft/kernels/primitives/library.cuh"
#include "weft/kernels/primitives/reduce.cuh"
#include "weft/kernels/primitives/scan.cuh"
#include "weft/kernels/primitives/select.cuh"
#include "weft/kernels/primitives/sort.cuh"

#include "kernels/on_gpu.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::library_test {
namespace {

using test::OnGpu;

struct IsSelected {
  WEFT_HD bool operator()(std::uint32_t value) const { return value % 3 == 0; }
};
struct BinOf {
  const std::uint32_t* keys;
  WEFT_HD std::int32_t operator()(std::int64_t i) const { return static_cast<std::int32_t>(keys[i] % 100); }
};

TEST(CudaLibrary, has_the_results_of_own_kernels) {
  WEFT_NEEDS_GPU();
  constexpr Provider kOwn = Provider::own, kLibrary = Provider::library;
  const space::cuda gpu;
  Stream stream;
  for (const std::size_t n : {1U, 1000U, 100'003U}) {
    std::vector<std::uint32_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint32_t>(mix_bits(i / 2));
    const OnGpu in(stream, values), own(stream, values), library(stream, values);
    const OnGpu own_number(stream, std::vector<std::int64_t>(1)), library_number(stream, std::vector<std::int64_t>(1));
    const OnGpu own_counts(stream, std::vector<std::int64_t>(100)), library_counts(stream, std::vector<std::int64_t>(100));
    const auto expect_equal = [&](const char* primitive) {
      EXPECT_EQ(library.values(stream), own.values(stream)) << primitive << ' ' << n;
      EXPECT_EQ(library_number.values(stream), own_number.values(stream)) << primitive << ' ' << n;
    };
    sum<kOwn>(gpu, stream, in.input(), own_number.data());
    sum<kLibrary>(gpu, stream, in.input(), library_number.data());
    expect_equal("sum");
    exclusive_scan<kOwn>(gpu, stream, in.input(), own.span());
    exclusive_scan<kLibrary>(gpu, stream, in.input(), library.span());
    expect_equal("exclusive_scan");
    inclusive_scan<kOwn>(gpu, stream, in.input(), own.span());
    inclusive_scan<kLibrary>(gpu, stream, in.input(), library.span());
    expect_equal("inclusive_scan");
    copy_if<kOwn>(gpu, stream, in.input(), IsSelected{}, own.span(), own_number.data());
    copy_if<kLibrary>(gpu, stream, in.input(), IsSelected{}, library.span(), library_number.data());
    expect_equal("copy_if");
    unique<kOwn>(gpu, stream, in.input(), own.span(), own_number.data());
    unique<kLibrary>(gpu, stream, in.input(), library.span(), library_number.data());
    expect_equal("unique");
    sort<kOwn>(gpu, stream, own.span());
    sort<kLibrary>(gpu, stream, library.span());
    expect_equal("sort");
    histogram<kOwn>(gpu, stream, static_cast<std::int64_t>(n), BinOf{in.data()}, own_counts.span());
    histogram<kLibrary>(gpu, stream, static_cast<std::int64_t>(n), BinOf{in.data()}, library_counts.span());
    EXPECT_EQ(library_counts.values(stream), own_counts.values(stream)) << n;
    const OnGpu offsets(stream, std::vector<std::int64_t>{0, static_cast<std::int64_t>(n)});
    segmented_sum<kOwn>(gpu, stream, in.input(), offsets.input(), own.span().first(1));
    segmented_sum<kLibrary>(gpu, stream, in.input(), offsets.input(), library.span().first(1));
    expect_equal("segmented_sum");
  }
}

TEST(CudaLibrary, refuses_more_bins_than_an_int_holds) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu keys(stream, std::vector<std::uint32_t>(1));
  const OnGpu counts(stream, std::vector<std::int64_t>(1));
  const std::span<std::int64_t> too_many(counts.data(), std::size_t{1} << 31);  // refused before they are accessed
  EXPECT_THROW(histogram<Provider::library>(space::cuda{}, stream, 1, BinOf{keys.data()}, too_many), LimitError);
}

}  // namespace
}  // namespace weft::kernels::library_test
