// A graph on all ranks, in which one rank misbehaves as the argument says: throw, kill, hang or late. For faults_test.py.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/environment.hpp"
#include "weft/task/graph.hpp"

#include "task/ring.hpp"

namespace {

using namespace weft::task;

/// Misbehaves in the third iteration.
void fault(const std::string& kind) {
  static int iteration = 0;
  if (++iteration != 3) return;
  if (kind == "throw") throw weft::PhysicsError("the pressure of cell 3 is negative", "use a smaller time step");
  if (kind == "kill") (void)std::raise(SIGKILL);
  if (kind == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
  if (kind == "late") std::this_thread::sleep_for(std::chrono::milliseconds(700));
}

void run(const std::string& kind, int threads) {
  weft::task::test::Ring ring;
  const int rank = ring.comm.rank().value();
  const weft::Watchdog watchdog(2, "rank " + std::to_string(rank) + " of " + std::to_string(ring.comm.size()));
  const auto behind = ring.plan.find(weft::GlobalRow(ring.behind()));
  double sum = 0;
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v), s = g.add_number("sum", sum);
  g.add_task("add", {reads_writes(u)}, [&] {
    for (int i = 0; i < weft::task::test::Ring::kRows; ++i) ring.u(i, 0) += 1;
    if (rank == ring.comm.size() - 1) fault(kind);
  });
  g.add_task("copy", {reads(u), writes(v)}, [&] {
    for (int i = 0; i < weft::task::test::Ring::kRows; ++i) ring.v(i, 0) = std::as_const(ring.u)(behind, 0);
  });
  g.add_task("measure", {reads(v, Part::owned), reduces(s, weft::Reduce::add)}, [&] { sum += std::as_const(ring.v)(0, 0); });
  g.compile(threads).run(5);
  if (rank == 0) std::printf("sum %g\n", sum);
}

}  // namespace

int main(int argc, char** argv) {
  const weft::MpiEnvironment mpi(argc, argv);
  try {
    run(argc > 1 ? argv[1] : "", argc > 2 ? std::stoi(argv[2]) : 1);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", weft::Communicator::world().rank().value(), error.what());
    return 3;
  }
}
