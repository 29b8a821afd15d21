#pragma once
/// Shows a run while it runs: a bar on a terminal, plain lines elsewhere.
#include "weft/base/clock.hpp"
#include "weft/flow/run.hpp"

namespace weft::app {

/// Prints on rank 0 only.
class ProgressPrinter final : public flow::RunObserver {
 public:
  explicit ProgressPrinter(const Communicator& comm);
  void mesh_ready(const mesh::Mesh& mesh, double seconds) override;
  void warned(const std::string& text) override;
  void solver_ready(const flow::Solver& solver) override;
  void resumed(const std::filesystem::path& checkpoint, std::int64_t step, double time, const std::string& instead_of) override;
  void changed(const std::vector<io::CaseChange>& changes) override;
  void advanced(const flow::Progress& progress) override;
  void wrote(const std::filesystem::path& file) override;
  /// Ends the line of the bar; call before printing anything else.
  void end_line();

 private:
  [[nodiscard]] std::string bar(const flow::Progress& progress) const;

  bool talks_ = false;
  int width_ = 0;         ///< columns of the terminal; 0: not a terminal
  bool on_line_ = false;  ///< the bar stands on the present line
  Stopwatch since_shown_;
  bool shown_ = false;
};

}  // namespace weft::app
