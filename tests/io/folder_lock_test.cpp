#include "weft/io/folder_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <string>

#include "weft/base/error.hpp"
#include "weft/io/text_file.hpp"

#include "io/support/scratch.hpp"

namespace weft::io::folder_lock_test {
namespace {

using ::testing::HasSubstr;

std::string host() {
  utsname machine{};
  uname(&machine);
  return machine.nodename;
}

class FolderLockTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder); }
  /// Returns the error message of locking the folder; empty if it is free.
  [[nodiscard]] std::string refusal() const {
    try {
      const FolderLock lock(folder);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }

  Communicator comm = Communicator::world();
  Scratch scratch{comm};
  std::filesystem::path folder = scratch / ("of_rank_" + std::to_string(comm.rank().value()));
  std::filesystem::path file = folder / FolderLock::kFileName;
};

TEST_F(FolderLockTest, NamesTheProcessThatHoldsTheFolder) {
  {
    const FolderLock lock(folder);
    EXPECT_EQ(lock.taken_over_from(), "");
    EXPECT_EQ(read_text(file), std::to_string(getpid()) + " " + host() + "\n");
    EXPECT_THAT(refusal(), HasSubstr("in use by another run (pid " + std::to_string(getpid()) + " on " + host() + ")"));
    EXPECT_THAT(refusal(), HasSubstr(folder.string()));
  }
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(refusal(), "");
}

TEST_F(FolderLockTest, IsTakenOverFromAProcessThatEndedWithoutRemovingTheFile) {
  // Process 1 exists but does not hold the advisory lock: the pid has been reused.
  write_text(file, "1 " + host() + "\n");
  const FolderLock lock(folder);
  EXPECT_EQ(lock.taken_over_from(), "pid 1 on " + host());
  EXPECT_EQ(read_text(file), std::to_string(getpid()) + " " + host() + "\n");
}

TEST_F(FolderLockTest, IsTakenOverIfTheFileNamesNoProcess) {
  write_text(file, "");
  const FolderLock lock(folder);
  EXPECT_EQ(lock.taken_over_from(), "");
}

}  // namespace
}  // namespace weft::io::folder_lock_test
