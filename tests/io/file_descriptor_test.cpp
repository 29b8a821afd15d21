#include "weft/io/file_descriptor.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "weft/io/text_file.hpp"

#include "io/support/scratch.hpp"

namespace weft::io::file_descriptor_test {
namespace {

using detail::FileDescriptor;

class FileDescriptorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 1'000'000; ++i) text += static_cast<char>('a' + i * 7 % 26);
    if (comm.is_root()) write_text(path, text);
    comm.barrier();
  }
  /// Returns the error of reading `size` bytes from `position` on.
  [[nodiscard]] static std::string error_of_reading(const std::string& file, std::int64_t position, std::size_t size,
                                                    Team& team) {
    std::vector<std::byte> bytes(size);
    return error_of<IoError>([&] { FileDescriptor(file).read_at(position, bytes, team); });
  }

  Communicator comm = Communicator::world();
  Scratch scratch{comm};
  std::string path = scratch / "data";
  std::string text;
};

TEST_F(FileDescriptorTest, ReadsAnyPartOnAnyNumberOfThreads) {
  std::string large;  // three threads share 60 MB
  for (int i = 0; i < 60; ++i) large += text;
  if (comm.is_root()) write_text(path, large);
  comm.barrier();
  for (const int threads : {1, 2, 3}) {
    Team team(threads);
    std::string part(large.size() - 299'999, ' ');
    FileDescriptor(path).read_at(299'999, std::as_writable_bytes(std::span(part)), team);
    EXPECT_TRUE(part == large.substr(299'999)) << threads << " threads";
  }
}

TEST_F(FileDescriptorTest, AShortFileIsNamedWithTheBytesWantedAndThere) {
  for (const int threads : {1, 2, 3}) {
    Team team(threads);
    EXPECT_EQ(error_of_reading(path, 100, 50'000'000, team),
              path +
                  " (byte 1000000): the file ends before its data (bytes to be read from byte 100 on: 50000000; bytes there: "
                  "999900); it is truncated, or was changed while it was read: write or copy it again");
    EXPECT_NE(error_of_reading(path, 1'000'000, 1, team).find("(bytes to be read from byte 1000000 on: 1; bytes there: 0)"),
              std::string::npos);
  }
}

TEST_F(FileDescriptorTest, NamesTheReasonOfTheSystem) {
  Team team(2);
  EXPECT_EQ(error_of_reading(scratch.path(), 0, 10, team),
            scratch.path().string() + " (byte 0): the file cannot be read (Is a directory); check the disk");
}

}  // namespace
}  // namespace weft::io::file_descriptor_test
