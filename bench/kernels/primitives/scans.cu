// Scans, of whole arrays and of segments.
#include <cub/device/device_scan.cuh>

#include <type_traits>

#include "weft/kernels/primitives/library.cuh"
#include "weft/kernels/primitives/ordered_scan.cuh"
#include "weft/kernels/primitives/scan.cuh"

#include "inputs.cuh"

namespace bench {
namespace {

using namespace weft;

template <bool kInclusive, class In, class Out>
void measure_scan(const Bench& bench, const std::string& types, const std::string& note, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(n * static_cast<std::int64_t>(sizeof(In) + sizeof(Out)));
  const auto x = random<In>(stream, copies, n, 1000);
  const Copies<Out> out(stream, copies, n);
  const auto library = [&](int k) {
    using Cub = kernels::detail::Implementation<kernels::Primitive::scan, Provider::library>;
    Cub::run<kInclusive>(stream, x.in(k), out[k]);
  };
  const auto own = [&](int k) {
    if constexpr (kInclusive && std::is_integral_v<Out>) {
      kernels::inclusive_scan<Provider::own>(kGpu, stream, x.in(k), out[k]);
    } else if constexpr (kInclusive) {
      kernels::inclusive_scan(kGpu, stream, x.in(k), out[k]);
    } else if constexpr (std::is_integral_v<Out>) {
      kernels::exclusive_scan<Provider::own>(kGpu, stream, x.in(k), out[k]);
    } else {
      kernels::exclusive_scan(kGpu, stream, x.in(k), out[k]);
    }
  };
  bench.report_both({kInclusive ? "inclusive_scan" : "exclusive_scan", types, note, static_cast<double>(n),
                     static_cast<double>(n) * (sizeof(In) + sizeof(Out)), static_cast<double>(n)},
                    copies, own, library);
}

void measure_segmented_scan(const Bench& bench, std::int64_t n) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(17 * n);
  const auto x = random<double>(stream, copies, n, 1000);
  const auto heads = random<std::uint8_t>(stream, copies, n, 2);
  const Copies<double> out(stream, copies, n);
  const auto entries = static_cast<double>(n);
  if (bench.wants("segmented_inclusive_scan")) {
    const auto own = [&](int k) {
      kernels::segmented_inclusive_scan(kGpu, stream, x.in(k), heads.in(k), out[k], 0.0, kernels::Plus{});
    };
    bench.report_own({"segmented_inclusive_scan", "double", "", entries, 17 * entries, entries}, copies, own);
  }
  if (!bench.wants("segmented_exclusive_scan")) return;
  const auto own = [&](int k) {
    kernels::segmented_exclusive_scan(kGpu, stream, x.in(k), heads.in(k), out[k], 0.0, kernels::Plus{});
  };
  bench.report_own({"segmented_exclusive_scan", "double", "", entries, 17 * entries, entries}, copies, own);
}

/// The number of the segment of an entry, for CUB's scan by keys.
struct StoreSegment {
  std::uint32_t* segment;
  std::int64_t length;
  WEFT_HD void operator()(std::int64_t i) const { segment[i] = static_cast<std::uint32_t>(i / length); }
};

/// Compares a scan by offsets with CUB's scan by keys, which has other digits and reads a number for each entry instead.
void measure_scan_by_offsets(const Bench& bench, std::int64_t n, std::int64_t length) {
  Stream& stream = bench.stream();
  const int copies = bench.copies(16 * n);
  const auto x = random<double>(stream, copies, n, 1000);
  const Copies<double> out(stream, copies, n);
  const auto offsets = offsets_of(stream, copies, n, length);
  const Copies<std::uint32_t> segment(stream, copies, n);
  for (int k = 0; k < copies; ++k) parallel_for(kGpu, stream, n, StoreSegment{segment[k].data(), length});
  const auto library = [&](int k) {
    kernels::detail::with_memory(stream, "cub::DeviceScan::InclusiveScanByKey", [&](void* memory, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveScanByKey(memory, bytes, segment.in(k).data(), x.in(k).data(), out[k].data(),
                                                 kernels::Plus{}, n, cuda::std::equal_to<>{}, native(stream));
    });
  };
  const auto own = [&](int k) {
    kernels::segmented_inclusive_scan(kGpu, stream, x.in(k), offsets.in(k), out[k], 0.0, kernels::Plus{});
  };
  bench.report_both({"scan_by_offsets", "double", segments_of(n, length), static_cast<double>(n),
                     16.0 * static_cast<double>(n) + 8.0 * static_cast<double>(offsets[0].size()), static_cast<double>(n)},
                    copies, own, library);
}

}  // namespace

void measure_scans(const Bench& bench, std::int64_t n) {
  if (bench.wants("exclusive_scan")) {
    measure_scan<false, std::uint32_t, std::uint32_t>(bench, "uint32", "", n);
    measure_scan<false, std::int64_t, std::int64_t>(bench, "int64", "", n);
    measure_scan<false, std::int32_t, std::int64_t>(bench, "int32 to int64", "", n);
    measure_scan<false, float, float>(bench, "float", "library: other digits", n);
    measure_scan<false, double, double>(bench, "double", "library: other digits", n);
  }
  if (bench.wants("inclusive_scan")) {
    measure_scan<true, std::int64_t, std::int64_t>(bench, "int64", "", n);
    measure_scan<true, double, double>(bench, "double", "library: other digits", n);
  }
  if (bench.wants("segmented_inclusive_scan") || bench.wants("segmented_exclusive_scan")) measure_segmented_scan(bench, n);
  if (!bench.wants("scan_by_offsets")) return;
  for (const std::int64_t length : {std::int64_t{7}, std::int64_t{1000}, n}) measure_scan_by_offsets(bench, n, length);
}

}  // namespace bench
