#pragma once
// Measurement of the primitives and the kernels for linear algebra of the kernels module, on a GPU or on the host.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/device/stream.hpp"

#include "gpu_timing.hpp"

namespace bench {

/// One line of the result.
struct KernelRow {
  std::string kernel, type, input;
  double entries = 0;
  double bytes = 0;       ///< minimum traffic: one read of every input, one write of every output; radix sorts: of every pass
  double operations = 0;  ///< on values; 0: not counted
  std::vector<std::pair<std::string, Times>> times = {};  ///< by candidate: "own", "library", "384 x 24"
};

/// Choice of kernels, and the number of runs.
struct Settings {
  std::vector<std::string> only;  ///< names of kernels; empty: all
  int runs = kRuns;
  bool tiles = false;  ///< measures other tile sizes, too
};

/// The stream and the settings of a run of the program. On the host the stream is a host stream.
class Bench {
 public:
  Bench(weft::Stream& stream, std::int64_t cache_bytes, Settings settings)
      : stream_(stream), cache_bytes_(cache_bytes), settings_(std::move(settings)) {}

  [[nodiscard]] weft::Stream& stream() const { return stream_; }
  [[nodiscard]] bool tiles() const { return settings_.tiles; }
  [[nodiscard]] int runs() const { return settings_.runs; }
  [[nodiscard]] bool wants(std::string_view kernel) const {
    return settings_.only.empty() || std::find(settings_.only.begin(), settings_.only.end(), kernel) != settings_.only.end();
  }

  /// Returns the number of copies of arrays of `bytes` bytes in total of which runs use one after the other, so that no run
  /// finds its input in the cache: one copy of at least four times the cache, or as many copies. On the host, whose cache may be
  /// large, at most one for each run.
  [[nodiscard]] int copies(std::int64_t bytes) const {
    const std::int64_t beyond = std::max<std::int64_t>(1, (4 * cache_bytes_ + bytes - 1) / bytes);
    return static_cast<int>(stream_.is_host() ? std::min<std::int64_t>(beyond, settings_.runs + 1) : beyond);
  }

  /// Returns the times of `work`, which gets the index of the copy to use.
  template <class F>
  [[nodiscard]] Times time(int copies, const F& work) const {
    return measured_times(
        stream_, settings_.runs, [&](int call) { work(call % copies); }, [](int) {});
  }
  /// As time() for work that changes its input: `refill` restores all copies before the first of them is used again.
  template <class F, class Refill>
  [[nodiscard]] Times time(int copies, const F& work, const Refill& refill) const {
    return measured_times(
        stream_, settings_.runs, [&](int call) { work(call % copies); },
        [&](int call) {
          if (call % copies == 0) refill();
        });
  }

  /// Prints a row as one line of JSON.
  void report(const KernelRow& row) const;
  /// Measures the own kernel as time() does, and prints its row. `own` and `library` get the index of the copy to use.
  template <class Own>
  void report_own(KernelRow row, int copies, const Own& own) const {
    row.times = {{"own", time(copies, own)}};
    report(row);
  }
  /// Measures the own kernel, then that of the library, both as time() does, and prints their row.
  template <class Own, class Library, class... Refill>
  void report_both(KernelRow row, int copies, const Own& own, const Library& library, const Refill&... refill) const {
    row.times = {{"own", time(copies, own, refill...)}, {"library", time(copies, library, refill...)}};
    report(row);
  }

 private:
  weft::Stream& stream_;
  std::int64_t cache_bytes_;
  Settings settings_;
};

/// Measures a copy of `bytes` bytes in the memory of the GPU or the host; its traffic is twice as much.
Times measure_copy(const Bench& bench, std::int64_t bytes);

// Each function measures its kernels on about n entries and reports their rows.
void measure_sums(const Bench& bench, std::int64_t n);
void measure_scans(const Bench& bench, std::int64_t n);
void measure_sorts(const Bench& bench, std::int64_t n);
void measure_segmented_sorts(const Bench& bench, std::int64_t n);
void measure_selections(const Bench& bench, std::int64_t n);
void measure_moves(const Bench& bench, std::int64_t n);
void measure_stencils(const Bench& bench, std::int64_t n);
void measure_products(const Bench& bench, std::int64_t n);  ///< block-sparse matrices
void measure_batches(const Bench& bench, std::int64_t n);   ///< LU factors and products of small matrices

}  // namespace bench
