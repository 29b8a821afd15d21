// The versions of the headers of HDF5 files.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "weft/io/hdf5/hdf5_file.hpp"

#include "io/support/scratch.hpp"

namespace weft::io::hdf5_headers_test {
namespace {

class Hdf5Headers : public ::testing::Test {
 protected:
  Communicator comm = Communicator::world();
  Scratch scratch{comm};
  std::filesystem::path path = scratch / "file.h5";
};

TEST_F(Hdf5Headers, HeadersHaveChecksumsAndNoTimes) {
  {
    Hdf5File file = Hdf5File::create(comm, path);
    file.write_table("a/b/table", std::vector<std::int64_t>{1, 2}, 1);
    file.close();
  }
  if (comm.is_root()) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    H5F_info2_t whole;
    ASSERT_GE(H5Fget_info2(file, &whole), 0);
    EXPECT_EQ(whole.super.version, 2U) << "the first version with a checksum; HDF5 1.8 reads no later one";
    for (const char* name : {"/", "a", "a/b", "a/b/table"}) {
      H5O_info_t object;
      ASSERT_GE(H5Oget_info_by_name(file, name, &object, H5P_DEFAULT), 0);
      EXPECT_EQ(object.hdr.version, 2U) << name;
      EXPECT_EQ(object.ctime, 0) << name;
    }
    H5Fclose(file);
  }
  comm.barrier();
}

TEST_F(Hdf5Headers, HeadersWithoutChecksumsAreRead) {  // as in files of Weft before 28 November 2026
  constexpr hsize_t kRows = 1000;
  if (comm.is_root()) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5F_info2_t whole;
    EXPECT_GE(H5Fget_info2(file, &whole), 0);
    EXPECT_EQ(whole.super.version, 0U);
    H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    std::vector<std::int64_t> numbers(kRows);
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    const hid_t space = H5Screate_simple(1, &kRows, nullptr);
    const hid_t dataset = H5Dcreate2(file, "group/numbers", H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
    H5Dclose(dataset);
    H5Sclose(space);
    const std::int64_t version = 7;
    const hid_t scalar = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(file, "Version", H5T_NATIVE_INT64, scalar, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Awrite(attribute, H5T_NATIVE_INT64, &version), 0);
    H5Aclose(attribute);
    H5Sclose(scalar);
    H5Fclose(file);
    H5Pclose(access);
  }
  comm.barrier();
  const Hdf5File in = Hdf5File::open(comm, path);
  EXPECT_EQ(in.read_integer_attribute("/", "Version"), 7);
  EXPECT_EQ(in.datasets("group"), std::vector<std::string>{"numbers"});
  EXPECT_EQ(in.read_rows<std::int64_t>("group/numbers", kRows - 1, 1), std::vector<std::int64_t>{kRows - 1});
}

}  // namespace
}  // namespace weft::io::hdf5_headers_test
