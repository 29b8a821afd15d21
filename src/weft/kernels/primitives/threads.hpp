#pragma once
/// Threads of the host versions of primitives.
///
/// A host version takes a Team as its last argument. Without one it runs on the calling thread. Results do not depend on the
/// size of the team. Functions that are passed to a primitive must not throw, because an exception cannot leave its thread.
#include <algorithm>
#include <cstdint>

#include "weft/base/team.hpp"

namespace weft::kernels {

/// Returns the team that consists of the calling thread alone.
[[nodiscard]] inline Team& calling_thread() {
  thread_local Team alone;
  return alone;
}

namespace detail {

/// Calls job(begin, end) on each thread of the team with one contiguous range of 0 .. n-1, or on the calling thread alone with
/// the whole range if n < smallest.
template <class Job>
void split(Team& team, std::int64_t n, std::int64_t smallest, const Job& job) {
  if (team.size() == 1 || n < smallest) return job(std::int64_t{0}, n);
  const std::int64_t share = n / team.size(), rest = n % team.size();  // n * thread could overflow
  const auto begin = [&](std::int64_t thread) { return share * thread + std::min(rest, thread); };
  team.run([&](int thread) noexcept { job(begin(thread), begin(thread + 1)); });
}

}  // namespace detail

}  // namespace weft::kernels
