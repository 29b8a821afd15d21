#pragma once
// Time measurement of kernel benchmarks, medians of 20 runs, and the GPU that they ran on.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/device/device.hpp"
#include "weft/device/info.hpp"
#include "weft/device/stream.hpp"

namespace bench {

/// Prints the name of the GPU and the versions of CUDA; or why there is none, and returns false.
inline bool describe_gpu() {
  if (weft::device_count() == 0) {
    std::printf("nothing to measure: %s\n", weft::cuda_unavailable_reason().c_str());
    return false;
  }
  const weft::CudaInfo info = weft::cuda_info();
  std::printf("%s, CUDA %s, driver for CUDA %s\n", info.devices[0].name.c_str(), info.runtime.c_str(), info.driver.c_str());
  return true;
}

inline constexpr int kRuns = 20;

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Returns the median time in seconds of `work`, which enqueues in `stream`, after an unmeasured run: by the clock of the
/// GPU, or of the host for a host stream. `prepare` precedes each run and is not measured.
template <class F, class Prepare>
double median_seconds(weft::Stream& stream, const F& work, const Prepare& prepare) {
  prepare();
  work();
  std::vector<double> seconds;
  for (int run = 0; run < kRuns; ++run) {
    prepare();
    if (stream.is_host()) {
      const weft::Stopwatch watch;
      work();
      seconds.push_back(watch.seconds());
    } else {
      const weft::Event begin = stream.record_timed();
      work();
      seconds.push_back(stream.record_timed().seconds_since(begin));
    }
  }
  return median(seconds);
}

template <class F>
double median_seconds(weft::Stream& stream, const F& work) {
  return median_seconds(stream, work, [] {});
}

/// Returns the median time in seconds of the host for one of `times` calls, including the wait for `stream`.
template <class F>
double median_host_seconds(weft::Stream& stream, int times, const F& work) {
  work();
  stream.wait();
  std::vector<double> seconds;
  for (int run = 0; run < kRuns; ++run) {
    const weft::Stopwatch watch;
    for (int i = 0; i < times; ++i) work();
    stream.wait();
    seconds.push_back(watch.seconds() / times);
  }
  return median(seconds);
}

}  // namespace bench
