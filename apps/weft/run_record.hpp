#pragma once
/// run.json: the description of a run for later readers of its results: program, machine and command, progress and reason of the
/// end, speed, and mesh. `weft report` reads it.
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/io/text_file.hpp"
#include "weft/mesh/mesh_stats.hpp"

namespace weft::app {

/// Records the events of a run, and passes them on. The file exists from the first field file on, is always complete, and is at
/// most some seconds old. A record that cannot be written does not end the run: errors of the results have their own messages.
class RunRecord final : public flow::RunObserver {
 public:
  RunRecord(const Communicator& comm, const flow::Case& flow_case, bool resumes, flow::RunObserver& next);
  void starting(std::string_view phase, double seconds) override;
  void mesh_ready(const mesh::Mesh& mesh, double seconds) override;
  void warned(const std::string& text) override;
  void noted(const std::string& text) override { next_.noted(text); }
  void solver_ready(const flow::Solver& solver) override;
  void resumed(const std::filesystem::path& checkpoint, std::int64_t step, double time, const std::string& instead_of) override;
  void changed(const std::vector<io::CaseChange>& changes) override;
  void began() override;
  void advanced(const flow::Progress& progress) override;
  void wrote(const std::filesystem::path& file) override;
  void ended(const flow::RunSummary& summary) override;  ///< @collective
  void failed(const std::string& message);

 private:
  /// @param durable  no if the record will be written again within seconds: ranks wait for this one.
  void save(io::Durable durable = io::Durable::yes);

  const Communicator& comm_;
  flow::RunObserver& next_;
  std::vector<flow::ForceSpec> forces_;  ///< forces of the case
  int threads_;                          ///< threads of each rank during start-up
  std::filesystem::path file_;
  nlohmann::ordered_json mesh_, earlier_ = nlohmann::ordered_json::array(), call_;  ///< on rank 0; earlier_: calls
  bool resumes_ = false, begun_ = false;
  Stopwatch wall_, since_saved_;
};

}  // namespace weft::app
