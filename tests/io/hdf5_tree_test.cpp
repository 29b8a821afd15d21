#include "weft/io/hdf5/hdf5_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <fstream>

#include "weft/base/error.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"

#include "io/support/scratch.hpp"

namespace weft::io::hdf5_tree_test {
namespace {

using ::testing::HasSubstr;
using Names = std::vector<std::string>;

class Hdf5TreeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Hdf5File file = Hdf5File::create(comm, path);
    file.write_rows("b/longs", std::span<const std::int64_t>(comm.is_root() ? longs : std::vector<std::int64_t>{}));
    file.write_rows("b/floats", std::span<const float>(comm.is_root() ? floats : std::vector<float>{}));
    file.write_text("b/text", "some text");
    file.make_group("a");
    file.write_attribute("a", "label", "Zone_t");
    file.write_attribute("a", "number", std::int64_t{3});
    file.close();
    if (comm.is_root()) {
      const hid_t whole = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
      H5Lcreate_external("other.h5", "/x", whole, "a/out", H5P_DEFAULT, H5P_DEFAULT);
      H5Lcreate_soft("/b", whole, "a/soft", H5P_DEFAULT, H5P_DEFAULT);
      H5Fclose(whole);
    }
    comm.barrier();
  }

  Communicator comm = Communicator::world();
  Scratch scratch{comm};
  std::filesystem::path path = scratch / "file.h5";
  const std::vector<std::int64_t> longs{1, -2, std::int64_t{1} << 40};
  const std::vector<float> floats{0.5F, -3};
};

TEST_F(Hdf5TreeTest, GroupsAttributesAndData) {
  EXPECT_TRUE(Hdf5Tree::starts_like_hdf5(path));
  const Hdf5Tree tree(path);
  EXPECT_EQ(tree.groups("/"), (Names{"a", "b"}));
  EXPECT_EQ(tree.groups("/b"), Names{});
  EXPECT_EQ(tree.text_attribute("/a", "label"), "Zone_t");
  EXPECT_EQ(tree.text_attribute("/a", "number"), "");
  EXPECT_EQ(tree.text_attribute("/a", "none"), "");
  EXPECT_EQ(tree.integers("/b/longs"), longs);
  EXPECT_EQ(tree.reals("/b/floats"), (std::vector<double>{0.5, -3}));
  EXPECT_EQ(tree.text("/b/text"), "some text");
  EXPECT_EQ(tree.kind("/b/longs"), Hdf5Tree::Kind::integer);
}

TEST_F(Hdf5TreeTest, LinksAreNotListedAsGroups) {
  const Hdf5Tree tree(path);
  EXPECT_EQ(tree.groups("/a"), Names{});
  EXPECT_TRUE(tree.has("/a", "soft"));
  EXPECT_FALSE(tree.has("/a", "nothing"));
  EXPECT_EQ(tree.external_file("/a", "out"), "other.h5");
  EXPECT_EQ(tree.external_file("/a", "soft"), "");
}

TEST_F(Hdf5TreeTest, NothingIsReadFromOtherFiles) {
  const std::filesystem::path secret = scratch / "secret.bin", other = scratch / "other.h5";
  const std::vector<std::int64_t> content{7, 8, 9};
  if (comm.is_root()) {
    std::ofstream(secret, std::ios::binary).write(reinterpret_cast<const char*>(content.data()), 24);
    Hdf5File whole_other = Hdf5File::create(Communicator::self(), other);
    whole_other.write_rows("x", std::span<const std::int64_t>(content));
    whole_other.write_attribute("x", "label", "Zone_t");
    whole_other.close();
    const hid_t whole = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hsize_t three = 3;
    const hid_t space = H5Screate_simple(1, &three, nullptr), external = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t virtual_list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(external, secret.c_str(), 0, 24);
    H5Pset_virtual(virtual_list, space, other.c_str(), "x", space);
    H5Dclose(H5Dcreate2(whole, "external", H5T_NATIVE_INT64, space, H5P_DEFAULT, external, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(whole, "virtual", H5T_NATIVE_INT64, space, H5P_DEFAULT, virtual_list, H5P_DEFAULT));
    H5Lcreate_external("other.h5", "/x", whole, "a/x", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/a/x", whole, "way_out", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/b/longs", whole, "inside", H5P_DEFAULT, H5P_DEFAULT);
    H5Pclose(virtual_list);
    H5Pclose(external);
    H5Sclose(space);
    H5Fclose(whole);
  }
  comm.barrier();
  const Hdf5Tree tree(path);
  const auto error = [&](const std::string& dataset) { return error_of<IoError>([&] { (void)tree.integers(dataset); }); };
  EXPECT_THAT(error("/external"), HasSubstr("/external keeps its values in another file (" + secret.string() + ")"));
  EXPECT_THAT(error("/virtual"), HasSubstr("/virtual is a virtual dataset made from other files (" + other.string() + ")"));
  EXPECT_THAT(error("/a/x"), HasSubstr("an external link is not followed: /x in other.h5"));
  EXPECT_THAT(error("/way_out"), HasSubstr("an external link is not followed: /x in other.h5"));
  EXPECT_THAT(error("/way_out"), HasSubstr("put the data into the file itself"));
  EXPECT_THAT(error_of<IoError>([&] { (void)tree.text_attribute("/a/x", "label"); }), HasSubstr("/x in other.h5"));
  EXPECT_THAT(error_of<IoError>([&] { (void)tree.has("/a/x", "y"); }), HasSubstr("/x in other.h5"));
  EXPECT_THAT(error_of<IoError>([&] { (void)tree.groups("/a/x"); }), HasSubstr("/x in other.h5"));
  EXPECT_EQ(tree.integers("/inside"), longs) << "soft links within the file are followed";
}

TEST_F(Hdf5TreeTest, Misuse) {
  const Hdf5Tree tree(path);
  EXPECT_THROW(static_cast<void>(tree.integers("/b/floats")), IoError);
  EXPECT_THROW(static_cast<void>(tree.reals("/b/longs")), IoError);
  EXPECT_THROW(static_cast<void>(tree.text("/b/longs")), IoError);
  EXPECT_THROW(static_cast<void>(tree.integers("/b/none")), IoError);
  EXPECT_THROW(static_cast<void>(tree.groups("/none")), IoError);
  EXPECT_THROW(Hdf5Tree(scratch / "none.h5"), IoError);
  EXPECT_FALSE(Hdf5Tree::starts_like_hdf5(scratch / "none.h5"));
}

}  // namespace
}  // namespace weft::io::hdf5_tree_test
