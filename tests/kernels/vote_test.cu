// Votes of warps and blocks.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "weft/base/mix.hpp"
#include "weft/device/cuda.cuh"
#include "weft/kernels/primitives/vote.cuh"

#include "kernels/on_gpu.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::vote_test {
namespace {

using test::OnGpu;

struct Outcome {
  int count, before, any, all;
  bool operator==(const Outcome&) const = default;
};

/// Votes twice, so that the second vote would see counts of the first if a barrier were missing.
template <int kThreads>
__global__ void vote_kernel(const std::uint8_t* yes, Outcome* of_warp, Outcome* of_block) {
  const auto at = threadIdx.x;
  const Vote warp = warp_vote(yes[at] != 0);
  of_warp[at] = {warp.count, warp.before, warp.any() ? 1 : 0, warp.all() ? 1 : 0};
  const Vote other = block_vote<kThreads>(yes[at] == 0), block = block_vote<kThreads>(yes[at] != 0);
  const int count = other.count + block.count == kThreads ? block.count : -1;
  of_block[at] = {count, block.before, block.any() ? 1 : 0, block.all() ? 1 : 0};
}

/// Returns the outcomes of votes of `width` threads at a time.
std::vector<Outcome> expected(const std::vector<std::uint8_t>& yes, std::size_t width) {
  std::vector<Outcome> outcomes(yes.size());
  for (std::size_t first = 0; first < yes.size(); first += width) {
    int count = 0;
    for (std::size_t i = first; i < first + width; ++i) {
      outcomes[i].before = count;
      count += yes[i];
    }
    for (std::size_t i = first; i < first + width; ++i) {
      outcomes[i].count = count;
      outcomes[i].any = count > 0 ? 1 : 0;
      outcomes[i].all = count == static_cast<int>(width) ? 1 : 0;
    }
  }
  return outcomes;
}

template <int kThreads>
void check() {
  Stream stream;
  for (const std::uint64_t every : {1U, 2U, 7U, 1'000'000U}) {  // all, half, few, none vote yes
    std::vector<std::uint8_t> yes(kThreads);
    for (std::size_t i = 0; i < yes.size(); ++i) yes[i] = mix_bits(i + 3) % every == 0 ? 1 : 0;
    const OnGpu votes(stream, yes);
    const OnGpu of_warp(stream, std::vector<Outcome>(kThreads)), of_block(stream, std::vector<Outcome>(kThreads));
    launch(stream, "vote", {.blocks = 1, .threads = kThreads}, vote_kernel<kThreads>,
           static_cast<const std::uint8_t*>(votes.data()), of_warp.data(), of_block.data());
    EXPECT_EQ(of_warp.values(stream), expected(yes, 32)) << "warps, one in " << every;
    EXPECT_EQ(of_block.values(stream), expected(yes, kThreads)) << kThreads << " threads, one in " << every;
  }
}

TEST(CudaVote, counts_the_threads_before_and_all_threads) {
  WEFT_NEEDS_GPU();
  check<32>();
  check<96>();
  check<1024>();
}

/// Stores which lanes are among the first n, and the mask that is computed for them.
__global__ void first_lanes_kernel(unsigned* ballots, unsigned* masks) {
  for (int n = 0; n <= 32; ++n) {
    const unsigned ballot = __ballot_sync(detail::kAllLanes, static_cast<int>(threadIdx.x) < n);
    if (threadIdx.x == 0) {
      ballots[n] = ballot;
      masks[n] = detail::first_lanes(n);
    }
  }
}

/// `1ull << n - 1` is one bit, that of lane n - 1, because - binds more strongly than <<; for n = 0 it is undefined.
TEST(WarpMask, of_the_first_n_lanes_has_n_bits_and_not_bit_n_minus_1) {
  static_assert(detail::first_lanes(0) == 0 && detail::first_lanes(1) == 1 && detail::first_lanes(2) == 3);
  static_assert(detail::first_lanes(31) == 0x7fffffffU && detail::first_lanes(32) == detail::kAllLanes);
  for (int n = 0; n <= 32; ++n) {
    unsigned mask = 0;
    for (int lane = 0; lane < n; ++lane) mask |= 1U << lane;
    EXPECT_EQ(detail::first_lanes(n), mask) << n;
  }
}

TEST(CudaWarpMask, of_the_first_n_lanes_has_n_bits_and_not_bit_n_minus_1) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu ballots(stream, std::vector<unsigned>(33)), masks(stream, std::vector<unsigned>(33));
  launch(stream, "first_lanes", {.blocks = 1, .threads = 32}, first_lanes_kernel, ballots.data(), masks.data());
  EXPECT_EQ(masks.values(stream), ballots.values(stream));
}

}  // namespace
}  // namespace weft::kernels::vote_test
