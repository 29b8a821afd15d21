// Field files read by other ranks than wrote them, and damaged files.
#include "weft/io/vtk/vtkhdf_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "weft/io/vtk/vtkhdf.hpp"

#include "io/support/scratch.hpp"

namespace weft::io::vtkhdf_reader_test {
namespace {

using ::testing::HasSubstr;

class ReadVtkHdf : public ::testing::Test {
 protected:
  /// Writes two triangles and a quad per rank at different positions; rank 1 has no cells.
  void write(VtkOptions::Precision precision) const {
    const double left = comm.rank().value();
    const std::vector<Vec3> points{{left, 0, 0}, {left + 0.5, 0, 0}, {left + 0.5, 1, 0},
                                   {left, 1, 0}, {left + 1, 0, 0},   {left + 1, 1, 0}};
    std::vector<std::int32_t> connectivity{0, 1, 2, 0, 2, 3, 1, 4, 5, 2};
    std::vector<std::int64_t> offsets{0, 3, 6, 10}, ids{10, 11, 12};
    std::vector<std::uint8_t> types{5, 5, 9};
    std::vector<double> u{left, 1, 2, left, 4, 5, left, 7, 8};
    if (comm.rank().value() == 1) connectivity = {}, offsets = {}, types = {}, ids = {}, u = {};
    const std::vector<VtkField> fields{{"u", std::span<const double>(u), 3}, {"id", std::span<const std::int64_t>(ids), 1}};
    write_vtkhdf(comm, scratch / "f.hdf", {.points = points, .connectivity = connectivity, .offsets = offsets, .types = types},
                 fields, {.time = 1.5, .step = 4, .precision = precision, .provenance = "[gas]"});
  }
  const Communicator comm = Communicator::world();
  const Scratch scratch{comm};
};

TEST_F(ReadVtkHdf, ReturnsTheRowsThatEachRankRequests) {
  for (const auto precision : {VtkOptions::Precision::float64, VtkOptions::Precision::float32}) {
    write(precision);
    const VtkHdfReader file(comm, scratch / "f.hdf");
    const std::int64_t writers = comm.size() > 1 ? comm.size() - 1 : 1;
    ASSERT_EQ(file.cells(), 3 * writers);
    ASSERT_EQ(file.points(), 6 * writers);
    EXPECT_EQ(std::ssize(file.pieces()), writers);
    EXPECT_EQ(file.time(), 1.5);
    EXPECT_EQ(file.step(), 4);
    EXPECT_EQ(file.provenance(), "[gas]");
    EXPECT_EQ(file.single_precision(), precision == VtkOptions::Precision::float32);
    ASSERT_NE(file.field("u"), nullptr);
    EXPECT_EQ(file.field("u")->components, 3);
    EXPECT_EQ(file.field("none"), nullptr);
    // The last rank reads all cells, the others the second and third.
    const bool all = comm.rank().value() + 1 == comm.size();
    const std::int64_t first = all ? 0 : 1, count = all ? file.cells() : 2;
    const VtkHdfReader::Cells cells = file.read_cells(first, count);
    ASSERT_EQ(std::ssize(cells.types), count);
    ASSERT_EQ(std::ssize(cells.begin), count + 1);
    const std::vector<Vec3> points = file.read_points(0, file.points());
    const std::vector<double> u = file.read_reals(*file.field("u"), first, count);
    const std::vector<std::int64_t> ids = file.read_integers(*file.field("id"), first, count);
    for (std::int64_t c = 0; c < count; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const std::int64_t piece = (first + c) / 3, of_piece = (first + c) % 3;
      const double left = static_cast<double>(piece > 0 ? piece + 1 : 0);  // rank 1 has no piece
      EXPECT_EQ(cells.types[i], of_piece == 2 ? 9 : 5);
      EXPECT_EQ(cells.begin[i + 1] - cells.begin[i], of_piece == 2 ? 4 : 3);
      const Vec3 corner = points[static_cast<std::size_t>(cells.nodes[static_cast<std::size_t>(cells.begin[i])])];
      EXPECT_EQ(corner, (Vec3{left + (of_piece == 2 ? 0.5 : 0), 0, 0}));
      EXPECT_EQ(u[3 * i], left);
      EXPECT_EQ(ids[i], 10 + of_piece);
    }
  }
}

TEST_F(ReadVtkHdf, RejectsInconsistentFiles) {
  const auto error = [&] { return error_of<IoError>([&] { (void)VtkHdfReader(comm, scratch / "bad.hdf"); }); };
  const auto write_bad = [&](std::int64_t cells, std::int64_t points, std::int64_t end, std::int64_t node) {
    Hdf5File file = Hdf5File::create(comm, scratch / "bad.hdf");
    const bool root = comm.is_root();
    const auto rows = [&](const char* name, std::vector<std::int64_t> values) {
      file.write_rows(name, std::span<const std::int64_t>(values.data(), root ? values.size() : 0));
    };
    rows("VTKHDF/NumberOfCells", {cells});
    rows("VTKHDF/NumberOfPoints", {points});
    rows("VTKHDF/NumberOfConnectivityIds", {3});
    rows("VTKHDF/Connectivity", {0, 1, node});
    rows("VTKHDF/Offsets", {0, end});
    const std::array<double, 9> x{0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::array<std::uint8_t, 1> type{5};
    file.write_rows("VTKHDF/Points", std::span<const double>(x.data(), root ? x.size() : 0), 3);
    file.write_rows("VTKHDF/Types", std::span<const std::uint8_t>(type.data(), root ? 1U : 0U));
    file.make_group("VTKHDF/CellData");
    file.close();
  };
  write_bad(1, 3, 3, 2);
  EXPECT_EQ(VtkHdfReader(comm, scratch / "bad.hdf").read_cells(0, 1).nodes, (std::vector<std::int64_t>{0, 1, 2}));
  for (const auto& [cells, points] : {std::pair<std::int64_t, std::int64_t>{2, 3}, {-1, 3}, {1, std::int64_t{1} << 62}}) {
    write_bad(cells, points, 3, 2);
    EXPECT_THAT(error(), HasSubstr("piece 0 is larger"));
  }
  write_bad(1, 2, 3, 1);
  EXPECT_THAT(error(), HasSubstr("other sizes"));
  const auto cell_error = [&] {
    return error_of<IoError>([&] { (void)VtkHdfReader(comm, scratch / "bad.hdf").read_cells(0, 1); });
  };
  write_bad(1, 3, 3, 3);
  EXPECT_THAT(cell_error(), HasSubstr("names the point 3 of 3"));
  write_bad(1, 3, 9, 2);
  EXPECT_THAT(cell_error(), HasSubstr("do not rise"));
}

}  // namespace
}  // namespace weft::io::vtkhdf_reader_test
