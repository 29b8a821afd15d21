#include "weft/io/hdf5/hdf5_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <numeric>

#include "weft/base/id.hpp"
#include "weft/base/vec3.hpp"
#include "weft/comm/environment.hpp"
#include "weft/io/hdf5/pending_file.hpp"

#include "io/support/scratch.hpp"
#include "support/sanitized.hpp"
#include "support/time_limit.hpp"

namespace weft::io::hdf5_file_test {
namespace {

using ::testing::HasSubstr;

class Hdf5 : public ::testing::Test {
 protected:
  Communicator comm = Communicator::world();
  int rank = comm.rank().value();
  Scratch scratch{comm};
  std::filesystem::path path = scratch / "file.h5";
};

// Rank r writes r rows (rank 0 none), numbered over all ranks.
std::vector<double> some_rows(const Communicator& comm, int width) {
  const std::int64_t rows = comm.rank().value(), first = comm.exclusive_sum(rows);
  std::vector<double> values;
  for (std::int64_t i = first * width; i < (first + rows) * width; ++i) values.push_back(0.1 * static_cast<double>(i));
  return values;
}

TEST_F(Hdf5, RowsOfAllRanksAreContiguous) {
  const std::vector<double> mine = some_rows(comm, 3);
  Hdf5File file = Hdf5File::create(comm, path);
  file.write_rows("a/b/wide", std::span<const double>(mine), 3);
  file.write_rows("one", std::span<const double>(mine));
  file.write_rows("nothing", std::span<const std::int64_t>());
  file.close();

  const std::int64_t total = std::int64_t{comm.size()} * (comm.size() - 1) / 2;
  const Hdf5File in = Hdf5File::open(comm, path);
  EXPECT_TRUE(in.has("a/b/wide"));
  EXPECT_FALSE(in.has("a/c/wide"));
  const DatasetInfo info = in.info("a/b/wide");
  EXPECT_EQ(info.rows, total);
  EXPECT_EQ(info.columns, 3);
  EXPECT_EQ(info.scalar, ElementType::Scalar::float64);
  EXPECT_EQ(in.info("nothing").rows, 0);
  EXPECT_TRUE(in.read_rows<std::int64_t>("nothing", 0, 0).empty());
  // Each rank reads other rows than it wrote; the last one reads all.
  const std::int64_t first = rank == comm.size() - 1 ? 0 : std::min<std::int64_t>(rank, total);
  const std::vector<double> read = in.read_rows<double>("a/b/wide", first, total - first, 3);
  ASSERT_EQ(std::ssize(read), 3 * (total - first));
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i], 0.1 * static_cast<double>(3 * first + std::int64_t(i)));
}

TEST_F(Hdf5, ElementTypesArePreserved) {
  struct Tag;
  struct Opaque {
    std::int32_t a;
    char b[4];
  };
  using Key = Id<Tag, std::int32_t>;
  const std::vector<Vec3> points{{1, 2, 3}, {4, 5, 6}};
  const std::vector<Key> ids{Key(7), Key(rank)};
  const std::vector<Opaque> opaque{{5, "abc"}};
  Hdf5File file = Hdf5File::create(comm, path);
  file.write_rows("points", std::span<const Vec3>(points));
  file.write_rows("ids", std::span<const Key>(ids), 2);
  file.write_rows("opaque", std::span<const Opaque>(opaque));
  file.close();
  const Hdf5File in = Hdf5File::open(comm, path);
  EXPECT_EQ(in.info("points").columns, 3);
  EXPECT_EQ(in.info("ids").scalar, ElementType::Scalar::int32);
  EXPECT_EQ(in.read_rows<Vec3>("points", 2 * rank, 2)[1], (Vec3{4, 5, 6}));
  EXPECT_EQ(in.read_rows<Key>("ids", rank, 1, 2)[1], Key(rank));
  EXPECT_STREQ(in.read_rows<Opaque>("opaque", 0, 1)[0].b, "abc");
}

TEST_F(Hdf5, AttributesAndTexts) {
  const std::string long_text(100000, 'x');
  Hdf5File file = Hdf5File::create(comm, path);
  file.make_group("g");
  file.write_attribute("g", "integer", std::int64_t{-5});
  file.write_attribute("/", "real", 0.1);
  file.write_attribute("g", "text", std::string_view("hello"));
  file.write_attribute("g", "empty", std::string_view(""));
  file.write_text("notes/long", long_text + "é");
  file.write_text("none", "");
  file.close();
  const Hdf5File in = Hdf5File::open(comm, path);
  EXPECT_EQ(in.read_integer_attribute("g", "integer"), -5);
  EXPECT_EQ(in.read_real_attribute("/", "real"), 0.1);
  EXPECT_EQ(in.read_text_attribute("g", "text"), "hello");
  EXPECT_EQ(in.read_text_attribute("g", "empty"), "");
  EXPECT_EQ(in.read_text("notes/long"), long_text + "é");
  EXPECT_EQ(in.read_text("none"), "");
  EXPECT_TRUE(in.has_attribute("g", "text"));
  EXPECT_FALSE(in.has_attribute("g", "txet"));
  EXPECT_THAT(error_of<IoError>([&] { (void)in.read_integer_attribute("g", "text"); }), HasSubstr("another type"));
  EXPECT_THAT(error_of<IoError>([&] { (void)in.read_integer_attribute("g", "missing"); }),
              HasSubstr("cannot read attribute missing of g"));
}

TEST_F(Hdf5, ReadingChecksTypeWidthAndRange) {
  const std::vector<double> two{1, 2};
  Hdf5File file = Hdf5File::create(comm, path);
  file.write_rows("two", std::span<const double>(two.data(), comm.is_root() ? 2U : 0U));
  file.close();
  const Hdf5File in = Hdf5File::open(comm, path);
  EXPECT_THAT(error_of<IoError>([&] { (void)in.read_rows<float>("two", 0, 2); }),
              HasSubstr("holds rows of 1 float64, not of 1 float32"));
  EXPECT_THAT(error_of<IoError>([&] { (void)in.read_rows<double>("two", 0, 1, 2); }), HasSubstr("not of 2 float64"));
  EXPECT_THAT(error_of<IoError>([&] { (void)in.read_rows<double>("two", 1, 2); }),
              HasSubstr("has 2 rows: cannot read 2 rows from row 1 on"));
  EXPECT_THAT(error_of<IoError>([&] { (void)in.read_rows<double>("three", 0, 2); }), HasSubstr("cannot open three"));
  // A single rank requests too many rows: all ranks throw.
  EXPECT_THAT(error_of<IoError>([&] { (void)in.read_rows<double>("two", 0, comm.is_root() ? 3 : 2); }),
              HasSubstr("rows from row 0 on"));
  EXPECT_EQ(in.read_rows<double>("two", 0, 2), two) << "the file is still usable";
}

TEST_F(Hdf5, WritingTheSameNameTwiceIsAnError) {
  Hdf5File file = Hdf5File::create(comm, path);
  file.make_group("g");
  const std::string error = error_of<IoError>([&] { file.make_group("g"); });
  EXPECT_THAT(error, HasSubstr(path.string() + ": cannot make group g ("));
  EXPECT_THAT(error, HasSubstr("exists"));
  file.close();
  EXPECT_THAT(error_of<IoError>([&] { file.make_group("h"); }), HasSubstr("the file is closed"));
}

TEST_F(Hdf5, ErrorsNameTheLocation) {
  EXPECT_THAT(error_of<IoError>([&] { (void)Hdf5File::create(comm, scratch / "no/such/file.h5"); }),
              HasSubstr("No such file or directory; make its directory first"));
  EXPECT_THAT(error_of<IoError>([&] { (void)Hdf5File::create(comm, scratch.path()); }), HasSubstr("a directory of this name"));
  EXPECT_THAT(error_of<IoError>([&] { (void)Hdf5File::create(comm, "/proc/weft.h5"); }), HasSubstr("cannot write it"));
  EXPECT_THAT(error_of<IoError>([&] { (void)Hdf5File::open(comm, path); }), HasSubstr("no such file"));
  EXPECT_THAT(error_of<IoError>([&] { (void)Hdf5File::open(comm, scratch.path()); }), HasSubstr("is a directory"));
  if (comm.is_root()) std::ofstream(path) << "this is not HDF5";
  EXPECT_THAT(error_of<IoError>([&] { (void)Hdf5File::open(comm, path); }), HasSubstr("is not an HDF5 file"));
}

TEST_F(Hdf5, AFullDiskIsAnErrorBeforeAnyRankWrites) {
  test::limit_present_test();
  const std::vector<double> rows(1000, 1.5);
  Hdf5File file = Hdf5File::create(comm, path);
  EXPECT_THAT(error_of<IoError>([&] { file.reserve(std::int64_t{1} << 60); }),
              HasSubstr(path.string() + ": the disk has no space for 11529215"));
  file.write_rows("rows", std::span<const double>(rows));
  file.close();
  comm.barrier();  // rank 0 frees the reserved space
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  EXPECT_GE(size, 8000 * comm.size());
  EXPECT_LT(size, 8000 * comm.size() + 100000);
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, size + 300000) << "what was reserved and not used is given back";
}

TEST_F(Hdf5, TruncatedFilesThrow) {
  test::limit_present_test();
  const std::vector<double> rows(1000, 1.5);
  Hdf5File file = Hdf5File::create(comm, path);
  file.write_rows("rows", std::span<const double>(rows));
  file.close();
  if (comm.is_root()) std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THAT(error_of<IoError>([&] { (void)Hdf5File::open(comm, path); }), HasSubstr("truncated"));
}

TEST_F(Hdf5, RowsAreWrittenInPieces) {
  Communicator in_pieces = comm.split(0);
  in_pieces.set_piece_bytes(7);  // not a multiple of a row
  // Rank 0 writes no rows, the other ranks increasing numbers.
  const std::vector<double> mine = some_rows(comm, 3);
  const std::vector<std::int8_t> fives(static_cast<std::size_t>(20 * rank), 5);
  Hdf5File file = Hdf5File::create(in_pieces, path);
  file.write_rows("wide", std::span<const double>(mine), 3);
  file.write_rows("one", std::span<const std::int8_t>(fives));
  file.close();
  const std::int64_t total = std::int64_t{comm.size()} * (comm.size() - 1) / 2;
  const Hdf5File in = Hdf5File::open(in_pieces, path);
  const std::vector<double> read = in.read_rows<double>("wide", 0, total, 3);
  ASSERT_EQ(std::ssize(read), 3 * total);
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i], 0.1 * static_cast<double>(i));
  EXPECT_EQ(in.read_rows<std::int8_t>("one", 0, 20 * total), std::vector<std::int8_t>(static_cast<std::size_t>(20 * total), 5));
}

// 2 GiB and 40 bytes of rank 0: more than a system call or an MPI count of bytes can transfer. Memory: 2 GiB of one rank.
TEST_F(Hdf5, MoreThanTwoGibibytesOfOneRankAreWrittenAndRead) {
  if (kSanitized) GTEST_SKIP() << "takes minutes with sanitizers";
  if (comm.size() > 2) GTEST_SKIP() << "1 and 2 ranks suffice";
  constexpr double kGiB = 1024. * 1024. * 1024.;
  const double disk = comm.min(static_cast<double>(std::filesystem::space(scratch / ".").available)),
               memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (disk < 3 * kGiB || comm.min(memory) < 7 * kGiB) GTEST_SKIP() << "needs 3 GiB of disk space and 7 GiB of memory";
  constexpr std::int64_t kRows = (std::int64_t{1} << 28) + 5;
  const std::int64_t total = kRows + 3 * (comm.size() - 1);
  const auto value = [](std::int64_t row) { return static_cast<double>(row) + 0.5; };
  {
    std::vector<double> mine(static_cast<std::size_t>(comm.is_root() ? kRows : 3));
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = value(static_cast<std::int64_t>(i) + (comm.is_root() ? 0 : kRows));
    Hdf5File file = Hdf5File::create(comm, path);
    file.write_rows("x", std::span<const double>(mine));
    file.close();
  }
  const bool reads = rank == comm.size() - 1;
  const std::vector<double> all = Hdf5File::open(comm, path).read_rows<double>("x", 0, reads ? total : 0);
  ASSERT_EQ(std::ssize(all), reads ? total : 0);
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i) wrong += all[i] == value(static_cast<std::int64_t>(i)) ? 0 : 1;
  EXPECT_EQ(wrong, 0);
}

// Creates a folder of this name for each rank, as on a file system that the ranks do not share.
std::filesystem::path own_file(const Communicator& comm, const Scratch& scratch) {
  const std::filesystem::path folder = scratch / ("of_rank_" + std::to_string(comm.rank().value()));
  std::filesystem::create_directories(folder);
  return folder / "file.h5";
}

TEST_F(Hdf5, AFolderThatTheRanksDoNotShareThrows) {
  test::limit_present_test();
  if (comm.size() == 1) GTEST_SKIP() << "needs 2 or more ranks, whose folders differ";
  const std::filesystem::path own = own_file(comm, scratch);
  const auto expect_refused = [&](const std::string& error, const std::string& reason) {
    EXPECT_THAT(error, HasSubstr("rank 1 on "));
    EXPECT_THAT(error, HasSubstr(" does not have the file of rank 0: " + reason));
    EXPECT_THAT(error, HasSubstr("of_rank_1/file.h5: "));
    EXPECT_THAT(error, HasSubstr("a file system that all nodes share"));
  };
  expect_refused(error_of<IoError>([&] { (void)Hdf5File::create(comm, own); }), "cannot open it: No such file");
  if (!comm.is_root()) std::ofstream(own) << "an older file";
  expect_refused(error_of<IoError>([&] { (void)Hdf5File::create(comm, own); }), "has another file of this name");
  std::ifstream untouched(own);
  std::string content;
  std::getline(untouched, content);
  EXPECT_EQ(content == "an older file", !comm.is_root());

  std::filesystem::remove(own);
  if (comm.is_root()) Hdf5File::create(Communicator::self(), own).close();
  expect_refused(error_of<IoError>([&] { (void)Hdf5File::open(comm, own); }), "no such file");
  if (!comm.is_root()) {
    Hdf5File other = Hdf5File::create(Communicator::self(), own);
    other.write_text("more", std::string(5000, 'x'));
    other.close();
  }
  expect_refused(error_of<IoError>([&] { (void)Hdf5File::open(comm, own); }), "its file has ");
}

// The last rank throws with the file open; the other ranks keep it open until that rank has finished, or for 10 s if it does
// not.
TEST_F(Hdf5, ASingleFailingRankWaitsForNoOtherRank) {
  test::limit_present_test();
  if (comm.size() == 1) GTEST_SKIP() << "needs 2 or more ranks, of which one fails";
  constexpr double kLimitSeconds = 10;
  struct Alone {};
  struct Others {};
  const bool last = rank == comm.size() - 1;
  const auto fail = [&] {
    if (last) throw Alone();
    const bool left = MpiEnvironment::all_ranks_arrive(kLimitSeconds);
    EXPECT_TRUE(left) << "the rank that failed waits for this one";
    throw Others();
  };
  const auto run = [&](const auto& work) {
    try {
      work();
    } catch (const Alone&) {
      EXPECT_TRUE(MpiEnvironment::all_ranks_arrive(kLimitSeconds));
    } catch (const Others&) {
    }
    comm.barrier();
  };
  run([&] {
    write_whole_hdf5(comm, path, [&](Hdf5File& file) {
      file.make_group("a");
      fail();
    });
  });
  EXPECT_FALSE(std::filesystem::exists(path));
  comm.barrier();
  Hdf5File file = Hdf5File::create(comm, path);
  file.make_group("a");
  file.close();
  run([&] {
    const Hdf5File in = Hdf5File::open(comm, path);
    EXPECT_TRUE(in.has("a"));
    fail();
  });
  EXPECT_TRUE(Hdf5File::open(comm, path).has("a")) << "the file is as it was";
}

TEST_F(Hdf5, OtherFilesAreNotFollowed) {
  const std::vector<std::int64_t> three{1, 2, 3};
  const std::vector<std::int64_t> mine = comm.is_root() ? three : std::vector<std::int64_t>();
  for (const char* name : {"file.h5", "other.h5"}) {
    Hdf5File file = Hdf5File::create(comm, scratch / name);
    file.write_rows("three", std::span<const std::int64_t>(mine));
    file.close();
  }
  if (comm.is_root()) {
    const hid_t whole = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/three", whole, "out", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(whole);
  }
  comm.barrier();
  const Hdf5File in = Hdf5File::open(comm, path);
  EXPECT_EQ(in.read_rows<std::int64_t>("three", 0, 3), three);
  EXPECT_THAT(error_of<IoError>([&] { (void)in.read_rows<std::int64_t>("out", 0, 3); }), HasSubstr("/three in other.h5"));
  EXPECT_THAT(error_of<IoError>([&] { (void)in.has_attribute("out", "a"); }), HasSubstr("external link is not followed"));
}

// Writes the numbers 0, 1, 2, ... with HDF5, as another program would.
void write_numbers(hid_t file, const char* name, hsize_t rows, hid_t type, hsize_t chunk) {
  std::vector<std::int64_t> numbers(rows);
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  const hid_t space = H5Screate_simple(1, &rows, nullptr), creation = H5Pcreate(H5P_DATASET_CREATE);
  if (chunk > 0) {
    H5Pset_chunk(creation, 1, &chunk);
    H5Pset_deflate(creation, 1);
  }
  const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
  H5Dclose(dataset);
  H5Pclose(creation);
  H5Sclose(space);
}

TEST_F(Hdf5, ThreadsReadRowsOfOtherPrograms) {
  constexpr hsize_t kRows = 5'000'000;  // 40 MB, which two threads share
  if (comm.is_root()) {
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(creation, 512);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    write_numbers(file, "block", kRows, H5T_STD_I64LE, 0);
    write_numbers(file, "chunks", 1000, H5T_STD_I64LE, 100);
    write_numbers(file, "other order", 1000, H5T_STD_I64BE, 0);
    const hsize_t three = 3;
    const hid_t space = H5Screate_simple(1, &three, nullptr);
    H5Dclose(H5Dcreate2(file, "never written", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Fclose(file);
    H5Pclose(creation);
  }
  comm.barrier();
  Team team(2);
  const Hdf5File in = Hdf5File::open(comm, path);
  const std::int64_t first = 7 + rank;
  const TeamVector<std::int64_t> rows = in.read_rows<std::int64_t>("block", first, kRows - first, 1, team);
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) wrong += rows[i] != first + static_cast<std::int64_t>(i);
  EXPECT_EQ(std::ssize(rows), static_cast<std::int64_t>(kRows) - first);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(in.read_rows<std::int64_t>("chunks", 150, 3, 1, team), (std::vector<std::int64_t>{150, 151, 152}));
  EXPECT_EQ(in.read_rows<std::int64_t>("never written", 0, 3, 1, team), (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_THAT(error_of<IoError>([&] { (void)in.read_rows<std::int64_t>("other order", 0, 3, 1, team); }),
              HasSubstr("holds rows of 1"));
}

}  // namespace
}  // namespace weft::io::hdf5_file_test
