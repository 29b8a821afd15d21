#include "weft/array/krylov_ranks.hpp"

namespace weft {

GhostPlan detail::plan_of_all_ranks(const Communicator& comm) {
  std::vector<GlobalRow> others;
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank != comm.rank().value()) others.emplace_back(rank);
  }
  return GhostPlan::build(comm, 1, others);
}

}  // namespace weft
