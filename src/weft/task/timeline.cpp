#include "weft/task/timeline.hpp"

#include <algorithm>
#include <tuple>

namespace weft::task {
namespace {

using Event = Timeline::Event;
using EventKind = RecordedEvent::Kind;

/// Returns the first event of a list in the order of time that ends after a time. @pre the events are disjoint.
[[nodiscard]] auto first_after(const std::vector<const Event*>& events, double time) {
  return std::ranges::partition_point(events, [&](const Event* event) { return event->end <= time; });
}

}  // namespace

Timeline::Timeline(const RankTrace& trace) {
  for (const Event& event : trace.events) {
    if (event.thread == 0) events_.push_back(&event);
  }
  std::ranges::stable_sort(events_, {}, [](const Event* event) { return std::tuple(event->begin, -event->end); });
  std::vector<int> open;        // events that contain the present time, the outermost first
  std::vector<double> reached;  // by open event: up to where pieces are complete
  const auto add_piece = [&](double to) {
    if (to > reached.back()) pieces_.push_back({{reached.back(), to}, events_[open.back()]});
  };
  const auto close_until = [&](double time) {
    while (!open.empty() && events_[open.back()]->end <= time) {
      const double end = events_[open.back()]->end;
      add_piece(end);
      open.pop_back();
      reached.pop_back();
      if (!open.empty()) reached.back() = std::max(reached.back(), end);
    }
  };
  for (int i = 0; i < std::ssize(events_); ++i) {
    const Event& event = *events_[i];
    close_until(event.begin);
    outer_.push_back(open.empty() ? -1 : open.back());
    const auto is_wait = [&](int o) { return events_[o]->kind == EventKind::wait; };
    if (event.kind == EventKind::wait && std::ranges::none_of(open, is_wait)) waits_.push_back(&event);
    if (event.kind == EventKind::start) starts_.push_back(&event);
    if (!open.empty()) {
      add_piece(event.begin);
      reached.back() = event.begin;
    }
    open.push_back(i);
    reached.push_back(event.begin);
  }
  if (!open.empty()) close_until(std::ranges::max(events_, {}, [](const Event* event) { return event->end; })->end);
  std::ranges::stable_sort(pieces_, {}, [](const Piece& piece) { return piece.span.begin; });
}

std::vector<const Event*> Timeline::regions(std::string_view name) const {
  std::vector<const Event*> list;
  for (const Event* event : events_) {
    if (event->kind == EventKind::region && event->name == name) list.push_back(event);
  }
  return list;
}

double Timeline::waiting(const Interval& span) const {
  double sum = 0;
  for (auto at = first_after(waits_, span.begin); at != waits_.end() && (*at)->begin < span.end; ++at) {
    sum += common(span, span_of(**at)).length();
  }
  return sum;
}

const Event* Timeline::wait_before(double time) const {
  const auto after = std::ranges::partition_point(waits_, [&](const Event* wait) { return wait->begin < time; });
  return after == waits_.begin() ? nullptr : *std::prev(after);
}

const Event* Timeline::start_by(double time) const {
  const auto after = first_after(starts_, time);
  return after == starts_.begin() ? nullptr : *std::prev(after);
}

std::vector<Timeline::Piece> Timeline::pieces(const Interval& span) const {
  std::vector<Piece> list;
  auto at = std::ranges::partition_point(pieces_, [&](const Piece& piece) { return piece.span.end <= span.begin; });
  for (; at != pieces_.end() && at->span.begin < span.end; ++at) {
    if (at->event->kind == EventKind::wait) continue;
    list.push_back({common(span, at->span), at->event});
  }
  return list;
}

}  // namespace weft::task
