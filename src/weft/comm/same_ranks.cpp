#include "weft/comm/same_ranks.hpp"

#include <mpi.h>

#include "weft/comm/mpi_check.hpp"

namespace weft {

bool same_ranks(const Communicator& a, const Communicator& b) {
  int result = MPI_UNEQUAL;
  detail::check_mpi(MPI_Comm_compare(a.handle(), b.handle(), &result), "MPI_Comm_compare");
  return result == MPI_IDENT || result == MPI_CONGRUENT;
}

}  // namespace weft
