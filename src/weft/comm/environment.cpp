#include "weft/comm/environment.hpp"

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "weft/base/clock.hpp"
#include "weft/comm/mpi_check.hpp"

namespace weft {
namespace {

/// The process that created the latest MpiEnvironment.
pid_t& process() {
  static pid_t id = 0;
  return id;
}

/// Communicator for the barriers of all_ranks_arrive() only, which must not match barriers of collectives on other ranks.
MPI_Comm& arrivals() {
  static MPI_Comm comm = MPI_COMM_NULL;
  return comm;
}

}  // namespace

MpiEnvironment::MpiEnvironment(int& argc, char**& argv, Threads threads) {
  int started = 0;
  detail::check_mpi(MPI_Initialized(&started), "MPI_Initialized");
  if (started == 0) {
    // Without mpirun, Open MPI starts a daemon for spawned processes and fails on machines without ssh.
    if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    const int level = threads == Threads::one ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE;
    int provided = 0;
    detail::check_mpi(MPI_Init_thread(&argc, &argv, level, &provided), "MPI_Init_thread");
    owner_ = true;
  }
  process() = getpid();
  if (arrivals() == MPI_COMM_NULL) detail::check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &arrivals()), "MPI_Comm_dup");
}

MpiEnvironment::~MpiEnvironment() {
  if (owner_ && usable()) MPI_Finalize();
}

bool MpiEnvironment::usable() {
  int started = 0, ended = 0;
  return process() == getpid() && MPI_Initialized(&started) == MPI_SUCCESS && started != 0 &&
         MPI_Finalized(&ended) == MPI_SUCCESS && ended == 0;
}

std::optional<bool> MpiEnvironment::cuda_aware() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return std::nullopt;
#endif
}

std::string MpiEnvironment::library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) return "?";
  const std::string all(text, length);
  return all.substr(0, all.find(','));
}

bool MpiEnvironment::yields_when_idle() {
  const char* const setting = std::getenv("OMPI_MCA_mpi_yield_when_idle");
  return setting != nullptr && std::string_view(setting) != "0" && std::string_view(setting) != "false";
}

std::string MpiEnvironment::machine() {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  if (MPI_Get_processor_name(name, &length) != MPI_SUCCESS) return "?";
  return {name, static_cast<std::size_t>(length)};
}

bool MpiEnvironment::all_ranks_arrive(double seconds) {
  MPI_Request arrival = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(arrivals(), &arrival) != MPI_SUCCESS) return false;
  const Stopwatch waiting;
  int done = 0;
  while (waiting.seconds() < seconds) {
    if (MPI_Test(&arrival, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (done != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

void MpiEnvironment::abort_job(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);  // MPI_Abort does not return but is not declared [[noreturn]]
}

}  // namespace weft
