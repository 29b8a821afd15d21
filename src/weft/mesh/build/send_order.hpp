#pragma once
/// Items of a rank in the order of the ranks to which they are sent.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/id.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/kernels/primitives/distribute.hpp"

namespace weft::mesh::detail {

/// The items 0 ... n - 1 of this rank, sorted stably by the rank to which they are sent.
///
/// Example: items for the ranks 3, 0 and 3 give ranks = {0, 3}, item = {1, 0, 2} and first = {0, 1, 3}.
struct SendOrder {
  std::vector<Rank> ranks;         ///< ranks that receive any item, ascending
  std::vector<std::size_t> first;  ///< the items for ranks[d] are item[first[d]] ... item[first[d + 1] - 1]
  TeamVector<std::int32_t> item;
};

/// Returns the order in which items are sent. @param rank_of  returns the rank to which an item is sent.
/// @pre 0 <= items < 2^31. @cost three calls of rank_of() for each item; memory grows with the number of ranks that receive any.
template <class RankOf>
[[nodiscard]] SendOrder send_order(std::int64_t items, const RankOf& rank_of, Team& team) {
  WEFT_EXPECTS(0 <= items && items <= std::numeric_limits<std::int32_t>::max());
  std::vector<std::vector<Rank>> of_share(static_cast<std::size_t>(shares_of(team, items)));
  for_shares(team, items, [&](LoopShare share) {
    std::unordered_set<Rank> known;
    std::vector<Rank> ranks;
    Rank last = Rank::invalid();
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      const Rank rank = rank_of(i);
      if (rank != last && known.insert(rank).second) ranks.push_back(rank);
      last = rank;
    }
    of_share[static_cast<std::size_t>(share.number)] = std::move(ranks);
  });
  SendOrder order;
  for (const std::vector<Rank>& ranks : of_share) order.ranks.insert(order.ranks.end(), ranks.begin(), ranks.end());
  std::sort(order.ranks.begin(), order.ranks.end());
  order.ranks.erase(std::unique(order.ranks.begin(), order.ranks.end()), order.ranks.end());
  order.item = list_of_size<std::int32_t>(team, static_cast<std::size_t>(items));
  const auto destination_of = [&](std::int64_t i) {
    return std::lower_bound(order.ranks.begin(), order.ranks.end(), rank_of(i)) - order.ranks.begin();
  };
  const auto store = [&](std::int64_t i, std::size_t position) { order.item[position] = static_cast<std::int32_t>(i); };
  order.first = kernels::distribute(items, order.ranks.size(), destination_of, store, team);
  return order;
}

/// Sends values[first[d]] ... values[first[d + 1] - 1] to ranks[d], and stores what this rank receives, in the order of the
/// sending ranks, in `received`. Returns how many values came from each rank. @collective
/// @tparam List  std::vector or TeamVector.
template <class List>
std::vector<RankCount> send_in_order(const Communicator& comm, const std::vector<Rank>& ranks, std::span<const std::size_t> first,
                                     const List& values, List& received, Team& team) {
  using T = typename List::value_type;
  std::vector<RankSpan<T>> to;
  to.reserve(ranks.size());
  for (std::size_t d = 0; d < ranks.size(); ++d) {
    to.push_back({ranks[d], std::span<const T>(values).subspan(first[d], first[d + 1] - first[d])});
  }
  return comm.all_to_all_joined(to, [&](std::size_t n) {
    resize_by_team(team, received, n);
    return received.data();
  });
}

}  // namespace weft::mesh::detail
