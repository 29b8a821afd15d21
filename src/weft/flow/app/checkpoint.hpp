#pragma once
/// The state of a run in a file, on any number of ranks.
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/team.hpp"
#include "weft/flow/app/case.hpp"
#include "weft/flow/scheme/solver.hpp"
#include "weft/io/hdf5/pending_file.hpp"

namespace weft::flow {

/// The state that a checkpoint holds, for this rank's owned cells.
struct Resumed {
  std::filesystem::path file;
  std::vector<double> conserved;       ///< owned cells x Solver::kVars
  std::vector<double> scalar_amounts;  ///< owned cells x the case's scalars
  double time = 0, largest_residual = 0, residual = 1;
  std::int64_t step = 0;
  FallbackCells fallback;
  /// Zones of the mesh and the circulations of the vortices in their far fields, without those that the checkpoint does not
  /// contain.
  std::vector<std::pair<mesh::BoundaryZoneId, double>> circulations;
  std::string case_text;   ///< the effective case of the run that wrote it
  std::string instead_of;  ///< error of the newest checkpoint, if this is the one before it
};

/// Copies the state of a solver and begins to write it: start() of the file that is returned writes the copy in a thread of each
/// rank while the state may change, and finish(previous) names it.
/// @param effective  the case as TOML with all defaults.
/// @param team  the threads that copy and compute checksums.
/// @cost  until it is written, memory for a copy of the conserved variables and scalars, and 8 bytes per cell.
/// @throws IoError on every rank.  @collective
[[nodiscard]] io::PendingFile begin_checkpoint(const Solver& solver, const std::string& effective, double largest_residual,
                                               double residual, const std::filesystem::path& file, Team& team);

/// Writes the state of a solver as begin_checkpoint() does, and waits until it is written.
/// @param effective  the case as TOML with all defaults.
/// @param previous  where the former file is kept; empty: it is replaced.
/// @throws IoError on every rank.  @collective
void write_checkpoint(const Solver& solver, const std::string& effective, double largest_residual, double residual,
                      const std::filesystem::path& file, const std::filesystem::path& previous = {});

/// Reads the state of a case on its mesh.
/// @throws InputError: of other scalars than the case's; IoError: there is none, or it is damaged or of another mesh. @collective
[[nodiscard]] Resumed read_checkpoint(const mesh::Mesh& mesh, const Case& flow_case, const std::filesystem::path& file);

/// Sets the state, the clock and the circulations of a solver that has its start, so that the next steps are bitwise those of the
/// run that wrote the checkpoint.  @throws as Solver::restore.  @collective
void restore(Solver& solver, const Resumed& from);

}  // namespace weft::flow
