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
  /// Returns the change; infinite until the window is full.
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

  /// Sets the residuals and forces of the steps before a resumed run.
  void remember(double largest_residual, double residual, const std::vector<Norms>& norms, std::vector<ForceRecord> forces);
  [[nodiscard]] double largest_residual() const { return largest_residual_; }

  StopReason go(const std::function<bool()>& stop);

  [[nodiscard]] double rate() const;
  [[nodiscard]] double residual() const { return residual_; }
  /// Returns how the run ended. @param domain_length  as in RunEnd.
  [[nodiscard]] RunEnd end(StopReason reason, double domain_length) const;
  [[nodiscard]] double seconds() const { return clock_.seconds(); }
  /// Writes the histories and fields of the last step, unless they have been written at their intervals. A run that was stopped
  /// early writes at its intervals only, so that after a restart its histories are those of an uninterrupted run.
  void finish(StopReason reason);

  /// Waits for the fields and the checkpoint that are being written, if there are any.
  void finish_output();

 private:
  /// Returns the reason to stop, if there is one. Interrupts and the clock need agreement: one small reduction a step. Also
  /// requests a checkpoint if one is due by the clock, and finishes files that every rank has written.
  std::optional<StopReason> reason_to_stop(const std::function<bool()>& stop);

  /// Sets next_field_ to the next multiple of the interval.
  void plan_next_field();

  /// Returns the number of steps until the next multiple of the interval.
  [[nodiscard]] std::int64_t until_multiple_of(std::int64_t interval) const { return interval - solver_.steps() % interval; }

  /// Returns the number of steps that may be computed before their results are needed.
  [[nodiscard]] std::int64_t steps_ahead() const;

  /// Computes some steps, and meanwhile writes the output of those before.
  void advance();

  /// Before the steps during which the fields are written: what is computed from the present state, which costs little.
  void prepare_fields_if_due();

  void write_due_output();
  void finish_fields();
  /// Waits for the checkpoint that is being written, if there is one, and before for the fields that it needs.
  void finish_checkpoint();

  /// Writes the histories of these steps.
  void record(std::span<const StepReport> steps);
  void record(const StepReport& step) { record(std::span(&step, 1)); }
  void watch_first(const ForceRecord& record);
  void remember_norms(const Norms& norms);

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
  bool fields_due_ = false, checkpoint_due_ = false;  ///< output of the present state
  StepReport last_;
  double stepping_seconds_ = 0, largest_residual_ = 0, residual_ = 1;
  Norms largest_norms_{}, norms_{};
  std::vector<ForceRecord> forces_;
  std::vector<std::pair<std::string, double>> monitored_;
};

}  // namespace weft::flow::detail
