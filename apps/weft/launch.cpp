#include "launch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/cores.hpp"
#include "weft/base/counted.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/environment.hpp"

#include "command.hpp"
#include "standard_output.hpp"
#include "started_ranks.hpp"
#include "stop_signals.hpp"

namespace weft::app {
namespace {

/// Maximum numbers of ranks without --oversubscribe: per core, on any machine, and on each machine of an allocation, whose
/// cores are unknown here.
constexpr int kRanksPerCore = 4, kRanksAnywhere = 16, kRanksPerOtherMachine = 1024;

volatile std::sig_atomic_t g_job = 0;       ///< process number of mpirun
volatile std::sig_atomic_t g_list = -1;     ///< descriptor of the list of ranks that have started
volatile std::sig_atomic_t g_requests = 0;  ///< signals that ask for the end of the job
volatile std::sig_atomic_t g_received = 0;  ///< a rank has received such a request

extern "C" void take_request(int signal) {
  // A terminal that closes sends SIGHUP more than once (kernel and shell): it requests the end but never forces it.
  if (signal == SIGHUP && g_requests > 0) return;
  const int before = errno;
  g_requests = g_requests + 1;
  if (request_end(g_list)) g_received = 1;
  if (g_job > 0 && g_requests > 2) kill(static_cast<pid_t>(g_job), SIGTERM);
  errno = before;
}

void set(const char* name, const char* value) { setenv(name, value, /*overwrite=*/0); }

/// Returns true if the PATH contains this program.
bool on_path(const char* program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::vector<std::string> command_line(int ranks, const std::string& options, int argc, char** argv) {
  std::vector<std::string> words{"mpirun", "-n", std::to_string(ranks)};
  std::istringstream more(options);
  for (std::string word; more >> word;) words.push_back(word);
  words.push_back(path_of_program());
  for (int i = 1; i < argc; ++i) words.emplace_back(argv[i]);
  return words;
}

/// Returns an environment variable as a number; 0 if it is not set.
int environment_number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? 0 : std::atoi(text);
}

/// Returns the number of machines in a list with one machine per line, followed by further words, possibly repeated.
int machines_in(std::istream&& list) {
  std::set<std::string> machines;
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    if (std::string machine; words >> machine && machine[0] != '#') machines.insert(machine);
  }
  return static_cast<int>(machines.size());
}

/// Returns the number of machines that a batch system or the user has passed to mpirun through the environment; 0 if there is
/// none.
int machines_of_allocation() {
  if (std::getenv("SLURM_JOB_NODELIST") != nullptr) {
    return std::max({1, environment_number("SLURM_JOB_NUM_NODES"), environment_number("SLURM_NNODES")});
  }
  for (const char* name : {"PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "PE_HOSTFILE", "OMPI_MCA_orte_default_hostfile"}) {
    if (const char* const file = std::getenv(name)) return std::max(1, machines_in(std::ifstream(file)));
  }
  if (const char* const hosts = std::getenv("LSB_HOSTS")) {
    std::string lines = hosts;
    std::replace(lines.begin(), lines.end(), ' ', '\n');
    return std::max(1, machines_in(std::istringstream(lines)));
  }
  return 0;
}

/// Returns the reason why the number of ranks requires --oversubscribe; empty if it does not.
std::string too_many(int ranks, const std::string& options) {
  if (options.find("host") != std::string::npos) return {};  // the user has specified machines and slots
  const int machines = machines_of_allocation(), cores = usable_cores();
  // The other machines of an allocation may have more cores than this one.
  const int per_machine = std::max(machines > 0 ? kRanksPerOtherMachine : kRanksAnywhere, kRanksPerCore * cores);
  const std::int64_t most = std::int64_t{std::max(1, machines)} * per_machine;
  if (ranks <= most) return {};
  return fmt::format("{} are too many for {} (more than {} are refused)", counted(ranks, "rank"),
                     machines > 0 ? fmt::format("this allocation of {}", counted(machines, "machine"))
                                  : fmt::format("this machine, which has {}", counted(cores, "core")),
                     most);
}

/// Returns true if a process has a running child; false if the system provides no information.
bool has_living_child(pid_t parent) {
  std::error_code gone;
  for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", parent), gone)) {
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) {
      std::string stat;
      std::getline(std::ifstream(fmt::format("/proc/{}/stat", child)), stat);
      const std::size_t name_end = stat.rfind(')');
      if (name_end != std::string::npos && stat.compare(name_end + 1, 2, " Z") != 0) return true;
    }
  }
  return false;
}

/// Ends mpirun after the last rank of this machine has ended, which mpirun sometimes fails to do when a rank is killed.
class LastRank {
 public:
  /// @pre mpirun has been started.
  explicit LastRank(pid_t mpirun) : mpirun_(mpirun), system_says_(has_living_child(getpid())) {}

  /// Called every `interval_ms` after a rank has started, while mpirun runs.
  void look(int interval_ms) {
    constexpr int kEveryMs = 1000, kPatienceMs = 15'000;
    since_look_ms_ += interval_ms;
    if (!system_says_ || since_look_ms_ < kEveryMs) return;
    since_look_ms_ = 0;
    alone_ms_ = has_living_child(mpirun_) ? 0 : alone_ms_ + kEveryMs;
    if (alone_ms_ != kPatienceMs) return;
    fmt::print(stderr, "weft: error: the last rank of this machine has ended, and mpirun has not; it is killed\n");
    kill(mpirun_, SIGKILL);
  }

 private:
  pid_t mpirun_;
  bool system_says_;
  int since_look_ms_ = 0, alone_ms_ = 0;
};

/// Forwards the standard output of mpirun, so that this process detects write errors, which mpirun ignores.
class Relay {
 public:
  Relay() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};  // mpirun writes directly
    if (ends_[0] >= 0) fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay() {
    for (const int end : ends_)
      if (end >= 0) close(end);
  }
  /// Called in the process that becomes mpirun.
  void take_standard_output() const {
    if (ends_[1] >= 0) dup2(ends_[1], STDOUT_FILENO);
  }
  /// Waits for output for this time, and forwards it.
  void pass_on_for(int milliseconds) {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));  // so that the end of mpirun's output is detected
    pollfd waiting{ends_[0], POLLIN, 0};
    if (ends_[0] < 0 || ended_) {
      usleep(static_cast<useconds_t>(milliseconds) * 1000);
    } else if (poll(&waiting, 1, milliseconds) > 0) {
      pass_on_rest();
    }
  }
  void pass_on_rest() {
    std::array<char, 65536> bytes{};
    for (ssize_t size = 0; ends_[0] >= 0 && !ended_ && (size = read(ends_[0], bytes.data(), bytes.size())) != -1;) {
      ended_ = size == 0;
      pass_on(bytes.data(), size);
    }
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  bool ended_ = false;
};

/// Prints messages in place of those of mpirun, which set_environment() suppresses in Open MPI 4. `started`: some rank had
/// started and printed its own message.
void report_end(int code, bool started, std::span<const std::string> mpirun) {
  // Open MPI 5 ends with 213 if it cannot start a job.
  if (code > 128 && code < 128 + NSIG && code != static_cast<int>(Exit::interrupted)) {
    fmt::print(stderr, "weft: error: a rank was killed by signal {}{}; --resume continues a run from its last checkpoint\n",
               code - 128, code == 128 + SIGKILL ? " (out of memory? see dmesg)" : "");
  } else if (code != 0 && code != 127 && !started) {
    fmt::print(
        stderr,
        "weft: error: mpirun ended with {} before any rank started on this machine; if there is no reason above, run: {} true\n",
        code, fmt::join(mpirun, " "));
  }
}

/// Sets what mpirun (Open MPI 4; Open MPI 5, whose variables begin with PRTE) and its ranks read from the environment, unless the
/// user has set it. In the environment, because mpirun rejects repeated options, and each version those of the other.
void set_environment(int ranks) {
  if (geteuid() == 0) {
    // Containers run as root; the user has already decided to be root.
    set("OMPI_ALLOW_RUN_AS_ROOT", "1");
    set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  set("OMPI_MCA_orte_execute_quiet", "1");
  // Without binding: mpirun would bind every job on this machine to the same first cores. Waiting ranks yield if the ranks
  // fill the machine.
  set("OMPI_MCA_hwloc_base_binding_policy", "none");
  set("PRTE_MCA_hwloc_default_binding_policy", "none");
  set("OMPI_MCA_rmaps_base_oversubscribe", "1");
  set("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
  if (ranks >= usable_cores()) set("OMPI_MCA_mpi_yield_when_idle", "1");
  // mpirun first searches for a connection to other machines, and fails without one even if it needs none.
  if (!on_path("ssh") && !on_path("rsh")) {
    set("OMPI_MCA_plm", "^rsh");
    set("PRTE_MCA_plm", "^ssh");
  }
  // From version 5 Open MPI passes on whole lines only, so that a bar would not appear: the progress is printed as lines.
  const std::string library = MpiEnvironment::library(), open_mpi = "Open MPI v";
  const bool whole_lines = library.starts_with(open_mpi) && std::atoi(library.c_str() + open_mpi.size()) >= 5;
  winsize window{};
  if (!whole_lines && isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) {
    set("WEFT_TERMINAL_WIDTH", std::to_string(window.ws_col > 0 ? window.ws_col : 80).c_str());
  }
}

}  // namespace

int launcher_ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const int ranks = environment_number(name); ranks > 0) return ranks;
  }
  // A batch script or an interactive shell of SLURM is a step of one task, not a launcher.
  const int tasks = environment_number("SLURM_STEP_NUM_TASKS");
  return tasks > 1 ? tasks : 0;
}

bool under_launcher() { return launcher_ranks() > 0 || std::getenv("PMIX_RANK") != nullptr; }

void expect_ranks_asked_for(const Communicator& world, int asked) {
  if (!under_launcher()) return;
  const int told = launcher_ranks();
  if (world.size() == 1 && told > 1) {
    throw CommError(fmt::format("the launcher has started {} processes, but each of them is an MPI job of its own", told),
                    "start them with the mpirun of the MPI library that weft is linked with; weft info names it");
  }
  if (asked == 0 || asked == world.size()) return;
  throw CommError(fmt::format("-n {} is asked for under a launcher that has started {} (environment variable "
                              "OMPI_COMM_WORLD_SIZE, PMI_SIZE, PMIX_RANK or SLURM_STEP_NUM_TASKS)",
                              asked, counted(world.size(), "rank")),
                  "leave out -n, or start weft without mpirun or srun");
}

int rank_of_environment() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  }
  return 0;
}

int launch(const Launch& how, int argc, char** argv) {
  const int ranks = how.ranks;
  const std::string& options = how.options;
  if (const std::string why = how.oversubscribe ? "" : too_many(ranks, options); !why.empty()) {
    fmt::print(stderr, "weft: error: {}; ask for fewer with -n, or add --oversubscribe\n", why);
    return static_cast<int>(Exit::usage);
  }
  std::vector<std::string> words = command_line(ranks, options, argc, argv);
  set_environment(ranks);

  struct sigaction action {};
  action.sa_handler = take_request;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaction(signal, &action, nullptr);
  struct sigaction inherited {};
  sigaction(SIGHUP, nullptr, &inherited);
  if (inherited.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup ignores it, and so does this process
  // mpirun and its ranks inherit the signals that are blocked.
  unblock_stop_signals();
  // If the caller ignores SIGCHLD, the exit status of mpirun, and for mpirun that of its ranks, is lost.
  std::signal(SIGCHLD, SIG_DFL);

  const int list = make_list_of_ranks();
  g_list = list;
  Relay output;
  const pid_t job = fork();
  if (job < 0) {
    fmt::print(stderr, "weft: error: cannot start mpirun: {}\n", std::strerror(errno));
    return static_cast<int>(Exit::failed);
  }
  if (job == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setpgid(0, 0);  // the terminal's ctrl-C reaches only the launcher, which requests the ranks to end
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGPIPE}) std::signal(signal, SIG_DFL);
    output.take_standard_output();
    if (inherited.sa_handler != SIG_IGN) std::signal(SIGHUP, SIG_DFL);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    fmt::print(stderr, "weft: error: cannot start mpirun: {}; install Open MPI (Debian: openmpi-bin) or leave out -n\n",
               std::strerror(errno));
    _exit(127);
  }
  g_job = static_cast<std::sig_atomic_t>(job);
  // Ranks that start after a request receive it then. The start of ranks on other machines is not observable: if none has started
  // on this one in some time, mpirun forwards requests to them.
  constexpr int kPatience = 250, kIntervalMs = 20;
  int status = 0, intervals = 0, forwarded = 0;
  LastRank last_rank(job);
  for (pid_t ended = 0; (ended = waitpid(job, &status, WNOHANG)) != job; output.pass_on_for(kIntervalMs), ++intervals) {
    if (ended < 0 && errno != EINTR) {
      fmt::print(stderr, "weft: error: cannot learn how mpirun ended: {}\n", std::strerror(errno));
      return static_cast<int>(Exit::failed);
    }
    const bool started = started_ranks(list) > 0;
    if (started) last_rank.look(kIntervalMs);
    if (g_requests == 0 || g_received != 0) continue;
    if (request_end(list)) {
      g_received = 1;
    } else if (forwarded < g_requests && (started || intervals > kPatience)) {
      forwarded = g_requests;
      kill(job, SIGUSR1);
    }
  }
  output.pass_on_rest();
  const bool started = list < 0 || started_ranks(list) > 0;
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  report_end(code, started, std::span(words).first(words.size() - argc));
  return code;
}

}  // namespace weft::app
