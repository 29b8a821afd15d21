#pragma once
/// ExchangeOverlap: how much of an exchange computation hides, for summaries of traces.
#include <span>
#include <string>
#include <vector>

#include "weft/task/rank_trace.hpp"
#include "weft/task/timeline.hpp"

namespace weft::task {

/// Times of the exchanges of a name, s per iteration: means over ranks.
struct ExchangeOverlap {
  std::string name;
  double seconds = 0;        ///< from the beginning of its start node to the end of its finish node
  double hidden = 0;         ///< thereof while a body was executed
  double can_be_hidden = 0;  ///< the smaller of `seconds` and the time of the bodies that may run meanwhile; on
                             ///< devices at least `hidden`
};

/// Returns the share of the communication that computation hides: the sum of `hidden` divided by that of `can_be_hidden`; 1 where
/// nothing can be hidden.
[[nodiscard]] double hidden_share(std::span<const ExchangeOverlap> exchanges);
/// Returns whether some task is independent of an exchange.
[[nodiscard]] bool can_hide(std::span<const ExchangeOverlap> exchanges);
/// Returns a line with the share and a table of the exchanges and of their sum, in ms.
/// @param what  of which communication the share is: the beginning of the line.  @param source  the end of that line.
[[nodiscard]] std::string overlap_text(std::span<const ExchangeOverlap> exchanges, const std::string& what,
                                       const std::string& source);

/// Returns whether nodes of a kind compute.
[[nodiscard]] bool is_body(Kind kind);
/// Returns the name of an exchange from that of its finish node.
[[nodiscard]] std::string exchange_name(const std::string& finish);
/// Returns the start node of the exchange of a finish node; -1: it has none.
[[nodiscard]] int start_of(const RankTrace::Graph& graph, int finish);
/// Returns, by node, whether its execution neither precedes the exchange of a finish node nor follows it. @pre it has a start.
[[nodiscard]] std::vector<bool> independent_of(const RankTrace::Graph& graph, int finish);
/// Returns the length of the part of `whole` that some interval covers.
[[nodiscard]] double covered_length(const Interval& whole, std::vector<Interval> parts);

}  // namespace weft::task
