// Files of Weft's mesh format with flipped bits, which are read by a child process, because HDF5 might crash.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>

#include "weft/base/error.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/io/read_scatter.hpp"
#include "weft/mesh/io/write_mesh.hpp"

#include "read_samples.hpp"

namespace weft::mesh::damaged_headers_test {
namespace {

namespace fs = std::filesystem;

/// Numbers of readings by their outcome, in memory that a child shares with its parent.
struct Outcomes {
  std::int64_t next = 0;  ///< the first bit that has not been tried
  std::int64_t refused = 0, read = 0, crashed = 0, timed_out = 0;
};

/// Reads the mesh with one flipped bit after the other, until all are tried, a mesh that is read differs from the written one, or
/// HDF5 ends this process.
void flip_bits(const std::string& path, const MeshBlock& written, std::int64_t bits, std::int64_t step, Outcomes& outcomes) {
  constexpr unsigned kSeconds = 20;
  const int file = ::open(path.c_str(), O_RDWR);
  while (outcomes.next < bits) {
    const std::int64_t bit = outcomes.next;
    outcomes.next += step;
    unsigned char byte = 0;
    if (::pread(file, &byte, 1, bit / 8) != 1) std::_Exit(EXIT_FAILURE);
    const auto flipped = static_cast<unsigned char>(byte ^ (1U << (bit % 8)));
    if (::pwrite(file, &flipped, 1, bit / 8) != 1) std::_Exit(EXIT_FAILURE);
    ::alarm(kSeconds);
    try {
      testing::expect_same(read_mesh(Communicator::self(), path), written);
      if (::testing::Test::HasFailure()) std::_Exit(EXIT_FAILURE);
      ++outcomes.read;
    } catch (const std::exception&) {
      ++outcomes.refused;
    }
    ::alarm(0);
    if (::pwrite(file, &byte, 1, bit / 8) != 1) std::_Exit(EXIT_FAILURE);
  }
  std::_Exit(EXIT_SUCCESS);
}

/// Flips every bit in turn if WEFT_EVERY_BIT is set, and one bit of each byte otherwise. HDF5 1.10 crashes for some bits of
/// headers without checksums.
TEST(DamagedHeaders, AreRefusedWithoutACrash) {
  const Communicator comm = Communicator::world();
  if (comm.size() > 1) GTEST_SKIP() << "a child would receive the messages of other ranks";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers do not support the child processes";
#endif
  const fs::path folder = fs::temp_directory_path() / ("weft-damaged-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string path = folder / "m.h5", original = folder / "original.h5";
  write_mesh(comm, detail::scatter_whole(comm, testing::mixed_2d(1)), original, MeshFormat::weft);
  const MeshBlock written = read_mesh(comm, original);
  const auto bits = static_cast<std::int64_t>(fs::file_size(original)) * 8;
  const std::int64_t step = std::getenv("WEFT_EVERY_BIT") != nullptr ? 1 : 9;  // 9: another bit in each byte

  void* const shared = ::mmap(nullptr, sizeof(Outcomes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  Outcomes& outcomes = *new (shared) Outcomes;
  while (outcomes.next < bits) {
    fs::copy_file(original, path, fs::copy_options::overwrite_existing);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) std::signal(signal, SIG_DFL);  // MPI would print a backtrace
      flip_bits(path, written, bits, step, outcomes);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) ++(WTERMSIG(status) == SIGALRM ? outcomes.timed_out : outcomes.crashed);
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == EXIT_SUCCESS)
        << "a bit before " << outcomes.next << " changed the mesh";
  }
  EXPECT_EQ(outcomes.crashed, 0);
  EXPECT_EQ(outcomes.timed_out, 0);
  EXPECT_GT(outcomes.refused, outcomes.read) << "most bytes have a checksum; the others are unused";
  std::printf("%lld bytes: %lld refused, %lld read, %lld crashed, %lld timed out\n", static_cast<long long>(bits / 8),
              static_cast<long long>(outcomes.refused), static_cast<long long>(outcomes.read),
              static_cast<long long>(outcomes.crashed), static_cast<long long>(outcomes.timed_out));
  ::munmap(shared, sizeof(Outcomes));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace weft::mesh::damaged_headers_test
