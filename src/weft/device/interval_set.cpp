#include "weft/device/interval_set.hpp"

#include <algorithm>

namespace weft::detail {

void IntervalSet::add(std::size_t first, std::size_t last) {
  if (first >= last) return;
  const auto begin = std::find_if(intervals_.begin(), intervals_.end(), [&](Interval i) { return i.last >= first; });
  const auto end = std::find_if(begin, intervals_.end(), [&](Interval i) { return i.first > last; });
  if (begin != end) {
    first = std::min(first, begin->first);
    last = std::max(last, std::prev(end)->last);
  }
  intervals_.insert(intervals_.erase(begin, end), Interval{first, last});
}

void IntervalSet::remove(std::size_t first, std::size_t last) {
  if (first >= last) return;
  std::vector<Interval> remaining;
  for (const Interval i : intervals_) {
    if (i.first < std::min(i.last, first)) remaining.push_back({i.first, std::min(i.last, first)});
    if (std::max(i.first, last) < i.last) remaining.push_back({std::max(i.first, last), i.last});
  }
  intervals_ = std::move(remaining);
}

std::vector<IntervalSet::Interval>::const_iterator IntervalSet::after(std::size_t place) const {
  return std::upper_bound(intervals_.begin(), intervals_.end(), place, [](std::size_t at, Interval i) { return at < i.last; });
}

bool IntervalSet::intersects(std::size_t first, std::size_t last) const {
  const auto found = after(first);
  return first < last && found != intervals_.end() && found->first < last;
}

bool IntervalSet::contains(std::size_t first, std::size_t last) const {
  const auto found = after(first);
  return first >= last || (found != intervals_.end() && found->first <= first && last <= found->last);
}

std::vector<IntervalSet::Interval> IntervalSet::within(std::size_t first, std::size_t last) const {
  std::vector<Interval> list;
  for (auto i = after(first); i != intervals_.end() && i->first < last; ++i) {
    if (const Interval part{std::max(i->first, first), std::min(i->last, last)}; part.first < part.last) list.push_back(part);
  }
  return list;
}

}  // namespace weft::detail
