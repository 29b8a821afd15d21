#pragma once
/// The results folder of a run: its files, their names, and the restart from it.
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/team.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/flow/app/case.hpp"
#include "weft/flow/app/checkpoint.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/io/folder_lock.hpp"
#include "weft/io/hdf5/pending_file.hpp"

namespace weft::flow {

/// File of the program that runs a case; removed with the results when a run is overwritten.
inline constexpr const char* kRecordFile = "run.json";
inline constexpr const char* kLogFile = "run.log";

class Results {
 public:
  /// Creates the folder, or uses the existing one according to `existing`, and locks it against other runs until it is destroyed.
  /// A folder that it created and that is empty in the end is removed.
  /// @throws InputError if the folder holds a run and `existing` is refuse, another run is using it, or its case.toml was not
  ///   written by a run; IoError.
  /// @collective
  Results(const Communicator& comm, const Case& flow_case, const std::string& effective, Existing existing);
  ~Results();

  /// Returns the run that ended without unlocking the folder ("pid 12 on node7"), on every rank; empty: none.
  [[nodiscard]] const std::string& taken_over_from() const { return taken_over_from_; }

  /// Writes the effective case and opens the histories. For a resumed run, output after `step` (rows, fields, pictures of fields)
  /// is removed, because it will be written again. Files of an earlier run are not changed before, nor if this throws because
  /// histories have other columns.  @param began  called when they have been removed and the case is written.
  /// @throws IoError  @collective
  void begin(std::int64_t step, const std::function<void()>& began);

  // Each adds one row, written immediately. @collective
  void add_residuals(const StepReport& step, const std::array<double, Solver::kVars>& norms);
  void add_forces(const Solver& solver, const std::vector<Forces>& forces);
  /// Adds a row. @param values  of each monitor, as monitor() returns them.
  void add_monitors(const Solver& solver, const std::vector<std::vector<double>>& values);
  /// Adds a row. @param scalars  of each probe.
  void add_probes(const Solver& solver, const std::vector<Primitive>& readings, const std::vector<std::vector<double>>& scalars);
  /// Adds a row. @param scalar_totals  of each scalar.
  void add_integrals(const Solver& solver, const std::array<double, Solver::kVars>& totals,
                     const std::vector<double>& scalar_totals);
  void write_errors(const Solver& solver, const std::array<ErrorNorms, Solver::kVars>& errors);

  /// Writes the boundary faces with the numbers of their zones, once in a run, for pictures of the mesh.  @collective
  void write_boundary(const mesh::Mesh& mesh);
  /// Finds the cells of the case's lines. @throws InputError: a line or section that intersects no cell.  @collective
  void find_samples(const mesh::Mesh& mesh);
  /// Returns whether prepare_fields() computes anything.
  [[nodiscard]] bool prepares_fields(const mesh::Mesh& mesh) const;
  /// Writes walls, lines and sections of the present state, and copies its gradients for the next start_fields() if the case's
  /// fields need them; the state may then change. @pre find_samples(), and solver.refresh() since the last step.  @collective
  void prepare_fields(const Solver& solver);
  /// Copies the fields of this state and starts threads that write them, until finish_fields(); the state may then change.
  /// @pre no fields are being written; prepare_fields() of this state, if prepares_fields().
  /// @cost while they are written, more than the memory of the file, whose values are copied in double precision.
  /// @throws IoError  @collective
  void start_fields(const Solver& solver);
  /// Returns whether fields are being written of which this rank has written its part.
  [[nodiscard]] bool fields_are_written() const;
  /// Waits until the fields are written. Returns their file; none without start_fields(). If they cannot be written, a checkpoint
  /// that needs them is given up.  @throws IoError  @collective
  std::optional<std::filesystem::path> finish_fields();
  /// Copies this state and starts threads that write it as the newest checkpoint, which finish_checkpoint() names; the state may
  /// then change.  @pre no checkpoint is being written.
  /// @cost  memory for a copy of the conserved variables and scalars, until it is written.  @throws IoError  @collective
  void start_checkpoint(const Solver& solver, double largest_residual, double residual);
  /// Returns whether a checkpoint is being written.
  [[nodiscard]] bool writes_checkpoint() const { return checkpoint_.has_value(); }
  /// Returns whether the checkpoint must wait for the fields that are being written, because they are of its step or of one
  /// before: a run that goes on from the checkpoint does not write them again.
  [[nodiscard]] bool checkpoint_needs_fields() const;
  /// Returns whether a checkpoint is being written of which this rank has written its part, and of the fields that it needs.
  [[nodiscard]] bool checkpoint_is_written() const;
  /// Waits until the checkpoint is written on every rank, and names it; until then the one before it has this name, and
  /// after that its second name. Returns its file; none without start_checkpoint().
  /// @pre not checkpoint_needs_fields()  @throws IoError  @collective
  std::optional<std::filesystem::path> finish_checkpoint();
  /// Writes the fields of a failed step, without those that need gradients: an unphysical state has none. Returns their file.
  /// @throws IoError  @collective
  std::filesystem::path write_failed_fields(const Solver& solver);

  /// Reads the newest checkpoint, or the one before it if that cannot be read.
  /// @throws InputError: none there, or of other scalars than the case's; IoError: of another mesh, damaged.  @collective
  [[nodiscard]] Resumed read_checkpoint(const mesh::Mesh& mesh);
  /// Reads the newest checkpoint of another run on this mesh.
  /// @throws InputError: of other scalars than the case's; IoError: there is none, or it is damaged or of another mesh.
  /// @collective
  [[nodiscard]] Resumed read_checkpoint_of(const std::filesystem::path& folder, const mesh::Mesh& mesh) const;
  /// Returns the rows of forces.csv of the steps before a resumed run; none in a new one. @pre begin()  @collective
  [[nodiscard]] std::vector<ForceRecord> earlier_forces() const;
  /// Returns the rows of residuals.csv of the steps before a resumed run. @pre begin()  @collective
  [[nodiscard]] std::vector<std::array<double, Solver::kVars>> earlier_norms() const;

 private:
  struct Histories;
  /// A file that threads write, and the step of its state.
  struct Writing {
    io::PendingFile file;
    std::int64_t step;
  };
  [[nodiscard]] bool needs_gradients() const;
  /// Starts the threads that copy what is written. @throws LimitError on every rank  @collective
  [[nodiscard]] std::unique_ptr<Team> make_team() const;
  void begin_fields(const Solver& solver, std::span<const FieldKind> chosen, const std::string& name);

  Communicator comm_;
  const Case& case_;
  std::string effective_;
  Existing existing_;
  std::filesystem::path folder_;
  bool newest_is_damaged_ = false;           ///< then the next checkpoint replaces it and not the one before it
  std::vector<std::filesystem::path> made_;  ///< on rank 0, the folders that were created, the innermost first
  std::unique_ptr<io::FolderLock> lock_;     ///< on rank 0
  std::string taken_over_from_;
  std::unique_ptr<Histories> histories_;
  std::vector<Line> lines_;
  std::vector<CellGradient> gradients_;  ///< gradients for the next field file; empty: not needed
  std::optional<Writing> fields_, checkpoint_;
};

}  // namespace weft::flow
