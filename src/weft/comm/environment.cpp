#include "weft/comm/environment.hpp"

#include <mpi.h>

#include <cstdlib>

#include "weft/comm/detail/check.hpp"

namespace weft {

MpiEnvironment::MpiEnvironment(int& argc, char**& argv) {
  int started = 0;
  detail::check_mpi(MPI_Initialized(&started), "MPI_Initialized");
  if (started == 0) {
    int provided = 0;
    detail::check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    ours_ = true;
  }
}

MpiEnvironment::~MpiEnvironment() {
  int ended = 0;
  if (ours_ && MPI_Finalized(&ended) == MPI_SUCCESS && ended == 0) MPI_Finalize();
}

void MpiEnvironment::abort_job(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);  // MPI_Abort does not return; the compiler does not know
}

}  // namespace weft
