#include "weft/io/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "weft/io/hdf5/hdf5_file.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <hdf5.h>
#include <sanitizer/lsan_interface.h>
#endif

#include "io/support/scratch.hpp"
#include "support/time_limit.hpp"

namespace weft::io::checkpoint_test {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kCells = 23;

// Cells distributed over the ranks: key k on rank (7 k + shift) % size; the keys of each rank descend.
std::vector<std::int64_t> dealt(const Communicator& comm, std::int64_t shift) {
  std::vector<std::int64_t> keys;
  for (std::int64_t key = kCells - 1; key >= 0; --key) {
    if ((7 * key + shift) % comm.size() == comm.rank().value()) keys.push_back(key);
  }
  return keys;
}

std::vector<double> values_of(const std::vector<std::int64_t>& keys, int width) {
  std::vector<double> values;
  for (const std::int64_t key : keys) {
    for (int k = 0; k < width; ++k) values.push_back(1.0 / static_cast<double>(1 + 10 * key + k));
  }
  return values;
}

// Returns the possible positions in the file of the most significant byte of each number of rows per rank.
std::vector<std::int64_t> places_of_row_counts(const Communicator& comm, const std::filesystem::path& path) {
  const std::vector<std::int64_t> counts = comm.all_gather(static_cast<std::int64_t>(dealt(comm, 0).size()));
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const std::string_view wanted(reinterpret_cast<const char*>(counts.data()), counts.size() * sizeof(std::int64_t));
  std::vector<std::int64_t> places;
  for (std::size_t at = bytes.find(wanted); at != std::string::npos; at = bytes.find(wanted, at + 1)) {
    for (std::size_t r = 0; r < counts.size(); ++r) places.push_back(static_cast<std::int64_t>(at + 8 * r + 7));
  }
  return places;
}

class Checkpoint : public ::testing::Test {
 protected:
  void write(const Communicator& writers, std::int64_t shift = 0) {
    const std::vector<std::int64_t> keys = dealt(writers, shift);
    const std::vector<double> state = values_of(keys, 5), dt = values_of(keys, 1);
    const std::vector<CheckpointField> fields{{"state", state, 5}, {"dt", dt}};
    write_checkpoint(writers, path, info, keys, fields);
  }
  void expect_restored(const std::vector<std::int64_t>& keys) {
    CheckpointReader reader(comm, path);
    reader.choose_rows(keys);
    EXPECT_EQ(reader.read("state", 5), values_of(keys, 5)) << "bit by bit";
    EXPECT_EQ(reader.read("dt"), values_of(keys, 1));
  }

  Communicator comm = Communicator::world();
  Scratch scratch{comm};
  std::filesystem::path path = scratch / "checkpoint.h5";
  CheckpointInfo info{.step = 40,
                      .time = 0.1,
                      .global_cells = kCells,
                      .mesh_fingerprint = ~0ULL,
                      .case_text = "[flow]\ncfl = 1 # é\n",
                      .numbers = {{"first residual", 1.0 / 3.0}, {"dt", 5e-324}}};
};

TEST_F(Checkpoint, ReturnsTheWrittenValues) {
  write(comm);
  const CheckpointReader reader(comm, path);
  EXPECT_EQ(reader.info().step, 40);
  EXPECT_EQ(reader.info().time, 0.1);
  EXPECT_EQ(reader.info().ranks, comm.size());
  EXPECT_EQ(reader.info().case_text, info.case_text);
  EXPECT_EQ(reader.info().numbers, info.numbers);
  EXPECT_EQ(reader.number("dt"), 5e-324);
  EXPECT_THAT(error_of<IoError>([&] { (void)reader.number("td"); }), HasSubstr("has no number called td"));
  EXPECT_TRUE(reader.has("state"));
  EXPECT_FALSE(reader.has("stat"));
  EXPECT_NO_THROW(reader.expect_mesh(kCells, ~0ULL));
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".part"));
}

TEST_F(Checkpoint, RestoresRowsOnTheSameRanks) {
  write(comm);
  expect_restored(dealt(comm, 0));
}

TEST_F(Checkpoint, RestoresRowsOnAnotherPartition) {
  write(comm);
  expect_restored(dealt(comm, 1));
  expect_restored(comm.is_root() ? dealt(Communicator::self(), 0) : std::vector<std::int64_t>{});
  expect_restored({22, 0, 22, 11});  // all ranks read these rows
}

TEST_F(Checkpoint, RestoresRowsOnAnotherNumberOfRanks) {
  // Written by one rank, and by all except the last; read by all.
  const Communicator half = comm.split(comm.rank().value() < std::max(1, comm.size() - 1) ? 0 : 1);
  if (comm.rank().value() < std::max(1, comm.size() - 1)) write(half);
  comm.barrier();
  expect_restored(dealt(comm, 0));
  if (comm.is_root()) write(Communicator::self());
  comm.barrier();
  expect_restored(dealt(comm, 1));
}

TEST_F(Checkpoint, ReplacesTheOldOneOnlyWhenComplete) {
  write(comm);
  info.step = 50;
  write(comm);
  EXPECT_EQ(CheckpointReader(comm, path).info().step, 50);
  const std::vector<std::int64_t> keys = dealt(comm, 0);
  const std::vector<double> dt = values_of(keys, 1);
  const std::vector<CheckpointField> twice{{"dt", dt}, {"dt", dt}};
  info.step = 60;
  EXPECT_THAT(error_of<IoError>([&] { write_checkpoint(comm, path, info, keys, twice); }), HasSubstr("cannot write fields/dt"));
  EXPECT_EQ(CheckpointReader(comm, path).info().step, 50);
  comm.barrier();
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".part"));
}

TEST_F(Checkpoint, RetainsThePreviousOneUnderAnotherName) {
  const std::filesystem::path previous = scratch / "previous.h5";
  const std::vector<std::int64_t> keys = dealt(comm, 0);
  const auto write_step = [&](std::int64_t step) {
    info.step = step;
    write_checkpoint(comm, path, info, keys, {}, previous);
  };
  write_step(10);
  EXPECT_FALSE(std::filesystem::exists(previous));
  write_step(20);
  EXPECT_EQ(CheckpointReader(comm, previous).info().step, 10);
  write_step(30);
  EXPECT_EQ(CheckpointReader(comm, previous).info().step, 20);
  EXPECT_EQ(CheckpointReader(comm, path).info().step, 30);
  comm.barrier();
  EXPECT_FALSE(std::filesystem::exists(previous.string() + ".part"));
}

TEST_F(Checkpoint, BegunReplacesTheOldOneWhenItIsFinished) {
  const auto bytes = [&] {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const auto begin = [&](int threads) {
    Team team(threads);
    const auto keys = std::make_shared<std::vector<std::int64_t>>(dealt(comm, 0));
    const auto state =
        std::make_shared<std::pair<std::shared_ptr<std::vector<std::int64_t>>, std::vector<double>>>(keys, values_of(*keys, 5));
    const std::vector<CheckpointField> fields{{"state", state->second, 5}};
    return begin_checkpoint(comm, path, info, *keys, fields, state, team);
  };
  begin(1).finish();
  const std::string old = bytes();
  info.step = 50;
  {
    PendingFile given_up = begin(2);
    given_up.start();
  }
  comm.barrier();
  EXPECT_TRUE(bytes() == old);
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".part"));
  comm.barrier();
  PendingFile file = begin(3);
  file.start();
  while (!file.is_written()) std::this_thread::yield();
  EXPECT_TRUE(bytes() == old);
  comm.barrier();
  file.finish(scratch / "previous.h5");
  EXPECT_EQ(CheckpointReader(comm, path).info().step, 50);
  EXPECT_EQ(CheckpointReader(comm, scratch / "previous.h5").info().step, 40);
  comm.barrier();
  info.step = 40;
  begin(1).finish();
  EXPECT_TRUE(bytes() == old);
  CheckpointReader reader(comm, path);
  reader.choose_rows(dealt(comm, 1));
  EXPECT_EQ(reader.read("state", 5), values_of(dealt(comm, 1), 5));
}

TEST_F(Checkpoint, AChangedByteIsDetected) {
  // Changes bytes in every value, key, number and text: each is read as written, or rejected.
  write(comm);
  comm.barrier();
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
#ifdef __SANITIZE_ADDRESS__
  H5garbage_collect();                   // otherwise a block of an earlier test in a free list may be the one that is
  const __lsan::ScopedDisabler of_hdf5;  // lost, where HDF5 fails to open a damaged file
#endif
  const auto flip = [&](std::int64_t at) {
    comm.barrier();
    if (comm.is_root()) {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(at);
      const char byte = static_cast<char>(file.get() ^ 0x10);
      file.seekp(at);
      file.put(byte);
    }
    comm.barrier();
  };
  int refused = 0, tried = 0;
  std::vector<std::int64_t> places = places_of_row_counts(comm, path);
  ASSERT_FALSE(places.empty());
  for (std::int64_t at = 0; at < size; at += 61) places.push_back(at);
  for (const std::int64_t at : places) {
    flip(at);
    ++tried;
    try {
      CheckpointReader reader(comm, path);
      reader.choose_rows(dealt(comm, 0));
      EXPECT_EQ(reader.read("state", 5), values_of(dealt(comm, 0), 5)) << at;
      EXPECT_EQ(reader.info().step, info.step) << at;
      EXPECT_EQ(reader.info().time, info.time) << at;
      EXPECT_EQ(reader.info().case_text, info.case_text) << at;
      EXPECT_EQ(reader.info().numbers, info.numbers) << at;
    } catch (const IoError&) {
      ++refused;
    }
    flip(at);
  }
  EXPECT_GT(refused, tried / 20);
  expect_restored(dealt(comm, 0));
}

TEST_F(Checkpoint, RejectsOtherMeshes) {
  write(comm);
  CheckpointReader reader(comm, path);
  EXPECT_THAT(error_of<IoError>([&] { reader.expect_mesh(24, ~0ULL); }), HasSubstr("a mesh of 23 cells, and this one has 24"));
  EXPECT_THAT(error_of<IoError>([&] { reader.expect_mesh(kCells, 1); }), HasSubstr("belongs to another mesh of 23 cells"));
  std::vector<std::int64_t> keys = dealt(comm, 0);
  if (comm.rank().value() == comm.size() - 1) keys.push_back(kCells);
  EXPECT_THAT(error_of<IoError>([&] { reader.choose_rows(keys); }), HasSubstr("has no row for cell 23"));
}

TEST_F(Checkpoint, RejectsOtherTruncatedAndNewerFiles) {
  const auto open_error = [&] { return error_of<IoError>([&] { CheckpointReader reader(comm, path); }); };
  EXPECT_THAT(open_error(), HasSubstr("no such file"));
  if (comm.is_root()) std::ofstream(path) << "not HDF5";
  comm.barrier();
  EXPECT_THAT(open_error(), HasSubstr("is not an HDF5 file"));
  Hdf5File foreign = Hdf5File::create(comm, path);
  foreign.close();
  EXPECT_THAT(open_error(), HasSubstr("is not a checkpoint of Weft"));
  Hdf5File newer = Hdf5File::create(comm, path);
  newer.write_attribute("/", "Format", std::string_view("weft checkpoint"));
  newer.write_attribute("/", "Version", std::int64_t{3});
  newer.close();
  EXPECT_THAT(open_error(), HasSubstr("checkpoint of format 3, and this program reads format 2"));
  write(comm);
  comm.barrier();
  if (comm.is_root()) std::filesystem::resize_file(path, std::filesystem::file_size(path) - 100);
  comm.barrier();
  EXPECT_THAT(open_error(), HasSubstr("truncated"));
}

TEST_F(Checkpoint, RejectsDamagedKeysAndMissingFields) {
  test::limit_present_test();
  // Wrong keys: cell 6 twice, cell 5 missing. Which error is detected first depends on the ranks.
  std::vector<std::int64_t> keys = dealt(comm, 0);
  std::replace(keys.begin(), keys.end(), std::int64_t{5}, std::int64_t{6});
  write_checkpoint(comm, path, info, keys, {});
  CheckpointReader damaged(comm, path);
  EXPECT_THAT(error_of<IoError>([&] { damaged.choose_rows(dealt(comm, 0)); }), HasSubstr("it is damaged"));
  write(comm);
  CheckpointReader reader(comm, path);
  reader.choose_rows(dealt(comm, 0));
  EXPECT_THAT(error_of<IoError>([&] { (void)reader.read("stat", 5); }), HasSubstr("cannot open fields/stat"));
  EXPECT_THAT(error_of<IoError>([&] { (void)reader.read("state", 4); }), HasSubstr("rows of 5 float64, not of 4"));
}

TEST_F(Checkpoint, InconsistentSizesThrowOnAllRanks) {
  test::limit_present_test();
  std::vector<std::int64_t> keys = dealt(comm, 0);
  const std::vector<double> none;
  const std::vector<CheckpointField> fields{{"dt", none}};
  EXPECT_THAT(error_of<ContractError>([&] { write_checkpoint(comm, path, info, keys, fields); }),
              HasSubstr("field dt has 0 values"));
  if (comm.is_root()) keys.push_back(0);
  EXPECT_THAT(error_of<ContractError>([&] { write_checkpoint(comm, path, info, keys, {}); }),
              HasSubstr("have 24 rows for 23 cells"));
  path = scratch / "no/checkpoint.h5";
  EXPECT_THAT(error_of<IoError>([&] { write(comm); }), HasSubstr("make its directory first"));
}

TEST_F(Checkpoint, FingerprintsIgnoreOrderAndRanksOnly) {
  const auto print = [](const Communicator& ranks, std::int64_t shift, double change = 0) {
    const std::vector<std::int64_t> keys = dealt(ranks, shift);
    std::vector<double> values = values_of(keys, 3);
    if (change != 0 && !values.empty()) values.back() += change;
    return fingerprint(ranks, keys, values);
  };
  const std::uint64_t one = print(Communicator::self(), 0);
  EXPECT_EQ(print(comm, 0), one);
  EXPECT_EQ(print(comm, 1), one);
  EXPECT_NE(print(comm, 0, 1e-15), one);
  const std::vector<std::int64_t> a{1, 2}, b{2, 1};
  const std::vector<double> values{3, 4};
  EXPECT_NE(fingerprint(comm, a, values), fingerprint(comm, b, values));
}

}  // namespace
}  // namespace weft::io::checkpoint_test
