// Field files in formats of other programs, read back.
#include "weft/flow/app/export.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "weft/base/error.hpp"
#include "weft/io/hdf5/hdf5_tree.hpp"
#include "weft/io/text_file.hpp"
#include "weft/io/vtk/vtkhdf.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/vtk_cells.hpp"

#include "flow/solver_support.hpp"
#include "io/support/scratch.hpp"
#include "io/support/vtu.hpp"

namespace weft::flow::export_test {
namespace {

using test::generated;
using ::testing::HasSubstr;

double pressure_at(Vec3 x) { return 1 + x.x + 2 * x.y + 4 * x.z; }
Vec3 velocity_at(Vec3 x) { return {x.y, x.z, -x.x}; }

/// Writes cells as runs do, with fields whose values indicate the position of the cell.
void write_fields(const mesh::Mesh& m, const std::filesystem::path& file, io::VtkOptions::Precision precision = {}) {
  std::vector<std::int32_t> connectivity;
  std::vector<std::int64_t> offsets{0}, ids;
  std::vector<std::uint8_t> types;
  std::vector<double> pressure, velocity;
  for (const mesh::LocalCellId c : m.owned()) {
    const mesh::CellShape& shape = mesh::shape(m.cell_type[c]);
    for (int k = 0; k < shape.nodes; ++k)
      connectivity.push_back(m.cell_nodes.row(c)[mesh::vtk_position(m.cell_type[c], k)].value());
    offsets.push_back(std::ssize(connectivity));
    types.push_back(static_cast<std::uint8_t>(shape.vtk));
    pressure.push_back(pressure_at(m.cell_centroid[c]));
    const Vec3 u = velocity_at(m.cell_centroid[c]);
    velocity.insert(velocity.end(), {u.x, u.y, u.z});
    ids.push_back(m.cell_file_id[c]);
  }
  const std::vector<io::VtkField> fields{{"pressure", std::span<const double>(pressure), 1},
                                         {"velocity", std::span<const double>(velocity), 3},
                                         {"cell_id", std::span<const std::int64_t>(ids), 1}};
  io::write_vtkhdf(m.comm, file, {.points = m.node_coord, .connectivity = connectivity, .offsets = offsets, .types = types},
                   fields, {.time = 0.25, .step = 7, .precision = precision});
}

Vec3 mean_of(const std::vector<double>& x, const std::vector<std::size_t>& nodes) {
  Vec3 mean{};
  for (const std::size_t n : nodes)
    mean += (1.0 / static_cast<double>(nodes.size())) * Vec3{x.at(3 * n), x.at(3 * n + 1), x.at(3 * n + 2)};
  return mean;
}

class Export : public ::testing::Test {
 protected:
  const Communicator comm = Communicator::world();
  const io::Scratch scratch{comm};
};

// Centroids of boxes, regular prisms and simplices are the means of their corners.
TEST_F(Export, ToVtuKeepsCellsFieldsAndJoinsPoints) {
  for (const char* elements : {"quads", "mixed", "hexahedra", "hex_prism", "tetrahedra"}) {
    SCOPED_TRACE(elements);
    const bool deep = std::string(elements) != "quads" && std::string(elements) != "mixed";
    const mesh::Mesh m = generated("box", {{"nx", std::int64_t{6}},
                                           {"ny", std::int64_t{5}},
                                           {"nz", std::int64_t{deep ? 4 : 0}},
                                           {"elements", std::string(elements)}});
    write_fields(m, scratch / "f.hdf");
    if (comm.is_root()) {
      const Exported done = export_vtu(scratch / "f.hdf", scratch / "f.vtu");
      EXPECT_EQ(done.cells, m.global_cells);
      EXPECT_EQ(done.points, deep ? 7 * 6 * 5 : 7 * 6);
      const io::VtuContent file(scratch / "f.vtu");
      const std::vector<double> x = file.array("Points"), nodes = file.array("connectivity"), ends = file.array("offsets"),
                                pressure = file.array("pressure"), velocity = file.array("velocity");
      ASSERT_EQ(std::ssize(pressure), m.global_cells);
      EXPECT_EQ(file.type_of("cell_id"), "Int64");
      std::size_t begin = 0;
      for (std::size_t c = 0; c < pressure.size(); ++c) {
        const auto end = static_cast<std::size_t>(ends[c]);
        const Vec3 middle = mean_of(x, std::vector<std::size_t>(nodes.begin() + static_cast<std::ptrdiff_t>(begin),
                                                                nodes.begin() + static_cast<std::ptrdiff_t>(end)));
        EXPECT_NEAR(pressure[c], pressure_at(middle), 1e-13);
        EXPECT_NEAR(velocity[3 * c + 2], -middle.x, 1e-13);
        // The normal of the first three corners of a solid points to the others.
        const auto corner = [&](std::size_t k) {
          const auto n = static_cast<std::size_t>(nodes[begin + k]);
          return Vec3{x[3 * n], x[3 * n + 1], x[3 * n + 2]};
        };
        if (deep) {
          EXPECT_GT(dot(cross(corner(1) - corner(0), corner(2) - corner(0)), middle - corner(0)), 0);
        }
        begin = end;
      }
      std::vector<double> ids = file.array("cell_id");
      EXPECT_EQ(std::set<double>(ids.begin(), ids.end()).size(), ids.size());
    }
    comm.barrier();
  }
}

// Zones become blocks; their names may have characters that are special in XML or in file names, and differ by these alone.
TEST_F(Export, ToVtuKeepsBoundaryZonesAsBlocks) {
  for (const char* elements : {"quads", "hex_prism"}) {
    SCOPED_TRACE(elements);
    const std::int64_t layers = std::string(elements) == "quads" ? 0 : 2;
    const mesh::Mesh m = generated(
        "box",
        {{"nx", std::int64_t{5}}, {"ny", std::int64_t{4}}, {"nz", layers}, {"xmax", 3.0}, {"elements", std::string(elements)}});
    write_fields(m, scratch / "f.hdf", io::VtkOptions::Precision::float32);
    mesh::write_boundary(m, scratch / "boundary.hdf");
    std::vector<std::string> names{"a/b", "a<b"};
    for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
      if (z.value() >= 2) names.push_back(m.boundary[z].name);
    }
    ASSERT_EQ(m.boundary[mesh::BoundaryZoneId(0)].name, "xmin");
    if (comm.is_root()) {
      (void)export_vtu(scratch / "f.hdf", scratch / "f.vtu", ExportedZones{scratch / "boundary.hdf", names});
      const std::string blocks = io::read_text(scratch / "f.vtm");
      EXPECT_THAT(blocks, HasSubstr("<VTKFile type=\"vtkMultiBlockDataSet\" version=\"1.0\""));
      EXPECT_THAT(blocks,
                  HasSubstr("<DataSet index=\"0\" name=\"cells\" file=\"f.vtu\"/>\n<Block index=\"1\" name=\"boundary\">\n"
                            "<DataSet index=\"0\" name=\"a/b\" file=\"f_0_a_b.vtu\"/>\n"
                            "<DataSet index=\"1\" name=\"a&lt;b\" file=\"f_1_a_b.vtu\"/>\n"));
      EXPECT_THAT(blocks, HasSubstr("name=\"ymin\" file=\"f_2_ymin.vtu\""));
      for (const auto& [name, place] : {std::pair{"f_0_a_b.vtu", 0.0}, std::pair{"f_1_a_b.vtu", 3.0}}) {
        const io::VtuContent zone(scratch / name);
        const std::vector<double> x = zone.array("Points"), nodes = zone.array("connectivity"), ends = zone.array("offsets");
        EXPECT_EQ(ends.size(), zone.cells());
        EXPECT_GE(zone.cells(), layers == 0 ? 4U : 8U);
        EXPECT_EQ(ends.back(), static_cast<double>(nodes.size()));
        for (std::size_t i = 0; i < x.size(); i += 3) EXPECT_EQ(x[i], place);
        for (const double node : nodes) EXPECT_LT(node, static_cast<double>(zone.points()));
        for (const double number : zone.array("zone")) EXPECT_EQ(number, place == 0 ? 0 : 1);
      }
    }
    comm.barrier();
  }
}

TEST_F(Export, ToVtuKeepsSinglePrecision) {
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{6}}, {"ny", std::int64_t{5}}});
  write_fields(m, scratch / "f.hdf", io::VtkOptions::Precision::float32);
  if (comm.is_root()) {
    const Exported done = export_vtu(scratch / "f.hdf", scratch / "f.vtu");
    EXPECT_GE(done.points, 42);
    const io::VtuContent file(scratch / "f.vtu");
    EXPECT_EQ(file.type_of("pressure"), "Float32");
    EXPECT_EQ(file.type_of("Points"), "Float32");
    EXPECT_EQ(file.array("pressure").size(), 30U);
  }
  comm.barrier();
}

TEST_F(Export, ToCgnsIsAnUnstructuredZoneWithASolution) {
  for (const char* elements : {"hexahedra", "hex_prism"}) {
    SCOPED_TRACE(elements);
    const bool mixed = std::string(elements) == "hex_prism";
    const mesh::Mesh m = generated(
        "box", {{"nx", std::int64_t{4}}, {"ny", std::int64_t{4}}, {"nz", std::int64_t{3}}, {"elements", std::string(elements)}});
    write_fields(m, scratch / "f.hdf");
    if (comm.is_root()) {
      (void)export_cgns(scratch / "f.hdf", scratch / "f.cgns");
      const io::Hdf5Tree file(scratch / "f.cgns");
      const std::string zone = "/Base/Zone";
      EXPECT_EQ(file.text_attribute("/Base", "label"), "CGNSBase_t");
      EXPECT_EQ(file.text_attribute(zone + "/FlowSolution", "label"), "FlowSolution_t");
      EXPECT_EQ(file.integers("/Base/ data"), (std::vector<std::int64_t>{3, 3}));
      EXPECT_EQ(file.integers(zone + "/ data"), (std::vector<std::int64_t>{5 * 5 * 4, m.global_cells, 0}));
      const std::vector<double> x = file.reals(zone + "/GridCoordinates/CoordinateX/ data"),
                                z = file.reals(zone + "/GridCoordinates/CoordinateZ/ data"),
                                y = file.reals(zone + "/GridCoordinates/CoordinateY/ data"),
                                p = file.reals(zone + "/FlowSolution/Pressure/ data"),
                                w = file.reals(zone + "/FlowSolution/VelocityZ/ data");
      std::vector<double> points;
      for (std::size_t i = 0; i < x.size(); ++i) points.insert(points.end(), {x[i], y[i], z[i]});
      EXPECT_EQ(file.integers(zone + "/Cells/ data"), (std::vector<std::int64_t>{mixed ? 20 : 17, 0}));
      const std::vector<std::int64_t> nodes = file.integers(zone + "/Cells/ElementConnectivity/ data");
      ASSERT_EQ(std::ssize(p), m.global_cells);
      std::size_t at = 0;
      for (std::size_t c = 0; c < p.size(); ++c) {
        std::int64_t type = 17;
        if (mixed) {
          EXPECT_EQ(file.integers(zone + "/Cells/ElementStartOffset/ data").at(c), static_cast<std::int64_t>(at));
          type = nodes[at++];
        }
        const auto shape = mesh::shape(mesh::cgns_type(type).value());
        std::vector<std::size_t> corners;
        for (int k = 0; k < shape.nodes; ++k) corners.push_back(static_cast<std::size_t>(nodes[at++] - 1));
        const Vec3 middle = mean_of(points, corners);
        EXPECT_NEAR(p[c], pressure_at(middle), 1e-13);
        EXPECT_NEAR(w[c], -middle.x, 1e-13);
      }
      EXPECT_EQ(at, nodes.size());
    }
    comm.barrier();
  }
}

// Prisms have triangles and quads in one zone. Names of zones may equal those of other nodes, or have slashes.
TEST_F(Export, ToCgnsKeepsBoundaryZones) {
  for (const char* elements : {"quads", "hexahedra", "hex_prism"}) {
    SCOPED_TRACE(elements);
    const std::int64_t layers = std::string(elements) == "quads" ? 0 : 2;
    const mesh::Mesh m = generated(
        "box",
        {{"nx", std::int64_t{5}}, {"ny", std::int64_t{4}}, {"nz", layers}, {"xmax", 3.0}, {"elements", std::string(elements)}});
    write_fields(m, scratch / "f.hdf");
    mesh::write_boundary(m, scratch / "boundary.hdf");
    std::vector<std::string> names{"Cells", "a/b"};
    for (const mesh::BoundaryZoneId z : m.boundary.ids()) {
      if (z.value() >= 2) names.push_back(m.boundary[z].name);
    }
    if (comm.is_root()) (void)export_cgns(scratch / "f.hdf", scratch / "f.cgns", ExportedZones{scratch / "boundary.hdf", names});
    comm.barrier();
    const mesh::Mesh back = mesh::build(comm, mesh::read_mesh(comm, scratch / "f.cgns"));
    names[0] = "Cells_2";
    names[1] = "a_b";
    ASSERT_EQ(back.boundary.size(), m.boundary.size());
    for (std::size_t z = 0; z < names.size(); ++z) {
      const auto found = std::find_if(back.boundary.begin(), back.boundary.end(),
                                      [&](const mesh::BoundaryZone& zone) { return zone.name == names[z]; });
      ASSERT_NE(found, back.boundary.end()) << names[z];
      const auto measure = [&](const mesh::Mesh& mesh, const mesh::BoundaryZone& zone) {
        std::array<double, 4> sums{};  // area, and its product with the centroid
        for (const mesh::LocalFaceId face : zone.faces) {
          sums[0] += mesh.face_area[face];
          for (int d = 0; d < 3; ++d) sums[static_cast<std::size_t>(d) + 1] += mesh.face_area[face] * mesh.face_centroid[face][d];
        }
        for (double& sum : sums) sum = mesh.comm.sum(sum);
        return sums;
      };
      const auto now = measure(back, *found), before = measure(m, m.boundary[mesh::BoundaryZoneId(z)]);
      for (std::size_t k = 0; k < now.size(); ++k) EXPECT_NEAR(now[k], before[k], 1e-12);
    }
    if (comm.is_root()) {
      const ExportedZones fewer{scratch / "boundary.hdf", {"one"}};
      EXPECT_THROW((void)export_cgns(scratch / "f.hdf", scratch / "no.cgns", fewer), IoError);
      EXPECT_FALSE(std::filesystem::exists(scratch / "no.cgns"));
    }
    comm.barrier();
    write_fields(m, scratch / "f.hdf", io::VtkOptions::Precision::float32);
    if (comm.is_root()) {
      (void)export_cgns(scratch / "f.hdf", scratch / "single.cgns", ExportedZones{scratch / "boundary.hdf", names});
      EXPECT_TRUE(std::filesystem::exists(scratch / "single.cgns"));
    }
    comm.barrier();
    write_fields(generated("box", {{"nx", std::int64_t{3}}, {"ny", std::int64_t{3}}, {"nz", layers}}), scratch / "f.hdf");
    if (comm.is_root()) {
      const ExportedZones others{scratch / "boundary.hdf", names};
      EXPECT_THROW((void)export_cgns(scratch / "f.hdf", scratch / "no.cgns", others), IoError);
    }
    comm.barrier();
  }
}

// Two squares that do not touch: walls back to back at x = 1 have points of their own at the same places.
TEST_F(Export, ToCgnsRefusesWallsBackToBack) {
  const Communicator self = Communicator::self();
  mesh::MeshBlock block;
  block.dim = 2;
  block.zones = {{"left", 1}, {"right", 1}};
  block.coords = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}};
  for (const int first : {0, 4}) {
    const auto node = [&](int k) { return mesh::GlobalNodeId(first + k % 4); };
    block.cells.add(mesh::CellType::quad, std::array{node(0), node(1), node(2), node(3)}, mesh::ZoneId::invalid(), first / 4);
    for (int k = 0; k < 4; ++k)
      block.boundary.add(mesh::CellType::line, std::array{node(k), node(k + 1)}, mesh::ZoneId(first / 4), first + k);
  }
  const mesh::Mesh m = mesh::build(self, std::move(block));
  const auto file = [&](const char* name) { return scratch / fmt::format("{}{}", comm.rank().value(), name); };
  write_fields(m, file("f.hdf"));
  mesh::write_boundary(m, file("boundary.hdf"));
  const ExportedZones zones{file("boundary.hdf"), {"left", "right"}};
  EXPECT_NO_THROW((void)export_vtu(file("f.hdf"), file("f.vtu"), zones));
  try {
    (void)export_cgns(file("f.hdf"), file("f.cgns"), zones);
    FAIL() << "a zone got the points of the other one";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("2 points at (1, 0, 0), as walls back to back do"));
  }
  EXPECT_FALSE(std::filesystem::exists(file("f.cgns")));
}

TEST_F(Export, RefusesOtherFiles) {
  if (comm.is_root()) {
    io::write_text(scratch / "no.hdf", "text");
    EXPECT_THROW((void)export_vtu(scratch / "no.hdf", scratch / "no.vtu"), IoError);
    EXPECT_THROW((void)export_vtu(scratch / "none.hdf", scratch / "no.vtu"), IoError);
    EXPECT_FALSE(std::filesystem::exists(scratch / "no.vtu"));
  }
  comm.barrier();
}

}  // namespace
}  // namespace weft::flow::export_test
