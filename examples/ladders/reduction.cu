// The sum of 32-bit integers, from one atomic addition per entry to the library's sum in a fixed order. Each step is a file in
// reduction/, which states what changes and the predicted rate; docs/guide/kernel_ladders.md has the measured ones.
//
//   ladder_reduction_gpu [--quick]
#include "weft/kernels/primitives/library.cuh"
#include "weft/kernels/primitives/reduce.cuh"

#include "reduction/1_atomic.cuh"
#include "reduction/2_divergent_tree.cuh"
#include "reduction/3_contiguous_threads.cuh"
#include "reduction/4_warp_shuffle.cuh"
#include "reduction/5_resident_blocks.cuh"
#include "reduction/6_wide_loads.cuh"

namespace {

using namespace ladder;
using In = std::span<const std::uint32_t>;

constexpr SumStep kOwn{"7 weft::kernels::sum, in a fixed order", 1.03, [](weft::Stream& stream, In in, std::uint32_t* result) {
                         weft::kernels::sum<weft::kernels::Provider::own>(weft::space::cuda{}, stream, in, result);
                       }};
constexpr SumStep kCub{"library: cub::DeviceReduce", 0, [](weft::Stream& stream, In in, std::uint32_t* result) {
                         weft::kernels::sum<weft::kernels::Provider::library>(weft::space::cuda{}, stream, in, result);
                       }};
constexpr SumStep kSteps[] = {kAtomicSum, kDivergentSum, kContiguousSum, kShuffleSum, kResidentSum, kWideSum, kOwn, kCub};

constexpr std::int64_t kLarge = 1 << 26;  ///< entries to which the predictions apply

/// All bits are random: sums modulo 2^32 are exact in any order.
constexpr Random<std::uint32_t> kRandom{1, std::uint64_t{1} << 32, 0};

/// Compares all steps with the host on n entries that begin `skipped` entries after an aligned address.
bool are_right(weft::Stream& stream, std::int64_t n, std::int64_t skipped) {
  const auto all = on_gpu(stream, kRandom, skipped + n);
  std::vector<std::uint32_t> expected(1);
  for (std::int64_t i = skipped; i < skipped + n; ++i) expected[0] += kRandom(i);
  const weft::DeviceVector<std::uint32_t> result(stream, 1);
  bool right = true;
  for (const SumStep& step : kSteps) {
    poison(stream, result);
    step.run(stream, In(all.span()).subspan(static_cast<std::size_t>(skipped)), result.data());
    right = is_same(step.name, std::to_string(n) + " entries", to_host(stream, result), expected) && right;
  }
  return right;
}

void measure_all(weft::Stream& stream, std::int64_t n) {
  const Inputs<std::uint32_t> inputs(stream, kRandom, n);
  const weft::DeviceVector<std::uint32_t> copied(stream, static_cast<std::size_t>(n)), result(stream, 1);
  const double bytes = 4 * static_cast<double>(n);
  const Timing copy = measure_copy(stream, inputs, copied.data());
  const Table table{"GB/s", 1e-9, n == kLarge, 2 * bytes / copy.median};
  table.header("Sum of " + std::to_string(n) + " uint32; bytes read, share of the rate of a copy");
  table.line("copy, bytes read and written", copy, 2 * bytes, 0);
  for (const SumStep& step : kSteps) {
    const Timing time = measure(stream, [&](int run) { step.run(stream, inputs[run], result.data()); });
    table.line(step.name, time, bytes, step.predicted);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = start(argc, argv);
  if (options.exit_code >= 0) return options.exit_code;
  const std::int64_t large = options.quick ? 1'000'000 : kLarge;
  weft::Stream stream;
  bool right = true;
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{31}, std::int64_t{257}, std::int64_t{1'000'003}, large}) {
    for (const std::int64_t skipped : {0, 1, 3}) right = are_right(stream, n, skipped) && right;
  }
  measure_all(stream, large);
  std::printf("%s\n", right ? "all steps have the sums of the host" : "WRONG sums");
  return right ? 0 : 1;
}
