// Files are on the disk before they get their names. The fsync of this program notes what it is asked for.
#include "weft/io/detail/sync.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/io/checkpoint.hpp"
#include "weft/io/table.hpp"
#include "weft/io/text_file.hpp"

#include "io/support/scratch.hpp"

namespace {

std::vector<std::string>& synced() {
  static std::vector<std::string> paths;
  return paths;
}
int& failure() {
  static int reason = 0;
  return reason;
}

}  // namespace

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

namespace weft::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Sync : public ::testing::Test {
 protected:
  void SetUp() override { synced().clear(); }
  void TearDown() override { failure() = 0; }
  void write_checkpoint_here() {
    const std::vector<std::int64_t> keys{comm.rank().value()};
    const std::vector<double> values{0.5};
    const std::vector<CheckpointField> fields{{"a", values}};
    write_checkpoint(comm, path, {.global_cells = comm.size(), .case_text = "x"}, keys, fields);
  }

  Communicator comm = Communicator::world();
  Scratch scratch{comm};
  std::filesystem::path path = scratch / "checkpoint.h5";
  std::string part = path.string() + ".part", folder = scratch.path().string();
};

TEST_F(Sync, EveryRankSyncsACheckpointBeforeItHasItsName) {
  write_checkpoint_here();
  if (comm.is_root()) {
    EXPECT_THAT(synced(), ElementsAre(part, folder));
  } else {
    EXPECT_THAT(synced(), ElementsAre(part));
  }
}

TEST_F(Sync, ADiskThatFailsOnOneRankIsAnErrorOnEveryRankAndKeepsTheOldFile) {
  write_checkpoint_here();
  const auto before = std::filesystem::last_write_time(path);
  if (comm.rank().value() == comm.size() - 1) failure() = EIO;
  EXPECT_THAT(error_of<IoError>([&] { write_checkpoint_here(); }), HasSubstr("cannot bring it to the disk: Input/output error"));
  EXPECT_EQ(std::filesystem::last_write_time(path), before);
  comm.barrier();
  EXPECT_FALSE(std::filesystem::exists(part));
  failure() = EINVAL;  // as of a file system that cannot sync
  comm.barrier();
  write_checkpoint_here();
}

TEST_F(Sync, TextFilesAreOnTheDiskBeforeTheyHaveTheirNames) {
  const Table table = Table::create(comm, scratch / "forces.csv", {"step"});
  const Table again = Table::resume(comm, scratch / "forces.csv", {"step"}, 3);
  if (!comm.is_root()) return;
  const std::string beside = (scratch / "forces.csv.part").string();
  EXPECT_THAT(synced(), ElementsAre(beside, folder, beside, folder));
  failure() = ENOSPC;
  EXPECT_THAT(error_of<IoError>([&] { write_text(scratch / "forces.csv", "x"); }), HasSubstr("No space left on device"));
}

TEST_F(Sync, AFileThatCannotBeOpenedIsAnError) {
  EXPECT_THAT(error_of<IoError>([&] { detail::sync_file(scratch / "none"); }), HasSubstr("No such file"));
  EXPECT_THAT(error_of<IoError>([&] { detail::sync_parent(scratch / "none/file"); }), HasSubstr("No such file"));
}

}  // namespace
}  // namespace weft::io
