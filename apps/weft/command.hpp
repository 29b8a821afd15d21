#pragma once
/// The commands of `weft`. Each adds its options to the command line and sets the action to run when it is selected.
#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <string_view>

#include "weft/base/registry.hpp"
#include "weft/comm/communicator.hpp"

#include "launch.hpp"

namespace weft::app {

/// Exit codes of the program, as listed in docs/guide/command_line.md.
enum class Exit : int {
  done = 0,
  failed = 1,         ///< invalid input, a failed file, a failed rank
  usage = 2,          ///< invalid command line
  physics = 3,        ///< the flow became unphysical
  not_converged = 3,  ///< weft run --strict: negative verdict on the run
  interrupted = 130   ///< ended by a signal, after a checkpoint
};

/// Returns the meaning of an exit code, for the manual page.
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

/// A selected command, ready to run on every rank.
using Action = std::function<Exit(const Communicator&)>;

/// Request of the command line. If `launch.ranks` is positive and no launcher is active, main starts mpirun.
struct Request {
  Action action;
  std::function<Exit()> without_mpi;  ///< instead of an action: runs before MPI is started
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
void add_trace(CLI::App& app, Request& request);
void add_bench(CLI::App& app, Request& request);
void add_reference(CLI::App& app, Request& request);
// Both functions describe all commands of `app`, which must outlive the request.
void add_completion(CLI::App& app, Request& request);
void add_man(CLI::App& app, Request& request);

/// Checks like CLI::PositiveNumber, whose message contains a limit of 309 digits.
[[nodiscard]] CLI::Validator positive();

/// Checks that a word, such as the name of a file, is not empty.
[[nodiscard]] CLI::Validator not_empty();

/// Checks that a name is that of a picture: .png, .pdf or .svg.
[[nodiscard]] CLI::Validator picture_file();

/// Returns the type of an option whose values are the names of a registry, for help and completion: "{hllc,roe}".
template <class Kind>
[[nodiscard]] std::string choices_type() {
  std::string type;
  for (const std::string_view name : names<Kind>()) type.append(type.empty() ? "{" : ",").append(name);
  return type + "}";
}

/// Adds -n/--ranks, --mpirun-options and --oversubscribe.
/// @param names  of the number of ranks: "-n" alone if --ranks has another meaning.
void add_launch_options(CLI::App& command, Request& request, const std::string& names = "-n,--ranks",
                        const std::string& help = "Start this many MPI ranks (through mpirun)");

}  // namespace weft::app
