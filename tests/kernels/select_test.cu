// Selection, partition and runs on a GPU: the results of the host.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/graph.hpp"
#include "weft/kernels/primitives/select.cuh"

#include "kernels/keys.hpp"
#include "kernels/on_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu_memory.hpp"

namespace weft::kernels::select_test {
namespace {

using test::OnGpu;

constexpr std::size_t kSizes[] = {0, 1, 2, 127, 4095, 4096, 4097, 200'001};

/// An entry of N bytes.
template <int N>
struct Bytes {
  unsigned char value[N];
  friend bool operator==(const Bytes&, const Bytes&) = default;
};
/// Selects entries by their first byte.
struct HasFirstByte {
  unsigned below;
  template <class T>
  WEFT_HD bool operator()(const T& entry) const {
    return *reinterpret_cast<const unsigned char*>(&entry) < below;
  }
};

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

/// Copies and partitions at every misalignment of the input, around the end of a tile.
template <class T>
void check_entries() {
  Stream stream;
  constexpr std::size_t kTile = detail::kSelectTile<T>;
  for (const std::size_t n : {std::size_t{1}, std::size_t{33}, kTile - 1, kTile, kTile + 1, 3 * kTile + 7}) {
    std::vector<T> in(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t b = 0; b < sizeof(T); ++b) {
        reinterpret_cast<unsigned char*>(&in[i])[b] = static_cast<unsigned char>(mix_bits(i * sizeof(T) + b) >> 7U);
      }
    }
    for (const unsigned below : {0U, 3U, 128U, 256U}) {
      const HasFirstByte selected{below};
      for (const std::size_t shift : {0U, 1U, 3U, 5U}) {
        SCOPED_TRACE(::testing::Message() << n << " entries of " << sizeof(T) << " bytes, shift " << shift << ", below "
                                          << below);
        const OnGpu on_gpu(stream, in, shift), out(stream, std::vector<T>(n), shift);
        const OnGpu count(stream, std::vector<std::int64_t>(1, -1));
        std::vector<T> expected(n);
        const std::int64_t most = copy_if(std::span<const T>(in), selected, std::span(expected));
        copy_if(space::cuda{}, stream, on_gpu.input(), selected, out.span(), count.data());
        EXPECT_EQ(out.values(stream), expected);
        EXPECT_EQ(count.values(stream)[0], most);
        partition(std::span<const T>(in), selected, std::span(expected));
        partition(space::cuda{}, stream, on_gpu.input(), selected, out.span(), count.data());
        EXPECT_EQ(out.values(stream), expected);
        EXPECT_EQ(count.values(stream)[0], most);
      }
    }
  }
}

TEST(CudaSelect, entries_of_every_size_at_every_address_as_the_host) {
  WEFT_NEEDS_GPU();
  check_entries<std::uint8_t>();
  check_entries<std::int32_t>();
  check_entries<std::int64_t>();
  check_entries<Bytes<12>>();
  check_entries<Bytes<16>>();
}

struct IsTwo {
  WEFT_HD bool operator()(std::uint8_t value) const { return value == 2; }
};
struct IsNotTwo {
  WEFT_HD bool operator()(std::uint8_t value) const { return value != 2; }
};

TEST(CudaSelect, selects_from_entries_beyond_32_bits) {
  const std::int64_t n = (std::int64_t{1} << 32) + 6;
  WEFT_NEEDS_GPU_MEMORY(2 * n);
  Stream stream;
  const DeviceVector<std::uint8_t> in(stream, static_cast<std::size_t>(n)), out(stream, static_cast<std::size_t>(n));
  const OnGpu count(stream, std::vector<std::int64_t>(1));
  set_bytes(stream, in.data(), 1, in.bytes());
  set_bytes(stream, in.data() + n - 1, 2, 1);
  copy_if(space::cuda{}, stream, std::span<const std::uint8_t>(in.span()), IsTwo{}, out.span(), count.data());
  EXPECT_EQ(count.values(stream)[0], 1);
  partition(space::cuda{}, stream, std::span<const std::uint8_t>(in.span()), IsNotTwo{}, out.span(), count.data());
  EXPECT_EQ(count.values(stream)[0], n - 1);
  std::uint8_t last[2] = {};
  copy_bytes(stream, last, out.data() + n - 2, 2);
  stream.wait();
  EXPECT_EQ(last[0], 1);
  EXPECT_EQ(last[1], 2);
}

TEST(CudaSelect, workspace_is_known_without_a_gpu) {
  EXPECT_EQ(select_workspace<std::uint32_t>(1), 32U);
  EXPECT_GT(select_workspace<double>(1 << 20), 16U * (1 << 20) / 2048);
  EXPECT_LT(select_workspace<double>(1 << 20), 16U * ((1 << 20) / 2048 + 4));
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
    check_runs(numbers(n, 1));
    std::vector<std::uint8_t> bytes(n);
    for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(mix_bits(i / 3) % 3);
    check_runs(bytes);
    check_runs(test::keys<double>(n, test::Distribution::ascending));
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

TEST(CudaSelect, more_indices_than_their_type_holds_are_refused) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu indices(stream, std::vector<std::int8_t>(129));
  const OnGpu count(stream, std::vector<std::int64_t>(1));
  EXPECT_THROW(select(space::cuda{}, stream, IsSelected{}, indices.span(), count.data()), LimitError);
  select(space::cuda{}, stream, IsSelected{}, indices.span().first(128), count.data());
  EXPECT_EQ(count.values(stream)[0], 43);
}

TEST(CudaSelect, mismatched_sizes_overlaps_and_host_streams_violate_the_contract) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const OnGpu a(stream, std::vector<std::uint32_t>(6)), b(stream, std::vector<std::uint32_t>(6));
  const OnGpu offsets(stream, std::vector<std::int64_t>(6)), count(stream, std::vector<std::int64_t>(1));
  EXPECT_BREACH(copy_if(space::cuda{}, stream, a.input(), IsSelected{}, a.span(), count.data()));
  EXPECT_BREACH(copy_if(space::cuda{}, host_stream(), a.input(), IsSelected{}, b.span(), count.data()));
  EXPECT_BREACH(partition(space::cuda{}, stream, a.input(), IsSelected{}, b.span().first(5), count.data()));
  EXPECT_BREACH(partition(space::cuda{}, stream, a.input(), IsSelected{}, b.span(), nullptr));
  EXPECT_BREACH(partition(space::cuda{}, host_stream(), a.input(), IsSelected{}, b.span(), count.data()));
  EXPECT_BREACH(unique(space::cuda{}, stream, a.input().first(4), a.span().last(4), count.data()));
  EXPECT_BREACH(select(space::cuda{}, host_stream(), IsSelected{}, a.span(), count.data()));
  EXPECT_BREACH(run_length_encode(space::cuda{}, stream, a.input(), b.span(), offsets.span(), count.data()));
}

}  // namespace
}  // namespace weft::kernels::select_test
