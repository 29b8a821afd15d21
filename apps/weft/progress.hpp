#pragma once
/// Shows a run while it runs: a bar on a terminal, plain lines elsewhere.
#include <optional>

#include "weft/base/clock.hpp"
#include "weft/flow/app/run.hpp"

#include "run_log.hpp"

namespace weft::app {

/// Prints on rank 0 only, and copies its output to a log, with plain lines instead of the bar.
class ProgressPrinter final : public flow::RunObserver {
 public:
  /// @param log  of rank 0; none: null.
  /// @param local_time  each cell has its own time step, so that times have no meaning and are not shown.
  explicit ProgressPrinter(const Communicator& comm, RunLog* log = nullptr, bool local_time = false);
  void starting(std::string_view phase, double seconds) override;
  void mesh_ready(const mesh::Mesh& mesh, double seconds) override;
  void warned(const std::string& text) override;
  void noted(const std::string& text) override { say(text + "\n"); }
  void solver_ready(const flow::Solver& solver) override;
  void resumed(const std::filesystem::path& checkpoint, std::int64_t step, double time, const std::string& instead_of) override;
  void changed(const std::vector<io::CaseChange>& changes) override;
  void began() override;
  void advanced(const flow::Progress& progress) override;
  void wrote(const std::filesystem::path& file) override;
  /// Prints whole lines, after the line of the bar.
  void say(const std::string& text);
  /// Prints the lines of a verdict; on a terminal the first is green if the verdict is good and amber if not, unless the
  /// environment has NO_COLOR.
  void say_verdict(const flow::Verdict& verdict);

 private:
  [[nodiscard]] std::string bar(const flow::Progress& progress, int width) const;
  void log(const std::string& text);
  /// Draws the bar of latest_.
  void show_bar();
  /// Ends the line of the bar, which then shows the latest progress.
  void end_line();

  bool talks_ = false, on_terminal_ = false, local_time_ = false;
  RunLog* log_ = nullptr;
  std::optional<flow::Progress> latest_;  ///< not yet shown by the bar
  bool on_line_ = false;                  ///< the bar is on the present line
  Stopwatch since_shown_, since_logged_;
  bool shown_ = false, logged_ = false;
};

}  // namespace weft::app
