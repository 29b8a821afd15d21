#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "weft/device/cuda.cuh"
#include "weft/kernels/layout/copy.hpp"

#include "kernels/on_gpu.hpp"
#include "support/gpu.hpp"

namespace weft::kernels::layout::layout_test {
namespace {

using test::OnGpu;

/// Writes the indices of a layout: of `L`, and of the same layout as a value.
template <class L>
__global__ void write_indices(L layout, Layout value, std::int64_t* of_type, std::int64_t* of_value) {
  grid_dependency_sync();
  for (int i = static_cast<int>(threadIdx.x); i < layout.size(); i += static_cast<int>(blockDim.x)) {
    of_type[i] = layout(i);
    of_value[i] = value(i);
  }
}

/// Compares the indices that a GPU computes with those of the host.
template <LayoutKey kKey>
void expect_indices_of_host() {
  constexpr Layout kLayout = kKey;
  std::vector<std::int64_t> expected(static_cast<std::size_t>(kLayout.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = kLayout(static_cast<std::int64_t>(i));
  Stream stream;
  const OnGpu<std::int64_t> of_type(stream, std::vector<std::int64_t>(expected.size(), -1)),
      of_value(stream, std::vector<std::int64_t>(expected.size(), -1));
  launch(stream, "write_indices", {.blocks = 1, .threads = 32}, write_indices<StaticLayout<kKey>>, StaticLayout<kKey>{}, kLayout,
         of_type.data(), of_value.data());
  EXPECT_EQ(of_type.values(stream), expected);
  EXPECT_EQ(of_value.values(stream), expected);
}

TEST(LayoutCuda, indices_are_those_of_the_host) {
  WEFT_NEEDS_GPU();
  expect_indices_of_host<Layout(32, 3)>();
  expect_indices_of_host<row_major({6, 4})>();
  expect_indices_of_host<swizzled({3, 0, 3}, row_major({8, 8}))>();
  expect_indices_of_host<composition(Layout({6, 2}, {8, 2}), Layout({4, 3}, {3, 1}))>();
  expect_indices_of_host<zipped_divide(row_major({12, 8}), identity({4, 2}))>();
  expect_indices_of_host<raked_product(Layout({2, 5}, {5, 1}), Layout({3, 4}, {1, 3}))>();
}

/// Evaluates the algebra at run time on the GPU.
__global__ void compose(Layout left, Layout right, Layout* result) {
  grid_dependency_sync();
  *result = composition(left, right);
}

TEST(LayoutCuda, algebra_at_run_time_is_that_of_the_host) {
  WEFT_NEEDS_GPU();
  const Layout left({6, 2}, {8, 2}), right({4, 3}, {3, 1});
  Stream stream;
  const OnGpu<Layout> result(stream, {Layout(1, 0)});
  launch(stream, "compose", {.blocks = 1, .threads = 1}, compose, left, right, result.data());
  EXPECT_EQ(result.values(stream).front(), composition(left, right));
}

constexpr Layout kTile = identity({32, 64});
constexpr Layout kShared = swizzled({3, 2, 4}, row_major({32, 64}));
constexpr Layout kThreads = thread_values(row_major({16, 8}), row_major({1, 4}));  // a tile of 16 x 32
constexpr Layout kPart = identity({16, 32});

/// Copies a matrix of whole tiles through shared memory: each thread loads its four words, and stores single elements.
__global__ void move_tiles(const float* in, float* out, std::int64_t columns) {
  __shared__ alignas(16) float memory[cosize(kShared)];
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t tiles = columns / 64, first = 32 * (blockIdx.x / tiles) * columns + 64 * (blockIdx.x % tiles);
  const auto from = tensor(in + first, StaticLayout<kTile>(columns, 1));
  const auto to = tensor(out + first, StaticLayout<kTile>(columns, 1));
  const auto shared = tensor(static_cast<float*>(memory), StaticLayout<kShared>{});
  grid_dependency_sync();
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      copy_words<4>(local_values<kThreads>(local_tile<kPart>(from, i, j), t),
                    local_values<kThreads>(local_tile<kPart>(shared, i, j), t));
    }
  }
  __syncthreads();
  constexpr Layout kRows = row_major({4, 32});
  copy(local_partition<kRows>(shared, t), local_partition<kRows>(to, t));
}

TEST(LayoutCuda, tiles_move_through_swizzled_shared_memory) {
  WEFT_NEEDS_GPU();
  constexpr std::int64_t kRows = 96, kColumns = 256;
  std::vector<float> in(kRows * kColumns);
  std::iota(in.begin(), in.end(), 0.0F);
  Stream stream;
  const OnGpu<float> from(stream, in), to(stream, std::vector<float>(in.size(), -1.0F));
  launch(stream, "move_tiles", {.blocks = kRows / 32 * kColumns / 64, .threads = 128}, move_tiles,
         static_cast<const float*>(from.data()), to.data(), kColumns);
  EXPECT_EQ(to.values(stream), in);
}

}  // namespace
}  // namespace weft::kernels::layout::layout_test
