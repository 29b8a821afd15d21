#pragma once
/// Wall-clock time in seconds.
#include <chrono>

namespace weft {

/// Measures the time since its construction or last restart() on a monotonic clock.
class Stopwatch {
 public:
  /// Returns the elapsed time in seconds.
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  void restart() { start_ = std::chrono::steady_clock::now(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace weft
