#pragma once
/// Rows of the exchange benchmarks: a ring of ranks.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "weft/array/ghost_plan.hpp"

namespace bench {

inline constexpr int kWidth = 5;  ///< doubles per row

/// Returns the requests of a rank: `rows` rows of each neighbour, of the 4 * rows that each owns.
inline weft::GhostPlan ring_plan(const weft::Communicator& comm, const std::string& pattern, int rows) {
  std::vector<std::int64_t> local(static_cast<std::size_t>(4 * rows));
  for (std::size_t i = 0; i < local.size(); ++i) local[i] = static_cast<std::int64_t>(i);
  if (pattern == "strided") {
    for (std::size_t i = 0; i < local.size() / 4; ++i) local[i] = static_cast<std::int64_t>(4 * i);
  } else if (pattern == "random") {
    std::shuffle(local.begin(), local.end(), std::mt19937(7));
  }
  local.resize(static_cast<std::size_t>(rows));
  std::vector<weft::GlobalRow> requests;
  const int ranks = comm.size(), rank = comm.rank().value();
  for (const int neighbour : {(rank + 1) % ranks, (rank + ranks - 1) % ranks}) {
    for (const std::int64_t i : local) requests.emplace_back(std::int64_t{4} * rows * neighbour + i);
  }
  return weft::GhostPlan::build(comm, 4 * rows, requests);
}

}  // namespace bench
