#pragma once
/// Send lists and received lists for few of many ranks: memory and time grow with the number of ranks addressed, not with
/// size().
#include <algorithm>
#include <cstddef>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/comm/communicator.hpp"

namespace weft {

/// Collects send lists: `to[rank].push_back(value)`, then all_to_all(std::move(to).by_rank()).
template <Transferable T>
class RankLists {
 public:
  /// Returns the list of a rank, which is initially empty. A call for another rank invalidates the reference.
  /// @cost none if the rank is that of the preceding call, otherwise a lookup in a hash table.
  [[nodiscard]] std::vector<T>& operator[](Rank rank) {
    if (rank != rank_) {
      const auto [known, fresh] = place_.try_emplace(rank, lists_.size());
      if (fresh) lists_.push_back({rank, {}});
      at_ = known->second;
      rank_ = rank;
    }
    return lists_[at_].values;
  }
  // Iterate over the lists in the order in which their ranks were first used.
  [[nodiscard]] auto begin() { return lists_.begin(); }
  [[nodiscard]] auto end() { return lists_.end(); }
  /// Moves the lists out, sorted by rank as all_to_all() requires.
  [[nodiscard]] std::vector<RankValues<T>> by_rank() && {
    std::sort(lists_.begin(), lists_.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    return std::move(lists_);
  }

 private:
  std::vector<RankValues<T>> lists_;
  std::unordered_map<Rank, std::size_t> place_;  ///< index in lists_ by rank
  Rank rank_;                                    ///< rank of the preceding call
  std::size_t at_ = 0;
};

/// Reads received lists; each list is read sequentially.
template <Transferable T>
class RankReader {
 public:
  /// @param lists  sorted by rank.
  explicit RankReader(std::vector<RankValues<T>> lists) : lists_(std::move(lists)), next_(lists_.size(), 0) {}

  /// Returns the next `count` values of a rank. @pre its list has that many unread values.
  [[nodiscard]] std::span<const T> next(Rank rank, std::size_t count) {
    if (at_ == lists_.size() || lists_[at_].rank != rank) {
      const auto by = [](const RankValues<T>& list, Rank wanted) { return list.rank < wanted; };
      const auto found = std::lower_bound(lists_.begin(), lists_.end(), rank, by);
      if (count == 0 && (found == lists_.end() || found->rank != rank)) return {};
      WEFT_EXPECTS(found != lists_.end() && found->rank == rank);
      at_ = found - lists_.begin();
    }
    WEFT_EXPECTS(count <= lists_[at_].values.size() - next_[at_]);
    return std::span(lists_[at_].values).subspan(std::exchange(next_[at_], next_[at_] + count), count);
  }
  [[nodiscard]] const T& next(Rank rank) { return next(rank, 1).front(); }

 private:
  std::vector<RankValues<T>> lists_;
  std::vector<std::size_t> next_;
  std::size_t at_ = 0;
};

}  // namespace weft
