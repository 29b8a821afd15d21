#pragma once
/// Plans, and arrays with known values, for the tests of exchanges.
#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/base/vec3.hpp"

namespace weft::test {

enum class Pattern { contiguous, strided, random, empty, one_way, few_rows };
inline constexpr Pattern kPatterns[] = {Pattern::contiguous, Pattern::strided, Pattern::random,
                                        Pattern::empty,      Pattern::one_way, Pattern::few_rows};

/// Requests of each rank in irregular order. Rank 1 owns no rows if there are few.
inline GhostPlan make_plan(const Communicator& comm, Pattern pattern) {
  const int ranks = comm.size(), rank = comm.rank().value();
  const std::int32_t owned = pattern == Pattern::few_rows ? (rank == 0 ? 2 : 0) : 12;
  const auto global = [&](int r, int i) { return GlobalRow(pattern == Pattern::few_rows ? i : 12 * r + i); };
  std::vector<GlobalRow> requests;
  for (int r = ranks - 1; r >= 0; --r) {
    switch (pattern) {
      case Pattern::contiguous:
        for (int i = 8; i >= 3; --i) requests.push_back(global(r, i));
        break;
      case Pattern::strided:
        for (int i = 0; i < 12; i += 4) requests.push_back(global(r, i));
        break;
      case Pattern::random:
        for (int i = 0; i < 9; ++i) requests.push_back(global(r, (5 * i * i + 7 * rank + i) % 12));
        break;
      case Pattern::empty:
        break;
      case Pattern::one_way:  // lower ranks only send, higher ranks only receive
        if (r < rank) requests.push_back(global(r, r % 12));
        break;
      case Pattern::few_rows:
        requests.push_back(global(0, 1));
        requests.push_back(global(0, 0));
        break;
    }
  }
  return GhostPlan::build(comm, owned, requests);
}

/// Value of entry k of global row g at a time.
template <class T>
T value(std::int64_t g, int k, int time = 0) {
  if constexpr (std::is_same_v<T, Vec3>) {
    return {static_cast<double>(g), static_cast<double>(k), static_cast<double>(time)};
  } else {
    return static_cast<T>((7 * g + 13 * k + 31 * time) % 101);
  }
}
inline int length(std::int64_t g) { return static_cast<int>(g % 4); }

template <class P>
inline constexpr bool kHasRowSizes = P::kKind == RowKind::static_max || P::kKind == RowKind::max;

template <class P>
void fill_owned(P& pair, int time = 0) {
  for (std::int32_t i = 0; i < pair.owned_rows(); ++i) {
    const std::int64_t g = pair.plan().global(LocalRow(i)).value();
    if constexpr (kHasRowSizes<P>) pair.resize_row(i, length(g));
    for (int k = 0; k < pair.row_size(i); ++k) pair(i, k) = value<typename P::value_type>(g, k, time);
  }
}
template <class P>
void expect_ghosts(const P& pair, int time = 0) {
  for (std::int32_t i = 0; i < pair.rows(); ++i) {
    const std::int64_t g = pair.plan().global(LocalRow(i)).value();
    if constexpr (kHasRowSizes<P>) {
      EXPECT_EQ(pair.row_size(i), length(g)) << "row " << i;
    }
    for (int k = 0; k < pair.row_size(i); ++k) {
      EXPECT_EQ(pair(i, k), value<typename P::value_type>(g, k, time)) << "row " << i << ", entry " << k;
    }
  }
}

template <class P>
P make_pair(const GhostPlan& plan, Layout layout) {
  if constexpr (std::is_constructible_v<P, GhostPlan, Layout>) {
    return P(plan, layout);
  } else {
    return P(plan, 3, layout);
  }
}

}  // namespace weft::test
