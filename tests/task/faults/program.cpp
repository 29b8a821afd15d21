// A graph on all ranks, in which the last one misbehaves in the third iteration as the argument says: throw, kill, hang or late.
// With a folder, each rank replaces a file there in each iteration, by an I/O task; then also full, missing (faults of the file),
// and throw and kill happen while the file is written. For faults_test.py.
//
//   task_faults FAULT THREADS [FOLDER BYTES]
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/environment.hpp"
#include "weft/io/text_file.hpp"
#include "weft/task/graph.hpp"

#include "task/ring.hpp"

namespace {

using namespace weft::task;
namespace fs = std::filesystem;

constexpr int kFaulty = 3;  // iteration

struct Output {
  fs::path folder{};  ///< empty: there is no I/O task
  std::size_t bytes = 0;
  [[nodiscard]] fs::path file(int rank) const { return folder / ("state_" + std::to_string(rank) + ".txt"); }
};

/// Writes until the disk is full.
void fill(const fs::path& file) {
  std::ofstream out(file, std::ios::binary);
  const std::string some(4096, 'f');
  while (out.write(some.data(), static_cast<std::streamsize>(some.size())).flush()) {
  }
}

/// Waits until the first rank, which does not misbehave, has written a file.
void wait_for_first_rank(const Output& output) {
  while (!fs::exists(output.file(0))) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Waits until the file of iteration kFaulty is being written: that of the one before is there, and part of the next.
void wait_for_write(const fs::path& file) {
  const fs::path part = file.string() + ".part";
  while (true) {
    std::error_code none;
    const auto begun = fs::file_size(part, none);
    if (!none && begun > 0 && std::ifstream(file).get() == '0' + kFaulty - 1) return;
  }
}

/// Misbehaves in iteration kFaulty.
void fault(const std::string& kind, const Output& output, int rank) {
  static int iteration = 0;
  ++iteration;
  const bool during_write = !output.folder.empty() && (kind == "throw" || kind == "kill");
  if (iteration == kFaulty - 1 && during_write) wait_for_first_rank(output);  // before the file of kFaulty can be written
  if (iteration != kFaulty) return;
  if (during_write) wait_for_write(output.file(rank));
  if (kind == "throw") throw weft::PhysicsError("the pressure of cell 3 is negative", "use a smaller time step");
  if (kind == "kill") (void)std::raise(SIGKILL);
  if (kind == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
  if (kind == "late") std::this_thread::sleep_for(std::chrono::milliseconds(700));
}

/// Writes the number of the iteration as often as the file has bytes.
void write(const Snapshot& snapshot, const Output& output, int rank, const std::string& kind) {
  fs::path file = output.file(rank);
  if (snapshot.iteration() == kFaulty && kind == "full") {
    wait_for_first_rank(output);
    fill(output.folder / "fill");
  }
  if (snapshot.iteration() == kFaulty && kind == "missing") file = output.folder / "missing" / file.filename();
  weft::io::write_text(file, std::string(output.bytes, static_cast<char>('0' + snapshot.iteration())));
}

void run(const std::string& kind, int threads, const Output& output) {
  weft::task::test::Ring ring;
  const int rank = ring.comm.rank().value();
  const weft::Watchdog watchdog(output.folder.empty() ? 2 : 30,
                                "rank " + std::to_string(rank) + " of " + std::to_string(ring.comm.size()));
  const auto behind = ring.plan.find(weft::GlobalRow(ring.behind()));
  double sum = 0;
  Graph g(ring.comm);
  const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v), s = g.add_number("sum", sum);
  const bool last = rank == ring.comm.size() - 1;
  if (!output.folder.empty()) {
    g.add_task("write", {reads(u, Part::owned)}, io,
               [&](const Snapshot& snapshot) { write(snapshot, output, rank, last ? kind : ""); });
  }
  g.add_task("add", {reads_writes(u)}, [&] {
    for (int i = 0; i < weft::task::test::Ring::kRows; ++i) ring.u(i, 0) += 1;
    if (last) fault(kind, output, rank);
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
    const Output output = argc > 4 ? Output{argv[3], std::stoul(argv[4])} : Output{};
    run(argc > 1 ? argv[1] : "", argc > 2 ? std::stoi(argv[2]) : 1, output);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", weft::Communicator::world().rank().value(), error.what());
    return 3;
  }
}
