// Sorts of segments, of keys and of keys with values.
#include <cub/device/device_segmented_sort.cuh>

#include "weft/kernels/primitives/library.cuh"
#include "weft/kernels/primitives/segmented_sort.cuh"

#include "inputs.cuh"

namespace bench {
namespace {

using namespace weft;

/// Compares with CUB's stable sort from one array to another. Bytes: one read and one write of all keys.
template <class Key>
void measure_segmented_sort(const Bench& bench, const std::string& type, std::int64_t n, std::int64_t length) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(n * static_cast<std::int64_t>(sizeof(Key)));
  const auto original = random<Key>(stream, copies, n);
  const Copies<Key> keys(stream, copies, n);
  const auto offsets = offsets_of(stream, copies, n, length);
  const auto refill = [&] { copy_bytes(stream, keys.all().data(), original.all().data(), keys.bytes()); };
  const auto own = [&](int k) { kernels::segmented_sort(kGpu, stream, keys[k], offsets.in(k)); };
  const auto library = [&](int k) {
    kernels::detail::with_memory(stream, "cub::DeviceSegmentedSort::StableSortKeys", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceSegmentedSort::StableSortKeys(memory, bytes, original.in(k).data(), keys[k].data(), n,
                                                      static_cast<std::int64_t>(offsets[k].size()) - 1, offsets.in(k).data(),
                                                      offsets.in(k).data() + 1, native(stream));
    });
  };
  bench.report_both(
      {"segmented_sort", type, segments_of(n, length), static_cast<double>(n), 2.0 * static_cast<double>(n) * sizeof(Key), 0},
      copies, own, library, refill);
}

/// Keys with values of 4 bytes, compared as above.
template <class Key>
void measure_segmented_pairs(const Bench& bench, const std::string& type, std::int64_t n, std::int64_t length) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(n * static_cast<std::int64_t>(sizeof(Key) + 4));
  const auto original = random<Key>(stream, copies, n);
  const Copies<Key> keys(stream, copies, n);
  const auto from = random<std::uint32_t>(stream, copies, n);
  const Copies<std::uint32_t> values(stream, copies, n);
  const auto offsets = offsets_of(stream, copies, n, length);
  const auto refill = [&] { copy_bytes(stream, keys.all().data(), original.all().data(), keys.bytes()); };
  const auto own = [&](int k) { kernels::segmented_stable_sort_by_key(kGpu, stream, keys[k], values[k], offsets.in(k)); };
  const auto library = [&](int k) {
    kernels::detail::with_memory(stream, "cub::DeviceSegmentedSort::StableSortPairs", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceSegmentedSort::StableSortPairs(memory, bytes, original.in(k).data(), keys[k].data(), from.in(k).data(),
                                                       values[k].data(), n, static_cast<std::int64_t>(offsets[k].size()) - 1,
                                                       offsets.in(k).data(), offsets.in(k).data() + 1, native(stream));
    });
  };
  bench.report_both({"segmented_stable_sort_by_key", type, segments_of(n, length), static_cast<double>(n),
                     2.0 * static_cast<double>(n) * (sizeof(Key) + 4), 0},
                    copies, own, library, refill);
}

}  // namespace

void measure_segmented_sorts(const Bench& bench, std::int64_t n) {
  if (bench.wants("segmented_stable_sort_by_key")) {
    for (const std::int64_t length : {std::int64_t{30}, std::int64_t{1000}}) {
      measure_segmented_pairs<std::uint32_t>(bench, "uint32", n, length);
    }
  }
  if (!bench.wants("segmented_sort")) return;
  for (const std::int64_t length : {std::int64_t{7}, std::int64_t{30}, std::int64_t{1000}, std::int64_t{100'000}, n}) {
    measure_segmented_sort<std::uint32_t>(bench, "uint32", n, length);
    measure_segmented_sort<double>(bench, "double", n, length);
  }
}

}  // namespace bench
