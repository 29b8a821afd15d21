#pragma once
/// Start of this program under mpirun, for `weft run case.toml -n 4`.
#include <string>

#include "weft/comm/communicator.hpp"

namespace weft::app {

/// Returns true if mpirun (or srun) has started this process.
[[nodiscard]] bool under_launcher();

/// Returns the number of processes that the launcher reports to have started; 0 without a launcher or a report.
[[nodiscard]] int launcher_ranks();

/// Compares the number of MPI ranks with that of the launcher and with that of the command line.
/// @param asked  value of -n; 0 without it.
/// @throws CommError on every rank if the processes of the launcher are not connected, or -n has another value.
void expect_ranks_asked_for(const Communicator& world, int asked);

/// Returns this process's rank as reported by the launcher before MPI is started; 0 without a launcher.
[[nodiscard]] int rank_of_environment();

/// Options of launch().
struct Launch {
  int ranks = 0;
  std::string options;         ///< further options of mpirun, separated by blanks
  bool oversubscribe = false;  ///< permits any number of ranks per core
};

/// Runs this program under mpirun with the same arguments, and waits for it. Rejects more than 4 ranks per core (and more
/// than 16), in an allocation of a batch system more than 1,024 per machine, unless `options` specify hosts or
/// `oversubscribe` is set. After SIGINT, SIGTERM, SIGUSR1 or SIGHUP (unless ignored, as by nohup) the ranks receive SIGUSR1, so
/// that they end cleanly; a third SIGINT or SIGTERM ends them immediately.
/// @return the exit code of the job.
int launch(const Launch& how, int argc, char** argv);

}  // namespace weft::app
