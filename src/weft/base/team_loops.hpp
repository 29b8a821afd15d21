#pragma once
/// Loops of a team of threads over 0 ... n - 1 whose bodies may throw.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <vector>

#include "weft/base/team.hpp"

namespace weft {

/// A contiguous part of the indices of a loop.
struct LoopShare {
  std::int64_t begin = 0, end = 0;
  int number = 0;  ///< 0, 1, ... in the order of the indices
};

/// Least number of indices per thread where a loop is divided.
inline constexpr std::int64_t kLeastShare = 256;

/// Returns the number of shares into which for_shares() divides n indices: at most one per thread.
[[nodiscard]] inline int shares_of(const Team& team, std::int64_t n) {
  return static_cast<int>(std::clamp<std::int64_t>(n / kLeastShare, 1, team.size()));
}

/// Calls job(0), job(1), ..., job(calls - 1), each on a thread of its own, and waits for all calls. The first exception in this
/// order is thrown again on the calling thread.
/// @param calls  at least 1 and at most team.size().
/// @pre not called from within a job of the team.
template <class Job>
void on_threads(Team& team, int calls, const Job& job) {
  if (calls == 1) return job(0);
  std::vector<std::exception_ptr> errors(calls);
  team.run([&](int thread) noexcept {
    if (thread >= calls) return;
    try {
      job(thread);
    } catch (...) {
      errors[thread] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// Divides 0 ... n - 1 into shares_of(team, n) contiguous shares whose lengths differ by at most one, calls job(share) for each
/// of them on a thread of its own, and waits for all calls. The first exception in the order of shares is thrown again: a job
/// that passes through its share in ascending order and stops at an error reports the error with the lowest index, on any number
/// of threads.
/// @pre not called from within a job of the team.
template <class Job>
void for_shares(Team& team, std::int64_t n, const Job& job) {
  const int shares = shares_of(team, n);
  const auto begin = [&](std::int64_t share) { return n / shares * share + std::min(share, n % shares); };
  on_threads(team, shares, [&](int share) { job(LoopShare{begin(share), begin(share + 1), share}); });
}

/// Calls body(i) for each i of 0 ... n - 1, divided as by for_shares(), with its treatment of exceptions.
template <class Body>
void for_indices(Team& team, std::int64_t n, const Body& body) {
  for_shares(team, n, [&](LoopShare share) {
    for (std::int64_t i = share.begin; i < share.end; ++i) body(i);
  });
}

/// Replaces counts[0], counts[1], ... by the sums of those before each, and returns the sum of all. Used for the positions at
/// which the shares of a loop store their results.
template <class Integer>
Integer offsets_from_counts(std::vector<Integer>& counts) {
  Integer sum = 0;
  for (Integer& count : counts) {
    const Integer before = sum;
    sum += count;
    count = before;
  }
  return sum;
}

}  // namespace weft
