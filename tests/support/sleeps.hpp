#pragma once
// Counts sleeps, where time is no proof because other processes use the cores.

namespace weft::test {

/// Returns how often the calling thread has called nanosleep(), as std::this_thread::sleep_for() and BackOff do.
[[nodiscard]] int sleeps();

}  // namespace weft::test
