// Files are synced before they are renamed. The fsync of this program records its calls.
#include "weft/io/sync.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/comm/shared_memory.hpp"
#include "weft/io/checkpoint.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"
#include "weft/io/table.hpp"
#include "weft/io/text_file.hpp"

#include "io/support/scratch.hpp"
#include "support/time_limit.hpp"

namespace weft::io::sync_test {
namespace {

std::vector<std::string>& synced() {
  static std::vector<std::string> paths;
  return paths;
}
int& failure() {
  static int reason = 0;
  return reason;
}

/// Simulates files on NFS.
bool& on_nfs() {
  static bool yes = false;
  return yes;
}
/// Error of opening a directory; 0 for none.
int& refusal() {
  static int reason = 0;
  return reason;
}

}  // namespace

// Functions with C linkage replace those of the C library, in any namespace.
extern "C" int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (refusal() != 0 && (flags & O_DIRECTORY) != 0) {
    errno = refusal();
    return -1;
  }
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

extern "C" int fstatfs(int descriptor, struct statfs* disk) {
  const int result = static_cast<int>(syscall(SYS_fstatfs, descriptor, disk));
  if (on_nfs()) disk->f_type = NFS_SUPER_MAGIC;
  return result;
}

extern "C" int fsync(int descriptor) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  if (readlink(link.c_str(), path.data(), path.size() - 1) > 0) synced().emplace_back(path.data());
  if (failure() != 0) {
    errno = failure();
    return -1;
  }
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Sync : public ::testing::Test {
 protected:
  void SetUp() override { synced().clear(); }
  void TearDown() override {
    failure() = refusal() = 0;
    on_nfs() = false;
    SharedMemory::set_machine_for_tests(machine);
  }
  /// Returns the byte that SharedFile locks on this rank.
  [[nodiscard]] struct flock own_byte() const {
    struct flock byte {};
    byte.l_type = F_WRLCK;
    byte.l_whence = SEEK_SET;
    byte.l_start = (std::int64_t{1} << 62) + comm.rank().value();
    byte.l_len = 1;
    return byte;
  }
  /// Returns true if any process has locked it.
  [[nodiscard]] bool locked() const {
    const int descriptor = ::open(path.c_str(), O_RDWR);
    struct flock byte = own_byte();
    EXPECT_EQ(::fcntl(descriptor, F_OFD_GETLK, &byte), 0);
    ::close(descriptor);
    return byte.l_type != F_UNLCK;
  }
  void write_checkpoint_here() {
    const std::vector<std::int64_t> keys{comm.rank().value()};
    const std::vector<double> values{0.5};
    const std::vector<CheckpointField> fields{{"a", values}};
    write_checkpoint(comm, path, {.global_cells = comm.size(), .case_text = "x"}, keys, fields);
  }

  std::string machine = SharedMemory::machine();
  Communicator comm = Communicator::world();
  Scratch scratch{comm};
  std::filesystem::path path = scratch / "checkpoint.h5";
  std::string part = path.string() + ".part", folder = scratch.path().string();
};

TEST_F(Sync, EveryRankSyncsACheckpointBeforeItIsRenamed) {
  write_checkpoint_here();
  if (comm.is_root()) {
    EXPECT_THAT(synced(), ElementsAre(part, folder));
  } else {
    EXPECT_THAT(synced(), ElementsAre(part));
  }
}

TEST_F(Sync, AFaultyDiskOfOneRankThrowsOnEveryRankAndPreservesTheOldFile) {
  test::limit_present_test();
  write_checkpoint_here();
  const auto before = std::filesystem::last_write_time(path);
  if (comm.rank().value() == comm.size() - 1) failure() = EIO;
  EXPECT_THAT(error_of<IoError>([&] { write_checkpoint_here(); }), HasSubstr("cannot sync it to the disk: Input/output error"));
  EXPECT_EQ(std::filesystem::last_write_time(path), before);
  comm.barrier();
  EXPECT_FALSE(std::filesystem::exists(part));
  failure() = EINVAL;  // a file system without sync
  comm.barrier();
  write_checkpoint_here();
}

TEST_F(Sync, TextFilesAreSyncedBeforeTheyAreRenamed) {
  const Table table = Table::create(comm, scratch / "forces.csv", {"step"});
  const Table again = Table::resume(comm, scratch / "forces.csv", {"step"}, 3);
  if (!comm.is_root()) return;
  const std::string beside = (scratch / "forces.csv.part").string();
  EXPECT_THAT(synced(), ElementsAre(beside, folder, beside, folder));
  failure() = ENOSPC;
  EXPECT_THAT(error_of<IoError>([&] { write_text(scratch / "forces.csv", "x"); }), HasSubstr("No space left on device"));
}

TEST_F(Sync, AFolderThatCannotBeOpenedIsNotSynced) {
  for (const int reason : {EACCES, EINVAL, ENOTSUP}) {
    synced().clear();
    refusal() = reason;
    write_checkpoint_here();
    EXPECT_THAT(synced(), ElementsAre(part));
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  refusal() = EIO;
  EXPECT_THAT(error_of<IoError>([&] { write_checkpoint_here(); }), HasSubstr("cannot open it to sync it to the disk"));
}

TEST_F(Sync, EachMachineThatWritesAFileOnNfsHoldsALock) {
  for (const bool nfs : {false, true}) {
    for (const bool machines : {false, true}) {
      on_nfs() = nfs;
      SharedMemory::set_machine_for_tests(machines && comm.rank().value() % 2 == 1 ? "odd" : "even");
      Hdf5File file = Hdf5File::create(comm, path);
      EXPECT_EQ(locked(), nfs && machines && comm.size() > 1);
      file.close();
      EXPECT_FALSE(locked());
      comm.barrier();
    }
  }
  if (comm.size() == 1) return;
  // If the last rank gets no lock, no rank writes.
  const int descriptor = ::open(path.c_str(), O_RDWR);
  struct flock byte = own_byte();
  if (comm.rank().value() == comm.size() - 1) {
    ASSERT_EQ(::fcntl(descriptor, F_OFD_SETLK, &byte), 0);
  }
  EXPECT_THAT(error_of<IoError>([&] { (void)Hdf5File::create(comm, path); }), HasSubstr("cannot lock a byte of it"));
  ::close(descriptor);
}

TEST_F(Sync, AFileThatCannotBeOpenedThrows) {
  EXPECT_THAT(error_of<IoError>([&] { detail::sync_file(scratch / "none"); }), HasSubstr("No such file"));
  EXPECT_THAT(error_of<IoError>([&] { detail::sync_parent(scratch / "none/file"); }), HasSubstr("No such file"));
}

}  // namespace
}  // namespace weft::io::sync_test
