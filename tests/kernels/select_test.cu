// Selection, partition and runs on a GPU: the results of the host.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/mix.hpp"
#include "weft/device/graph.hpp"
#include "weft/kernels/primitives/select.cuh"

#include "kernels/keys.hpp"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::kernels {
namespace {

using test::OnGpu;

constexpr std::size_t kSizes[] = {0, 1, 2, 127, 4095, 4096, 4097, 200'001};

struct IsSelected {
  template <class T>
  WEFT_HD bool operator()(T value) const {
    return value % 3 == 0;
  }
};

/// Returns n numbers below `most`.
std::vector<std::uint32_t> numbers(std::size_t n, std::uint64_t most) {
  std::vector<std::uint32_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint32_t>(mix_bits(i) % most);
  return values;
}

TEST(CudaSelect, copies_and_partitions_as_the_host) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const std::size_t n : kSizes) {
    const std::vector<std::uint32_t> in = numbers(n, 7);
    const OnGpu on_gpu(stream, in, 1), out(stream, std::vector<std::uint32_t>(n, 77), 1);
    const OnGpu count(stream, std::vector<std::int64_t>(1, -1));
    std::vector<std::uint32_t> expected(n, 77);
    const std::int64_t selected = copy_if(std::span<const std::uint32_t>(in), IsSelected{}, std::span(expected));
    copy_if(space::cuda{}, stream, on_gpu.input(), IsSelected{}, out.span(), count.data());
    EXPECT_EQ(out.values(stream), expected) << n;
    EXPECT_EQ(count.values(stream)[0], selected) << n;
    partition(std::span<const std::uint32_t>(in), IsSelected{}, std::span(expected));
    partition(space::cuda{}, stream, on_gpu.input(), IsSelected{}, out.span(), count.data());
    EXPECT_EQ(out.values(stream), expected) << n;
    EXPECT_EQ(count.values(stream)[0], selected) << n;

    const OnGpu indices(stream, std::vector<std::int32_t>(n, -1));
    std::vector<std::int32_t> multiples = select(static_cast<std::int32_t>(n), IsSelected{});
    select(space::cuda{}, stream, IsSelected{}, indices.span(), count.data());
    EXPECT_EQ(count.values(stream)[0], std::ssize(multiples)) << n;
    multiples.resize(n, -1);
    EXPECT_EQ(indices.values(stream), multiples) << n;
  }
}

template <class Key>
void check_runs(const std::vector<Key>& keys) {
  Stream stream;
  const std::size_t n = keys.size();
  const std::vector<Key> filler(n);
  std::vector<Key> expected = filler, expected_unique = filler;
  std::vector<std::int64_t> expected_offsets(n + 1, -1);
  const std::int64_t runs = run_length_encode(std::span<const Key>(keys), std::span(expected), std::span(expected_offsets));
  const OnGpu on_gpu(stream, keys, 1), out(stream, filler);
  const OnGpu offsets(stream, std::vector<std::int64_t>(n + 1, -1)), count(stream, std::vector<std::int64_t>(1, -1));
  run_length_encode(space::cuda{}, stream, on_gpu.input(), out.span(), offsets.span(), count.data());
  EXPECT_TRUE(test::same_keys(out.values(stream), expected)) << n;
  EXPECT_EQ(offsets.values(stream), expected_offsets) << n;
  EXPECT_EQ(count.values(stream)[0], runs) << n;
  const OnGpu unique_keys(stream, filler);
  unique(space::cuda{}, stream, on_gpu.input(), unique_keys.span(), count.data());
  EXPECT_TRUE(test::same_keys(unique_keys.values(stream), expected)) << n;
  EXPECT_EQ(count.values(stream)[0], runs) << n;
}

TEST(CudaSelect, encodes_runs_as_the_host) {
  WEFT_NEEDS_GPU();
  for (const std::size_t n : kSizes) {
    check_runs(numbers(n, 2));
    std::vector<double> specials = test::keys<double>(n, test::Distribution::random);
    for (std::size_t i = 0; i + 1 < n; i += 3) specials[i + 1] = specials[i];
    check_runs(specials);
  }
}

TEST(CudaSelect, can_be_captured_in_a_graph) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const std::vector<std::uint32_t> in = numbers(20'000, 7);
  const OnGpu on_gpu(stream, in), out(stream, in);
  const OnGpu count(stream, std::vector<std::int64_t>(1));
  Graph graph = Graph::capture(
      stream, [&](Stream& s) { partition(space::cuda{}, s, on_gpu.input(), IsSelected{}, out.span(), count.data()); });
  graph.launch(stream);
  graph.launch(stream);
  std::vector<std::uint32_t> expected(in.size());
  EXPECT_EQ(count.values(stream)[0], partition(std::span<const std::uint32_t>(in), IsSelected{}, std::span(expected)));
  EXPECT_EQ(out.values(stream), expected);
}

TEST(CudaSelect, mismatched_sizes_overlaps_and_host_streams_violate_the_contract) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu a(stream, std::vector<std::uint32_t>(6)), b(stream, std::vector<std::uint32_t>(6));
  const OnGpu offsets(stream, std::vector<std::int64_t>(6)), count(stream, std::vector<std::int64_t>(1));
  EXPECT_BREACH(copy_if(space::cuda{}, stream, a.input(), IsSelected{}, a.span(), count.data()));
  EXPECT_BREACH(copy_if(space::cuda{}, host_stream(), a.input(), IsSelected{}, b.span(), count.data()));
  EXPECT_BREACH(partition(space::cuda{}, stream, a.input(), IsSelected{}, b.span().first(5), count.data()));
  EXPECT_BREACH(unique(space::cuda{}, stream, a.input().first(4), a.span().last(4), count.data()));
  EXPECT_BREACH(run_length_encode(space::cuda{}, stream, a.input(), b.span(), offsets.span(), count.data()));
}

}  // namespace
}  // namespace weft::kernels
