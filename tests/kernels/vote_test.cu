// Votes of warps and blocks.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "weft/base/mix.hpp"
#include "weft/device/cuda.cuh"
#include "weft/kernels/primitives/vote.cuh"

#include "kernels/on_gpu.hpp"
#include "support/gpu.hpp"

namespace weft::kernels {
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

}  // namespace
}  // namespace weft::kernels
