#pragma once
/// Positions of numbers in a file, such as those of nodes, in the list of all of them.
#include <algorithm>
#include <atomic>
#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/kernels/primitives/bucket_sort.hpp"

namespace weft::mesh::detail {

/// Position of `tag` in a list of unique tags: a table if tags are nearly dense, a sorted list otherwise.
class TagIndex {
 public:
  static constexpr std::int64_t kNoPosition = -1;

  /// Creates the table of the tags first, first + 1, ..., first + size - 1.
  TagIndex(std::int64_t first, std::int64_t size) : first_(first), size_(size) {}

  TagIndex(std::span<const std::int64_t> tags, Team& team) : size_(std::ssize(tags)) {
    if (tags.empty()) return;
    struct Range {
      std::int64_t low, high;
      bool consecutive;
    };
    const auto distance = [](std::int64_t tag, std::int64_t from) {
      return static_cast<std::uint64_t>(tag) - static_cast<std::uint64_t>(from);
    };
    std::vector<Range> ranges(shares_of(team, size_));
    for_shares(team, size_, [&](LoopShare share) {
      Range range{tags[share.begin], tags[share.begin], true};
      for (std::int64_t i = share.begin; i < share.end; ++i) {
        range.low = std::min(range.low, tags[i]);
        range.high = std::max(range.high, tags[i]);
        range.consecutive = range.consecutive && distance(tags[i], tags[0]) == static_cast<std::uint64_t>(i);
      }
      ranges[share.number] = range;
    });
    Range whole = ranges.front();
    for (const Range& range : ranges) {
      whole = {std::min(whole.low, range.low), std::max(whole.high, range.high), whole.consecutive && range.consecutive};
    }
    first_ = whole.low;
    if (whole.consecutive && whole.low == tags[0]) return;  // tag - first_ is the position
    constexpr std::int64_t kSparse = 4;
    const std::uint64_t range = distance(whole.high, whole.low);
    if (range / kSparse <= static_cast<std::uint64_t>(size_)) {
      enter(tags, range, team);
    } else {
      sort(tags, team);
    }
  }

  /// Returns a position whose tag also occurs earlier; -1: none.
  [[nodiscard]] std::int64_t duplicate() const { return duplicate_; }

  /// Returns the position of the tag, or -1.
  [[nodiscard]] std::int64_t find(std::int64_t tag) const {
    if (!sorted_.empty()) {
      const auto entry = std::lower_bound(sorted_.begin(), sorted_.end(), Entry{tag, kNoPosition});
      return entry != sorted_.end() && entry->tag == tag ? entry->position : kNoPosition;
    }
    const auto distance = static_cast<std::uint64_t>(tag) - static_cast<std::uint64_t>(first_);
    if (table_.empty()) return distance < static_cast<std::uint64_t>(size_) ? static_cast<std::int64_t>(distance) : kNoPosition;
    return distance < table_.size() ? table_[distance] : kNoPosition;
  }

 private:
  struct Entry {
    std::int64_t tag = 0, position = 0;
    auto operator<=>(const Entry&) const = default;
  };

  void enter(std::span<const std::int64_t> tags, std::uint64_t range, Team& team) {
    resize_by_team(team, table_, range + 1, kNoPosition);
    // Equal tags leave one position in the table, which is not that of the others.
    for_indices(team, size_,
                [&](std::int64_t i) { std::atomic_ref(table_[tags[i] - first_]).store(i, std::memory_order_relaxed); });
    std::atomic<bool> repeated = false;
    for_indices(team, size_, [&](std::int64_t i) {
      if (table_[tags[i] - first_] != i) repeated.store(true, std::memory_order_relaxed);
    });
    if (!repeated) return;
    std::vector<bool> seen(range + 1);
    for (duplicate_ = 0; !seen[tags[duplicate_] - first_]; ++duplicate_) seen[tags[duplicate_] - first_] = true;
  }

  void sort(std::span<const std::int64_t> tags, Team& team) {
    resize_by_team(team, sorted_, tags.size());
    for_indices(team, size_, [&](std::int64_t i) { sorted_[i] = {tags[i], i}; });
    kernels::bucket_sort(
        sorted_, [this](const Entry& e) { return static_cast<std::uint64_t>(e.tag) - static_cast<std::uint64_t>(first_); },
        std::less<>(), team);
    const auto twin = std::adjacent_find(sorted_.begin(), sorted_.end(), [](Entry a, Entry b) { return a.tag == b.tag; });
    if (twin != sorted_.end()) duplicate_ = (twin + 1)->position;
  }

  std::int64_t first_ = 0, size_ = 0, duplicate_ = kNoPosition;
  TeamVector<std::int64_t> table_;
  TeamVector<Entry> sorted_;
};

}  // namespace weft::mesh::detail
