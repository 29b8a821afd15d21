// Ghost exchange: the rows of an array lie on a ring that is distributed over the ranks. Each rank has a copy (a ghost) of the
// row before its first and of the row after its last, refreshes them from their owners (pull), and sends contributions back
// (push).
//
//   mpirun -n 3 ghost_exchange
#include <cstdio>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/array/row_offsets.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/comm/environment.hpp"

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  const weft::Communicator comm = weft::Communicator::world();

  // Rank r owns r + 3 rows; global numbers continue from rank to rank.
  const int owned = comm.rank().value() + 3;
  const weft::RowOffsets offsets(comm, owned);
  const std::int64_t rows = offsets.global_rows(), first = offsets.first().value();

  // A plan contains the rows of others that this rank reads. It has no values, and is shared by all arrays on these rows.
  const std::vector<weft::GlobalRow> wanted{weft::GlobalRow((first + rows - 1) % rows), weft::GlobalRow((first + owned) % rows)};
  const weft::GhostPlan plan = weft::GhostPlan::build(comm, owned, wanted);
  const weft::LocalRow before = plan.local_of(0), behind = plan.local_of(1);

  // Two numbers per row: owned rows first, then the ghosts, under one local index.
  weft::ArrayPair<double, 2> u(plan);
  for (int i = 0; i < owned; ++i) {
    u(i, 0) = static_cast<double>(first + i);
    u(i, 1) = 1;
  }

  weft::Exchange pull = weft::ArrayTransformer{plan, {u}}.pull();
  pull.run();
  bool right = true;
  for (const weft::LocalRow ghost : {before, behind}) {
    right = right && u(ghost, 0) == static_cast<double>(plan.global(ghost).value());
  }

  // The reverse: the contribution of a ghost is added to its owner's row.
  for (int i = owned; i < u.rows(); ++i) u(i, 1) = 10;
  weft::Exchange push = weft::ArrayTransformer{plan, {u}}.push(weft::Reduce::add);
  for (int i = owned; i < u.rows(); ++i) u(i, 0) = 0;
  push.run();
  double sum = 0;
  for (int i = 0; i < owned; ++i) sum += u(i, 1);
  const double expected = static_cast<double>(rows + 10 * comm.sum(plan.ghost_rows()));
  right = right && comm.sum(sum) == expected;

  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank == comm.rank().value()) {
      std::printf("rank %d owns rows %d to %d; before them row %g, after them row %g; %d ghost rows\n", rank,
                  static_cast<int>(first), static_cast<int>(first) + owned - 1, static_cast<double>(plan.global(before).value()),
                  static_cast<double>(plan.global(behind).value()), plan.ghost_rows());
      std::fflush(stdout);
    }
    comm.barrier();
  }
  const bool good = comm.all(right);
  if (comm.is_root()) std::printf("pull and push are %s\n", good ? "right" : "WRONG");
  return good ? 0 : 1;
}
