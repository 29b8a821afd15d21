#include "weft/comm/clock_offset.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace weft {
namespace {

constexpr int kRounds = 16;

/// Returns the other rank's clock minus this one's. Called by both ranks.
std::int64_t measure_with(const Communicator& comm, Rank other, const Nanoseconds& clock) {
  std::int64_t low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  std::int64_t sent = 0, received = 0;
  for (int round = 0; round <= kRounds; ++round) {
    const std::int64_t sent_before = std::exchange(sent, clock());
    const std::vector<std::vector<std::int64_t>> to{{sent, received}};
    const auto from = comm.exchange(std::span<const Rank>(&other, 1), to);
    received = clock();
    const std::int64_t sent_there = from[0][0], received_there = from[0][1];  // the latter in the round before
    low = std::max(low, sent_there - received);
    if (round > 0) high = std::min(high, received_there - sent_before);
  }
  return low + (high - low) / 2;
}

}  // namespace

std::int64_t measure_clock_offset(const Communicator& comm, const Nanoseconds& clock) {
  if (!comm.is_root()) return -measure_with(comm, Rank(0), clock);
  for (int other = 1; other < comm.size(); ++other) (void)measure_with(comm, Rank(other), clock);
  return 0;
}

std::int64_t clock_offset(const Communicator& comm) {
  const Communicator machine = comm.split_shared_memory();
  const Communicator roots = comm.split(machine.is_root() ? 0 : 1);
  const auto now = [] { return std::chrono::steady_clock::now().time_since_epoch().count(); };
  return machine.broadcast(machine.is_root() ? measure_clock_offset(roots, now) : 0);
}

}  // namespace weft
