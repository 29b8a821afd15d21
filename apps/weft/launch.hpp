#pragma once
/// Starting ourselves under mpirun, so that `weft run case.toml -n 4` is all a user types.
#include <string>

#include "weft/comm/communicator.hpp"

namespace weft::app {

/// Whether mpirun (or srun) has started this process already.
[[nodiscard]] bool under_launcher();

/// Number of processes that the launcher says it has started; 0 without a launcher, or where it does not say.
[[nodiscard]] int launcher_ranks();

/// Compares the ranks that MPI has with those that the launcher started, and with those asked for on the command line.
/// @param asked  what -n says; 0 without it.
/// @throws CommError on every rank, if the launcher's processes do not see each other, or -n asks for another number.
void expect_ranks_asked_for(const Communicator& world, int asked);

/// This process's rank as the launcher tells it before MPI is started; 0 without a launcher.
[[nodiscard]] int rank_of_environment();

/// To be called by every process that launch() may have started: tells the launcher that this rank is there, speaks for
/// itself, and heeds SIGUSR1 if it ever will.
void note_start();

/// How many ranks launch() starts, and how.
struct Launch {
  int ranks = 0;
  std::string options;         ///< added to mpirun's, separated by blanks
  bool oversubscribe = false;  ///< whatever the number of cores
};

/// Runs this program again under mpirun with the same arguments, and waits for it. Refuses more than 4 ranks per core (and than
/// 16), in an allocation of a batch system more than 1,024 per machine, except where `options` name hosts or `oversubscribe` says
/// so. SIGINT, SIGTERM and SIGHUP (unless it is ignored, as by nohup) reach the ranks as SIGUSR1, so that they end cleanly; a
/// third SIGINT or SIGTERM ends them at once.
/// @return the exit code of the job.
int launch(const Launch& how, int argc, char** argv);

}  // namespace weft::app
