// Bitonic sorts of entries in shared memory: the entries of the host, also of those that are not distinguished by the order.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "weft/device/cuda.cuh"
#include "weft/kernels/primitives/bitonic.cuh"

#include "kernels/keys.hpp"
#include "kernels/on_gpu.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::bitonic_test {
namespace {

using test::OnGpu;

struct Numbered {
  float key;
  std::uint32_t number;
  bool operator==(const Numbered&) const = default;
};
/// Compares keys alone, so that entries of equal keys have the order of the network.
struct LessKey {
  WEFT_HD bool operator()(const Numbered& a, const Numbered& b) const { return a.key < b.key; }
};

template <int kThreads>
__global__ void sort_kernel(const Numbered* in, Numbered* out, int n) {
  __shared__ Numbered entries[4096];
  for (int i = static_cast<int>(threadIdx.x); i < n; i += kThreads) entries[i] = in[i];
  block_bitonic_sort<kThreads>(entries, n, LessKey{});
  for (int i = static_cast<int>(threadIdx.x); i < n; i += kThreads) out[i] = entries[i];
}

template <int kThreads>
void check(std::size_t n) {
  Stream stream;
  for (const test::Distribution distribution : test::kDistributions) {
    const std::vector<std::uint16_t> keys = test::keys<std::uint16_t>(n, distribution);
    std::vector<Numbered> entries(n);
    for (std::size_t i = 0; i < n; ++i) {
      entries[i] = {keys[i] % 16 == 0 ? std::numeric_limits<float>::infinity() : keys[i], static_cast<std::uint32_t>(i)};
    }
    const OnGpu in(stream, entries), out(stream, std::vector<Numbered>(n));
    launch(stream, "sort", {.blocks = 1, .threads = kThreads}, sort_kernel<kThreads>, in.data(), out.data(), static_cast<int>(n));
    bitonic_sort(std::span(entries), LessKey{});
    EXPECT_EQ(out.values(stream), entries) << kThreads << " threads, " << n << " entries";
  }
}

TEST(CudaBitonic, has_the_entries_of_the_host) {
  WEFT_NEEDS_GPU();
  for (const std::size_t n : {0, 1, 2, 3, 31, 32, 33, 64, 65, 500, 1024, 1025, 2047, 2048, 2049, 4096}) {
    check<32>(n);
    check<256>(n);
    check<1024>(n);
  }
}

}  // namespace
}  // namespace weft::kernels::bitonic_test
