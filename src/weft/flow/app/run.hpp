#pragma once
/// A whole run: from a case to results in a folder.
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/team.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/flow/app/case.hpp"
#include "weft/flow/app/verdict.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/io/case/case_changes.hpp"
#include "weft/mesh/mesh_block.hpp"

namespace weft::flow {

/// The treatment of a results folder that already holds a run. resume_changed: resume, even if changed keys change the physics.
enum class Existing { refuse, overwrite, resume, resume_changed };
[[nodiscard]] constexpr bool resumes(Existing existing) {
  return existing == Existing::resume || existing == Existing::resume_changed;
}

/// The progress of a run; equal on every rank.
struct Progress {
  std::int64_t step = 0;
  double time = 0, dt = 0;               ///< s of flow time
  double residual = 0;                   ///< density residual, relative to the largest since the start
  double cell_residuals_per_second = 0;  ///< over all ranks, since the last report
  double stepping_seconds = 0;           ///< wall clock of time stepping, without output
  double fraction = 0;                   ///< completed part of the run, 0 to 1, by the criterion that is nearest; 0 if unknown
  double seconds_left = -1;              ///< wall clock; negative: unknown
  /// Cd and Cl of the first force (its components along x and y, N, if it has no coefficients); without forces the pressure at
  /// the first probe, Pa; then the monitors with in_progress. The latest values in the histories.
  std::vector<std::pair<std::string, double>> monitored;
};

struct RunSummary;

/// Receives the events of a run. Called on every rank; the command line shows them on rank 0.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Reports that a phase of start-up begins, `seconds` after the beginning of the run.
  virtual void starting(std::string_view /*phase*/, double /*seconds*/) {}
  virtual void mesh_ready(const mesh::Mesh& /*mesh*/, double /*seconds*/) {}
  /// Reports a doubtful choice of the case. @param text  one line, in the form of an error.
  virtual void warned(const std::string& /*text*/) {}
  /// Reports one line of information.
  virtual void noted(const std::string& /*text*/) {}
  virtual void solver_ready(const Solver& /*solver*/) {}
  /// Reports that a run continues. @param instead_of  error of the newest checkpoint, if this is the one before it.
  virtual void resumed(const std::filesystem::path& /*checkpoint*/, std::int64_t /*step*/, double /*time*/,
                       const std::string& /*instead_of*/) {}
  /// Reports the keys of a resumed run that differ from those of the run that wrote its checkpoint; at least one.
  virtual void changed(const std::vector<io::CaseChange>& /*changes*/) {}
  /// Reports that files of an earlier run have been removed from the results folder, which is locked; none is written yet.
  virtual void began() {}
  virtual void advanced(const Progress& /*progress*/) {}
  virtual void wrote(const std::filesystem::path& /*file*/) {}
  /// Reports the end, while the results folder is still locked. Not called if the run throws.
  virtual void ended(const RunSummary& /*summary*/) {}
};

struct RunSummary {
  StopReason reason = StopReason::time;
  std::int64_t first_step = 0, steps = 0, cells = 0;  ///< first_step: of the checkpoint from which the run was resumed
  double time = 0, wall_seconds = 0;
  /// Speed of time stepping, all ranks together, without output; on GPUs, where steps continue during output, with the part of
  /// output that takes longer than they do.
  double cell_residuals_per_second = 0;
  double residual = 0;
  Verdict verdict;
  std::map<std::string, Forces> forces;                        ///< by name
  std::optional<std::array<ErrorNorms, Solver::kVars>> error;  ///< present if the case has an exact solution
};

/// Data that a run takes from others on the same mesh, as the runs of a sweep do.
struct RunStart {
  const mesh::Mesh* mesh = nullptr;  ///< mesh of the case, if it has been built already; null: the run builds it
  /// Results folder whose last checkpoint holds the initial state of this run; empty: [initial]. Not for a run that is resumed.
  std::filesystem::path state_of{};
};

/// Runs the case and writes to case.output.directory: case.toml (effective), fields_<step>.hdf, residuals.csv, and if requested
/// forces.csv, probes.csv, monitors.csv, integrals.csv, errors.csv, line_<name>_<step>.csv, section_<name>_<step>.vtu,
/// checkpoint.h5.
///
/// @param effective  the case as TOML with all defaults, stored with the results.
/// @param stop  called on every rank once a step, on GPUs about every tenth of a second (every second while fields are written);
///   true on any rank ends the run after that step, with a checkpoint.
/// @param begin  its mesh outlives the run.
/// @throws InputError, MeshError, IoError, PhysicsError on every rank alike; CaseErrors with all errors of errors_on_mesh(); an
///   InputError, among others, if a key that changes the physics differs from the run that is resumed, and `existing` does not
///   accept it. After a PhysicsError the last state is in fields_failed.hdf.
/// @collective
RunSummary run(const Communicator& comm, const Case& flow_case, const std::string& effective, Existing existing,
               RunObserver& observer, const std::function<bool()>& stop, const RunStart& begin = {});

/// Binds the threads of all ranks of the job as the case requests (bind_threads()), before its mesh is built.
/// @param warnings  gets a line, in the form of an error, if nothing is bound although the case requests it.
/// @return a line of information; empty if nothing is bound.  @collective
[[nodiscard]] std::string bind_threads_of(const Communicator& comm, const Case& flow_case, std::vector<std::string>& warnings);

/// Scales and translates a mesh as a case requests. No communication.
/// @throws InputError  where the file names its unit of length, and the scale is that unit: the reader has multiplied by it.
void scale_mesh(mesh::MeshBlock& block, const MeshChoice& choice, Team& team);

/// Reads or generates the mesh of a case and builds it. @collective @throws MeshError, InputError, IoError.
/// @param threads  of this rank, on whose number the mesh does not depend.
/// @param phase  called with the name of each phase that begins; may be null.
[[nodiscard]] mesh::Mesh load_mesh(const Communicator& comm, const MeshChoice& choice, int threads = 1,
                                   const std::function<void(std::string_view)>& phase = nullptr);

/// Returns the number of threads of this rank for start-up: the threads that compute or, where GPUs do, its share of the cores.
/// @collective
[[nodiscard]] int start_up_threads(const Communicator& comm, const Case& flow_case);

/// Returns whether another value of this key in a resumed run changes the flow or the method. Keys of the mesh do not count
/// except for mesh.periodic: a checkpoint is rejected on any mesh but its own.
[[nodiscard]] bool changes_physics(std::string_view key);

/// Checks the zones of forces and monitors. @throws InputError naming an unknown one. No communication.
void check_outputs(const mesh::Mesh& mesh, const Case& flow_case);

/// Creates the solver of a case on its mesh, not yet initialised. @collective @throws InputError for a zone without a condition
/// or a condition without a zone, naming the closest.
[[nodiscard]] std::unique_ptr<Solver> make_solver(const mesh::Mesh& mesh, const Case& flow_case);
/// Returns a warning, one line in the form of an error, if a solver's steps are shorter than its Courant number demands.
[[nodiscard]] std::vector<std::string> check_steps(const Solver& solver);

}  // namespace weft::flow
