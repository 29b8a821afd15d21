#pragma once
/// Stable counting sort by all threads.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/base/team_loops.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

/// Sorts the indices 0 ... n - 1 stably by a part of each: calls store(i, position) once for each index i, where position is its
/// place in the sorted list, and returns the places at which the parts begin, and n. The places do not depend on the number of
/// threads. Example: the parts {1, 0, 1, 0} of two give the positions {2, 0, 3, 1} and return {0, 2, 4}.
/// @param part_of  part_of(i), 0 ... parts - 1, is called twice for each index, each thread in ascending order of the indices of
///   its share.
/// @pre n >= 0. @cost O(n + parts * threads); 8 bytes for each part and thread, so that parts must be much fewer than indices
///   where there are many threads.
template <class PartOf, class Store>
std::vector<std::size_t> distribute(std::int64_t n, std::size_t parts, const PartOf& part_of, const Store& store,
                                    Team& team = calling_thread()) {
  const auto shares = static_cast<std::size_t>(shares_of(team, n));
  // next[part * shares + s] is the position of the next index of share s in the part.
  std::vector<std::size_t> next(parts * shares, 0);
  for_shares(team, n, [&](LoopShare share) {
    std::vector<std::size_t> count(parts, 0);
    for (std::int64_t i = share.begin; i < share.end; ++i) ++count[static_cast<std::size_t>(part_of(i))];
    for (std::size_t p = 0; p < parts; ++p) next[p * shares + static_cast<std::size_t>(share.number)] = count[p];
  });
  offsets_from_counts(next);
  std::vector<std::size_t> first(parts + 1, static_cast<std::size_t>(n));
  for (std::size_t p = 0; p < parts; ++p) first[p] = next[p * shares];
  for_shares(team, n, [&](LoopShare share) {
    std::vector<std::size_t> at(parts);
    for (std::size_t p = 0; p < parts; ++p) at[p] = next[p * shares + static_cast<std::size_t>(share.number)];
    for (std::int64_t i = share.begin; i < share.end; ++i) store(i, at[static_cast<std::size_t>(part_of(i))]++);
  });
  return first;
}

}  // namespace weft::kernels
