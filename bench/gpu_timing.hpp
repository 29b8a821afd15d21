#pragma once
// Time measurement of kernel benchmarks, medians of 20 runs and their range, and the GPU that they ran on.
#include <algorithm>
#include <cstdio>
#include <utility>
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

/// Median and range of the times of several runs, in seconds.
struct Times {
  double median = 0, least = 0, largest = 0;
};

inline Times times_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {.median = seconds[seconds.size() / 2], .least = seconds.front(), .largest = seconds.back()};
}

/// Returns the times of `runs` calls of `work`, which enqueues in `stream`, after an unmeasured one: by the clock of the GPU, or
/// of the host for a host stream. `prepare` precedes each call and is not measured. Both get the index of the call, from 0 for
/// the unmeasured one.
template <class F, class Prepare>
Times measured_times(weft::Stream& stream, int runs, const F& work, const Prepare& prepare) {
  prepare(0);
  work(0);
  std::vector<double> seconds;
  for (int call = 1; call <= runs; ++call) {
    prepare(call);
    if (stream.is_host()) {
      const weft::Stopwatch watch;
      work(call);
      seconds.push_back(watch.seconds());
    } else {
      const weft::Event begin = stream.record_timed();
      work(call);
      seconds.push_back(stream.record_timed().seconds_since(begin));
    }
  }
  return times_of(std::move(seconds));
}

/// Returns the median time of kRuns calls of `work`, as measured_times().
template <class F, class Prepare>
double median_seconds(weft::Stream& stream, const F& work, const Prepare& prepare) {
  return measured_times(
             stream, kRuns, [&](int) { work(); }, [&](int) { prepare(); })
      .median;
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
  return times_of(std::move(seconds)).median;
}

}  // namespace bench
