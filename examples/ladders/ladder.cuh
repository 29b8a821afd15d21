#pragma once
/// Parts shared by the ladders: random data, times of the GPU, tables, and comparison with results of the host.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "weft/base/mix.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/device.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/info.hpp"
#include "weft/device/parallel_for.cuh"

namespace ladder {

constexpr int kSkipped = 77;  ///< exit code that ctest counts as a skipped test
constexpr int kRuns = 20;     ///< measured runs of a step

/// A step of a ladder: what it is called, the rate that its file predicts relative to the reference of the ladder (a copy, or
/// cuBLAS), and the function that enqueues it.
template <class... Arguments>
struct Step {
  const char* name;
  double predicted;
  void (*run)(weft::Stream& stream, Arguments... arguments);
};

/// Random integers lowest .. lowest + range - 1 as numbers of type T: entry i of an array, on the host and on the GPU. Sums and
/// products of integers are exact in any order as long as T can represent them, so that results can be compared bit by bit.
template <class T>
struct Random {
  std::uint64_t seed, range;
  std::int64_t lowest;
  WEFT_HD T operator()(std::int64_t i) const {
    return static_cast<T>(lowest + static_cast<std::int64_t>(weft::hash_with(seed, static_cast<std::uint64_t>(i)) % range));
  }
};

template <class T>
struct Fill {
  Random<T> random;
  T* to;
  WEFT_HD void operator()(std::int64_t i) const { to[i] = random(i); }
};

/// Returns n entries in the memory of the GPU.
template <class T>
weft::DeviceVector<T> on_gpu(weft::Stream& stream, const Random<T>& random, std::int64_t n) {
  weft::DeviceVector<T> result(stream, static_cast<std::size_t>(n));
  weft::parallel_for(weft::space::cuda{}, stream, n, Fill<T>{random, result.data()});
  return result;
}

/// Returns the same entries in the memory of the host.
template <class T>
std::vector<T> on_host(const Random<T>& random, std::int64_t n) {
  std::vector<T> result(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) result[static_cast<std::size_t>(i)] = random(i);
  return result;
}

/// Inputs of consecutive runs: at least two arrays of n entries with different seeds, together 256 MB or more, so that a run
/// finds none of its input in the L2 cache (50 MB on an H100 or H200).
template <class T>
class Inputs {
 public:
  Inputs(weft::Stream& stream, const Random<T>& random, std::int64_t n) {
    constexpr std::int64_t kBytes = 256'000'000;
    const std::int64_t bytes = n * static_cast<std::int64_t>(sizeof(T)), count = std::max<std::int64_t>(2, kBytes / bytes + 1);
    for (std::int64_t i = 0; i < count; ++i) {
      arrays_.push_back(on_gpu(stream, Random<T>{random.seed + static_cast<std::uint64_t>(i), random.range, random.lowest}, n));
    }
  }
  /// Returns the input of a run; that of run 0 has the seed of the constructor.
  std::span<const T> operator[](int run) const { return arrays_[static_cast<std::size_t>(run) % arrays_.size()].span(); }

 private:
  std::vector<weft::DeviceVector<T>> arrays_;
};

/// Seconds of the runs of a step.
struct Timing {
  double median = 0, least = 0, most = 0;
};

/// Measures work(run) for kRuns runs by events of the stream, after two that are not measured. All runs are enqueued before the
/// first time is read, so that the GPU does not wait for the host between the events of a run.
template <class Work>
Timing measure(weft::Stream& stream, const Work& work) {
  for (int run = 0; run < 2; ++run) work(run);
  std::vector<weft::Event> begins, ends;
  for (int run = 2; run < 2 + kRuns; ++run) {
    begins.push_back(stream.record_timed());
    work(run);
    ends.push_back(stream.record_timed());
  }
  std::vector<double> seconds;
  for (std::size_t run = 0; run < ends.size(); ++run) seconds.push_back(ends[run].seconds_since(begins[run]));
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds.front(), seconds.back()};
}

/// Measures a copy of one of the inputs, the reference of ladders that are limited by memory.
template <class T>
Timing measure_copy(weft::Stream& stream, const Inputs<T>& inputs, T* to) {
  return measure(stream, [&](int run) { weft::copy_bytes(stream, to, inputs[run].data(), inputs[run].size_bytes()); });
}

/// Prints a line per step. Rates are in units of 1 / scale per second, for example scale = 1e-9 and "GB/s".
struct Table {
  const char* unit;
  double scale;
  bool predicts;    ///< the size is that of the predictions
  double rate = 0;  ///< rate of the reference, per second; 0: there is none

  void header(const std::string& title) const {
    std::printf("\n%s\n%-52s %11s %23s %9s %9s %9s\n", title.c_str(), "step", "median, us", "least .. most", unit, "share",
                "predicted");
  }
  /// @param amount  bytes or operations of a run.  @param predicted  rate relative to the reference; 0: no prediction.
  void line(const char* name, const Timing& time, double amount, double predicted) const {
    std::printf("%-52s %11.1f %10.1f .. %9.1f %9.1f", name, 1e6 * time.median, 1e6 * time.least, 1e6 * time.most,
                scale * amount / time.median);
    if (rate > 0) std::printf(" %7.1f %%", 100 * amount / time.median / rate);
    if (predicts && predicted > 0) std::printf(" %7.1f %%", 100 * predicted);
    std::printf("%s\n", rate > 0 ? "" : " (no reference)");
  }
};

/// Returns true if the result has the bytes of the host's; prints the first entry that differs otherwise.
template <class T>
bool is_same(const char* step, const std::string& size, const std::vector<T>& found, const std::vector<T>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&found[i], &expected[i], sizeof(T)) == 0) continue;
    std::printf("WRONG: %s, %s: entry %zu is %.17g, on the host %.17g\n", step, size.c_str(), i, static_cast<double>(found[i]),
                static_cast<double>(expected[i]));
    return false;
  }
  return true;
}

/// Copies a result to the host.
template <class T>
std::vector<T> to_host(weft::Stream& stream, const weft::DeviceVector<T>& result) {
  std::vector<T> values(result.size());
  result.get(0, values, weft::after(stream));
  return values;
}

/// Sets all bytes of a result, so that entries that a step does not write differ from the host's. Floating-point entries are NaN.
template <class T>
void poison(weft::Stream& stream, const weft::DeviceVector<T>& result) {
  weft::set_bytes(stream, result.data(), 0xff, result.bytes());
}

/// The command line: nothing, or `--quick` for small sizes.
struct Options {
  bool quick = false;
  int exit_code = -1;  ///< exit code with which the program must end at once; otherwise -1
};

/// Reads the command line and prints the name of the GPU, or the reason why the program ends: a wrong argument or no GPU.
inline Options start(int argc, char** argv) {
  const bool quick = argc == 2 && std::strcmp(argv[1], "--quick") == 0;
  if (argc > 1 && !quick) {
    std::printf("unknown arguments; usage: %s [--quick]\n", argv[0]);
    return {false, 2};
  }
  if (weft::device_count() == 0) {
    std::printf("skipped: %s\n", weft::cuda_unavailable_reason().c_str());
    return {quick, kSkipped};
  }
  const weft::CudaInfo info = weft::cuda_info();
  std::printf("%s, CUDA %s, medians of %d runs\n", info.devices[0].name.c_str(), info.runtime.c_str(), kRuns);
  return {quick, -1};
}

}  // namespace ladder
