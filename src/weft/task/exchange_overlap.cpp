#include "weft/task/exchange_overlap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>

namespace weft::task {
namespace {

[[nodiscard]] ExchangeOverlap total(std::span<const ExchangeOverlap> exchanges) {
  ExchangeOverlap sum{.name = "all exchanges"};
  for (const ExchangeOverlap& exchange : exchanges) {
    sum.seconds += exchange.seconds;
    sum.hidden += exchange.hidden;
    sum.can_be_hidden += exchange.can_be_hidden;
  }
  return sum;
}

}  // namespace

double hidden_share(std::span<const ExchangeOverlap> exchanges) {
  const ExchangeOverlap all = total(exchanges);
  return all.can_be_hidden > 0 ? all.hidden / all.can_be_hidden : 1.0;
}

bool can_hide(std::span<const ExchangeOverlap> exchanges) { return total(exchanges).can_be_hidden > 0; }

std::string overlap_text(std::span<const ExchangeOverlap> exchanges, const std::string& what, const std::string& source) {
  constexpr double kMs = 1e3;
  std::string text = can_hide(exchanges)
                         ? fmt::format("{}: {:.1f} % of the time of exchanges that independent tasks can hide{}\n", what,
                                       100 * hidden_share(exchanges), source)
                         : fmt::format("{}: none, because no task is independent of an exchange{}\n", what, source);
  text += fmt::format("  {:<40} {:>10} {:>10} {:>14}\n", "exchange", "time", "hidden", "can be hidden");
  const auto add_row = [&](const ExchangeOverlap& of) {
    text += fmt::format("  {:<40} {:>10.4f} {:>10.4f} {:>14.4f}\n", of.name, kMs * of.seconds, kMs * of.hidden,
                        kMs * of.can_be_hidden);
  };
  std::ranges::for_each(exchanges, add_row);
  add_row(total(exchanges));
  return text;
}

bool is_body(Kind kind) { return kind == Kind::task || kind == Kind::neutralize || kind == Kind::reset; }

std::string exchange_name(const std::string& finish) {
  constexpr std::string_view kFinish = "finish ";
  return finish.starts_with(kFinish) ? finish.substr(kFinish.size()) : finish;
}

int start_of(const RankTrace::Graph& graph, int finish) {
  const std::vector<int>& before = graph[finish].waits_for;
  const auto found = std::ranges::find(before, Kind::start, [&](int node) { return graph[node].kind; });
  return found == before.end() ? -1 : *found;
}

std::vector<bool> independent_of(const RankTrace::Graph& graph, int finish) {
  const auto start = static_cast<std::size_t>(start_of(graph, finish));
  std::vector<bool> before(graph.size()), behind(graph.size());
  before[start] = true;
  for (std::size_t i = start + 1; i-- > 0;) {
    if (!before[i]) continue;
    for (const int p : graph[i].waits_for) before[p] = true;
  }
  behind[finish] = true;
  for (auto i = static_cast<std::size_t>(finish) + 1; i < graph.size(); ++i) {
    behind[i] = std::ranges::any_of(graph[i].waits_for, [&](int p) { return bool(behind[p]); });
  }
  std::vector<bool> result(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) result[i] = !before[i] && !behind[i];
  return result;
}

double covered_length(const Interval& whole, std::vector<Interval> parts) {
  std::ranges::sort(parts, {}, [](const Interval& part) { return std::tuple(part.begin, part.end); });
  double reached = whole.begin, length = 0;
  for (const Interval& part : parts) {
    const double from = std::max(part.begin, reached), to = std::min(part.end, whole.end);
    if (to <= from) continue;
    length += to - from;
    reached = to;
  }
  return length;
}

}  // namespace weft::task
