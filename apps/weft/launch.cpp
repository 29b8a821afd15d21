#include "launch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>
#include <vector>

#include "command.hpp"

namespace weft::app {
namespace {

volatile std::sig_atomic_t g_job = 0;
volatile std::sig_atomic_t g_signals = 0;

extern "C" void forward(int /*signal*/) {
  g_signals = g_signals + 1;
  if (g_job > 0) kill(static_cast<pid_t>(g_job), g_signals < 3 ? SIGUSR1 : SIGTERM);
}

void set(const char* name, const char* value) { setenv(name, value, /*overwrite=*/0); }

/// Whether the PATH has this program.
bool on_path(const char* program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::vector<std::string> command_line(int ranks, const std::string& options, int argc, char** argv) {
  std::vector<std::string> words{"mpirun", "-q", "-n", std::to_string(ranks)};
  std::istringstream more(options);
  for (std::string word; more >> word;) words.push_back(word);
  words.emplace_back("/proc/self/exe");
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length > 0) words.back() = std::string(self, static_cast<std::size_t>(length));
  for (int i = 1; i < argc; ++i) words.emplace_back(argv[i]);
  return words;
}

}  // namespace

bool under_launcher() {
  return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr ||
         std::getenv("PMIX_RANK") != nullptr;
}

int rank_of_environment() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  }
  return 0;
}

int launch(int ranks, const std::string& options, int argc, char** argv) {
  std::vector<std::string> words = command_line(ranks, options, argc, argv);
  if (geteuid() == 0) {
    // Root is who a container runs as; the user has already decided to be root.
    set("OMPI_ALLOW_RUN_AS_ROOT", "1");
    set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  // Not bound: mpirun would bind every job on this machine to the same first cores. Waiting ranks let others run where the ranks
  // fill the machine. In the environment, for mpirun refuses an option that the user gives as well.
  set("OMPI_MCA_hwloc_base_binding_policy", "none");
  set("OMPI_MCA_rmaps_base_oversubscribe", "1");
  if (static_cast<unsigned>(ranks) >= std::thread::hardware_concurrency()) set("OMPI_MCA_mpi_yield_when_idle", "1");
  // mpirun looks for a way to other machines first, and gives up without one even when it needs none.
  if (!on_path("ssh") && !on_path("rsh")) set("OMPI_MCA_plm", "^rsh");
  winsize window{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) {
    set("WEFT_TERMINAL_WIDTH", std::to_string(window.ws_col > 0 ? window.ws_col : 80).c_str());
  }

  struct sigaction action {};
  action.sa_handler = forward;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);

  const pid_t job = fork();
  if (job < 0) {
    fmt::print(stderr, "weft: error: cannot start mpirun: {}\n", std::strerror(errno));
    return static_cast<int>(Exit::failed);
  }
  if (job == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setpgid(0, 0);  // the terminal's ctrl-C reaches only the launcher, which asks the ranks to end
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
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
  if (g_signals > 0) kill(job, SIGUSR1);
  int status = 0;
  while (waitpid(job, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return WEXITSTATUS(status);
}

}  // namespace weft::app
