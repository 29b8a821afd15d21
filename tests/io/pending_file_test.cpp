// A file whose rows are written by a thread of each rank: as one that is written at once, and gone if it is not finished.
#include "weft/io/hdf5/pending_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "io/support/scratch.hpp"
#include "support/sanitized.hpp"
#include "support/time_limit.hpp"

namespace weft::io::pending_file_test {
namespace {

using ::testing::HasSubstr;

class Pending : public ::testing::Test {
 protected:
  /// Rank r has 1000 r + 1 numbers, so that the rows of a rank have a place of their own.
  [[nodiscard]] std::shared_ptr<std::vector<std::int64_t>> numbers() const {
    auto list = std::make_shared<std::vector<std::int64_t>>(1000 * comm.rank().value() + 1);
    std::iota(list->begin(), list->end(), 10'000 * comm.rank().value());
    return list;
  }
  [[nodiscard]] PendingFile begin(std::shared_ptr<std::vector<std::int64_t>> list) const {
    return {comm, path, [&](Hdf5File& file) {
              file.write_text("text", "a test");
              file.write_rows_on_close("group/numbers", std::span<const std::int64_t>(*list), 1, list);
              list.reset();
            }};
  }
  [[nodiscard]] std::string bytes(const std::filesystem::path& file) const {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] bool exists(const std::filesystem::path& file) const {
    return comm.broadcast(comm.is_root() && std::filesystem::exists(file));
  }
  static void wait_for(const PendingFile& file) {
    while (!file.is_written()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  Communicator comm = Communicator::world();
  Scratch scratch{comm};
  std::filesystem::path path = scratch / "file.h5";
};

TEST_F(Pending, IsTheSameFileAsThatOfAnyOtherWayToWriteIt) {
  write_whole_hdf5(comm, scratch / "at_once.h5", [&](Hdf5File& file) {
    file.write_text("text", "a test");
    file.write_rows("group/numbers", std::span<const std::int64_t>(*numbers()));
  });
  begin(numbers()).finish();
  const std::string whole = bytes(scratch / "at_once.h5");
  EXPECT_TRUE(bytes(path) == whole);
  comm.barrier();
  if (comm.is_root()) std::filesystem::remove(path);
  PendingFile file = begin(numbers());
  file.start();
  file.finish();
  EXPECT_TRUE(bytes(path) == whole);
}

TEST_F(Pending, HasItsNameWhenItIsFinished) {
  PendingFile file = begin(numbers());
  EXPECT_EQ(file.path(), path);
  file.start();
  wait_for(file);
  EXPECT_FALSE(exists(path));
  EXPECT_TRUE(exists(path.string() + ".part"));
  file.finish();
  EXPECT_TRUE(exists(path));
  EXPECT_FALSE(exists(path.string() + ".part"));
  EXPECT_EQ(Hdf5File::open(comm, path).read_rows<std::int64_t>("group/numbers", 0, 1)[0], 0);
}

TEST_F(Pending, HoldsRowsUntilTheyAreWritten) {
  auto list = numbers();
  const std::weak_ptr<std::vector<std::int64_t>> held = list;
  PendingFile file = begin(std::move(list));
  EXPECT_FALSE(held.expired());
  file.start();
  wait_for(file);
  EXPECT_TRUE(held.expired());
  file.finish();
}

TEST_F(Pending, IsRemovedUnlessItIsFinished) {
  for (const bool starts : {false, true}) {
    PendingFile file = begin(numbers());
    PendingFile moved = std::move(file);
    EXPECT_TRUE(exists(path.string() + ".part"));
    if (starts) moved.start();
  }
  comm.barrier();
  EXPECT_FALSE(exists(path));
  EXPECT_FALSE(exists(path.string() + ".part"));
}

TEST_F(Pending, AnErrorOfAThreadIsThrownByFinishOnEveryRank) {
  test::limit_present_test();
  if (kSanitized && comm.size() == 1) GTEST_SKIP() << "H5Fclose fails on rank 0, and HDF5 then leaks memory";
  begin(numbers()).finish();
  const std::string old = bytes(path);
  comm.barrier();
  const bool limits = comm.rank().value() == comm.size() - 1;
  const auto former = std::signal(SIGXFSZ, SIG_IGN);  // makes writing beyond the limit fail
  rlimit unlimited{};
  getrlimit(RLIMIT_FSIZE, &unlimited);
  const auto large = std::make_shared<std::vector<std::int64_t>>(100'000);
  const std::string error = error_of<IoError>([&] {
    PendingFile file(comm, path,
                     [&](Hdf5File& to) { to.write_rows_on_close("large", std::span<const std::int64_t>(*large), 1, large); });
    rlimit limited = unlimited;
    limited.rlim_cur = 1;
    if (limits) setrlimit(RLIMIT_FSIZE, &limited);
    file.start();
    file.finish();
  });
  setrlimit(RLIMIT_FSIZE, &unlimited);
  std::signal(SIGXFSZ, former);
  EXPECT_THAT(error, HasSubstr("is the disk full?"));
  comm.barrier();
  EXPECT_TRUE(bytes(path) == old);
  EXPECT_FALSE(exists(path.string() + ".part"));
}

}  // namespace
}  // namespace weft::io::pending_file_test
