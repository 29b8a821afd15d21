// Sorts, of whole arrays and of segments.
#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "weft/kernels/primitives/bitonic.hpp"
#include "weft/kernels/primitives/bucket_sort.hpp"
#include "weft/kernels/primitives/segmented_sort.hpp"
#include "weft/kernels/primitives/select.hpp"
#include "weft/kernels/primitives/sort.hpp"

#include "host_inputs.hpp"

namespace bench {
namespace {

using namespace weft;

/// Random keys and, for each run, copies of them that the run may change.
template <class Key>
struct Keys {
  const Bench& bench;
  int copies;
  Copies<Key> original, keys;

  Keys(const Bench& b, std::int64_t n)
      : bench(b),
        copies(b.copies(n * static_cast<std::int64_t>(sizeof(Key)))),
        original(random<Key>(b.stream(), copies, n)),
        keys(b.stream(), copies, n) {}
  [[nodiscard]] double entries() const { return static_cast<double>(keys[0].size()); }
  /// Returns the times of work(keys of a copy), which it gets unsorted.
  template <class F>
  [[nodiscard]] Times time(const F& work) const {
    const auto refill = [&] { std::copy(original.all().begin(), original.all().end(), keys.all().begin()); };
    return bench.time(
        copies, [&](int k) { work(keys[k]); }, refill);
  }
};

/// Bytes: one read and one write of all keys.
template <class Key>
void measure_sort(const Bench& bench, const std::string& type, std::int64_t n) {
  const Keys<Key> input(bench, n);
  const auto own = [](std::span<Key> keys) { kernels::sort(keys); };
  const auto library = [](std::span<Key> keys) { std::sort(keys.begin(), keys.end()); };
  bench.report({"sort",
                type,
                "",
                input.entries(),
                2 * input.entries() * sizeof(Key),
                0,
                {{"own", input.time(own)}, {"library", input.time(library)}}});
}

/// Sorts by key with values of 4 bytes, and orders; compared with a stable sort of pairs and of positions.
void measure_pairs(const Bench& bench, std::int64_t n) {
  const Keys<std::uint32_t> input(bench, n);
  std::vector<std::uint32_t> values(static_cast<std::size_t>(n));
  if (bench.wants("stable_sort_by_key")) {
    const auto own = [&](std::span<std::uint32_t> keys) { kernels::stable_sort_by_key(keys, std::span(values)); };
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(values.size());
    const auto library = [&](std::span<std::uint32_t> keys) {
      for (std::size_t i = 0; i < keys.size(); ++i) pairs[i] = {keys[i], values[i]};
      std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t i = 0; i < keys.size(); ++i) std::tie(keys[i], values[i]) = pairs[i];
    };
    bench.report({"stable_sort_by_key",
                  "uint32",
                  "values of 4 bytes",
                  input.entries(),
                  16 * input.entries(),
                  0,
                  {{"own", input.time(own)}, {"library", input.time(library)}}});
  }
  if (bench.wants("stable_order")) {
    const auto own = [](std::span<std::uint32_t> keys) { keep(kernels::stable_order(std::span<const std::uint32_t>(keys))); };
    std::vector<std::int32_t> order(values.size());
    const auto library = [&](std::span<std::uint32_t> keys) {
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
      });
    };
    bench.report({"stable_order",
                  "uint32",
                  "",
                  input.entries(),
                  8 * input.entries(),
                  0,
                  {{"own", input.time(own)}, {"library", input.time(library)}}});
  }
}

/// Sorts of lists by their own memory.
void measure_lists(const Bench& bench, std::int64_t n) {
  using List = std::vector<std::uint64_t>;
  const auto x = random<std::uint64_t>(bench.stream(), 1, n);
  List list;
  const auto refill = [&] { list.assign(x.all().begin(), x.all().begin() + n); };
  const auto entries = static_cast<double>(n);
  const auto library = [&](int) { std::sort(list.begin(), list.end()); };
  if (bench.wants("bucket_sort")) {
    const auto own = [&](int) { kernels::bucket_sort(list, std::identity{}, std::less<>{}); };
    bench.report_both({"bucket_sort", "uint64", "", entries, 16 * entries, 0}, 1, own, library, refill);
  }
  if (bench.wants("sort_unique")) {
    const auto own = [&](int) { kernels::sort_unique(list); };
    const auto unique = [&](int k) {
      library(k);
      list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    bench.report_both({"sort_unique", "uint64", "", entries, 16 * entries, 0}, 1, own, unique, refill);
  }
  if (bench.wants("bitonic_sort")) {
    const auto count = static_cast<std::ptrdiff_t>(std::min<std::int64_t>(n, 1 << 16));
    const auto own = [&](int) { kernels::bitonic_sort(std::span(list).first(static_cast<std::size_t>(count)), std::less<>{}); };
    const auto sort = [&](int) { std::sort(list.begin(), list.begin() + count); };
    bench.report_both({"bitonic_sort", "uint64", "", static_cast<double>(count), 16.0 * static_cast<double>(count), 0}, 1, own,
                      sort, refill);
  }
}

void measure_segmented(const Bench& bench, std::int64_t n, std::int64_t length) {
  const Keys<std::uint32_t> input(bench, n);
  const auto all = offsets_of(bench.stream(), 1, n, length);
  const std::span<const std::int64_t> offsets = all.in(0);
  const std::string segments = segments_of(n, length);
  if (bench.wants("segmented_sort")) {
    const auto own = [&](std::span<std::uint32_t> keys) { kernels::segmented_sort(keys, offsets); };
    const auto library = [&](std::span<std::uint32_t> keys) {
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) std::sort(keys.data() + offsets[s], keys.data() + offsets[s + 1]);
    };
    bench.report({"segmented_sort",
                  "uint32",
                  segments,
                  input.entries(),
                  8 * input.entries(),
                  0,
                  {{"own", input.time(own)}, {"library", input.time(library)}}});
  }
  if (bench.wants("segmented_stable_sort_by_key")) {
    std::vector<std::uint32_t> values(static_cast<std::size_t>(n));
    const auto own = [&](std::span<std::uint32_t> keys) {
      kernels::segmented_stable_sort_by_key(keys, std::span(values), offsets);
    };
    bench.report({"segmented_stable_sort_by_key",
                  "uint32",
                  segments,
                  input.entries(),
                  16 * input.entries(),
                  0,
                  {{"own", input.time(own)}}});
  }
}

}  // namespace

void measure_sorts(const Bench& bench, std::int64_t n) {
  if (bench.wants("sort")) {
    measure_sort<std::uint32_t>(bench, "uint32", n);
    measure_sort<double>(bench, "double", n);
  }
  if (bench.wants("stable_sort_by_key") || bench.wants("stable_order")) measure_pairs(bench, n);
  if (bench.wants("bucket_sort") || bench.wants("sort_unique") || bench.wants("bitonic_sort")) measure_lists(bench, n);
}

void measure_segmented_sorts(const Bench& bench, std::int64_t n) {
  if (!bench.wants("segmented_sort") && !bench.wants("segmented_stable_sort_by_key")) return;
  for (const std::int64_t length : {std::int64_t{30}, std::int64_t{1000}}) measure_segmented(bench, n, length);
}

}  // namespace bench
