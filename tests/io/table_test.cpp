#include "weft/io/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <csignal>
#include <filesystem>

#include "weft/io/text_file.hpp"

#include "io/support/scratch.hpp"

namespace weft::io::table_test {
namespace {

using ::testing::HasSubstr;

class TableTest : public ::testing::Test {
 protected:
  // Returns the content of the file on rank 0, on every rank.
  std::string content() {
    std::string text = comm.is_root() ? read_text(path) : "";
    comm.broadcast(text);
    return text;
  }
  void put(const std::string& text) {
    if (comm.is_root()) write_text(path, text);
    comm.barrier();
  }

  Communicator comm = Communicator::world();
  Scratch scratch{comm};
  std::filesystem::path path = scratch / "history.csv";
  std::vector<std::string> columns{"step", "residual"};
};

TEST_F(TableTest, WritesHeaderAndRowsOnceForAllRanks) {
  Table table = Table::create(comm, path, columns);
  EXPECT_EQ(content(), "step,residual\n");
  table.add(std::array{1.0, 0.1});
  table.add(std::array{20.0, 1.0 / 3.0});
  EXPECT_EQ(content(), "step,residual\n1,0.10000000000000001\n20,0.33333333333333331\n") << "without closing";
}

TEST_F(TableTest, CreateReplaces) {
  put("old");
  const Table table = Table::create(comm, path, columns);
  EXPECT_EQ(content(), "step,residual\n");
}

TEST_F(TableTest, ResumeRemovesRowsAfterTheCheckpointAndAnIncompleteRow) {
  put("step,residual\n1,0.5\n2,0.25\n3,0.125\n4,0.0");
  Table table = Table::resume(comm, path, columns, 2);
  table.add(std::array{3.0, 7.0});
  EXPECT_EQ(content(), "step,residual\n1,0.5\n2,0.25\n3,7\n");
  table = Table::resume(comm, path, columns, 100);
  EXPECT_EQ(content(), "step,residual\n1,0.5\n2,0.25\n3,7\n");
}

TEST_F(TableTest, ResumeWithoutAFileStartsOne) {
  Table table = Table::resume(comm, path, columns, 2);
  EXPECT_EQ(content(), "step,residual\n");
  put("");
  table = Table::resume(comm, path, columns, 2);
  EXPECT_EQ(content(), "step,residual\n");
}

TEST_F(TableTest, ResumeRejectsOtherColumnsAndInvalidRows) {
  put("step,force\n1,2\n");
  EXPECT_EQ(error_of<IoError>([&] { (void)Table::resume(comm, path, columns, 2); }),
            path.string() +
                ":1: has the columns step,force, and this run writes step,residual; use the same outputs, or move the "
                "file away");
  put("step,residual\n1,2\nabc\n");
  EXPECT_THAT(error_of<IoError>([&] { (void)Table::resume(comm, path, columns, 2); }), HasSubstr(":3: \"abc\" does not start"));
}

TEST_F(TableTest, IsReadBackOnEveryRank) {
  Table table = Table::create(comm, path, columns);
  EXPECT_TRUE(read_table(comm, path).empty());
  table.add(std::array{1.0, 0.1});
  table.add(std::array{2.0, -1e-300});
  comm.barrier();
  EXPECT_EQ(read_table(comm, path), (std::vector<std::vector<double>>{{1, 0.1}, {2, -1e-300}}));
  put("step,residual\n1,0.5\n2,0.");
  EXPECT_EQ(read_table(comm, path), (std::vector<std::vector<double>>{{1, 0.5}})) << "without a last row that was cut off";
  put("step,residual\n1,0.5\n2,x\n");
  EXPECT_THAT(error_of<IoError>([&] { (void)read_table(comm, path); }), HasSubstr(":3: a value is not a number"));
  EXPECT_NE(error_of<IoError>([&] { (void)read_table(comm, scratch / "none.csv"); }), "");
}

TEST_F(TableTest, ErrorsNameTheLocation) {
  EXPECT_THAT(error_of<IoError>([&] { (void)Table::create(comm, scratch / "no/history.csv", columns); }),
              HasSubstr("its directory does not exist"));
  EXPECT_THAT(error_of<IoError>([&] { (void)Table::create(comm, "/proc/history.csv", columns); }), HasSubstr("cannot write it"));
}

#ifdef WEFT_CONTRACTS
TEST_F(TableTest, WrongNumbersOfValuesViolateAContract) {
  Table table = Table::create(comm, path, columns);
  EXPECT_THROW(table.add(std::array{1.0}), ContractError);
  EXPECT_THROW((void)Table::create(comm, path, {"a,b"}), ContractError);
}
#endif

TEST(TextFile, WritesFilesAndCreatesDirectories) {
  const Communicator comm = Communicator::world();
  const Scratch scratch(comm);
  if (comm.is_root()) {
    make_directories(scratch / "a/b");
    write_text(scratch / "a/b/c.txt", "one\n");
    write_text(scratch / "a/b/c.txt", "two\n");
    EXPECT_EQ(read_text(scratch / "a/b/c.txt"), "two\n");
    EXPECT_FALSE(std::filesystem::exists(scratch / "a/b/c.txt.part"));
    EXPECT_THAT(error_of<IoError>([&] { make_directories(scratch / "a/b/c.txt"); }), HasSubstr("cannot create this directory"));
    EXPECT_THAT(error_of<IoError>([&] { make_directories("/proc/a"); }), HasSubstr("cannot create this directory"));
  }
}

TEST_F(TableTest, ReportsWhyARowCannotBeWritten) {
  Table table = Table::create(comm, path, columns);
  if (comm.is_root()) {
    const auto former = std::signal(SIGXFSZ, SIG_IGN);  // makes write fail for a file beyond the limit
    rlimit unlimited{};
    getrlimit(RLIMIT_FSIZE, &unlimited);
    rlimit limited = unlimited;
    limited.rlim_cur = std::filesystem::file_size(path);
    setrlimit(RLIMIT_FSIZE, &limited);
    std::string row, text;
    try {
      table.add(std::array{1.0, 0.1});
    } catch (const IoError& error) {
      row = error.what();
    }
    try {
      write_text(scratch / "long.txt", std::string(1000, 'x'));
    } catch (const IoError& error) {
      text = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &unlimited);
    std::signal(SIGXFSZ, former);
    EXPECT_THAT(row, HasSubstr(path.string() + ": cannot write a row: File too large"));
    EXPECT_THAT(text, HasSubstr("long.txt: cannot write all of it: File too large"));
    EXPECT_FALSE(std::filesystem::exists(scratch / "long.txt.part"));
  }
}

}  // namespace
}  // namespace weft::io::table_test
