// Sorts of keys, with other tile sizes as candidates of --tune, and of keys with values.
#include <array>
#include <cstddef>
#include <type_traits>

#include "weft/kernels/primitives/library.cuh"
#include "weft/kernels/primitives/sort.cuh"

#include "inputs.cuh"
#include "kernel_space.hpp"

namespace bench {
namespace {

using namespace weft;

/// Sorts as kernels::sort() does, with tile sizes of --tune.
template <int kThreads, int kItems, class Key>
void sort_by_tiles(Stream& stream, std::span<Key> keys) {
  const DeviceVector<Key> others(stream, keys.size());
  cub::DoubleBuffer<Key> buffers(keys.data(), others.data());
  const auto sort = [&](void* memory, std::size_t& bytes) {
    using Tuning = kernels::detail::KeySortTuning<Key, kThreads, kItems>;
    const auto count = static_cast<std::uint32_t>(keys.size());
    check_cuda(kernels::detail::sort_keys<Tuning>(memory, bytes, buffers, count, native(stream)), "cub::DispatchRadixSort");
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  const DeviceVector<unsigned char> scratch(stream, bytes);
  sort(scratch.data(), bytes);
  kernels::detail::copy_result(stream, buffers, keys.data(), keys.size());
}

template <class Key>
constexpr const auto& kTiles = app::kSortTiles4;
template <>
constexpr const auto& kTiles<std::uint64_t> = app::kSortTiles8;

template <std::size_t kTile, class Key, class Refill>
void measure_tile(const Bench& bench, const Copies<Key>& keys, int copies, const Refill& refill, KernelRow& row) {
  constexpr app::SortTile kSizes = kTiles<Key>[kTile];
  const auto work = [&](int k) { sort_by_tiles<kSizes.threads, kSizes.items>(bench.stream(), keys[k]); };
  row.times.emplace_back(app::name_of(kSizes), bench.time(copies, work, refill));
}

template <class Key, class Refill, std::size_t... kTile>
void measure_tiles(const Bench& bench, const Copies<Key>& keys, int copies, const Refill& refill, KernelRow& row,
                   std::index_sequence<kTile...>) {
  (measure_tile<kTile>(bench, keys, copies, refill, row), ...);
}

template <class Key>
void measure_sort(const Bench& bench, const std::string& type, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(n * static_cast<std::int64_t>(sizeof(Key)));
  const auto original = random<Key>(stream, copies, n);
  const Copies<Key> keys(stream, copies, n);
  const auto refill = [&] { copy_bytes(stream, keys.all().data(), original.all().data(), keys.bytes()); };
  const auto own = [&](int k) { kernels::sort<Provider::own>(kGpu, stream, keys[k]); };
  const auto library = [&](int k) { kernels::sort<Provider::library>(kGpu, stream, keys[k]); };
  const auto size = static_cast<double>(sizeof(Key));
  KernelRow row{.kernel = "sort",
                .type = type,
                .input = "",
                .entries = static_cast<double>(n),
                .bytes = static_cast<double>(n) * (size + 2 * size * size),
                .operations = 0,
                .times = {{"own", bench.time(copies, own, refill)}, {"library", bench.time(copies, library, refill)}}};
  if constexpr (std::is_integral_v<Key>) {
    if (bench.tiles()) measure_tiles(bench, keys, copies, refill, row, std::make_index_sequence<kTiles<Key>.size()>{});
  }
  bench.report(row);
}

/// Sorts pairs with CUB as kernels::stable_sort_by_key() does, with the result where the pairs were.
template <class Key>
void sort_pairs_by_library(Stream& stream, std::span<Key> keys, std::span<std::uint32_t> values) {
  const DeviceVector<Key> other_keys(stream, keys.size());
  const DeviceVector<std::uint32_t> other_values(stream, values.size());
  cub::DoubleBuffer<Key> of_keys(keys.data(), other_keys.data());
  cub::DoubleBuffer<std::uint32_t> of_values(values.data(), other_values.data());
  const int bits = 8 * static_cast<int>(sizeof(Key));
  kernels::detail::with_memory(stream, "cub::DeviceRadixSort::SortPairs", [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, of_keys, of_values, static_cast<std::uint32_t>(keys.size()), 0, bits,
                                           native(stream));
  });
  kernels::detail::copy_result(stream, of_keys, keys.data(), keys.size());
  kernels::detail::copy_result(stream, of_values, values.data(), values.size());
}

/// Keys with values of 4 bytes. Bytes: one read of the keys, and one read and one write of all pairs for each byte of a key.
template <class Key>
void measure_pairs(const Bench& bench, const std::string& type, std::int64_t n) {
  Stream& stream = bench.stream();
  const auto size = static_cast<std::int64_t>(sizeof(Key));
  const int copies = bench.copies(n * (size + 4));
  const auto original = random<Key>(stream, copies, n);
  const Copies<Key> keys(stream, copies, n);
  const auto values = random<std::uint32_t>(stream, copies, n);
  const auto refill = [&] { copy_bytes(stream, keys.all().data(), original.all().data(), keys.bytes()); };
  const auto own = [&](int k) { kernels::stable_sort_by_key(kGpu, stream, keys[k], values[k]); };
  const auto library = [&](int k) { sort_pairs_by_library(stream, keys[k], values[k]); };
  bench.report_both({"stable_sort_by_key", type, "values of 4 bytes", static_cast<double>(n),
                     static_cast<double>(n) * static_cast<double>(size + 2 * size * (size + 4)), 0},
                    copies, own, library, refill);
}

}  // namespace

void measure_sorts(const Bench& bench, std::int64_t n) {
  if (bench.wants("stable_sort_by_key")) {
    measure_pairs<std::uint32_t>(bench, "uint32", n);
    measure_pairs<std::uint64_t>(bench, "uint64", n);
  }
  if (!bench.wants("sort")) return;
  measure_sort<std::uint32_t>(bench, "uint32", n);
  measure_sort<std::uint64_t>(bench, "uint64", n);
  measure_sort<double>(bench, "double", n);
}

}  // namespace bench
