#pragma once
/// Ranks on this machine, known to the process that has started mpirun.
#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

namespace weft::app {

/// Creates a file in memory to which ranks add their process numbers, and passes its path to them through the environment.
/// @return its descriptor, or -1; closed when the process ends.
[[nodiscard]] int make_list_of_ranks();

/// Called by every process that launch() may have started: adds it to the list of the launcher. From then on it prints its own
/// messages, and handles SIGUSR1 if it ever will.
void note_start();

/// Returns the processes of the ranks that have started on this machine. @param list  of make_list_of_ranks().
[[nodiscard]] std::vector<pid_t> started_ranks(int list);

/// Requests ranks to end, by SIGUSR1; those without a handler are ended by it. A rank that ends its run ends those of all ranks.
/// @return whether a rank received it.
bool request_end(std::span<const pid_t> ranks);

/// Returns the path of the program that a process executes; if the system does not provide it, the link to it.
/// @param process  its number, or self.
[[nodiscard]] std::string executable_of(const std::string& process);

}  // namespace weft::app
