#pragma once
/// Timeline: the events of the thread of a rank that communicates, for summaries of recordings.
#include <string_view>
#include <vector>

#include "weft/task/rank_trace.hpp"

namespace weft::task {

struct Interval {
  double begin = 0, end = 0;
  [[nodiscard]] double length() const { return end > begin ? end - begin : 0; }
};
[[nodiscard]] inline Interval common(const Interval& a, const Interval& b) {
  return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}

/// Views of the events of a RankTrace, which must outlive it.
class Timeline {
 public:
  using Event = RankTrace::Event;
  /// A span in which `event` is the innermost one.
  struct Piece {
    Interval span;
    const Event* event;
  };

  explicit Timeline(const RankTrace& trace);

  /// The events of the thread, in the order of their beginnings, an outer one before those in it, and by event the next outer
  /// one, -1: none.
  [[nodiscard]] const std::vector<const Event*>& events() const { return events_; }
  [[nodiscard]] const std::vector<int>& outer() const { return outer_; }
  /// Waits that are in no other wait; starts of exchanges; regions of a name. In the order of time.
  [[nodiscard]] const std::vector<const Event*>& waits() const { return waits_; }
  [[nodiscard]] const std::vector<const Event*>& starts() const { return starts_; }
  [[nodiscard]] std::vector<const Event*> regions(std::string_view name) const;

  /// Returns the time of waits in a span.
  [[nodiscard]] double waiting(const Interval& span) const;
  /// Returns the last wait that begins before a time, or null.
  [[nodiscard]] const Event* wait_before(double time) const;
  /// Returns the last start of an exchange that ends by a time, or null.
  [[nodiscard]] const Event* start_by(double time) const;
  /// Returns the pieces of a span that are in events, except those in waits.
  [[nodiscard]] std::vector<Piece> pieces(const Interval& span) const;

 private:
  std::vector<const Event*> events_, waits_, starts_;
  std::vector<int> outer_;
  std::vector<Piece> pieces_;
};

[[nodiscard]] inline Interval span_of(const RankTrace::Event& event) { return {event.begin, event.end}; }

}  // namespace weft::task
