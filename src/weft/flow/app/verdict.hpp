#pragma once
/// The verdict on a run at its end: whether it has reached the end that its case demands, and the quality of its result.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/flow/app/case.hpp"

namespace weft::flow {

enum class StopReason { time, steps, wall_time, residual, force_change, interrupted };
[[nodiscard]] const char* describe(StopReason reason);

/// A row of forces.csv.
struct ForceRecord {
  std::int64_t step = 0;
  std::vector<double> coefficients;  ///< drag and lift of each of the case's forces
};

/// The state of a run at its end. Histories include those before a restart.
struct RunEnd {
  StopReason reason = StopReason::time;
  std::int64_t steps = 0;
  double time = 0, wall_seconds = 0;                             ///< wall_seconds: of this call
  double residual = 1;                                           ///< density residual, relative to the largest
  double force_change = 0;                                       ///< over stop.force_window; infinite: the window is not full
  std::array<double, IdealGas::kVars> largest_norms{}, norms{};  ///< residual norms: the largest, and the last
  std::vector<ForceRecord> forces{};
  double domain_length = 0;  ///< m, of the mesh along the free stream
};

struct Verdict {
  /// A key of [stop] and the value that the run has reached.
  struct Criterion {
    std::string key, wanted, reached;
    bool met = false;
  };
  struct Decades {
    std::string variable;
    double dropped = 0;  ///< log10 of the largest residual over the last
  };
  /// Range of a coefficient over the last fifth of the steps, and at least over stop.force_window, relative to its magnitude
  /// there. A coefficient near 0 counts as large as 1 % of the larger coefficient of that force there, and as 0.1 % of the
  /// largest one since the start of the run. The measure does not depend on the reference area.
  struct ForceDrift {
    std::string force;
    std::int64_t since_step = 0;
    double drag = 0, lift = 0;
    [[nodiscard]] bool settled() const { return drag <= kSettled && lift <= kSettled; }
    static constexpr double kSettled = 5e-3;  ///< about a drag count of an aerofoil
  };

  bool good = false;     ///< green; otherwise amber
  bool steady = false;   ///< is_steady() of the case: its forces have to settle
  std::string headline;  ///< "not converged: the number of steps is reached, and ..."
  std::vector<Criterion> criteria;
  std::vector<Decades> decades;    ///< for a steady case, of variables that had a residual
  std::vector<ForceDrift> drifts;  ///< for forces with at least three rows in that range
  // Distance travelled by the free stream in the flow time, in reference lengths of the first force and in lengths of the domain.
  // Absent if there is no free stream or it is at rest, and with local time steps, which have no flow time.
  std::optional<double> reference_lengths, domain_lengths;
};

/// Returns whether the case demands a steady flow: by local time steps or a criterion of convergence.
[[nodiscard]] bool is_steady(const Case& flow_case);

/// Returns the drift of each force after `steps` steps; none of a force with fewer than three rows in the range.
/// @param history  rows since the start of the run.  @cost linear in the rows. No communication.
[[nodiscard]] std::vector<Verdict::ForceDrift> force_drifts(const Case& flow_case, std::int64_t steps,
                                                            const std::vector<ForceRecord>& history);
[[nodiscard]] bool are_settled(const std::vector<Verdict::ForceDrift>& drifts);

/// Judges a run. For a steady case (one with stop.residual, stop.force_change or local time steps) good means that the residual
/// has fallen or stop.force_change is met, and that no force drifts; for any other, that the flow time is reached, or without
/// stop.time the steps, or without either the wall clock. An interrupted run is never good. No communication.
[[nodiscard]] Verdict judge(const Case& flow_case, const RunEnd& end);

/// Returns the verdict as lines for users, the headline first.
[[nodiscard]] std::vector<std::string> describe(const Verdict& verdict);

}  // namespace weft::flow
