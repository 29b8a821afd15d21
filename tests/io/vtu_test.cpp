// XML files of VTK, read back.
#include "weft/io/vtk/vtu.hpp"

#include <gtest/gtest.h>

#include "io/support/scratch.hpp"
#include "io/support/vtu.hpp"

namespace weft::io::vtu_test {
namespace {

class Vtu : public ::testing::Test {
 protected:
  const Communicator comm = Communicator::world();
  const Scratch scratch{comm};
};

TEST_F(Vtu, ContainsTheWrittenValues) {
  if (comm.is_root()) {
    const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0.5}, {1, 1, 0}};
    const std::vector<std::int32_t> connectivity{0, 1, 2, 1, 3, 2};
    const std::vector<std::int64_t> offsets{0, 3, 6}, ids{7, 9};
    const std::vector<std::uint8_t> types{5, 5};
    const std::vector<double> velocity{1, 2, 3, 4, 5, 6.25};
    const std::vector<VtkField> fields{{"a<b", std::span<const double>(velocity), 3},
                                       {"id", std::span<const std::int64_t>(ids), 1}};
    write_vtu(scratch / "a.vtu", {.points = points, .connectivity = connectivity, .offsets = offsets, .types = types}, fields,
              0.5, 3);
    const VtuContent file(scratch / "a.vtu");
    EXPECT_EQ(file.points(), 4U);
    EXPECT_EQ(file.cells(), 2U);
    EXPECT_EQ(file.array("Points"), (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0.5, 1, 1, 0}));
    EXPECT_EQ(file.array("connectivity"), (std::vector<double>{0, 1, 2, 1, 3, 2}));
    EXPECT_EQ(file.array("offsets"), (std::vector<double>{3, 6}));
    EXPECT_EQ(file.array("types"), (std::vector<double>{5, 5}));
    EXPECT_EQ(file.array("a&lt;b"), velocity);
    EXPECT_EQ(file.array("id"), (std::vector<double>{7, 9}));
    EXPECT_NE(read_text(scratch / "a.vtu").find("NumberOfTuples=\"1\" format=\"ascii\">0.5<"), std::string::npos);
  }
  comm.barrier();
}

TEST_F(Vtu, MayHaveNoCells) {
  if (comm.is_root()) {
    write_vtu(scratch / "none.vtu", {}, {}, 0, 0);
    EXPECT_EQ(VtuContent(scratch / "none.vtu").cells(), 0U);
    EXPECT_EQ(VtuContent(scratch / "none.vtu").array("types").size(), 0U);
  }
  comm.barrier();
}

TEST_F(Vtu, UnfinishedFilesAreRemoved) {
  if (comm.is_root()) {
    {
      VtuWriter file(scratch / "half.vtu", {.points = 1, .cells = 0, .connectivity = 0}, VtuArray::Type::float64, {}, 0, 0);
    }
    EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
    EXPECT_THROW(VtuWriter(scratch / "no/such.vtu", {}, VtuArray::Type::float64, {}, 0, 0), IoError);
  }
  comm.barrier();
}

}  // namespace
}  // namespace weft::io::vtu_test
