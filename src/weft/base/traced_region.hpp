#pragma once
/// Named regions of a program, for traces of its runs (recorder.hpp) and for Nsight Systems.
#include <atomic>
#include <cstdint>

namespace weft {

namespace detail {
/// Bits of the observers of regions and waits: a Recorder, a tool that reads NVTX ranges, a Watchdog (waits only).
inline constexpr int kRecorder = 1, kNvtx = 2, kWatchdog = 4;
inline constinit std::atomic<int> g_observers{0};
}  // namespace detail

/// A span of time on this thread with a name, from its construction to its destruction. Regions of a thread are nested.
///
///     void write_fields() {
///       const TracedRegion region("write fields");
///       ...
///     }
///
/// With a CUDA toolkit a region is an NVTX range as well, if the program runs under a tool that reads them.
/// @cost a load and two branches where nothing observes regions; two readings of the clock, about 0.1 us, where a trace is
/// recorded.
class TracedRegion {
 public:
  /// @param name  a string literal, or Recorder::name().
  explicit TracedRegion(const char* name) noexcept {
    if ((detail::g_observers.load(std::memory_order_relaxed) & (detail::kRecorder | detail::kNvtx)) != 0) [[unlikely]]
      begin(name);
  }
  ~TracedRegion() {
    if (name_ != nullptr) [[unlikely]]
      end();
  }
  TracedRegion(const TracedRegion&) = delete;
  TracedRegion& operator=(const TracedRegion&) = delete;

  /// Ends the region, and begins the one that follows it.
  void next(const char* name) noexcept {
    if (name_ == nullptr) [[likely]]
      return;
    end();
    begin(name);
  }

 private:
  void begin(const char* name) noexcept;
  void end() noexcept;

  const char* name_ = nullptr;  ///< null: not observed
  std::int64_t begin_ = 0;      ///< ns of the steady clock
};

}  // namespace weft
