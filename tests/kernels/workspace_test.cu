// Workspaces of primitives for which the memory of a GPU does not suffice.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/kernels/primitives/ordered_scan.cuh"
#include "weft/kernels/primitives/reduce.cuh"
#include "weft/kernels/primitives/scan.cuh"
#include "weft/kernels/primitives/segmented_sort.cuh"
#include "weft/kernels/primitives/select.cuh"

#include "kernels/on_gpu.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::workspace_test {
namespace {

using test::OnGpu;

struct IsOdd {
  WEFT_HD bool operator()(std::int64_t i) const { return i % 2 != 0; }
};

TEST(CudaWorkspace, exhausted_memory_is_reported_and_leaves_the_stream_usable) {
  WEFT_NEEDS_GPU();
  const space::cuda gpu;
  Stream stream;
  const OnGpu numbers(stream, std::vector<double>{1, 2, 3}), total(stream, std::vector<double>(1));
  const OnGpu integers(stream, std::vector<std::int64_t>{0, 3, 7, 5, 6}), count(stream, std::vector<std::int64_t>(1));
  // No GPU has the workspaces for so many entries, which therefore are not accessed.
  constexpr std::size_t kTooMany = std::size_t{1} << 50;
  const std::span<double> doubles(numbers.data(), kTooMany);
  const std::span<std::int64_t> keys(integers.data() + 2, kTooMany);
  const auto expect_exhausted = [&](const char* primitive, const auto& call) {
    try {
      call();
      ADD_FAILURE() << primitive << " did not throw";
    } catch (const DeviceError& error) {
      EXPECT_NE(error.problem().find("cudaErrorMemoryAllocation"), std::string::npos) << primitive << ": " << error.problem();
      EXPECT_FALSE(error.suggestion().empty()) << primitive;
    }
    sum(gpu, stream, numbers.input(), total.data());
    EXPECT_EQ(total.values(stream)[0], 6) << "after " << primitive;
  };
  expect_exhausted("sum", [&] { sum(gpu, stream, std::span<const double>(doubles), total.data()); });
  expect_exhausted("ordered scan", [&] { inclusive_scan(gpu, stream, std::span<const double>(doubles), doubles); });
  expect_exhausted("scan", [&] { inclusive_scan(gpu, stream, std::span<const std::int64_t>(keys), keys); });
  expect_exhausted("select", [&] { select(gpu, stream, IsOdd{}, keys, count.data()); });
  expect_exhausted("segmented_sort", [&] { segmented_sort(gpu, stream, keys, integers.input().first(2)); });
  EXPECT_EQ(numbers.values(stream), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(integers.values(stream), (std::vector<std::int64_t>{0, 3, 7, 5, 6}));
}

}  // namespace
}  // namespace weft::kernels::workspace_test
