#pragma once
/// run.json: what a run was, for those who look at its results later: by what program, machine and command, how far it came and
/// why it ended, how fast it was, and on what mesh. `weft report` reads it.
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "weft/base/clock.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/io/text_file.hpp"
#include "weft/mesh/mesh_stats.hpp"

namespace weft::app {

/// Passes on what it is told. The file exists from the first field file on, is never half a file, and is at most some seconds
/// behind. One that cannot be written ends no run: the results beside it have their own messages.
class RunRecord final : public flow::RunObserver {
 public:
  RunRecord(const Communicator& comm, const flow::Case& flow_case, bool resumes, flow::RunObserver& next);
  void mesh_ready(const mesh::Mesh& mesh, double seconds) override;
  void warned(const std::string& text) override;
  void noted(const std::string& text) override { next_.noted(text); }
  void solver_ready(const flow::Solver& solver) override;
  void resumed(const std::filesystem::path& checkpoint, std::int64_t step, double time, const std::string& instead_of) override;
  void changed(const std::vector<io::CaseChange>& changes) override;
  void advanced(const flow::Progress& progress) override;
  void wrote(const std::filesystem::path& file) override;
  void ended(const flow::RunSummary& summary) override;  ///< @collective
  void failed(const std::string& message);

 private:
  /// @param durable  no for what will be saved again within seconds: ranks wait for this one.
  void save(io::Durable durable = io::Durable::yes);

  const Communicator& comm_;
  flow::RunObserver& next_;
  std::vector<flow::ForceSpec> forces_;  ///< of the case
  std::filesystem::path file_;
  nlohmann::ordered_json mesh_, earlier_ = nlohmann::ordered_json::array(), call_;  ///< on rank 0; earlier_: calls
  bool resumes_ = false, begun_ = false;
  Stopwatch wall_, since_saved_;
};

}  // namespace weft::app
