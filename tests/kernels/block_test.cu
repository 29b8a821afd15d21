// Reductions and scans of the threads of warps and blocks.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/base/mix.hpp"
#include "weft/device/cuda.cuh"
#include "weft/kernels/primitives/block.cuh"
#include "weft/kernels/primitives/operators.hpp"

#include "kernels/on_gpu.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::block_test {
namespace {

using test::OnGpu;

/// An affine map modulo 2^64. Composition is associative and not commutative, and the map has more than 8 bytes.
struct Affine {
  std::uint64_t factor, shift;
  bool operator==(const Affine&) const = default;
};
struct Compose {
  WEFT_HD Affine operator()(const Affine& a, const Affine& b) const {
    return {a.factor * b.factor, a.shift * b.factor + b.shift};
  }
};
WEFT_HD constexpr Affine identity() { return {1, 0}; }

/// The results of a thread; sums and minima are of the block unless named otherwise.
struct Results {
  Affine up_to_in_warp, before, total;
  std::uint64_t warp_sum, sum;
  double minimum;
  bool operator==(const Results&) const = default;
};

/// Reduces twice in a row, so that the second reduction would see values of the first if a barrier were missing.
template <int kThreads>
__global__ void block_kernel(const Affine* maps, Results* results) {
  const Affine map = maps[threadIdx.x];
  Results r{};
  r.up_to_in_warp = warp_inclusive_scan(map, Compose{});
  r.warp_sum = warp_reduce(map.shift, Plus{});
  const BlockPrefix<Affine> other = block_exclusive_scan<kThreads>(identity(), identity(), Compose{});
  const BlockPrefix<Affine> prefix = block_exclusive_scan<kThreads>(map, identity(), Compose{});
  r.before = prefix.before;
  r.total = Compose{}(prefix.total, other.total);
  r.sum = block_reduce<kThreads>(map.factor, Plus{}) + block_reduce<kThreads>(map.shift, Plus{});
  r.minimum = block_reduce<kThreads>(static_cast<double>(map.shift), Minimum{});
  if (threadIdx.x % 32 != 0) r.warp_sum = 0;
  results[threadIdx.x] = r;
}

std::vector<Results> expected(const std::vector<Affine>& maps) {
  std::vector<Results> results(maps.size());
  Affine total = identity(), in_warp{};
  std::uint64_t sum = 0;
  double minimum = static_cast<double>(maps[0].shift);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    in_warp = i % 32 == 0 ? maps[i] : Compose{}(in_warp, maps[i]);
    results[i].up_to_in_warp = in_warp;
    results[i].before = total;
    total = Compose{}(total, maps[i]);
    results[i - i % 32].warp_sum += maps[i].shift;
    sum += maps[i].factor + maps[i].shift;
    minimum = Minimum{}(minimum, static_cast<double>(maps[i].shift));
  }
  for (Results& r : results) {
    r.total = total;
    r.sum = sum;
    r.minimum = minimum;
  }
  return results;
}

template <int kThreads>
void check() {
  Stream stream;
  std::vector<Affine> maps(kThreads);
  for (std::size_t i = 0; i < maps.size(); ++i) maps[i] = {mix_bits(2 * i), mix_bits(2 * i + 1)};
  const OnGpu given(stream, maps);
  const OnGpu results(stream, std::vector<Results>(kThreads));
  launch(stream, "block", {.blocks = 1, .threads = kThreads}, block_kernel<kThreads>, static_cast<const Affine*>(given.data()),
         results.data());
  EXPECT_EQ(results.values(stream), expected(maps)) << kThreads << " threads";
}

TEST(CudaBlock, reductions_and_scans_equal_those_of_the_host) {
  WEFT_NEEDS_GPU();
  check<32>();
  check<96>();
  check<1024>();
}

}  // namespace
}  // namespace weft::kernels::block_test
