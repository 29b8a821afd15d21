#pragma once
/// Ranks on this machine, known to the process that has started mpirun.
#include <string>

namespace weft::app {

/// Creates a file in memory to which ranks add their process numbers, and passes its path to them through the environment.
/// @return its descriptor, or -1; closed when the process ends.
[[nodiscard]] int make_list_of_ranks();

/// Called by every process that launch() may have started: adds it to the list of the launcher. From then on it prints its own
/// messages, and handles SIGUSR1 if it ever will.
void note_start();

/// Returns how many ranks have started on this machine. @param list  of make_list_of_ranks().
[[nodiscard]] int started_ranks(int list);

/// Sends SIGUSR1 to the ranks that have started on this machine; those without a handler are ended by it. A rank that ends its
/// run ends those of all ranks. May be called by a signal handler.
/// @return whether a rank has received it.
bool request_end(int list);

/// Returns the path of this program; if the system does not provide it, the link to it.
[[nodiscard]] std::string path_of_program();

}  // namespace weft::app
