#pragma once
/// The steps of a run, with its histories, fields and checkpoints.
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/flow/app/monitors.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/flow/app/zone_vortices.hpp"

namespace weft::flow::detail {

/// The largest change of any coefficient over the last `window` steps.
class ForceHistory {
 public:
  explicit ForceHistory(std::int64_t window) : window_(window) {}
  void add(std::int64_t step, std::vector<double> coefficients);
  /// Infinite until the window is full.
  [[nodiscard]] double change() const;

 private:
  struct Row {
    std::int64_t step;
    std::vector<double> coefficients;
  };
  std::int64_t window_;
  std::deque<Row> rows_;
};

/// One run from its first step to its last.
class Run {
 public:
  using Norms = std::array<double, Solver::kVars>;

  Run(const Communicator& comm, const Case& flow_case, std::vector<Probe> probes, Solver& solver, Results& results,
      RunObserver& observer);

  /// What a resumed run remembers of its residuals and its forces.
  void remember(double largest_residual, double residual, const std::vector<Norms>& norms, std::vector<ForceRecord> forces);
  [[nodiscard]] double largest_residual() const { return largest_residual_; }

  StopReason go(const std::function<bool()>& stop);

  [[nodiscard]] double rate() const;
  [[nodiscard]] double residual() const { return residual_; }
  /// @param domain_length  as of RunEnd.
  [[nodiscard]] RunEnd end(StopReason reason, double domain_length) const;
  [[nodiscard]] double seconds() const { return clock_.seconds(); }
  /// The histories and fields of the last step, where the intervals have not made them already. A run that was stopped before its
  /// end keeps to its intervals, so that its histories, once it is resumed, are those of a run in one go.
  void finish(StopReason reason);

 private:
  /// Interrupts and the clock need agreement: one small reduction a step. Asks for a checkpoint, too, when one is due by the
  /// clock.
  std::optional<StopReason> reason_to_stop(const std::function<bool()>& stop);

  /// next_field_: the first multiple of the interval that is still to come.
  void plan_next_field();

  /// Steps until the next multiple of the interval.
  [[nodiscard]] std::int64_t until_multiple_of(std::int64_t interval) const { return interval - solver_.steps() % interval; }

  /// How many steps may go by before somebody looks at what they did.
  [[nodiscard]] int steps_ahead() const;

  /// Some steps, and meanwhile the output of those before.
  void advance();

  /// Before the steps during which the fields are written: what is computed from the present state, which costs little.
  void prepare_fields_if_due();

  void write_due_output();

  /// Histories of these steps.
  void record(std::span<const StepReport> steps);
  void record(const StepReport& step) { record(std::span(&step, 1)); }
  void watch_first(const ForceRecord& record);
  void remember_norms(const Norms& norms);

  /// Whether there are histories of the state itself: only the last of some steps has one.
  [[nodiscard]] bool records_state() const;

  void record_state();

  void record_monitors();

  Progress progress(const StepReport& report);

  const Communicator& comm_;
  const Case& case_;
  Solver& solver_;
  Results& results_;
  RunObserver& observer_;
  ForceHistory history_;
  ZoneVortices vortices_;
  std::vector<Probe> probes_;
  Stopwatch clock_, since_checkpoint_;
  double next_field_ = std::numeric_limits<double>::infinity(), first_time_ = 0;
  std::int64_t first_step_ = 0, last_field_step_ = -1, recorded_step_ = -1, evaluations_ = 0;
  bool fields_due_ = false, checkpoint_due_ = false;  ///< of the present state
  StepReport last_;
  double stepping_seconds_ = 0, largest_residual_ = 0, residual_ = 1;
  Norms largest_norms_{}, norms_{};
  std::vector<ForceRecord> forces_;
  std::vector<std::pair<std::string, double>> monitored_;
};

}  // namespace weft::flow::detail
