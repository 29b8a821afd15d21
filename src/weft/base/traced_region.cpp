#include "weft/base/traced_region.hpp"

#include "weft/base/recorder.hpp"

#ifdef WEFT_HAS_NVTX
#include <nvtx3/nvToolsExt.h>

#include <cstdlib>
#endif

namespace weft {

namespace {

#ifdef WEFT_HAS_NVTX
/// Tools that read NVTX ranges announce their library in this variable before the program starts.
const bool g_tool_reads_ranges = [] {
  const bool reads = std::getenv("NVTX_INJECTION64_PATH") != nullptr;
  if (reads) detail::g_observers.fetch_or(detail::kNvtx);
  return reads;
}();

void push_range(const char* name) noexcept {
  if (g_tool_reads_ranges) nvtxRangePushA(name);
}
void pop_range() noexcept {
  if (g_tool_reads_ranges) nvtxRangePop();
}
#else
void push_range(const char* /*name*/) noexcept {}
void pop_range() noexcept {}
#endif

}  // namespace

void TracedRegion::begin(const char* name) noexcept {
  push_range(name);
  name_ = name;
  begin_ = Recorder::now();
}

void TracedRegion::end() noexcept {
  Recorder::add({.name = name_, .begin = begin_, .end = Recorder::now()});
  pop_range();
  name_ = nullptr;
}

RecordedSpan::RecordedSpan(const RecordedEvent& event) noexcept : event_(event) {
  push_range(event.name);
  event_.begin = Recorder::now();
}

RecordedSpan::~RecordedSpan() {
  event_.end = Recorder::now();
  Recorder::add(event_);
  pop_range();
}

bool RecordedSpan::observed() noexcept {
  return (detail::g_observers.load(std::memory_order_relaxed) & (detail::kRecorder | detail::kNvtx)) != 0;
}

}  // namespace weft
