#pragma once
/// The commands of `weft`. Each adds its options to the command line and returns what to do when it is chosen.
#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <string_view>

#include "weft/base/registry.hpp"
#include "weft/comm/communicator.hpp"

#include "launch.hpp"

namespace weft::app {

/// Exit codes of the program, as docs/guide/command_line.md lists them.
enum class Exit : int {
  done = 0,
  failed = 1,         ///< bad input, a failed file, a failed rank
  usage = 2,          ///< the command line itself
  physics = 3,        ///< the flow became unphysical
  not_converged = 3,  ///< of weft run --strict: the verdict on the run is not good
  interrupted = 130   ///< ended by a signal, with a checkpoint
};

/// What an exit code means, for the manual page.
struct ExitMeaning {
  int code;
  const char* meaning;
};
inline constexpr ExitMeaning kExitMeanings[] = {
    {0, "Done."},
    {1, "Bad input, a file that cannot be read or written, a rank that failed, or standard output that cannot be written."},
    {2, "The command line itself is wrong; nothing was done."},
    {3, "The flow became unphysical; with --strict also a run whose verdict is not good."},
    {124, "The watchdog ended a rank."},
    {127, "There is no mpirun."},
    {130, "Ended by a signal, with a checkpoint."}};

/// A chosen command, ready to run on every rank.
using Action = std::function<Exit(const Communicator&)>;

/// What the command line asks for. Where `launch.ranks` is positive and no launcher is at work yet, main starts mpirun.
struct Request {
  Action action;
  std::function<Exit()> without_mpi;  ///< in place of an action: runs before MPI would start
  Launch launch;
};

void add_run(CLI::App& app, Request& request);
void add_check(CLI::App& app, Request& request);
void add_new(CLI::App& app, Request& request);
void add_info(CLI::App& app, Request& request);
void add_mesh(CLI::App& app, Request& request);
void add_plan(CLI::App& app, Request& request);
void add_plot(CLI::App& app, Request& request);
void add_export(CLI::App& app, Request& request);
void add_report(CLI::App& app, Request& request);
void add_reference(CLI::App& app, Request& request);
// These two describe all commands of `app`, which outlives the request.
void add_completion(CLI::App& app, Request& request);
void add_man(CLI::App& app, Request& request);

/// As CLI::PositiveNumber, which names its limits to the last of 309 digits when it refuses a number.
[[nodiscard]] CLI::Validator positive();

/// Returns the type of an option whose values are the names of a registry, for help and completion: "{hllc,roe}".
template <class Kind>
[[nodiscard]] std::string choices_type() {
  std::string type;
  for (const std::string_view name : names<Kind>()) type.append(type.empty() ? "{" : ",").append(name);
  return type + "}";
}

/// Adds -n/--ranks, --mpirun-options and --oversubscribe.
/// @param names  of the number of ranks: "-n" alone where --ranks means something else.
void add_launch_options(CLI::App& command, Request& request, const std::string& names = "-n,--ranks",
                        const std::string& help = "Start this many MPI ranks (through mpirun)");

}  // namespace weft::app
