#pragma once
// Overlap of an exchange with computation: times of an iteration in three graphs, and the share of communication that is hidden.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/task/plan.hpp"

namespace bench {

/// Part of an iteration that communication takes where nothing overlaps.
inline constexpr double kShareOfExchange = 0.3;

[[nodiscard]] inline double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Seconds per iteration of the slowest rank, medians over repetitions in which the three graphs take turns.
struct Overlap {
  double computed = 0;               ///< without communication
  double unhidden = 0;               ///< with the exchange before the computation
  double graph = 0;                  ///< as the graph executes both
  double hidden = 0;                 ///< share of what can be hidden: (unhidden - graph) / min(unhidden - computed, inner)
  double smallest = 0, largest = 0;  ///< range of that share
};

/// The graphs of one program.
struct OverlapPlans {
  weft::task::Plan &computed, &unhidden, &graph;
};

/// @param inner  seconds of the computation that does not depend on the exchange.  @collective
[[nodiscard]] inline Overlap measure_overlap(const weft::Communicator& comm, const OverlapPlans& plans, double inner,
                                             int repetitions, int iterations) {
  const auto seconds_of = [&](weft::task::Plan& plan) {
    comm.barrier();
    const weft::Stopwatch watch;
    plan.run(iterations);
    return comm.max(watch.seconds()) / iterations;
  };
  std::vector<double> computed, unhidden, graph, hidden;
  for (int i = -1; i < repetitions; ++i) {  // the first repetition is not counted
    const double c = seconds_of(plans.computed), u = seconds_of(plans.unhidden), g = seconds_of(plans.graph);
    if (i < 0) continue;
    computed.push_back(c);
    unhidden.push_back(u);
    graph.push_back(g);
    hidden.push_back((u - g) / std::min(u - c, inner > 0 ? inner : c));
  }
  return {.computed = median_of(computed),
          .unhidden = median_of(unhidden),
          .graph = median_of(graph),
          .hidden = median_of(hidden),
          .smallest = *std::min_element(hidden.begin(), hidden.end()),
          .largest = *std::max_element(hidden.begin(), hidden.end())};
}

inline void print_overlap(const weft::Communicator& comm, const char* name, const Overlap& o) {
  if (!comm.is_root()) return;
  std::printf(
      "%s: without communication %.3f ms, exchange first %.3f ms (communication %.1f %%), as a graph %.3f ms: %.1f %% hidden "
      "(%.1f to %.1f)\n",
      name, 1e3 * o.computed, 1e3 * o.unhidden, 100 * (1 - o.computed / o.unhidden), 1e3 * o.graph, 100 * o.hidden,
      100 * o.smallest, 100 * o.largest);
}

/// Returns the figures of a transport as an object of JSON: times in s, shares from 0 to 1.
[[nodiscard]] inline std::string overlap_json(const char* transport, int rows, int border, int operations, const Overlap& o) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(),
                "{\"transport\": \"%s\", \"rows\": %d, \"rows_sent\": %d, \"operations\": %d, \"computed\": %.6g, "
                "\"exchange_first\": %.6g, \"graph\": %.6g, \"hidden\": %.4f, \"hidden_least\": %.4f, \"hidden_most\": %.4f}",
                transport, rows, border, operations, o.computed, o.unhidden, o.graph, o.hidden, o.smallest, o.largest);
  return text.data();
}

}  // namespace bench
