#pragma once
/// Starting ourselves under mpirun, so that `weft run case.toml -n 4` is all a user types.
#include <string>

namespace weft::app {

/// Whether mpirun (or srun) has started this process already.
[[nodiscard]] bool under_launcher();

/// This process's rank as the launcher tells it before MPI is started; 0 without a launcher.
[[nodiscard]] int rank_of_environment();

/// To be called by every process that launch() may have started: tells the launcher that this rank is there, speaks for
/// itself, and heeds SIGUSR1 if it ever will.
void note_start();

/// Runs this program again under mpirun with `ranks` ranks and the same arguments, and waits for it. SIGINT and SIGTERM reach the
/// ranks as SIGUSR1, so that they end cleanly; a third signal ends them at once.
/// @param options  added to mpirun's, separated by blanks.
/// @return the exit code of the job.
int launch(int ranks, const std::string& options, int argc, char** argv);

}  // namespace weft::app
