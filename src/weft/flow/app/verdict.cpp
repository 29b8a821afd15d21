#include "weft/flow/app/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace weft::flow {
namespace {

bool is_good(const Case& c, StopReason reason, bool settled) {
  if (is_steady(c)) return settled && (reason == StopReason::residual || reason == StopReason::force_change);
  if (reason == StopReason::wall_time) return !c.stop.time && !c.stop.steps;
  return reason == StopReason::time || (reason == StopReason::steps && !c.stop.time);
}

std::string headline_of(const Case& c, StopReason reason, bool settled) {
  if (is_good(c, reason, settled)) return fmt::format("{}: {}", is_steady(c) ? "converged" : "complete", describe(reason));
  if (reason == StopReason::interrupted) return is_steady(c) ? "not converged: interrupted" : "incomplete: interrupted";
  if (!is_steady(c))
    return fmt::format("incomplete: {} before the {} of the case", describe(reason), c.stop.time ? "flow time" : "steps");
  if (is_good(c, reason, true)) return fmt::format("not converged: {}, but forces are still moving", describe(reason));
  const bool asks = c.stop.residual || c.stop.force_change;
  return fmt::format("not converged: {}{}", describe(reason),
                     asks ? " before the case's criterion of convergence"
                          : ", and the case has no criterion of convergence (stop.residual or stop.force_change)");
}

std::vector<Verdict::Criterion> criteria_of(const Case& c, const RunEnd& end, bool settled) {
  const StopCriteria& stop = c.stop;
  std::vector<Verdict::Criterion> all;
  if (stop.residual) {
    all.push_back({"stop.residual", fmt::format("{:g}", *stop.residual), fmt::format("{:.2e}", end.residual),
                   end.residual <= *stop.residual});
  }
  if (stop.force_change) {
    all.push_back({"stop.force_change", fmt::format("{:g} over {} steps", *stop.force_change, stop.force_window),
                   !std::isfinite(end.force_change)                     ? "not yet that many steps"
                   : end.force_change <= *stop.force_change && !settled ? fmt::format("{:.2e}, still moving", end.force_change)
                                                                        : fmt::format("{:.2e}", end.force_change),
                   end.force_change <= *stop.force_change && settled});
  }
  if (stop.time) {
    const char* const unit = is_in_si_units(c.gas) ? " s" : "";
    all.push_back({"stop.time", fmt::format("{:g}{}", *stop.time, unit), fmt::format("{:g}{}", end.time, unit),
                   end.reason == StopReason::time});
  }
  if (stop.steps) all.push_back({"stop.steps", fmt::to_string(*stop.steps), fmt::to_string(end.steps), end.steps >= *stop.steps});
  if (stop.wall_time) {
    all.push_back({"stop.wall_time", fmt::format("{:g} s", *stop.wall_time), fmt::format("{:.1f} s", end.wall_seconds),
                   end.reason == StopReason::wall_time});
  }
  return all;
}

}  // namespace

const char* describe(StopReason reason) {
  switch (reason) {
    case StopReason::time:
      return "the flow time is reached";
    case StopReason::steps:
      return "the number of steps is reached";
    case StopReason::wall_time:
      return "the wall-clock time is used up";
    case StopReason::residual:
      return "the residual has fallen";
    case StopReason::force_change:
      return "the forces have settled";
    case StopReason::interrupted:
      break;
  }
  return "interrupted";
}

bool is_steady(const Case& c) { return c.numerics.local_time_step || c.stop.residual || c.stop.force_change; }

std::vector<Verdict::ForceDrift> force_drifts(const Case& c, std::int64_t steps, const std::vector<ForceRecord>& history) {
  constexpr std::size_t kFewestRows = 3;
  constexpr double kSmall = 0.01;         // relative to the larger coefficient
  constexpr double kSmallAtStart = 1e-3;  // relative to the largest coefficient of the whole run
  std::int64_t since = steps - steps / 5;
  if (c.stop.force_change) since = std::min(since, std::max<std::int64_t>(steps - c.stop.force_window, 0));
  std::vector<Verdict::ForceDrift> drifts;
  for (std::size_t f = 0; f < c.forces.size(); ++f) {
    std::array<double, 2> low{}, high{};
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-low[0]);
    double largest = 0;
    std::size_t rows = 0;
    for (const ForceRecord& record : history) {
      if (record.coefficients.size() <= 2 * f + 1) continue;
      for (std::size_t k = 0; k < 2; ++k) largest = std::max(largest, std::abs(record.coefficients[2 * f + k]));
      if (record.step < since) continue;
      ++rows;
      for (std::size_t k = 0; k < 2; ++k) {
        low[k] = std::min(low[k], record.coefficients[2 * f + k]);
        high[k] = std::max(high[k], record.coefficients[2 * f + k]);
      }
    }
    if (rows < kFewestRows) continue;
    const auto size = [&](std::size_t k) { return std::max(std::abs(low[k]), std::abs(high[k])); };
    const double least = std::max(kSmall * std::max(size(0), size(1)), kSmallAtStart * largest);
    const auto relative = [&](std::size_t k) { return high[k] > low[k] ? (high[k] - low[k]) / std::max(size(k), least) : 0.0; };
    drifts.push_back({c.forces[f].name, since, relative(0), relative(1)});
  }
  return drifts;
}

bool are_settled(const std::vector<Verdict::ForceDrift>& drifts) {
  return std::all_of(drifts.begin(), drifts.end(), [](const Verdict::ForceDrift& drift) { return drift.settled(); });
}

Verdict judge(const Case& c, const RunEnd& end) {
  constexpr double kLeast = 1e-16;  // relative to the largest residual: rounding errors
  std::vector<Verdict::ForceDrift> drifts = force_drifts(c, end.steps, end.forces);
  const bool settled = are_settled(drifts);
  Verdict verdict{.good = is_good(c, end.reason, settled),
                  .steady = is_steady(c),
                  .headline = headline_of(c, end.reason, settled),
                  .criteria = criteria_of(c, end, settled),
                  .decades = {},
                  .drifts = std::move(drifts),
                  .reference_lengths = {},
                  .domain_lengths = {}};
  for (std::size_t k = 0; k < end.norms.size(); ++k) {
    const double largest = end.largest_norms[k];
    if (is_steady(c) && largest > 0) {
      verdict.decades.push_back(
          {IdealGas::conserved_name(static_cast<int>(k)), std::log10(largest / std::max(end.norms[k], kLeast * largest))});
    }
  }
  const double speed = c.free_stream ? norm(c.free_stream->velocity) : 0;
  if (speed > 0 && !c.numerics.local_time_step) {
    if (!c.forces.empty()) verdict.reference_lengths = speed * end.time / c.forces.front().length;
    if (end.domain_length > 0) verdict.domain_lengths = speed * end.time / end.domain_length;
  }
  return verdict;
}

std::vector<std::string> describe(const Verdict& verdict) {
  std::vector<std::string> lines{"verdict: " + verdict.headline};
  for (const Verdict::Criterion& criterion : verdict.criteria) {
    lines.push_back(fmt::format("  {} {}: {} (wanted {}, reached {})", criterion.met ? "[x]" : "[ ]", criterion.key,
                                criterion.met ? "met" : "not met", criterion.wanted, criterion.reached));
  }
  if (!verdict.decades.empty()) {
    std::string line = "  decades that residuals fell:";
    for (const Verdict::Decades& each : verdict.decades)
      line +=
          fmt::format("{} {} {:.1f}", each.variable == verdict.decades.front().variable ? "" : ",", each.variable, each.dropped);
    lines.push_back(line);
  }
  for (const Verdict::ForceDrift& drift : verdict.drifts) {
    lines.push_back(fmt::format("  forces on {} {} since step {}: Cd by {:.2g} %, Cl by {:.2g} %", drift.force,
                                drift.settled()  ? "settled, they moved"
                                : verdict.steady ? "still moving,"
                                                 : "vary,",
                                drift.since_step, 100 * drift.drag, 100 * drift.lift));
  }
  if (verdict.reference_lengths || verdict.domain_lengths) {
    std::string line = "  the free stream went";
    if (verdict.reference_lengths) line += fmt::format(" {:.3g} reference lengths", *verdict.reference_lengths);
    if (verdict.domain_lengths)
      line += fmt::format("{} {:.3g} times through the domain", verdict.reference_lengths ? "," : "", *verdict.domain_lengths);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace weft::flow
