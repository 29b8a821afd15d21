#include "weft/io/vtk/vtkhdf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>

#include "weft/io/hdf5/hdf5_file.hpp"

#include "io/support/program.hpp"
#include "io/support/scratch.hpp"
#include "support/time_limit.hpp"

namespace weft::io::vtkhdf_test {
namespace {

using ::testing::HasSubstr;

// Rank r has 2 r quads of a strip (none on rank 0 of several ranks), and one point without cells.
struct Strip {
  explicit Strip(const Communicator& comm) {
    const std::int64_t cells = comm.size() == 1 ? 2 : 2 * comm.rank().value();
    const std::int64_t first = comm.exclusive_sum(cells);
    points.push_back({-99, -99, -99});
    if (cells > 0) offsets.push_back(0);
    for (std::int64_t i = 0; i < cells; ++i) {
      const auto x = static_cast<double>(first + i);
      for (const Vec3 corner : {Vec3{x, 0, 0}, Vec3{x + 1, 0, 0}, Vec3{x + 1, 1, 0}, Vec3{x, 1, 0}}) {
        connectivity.push_back(static_cast<std::int32_t>(points.size()));
        points.push_back(corner);
      }
      offsets.push_back(std::ssize(connectivity));
      types.push_back(9);
      density.push_back(1 + x);
      velocity.insert(velocity.end(), {x, 2 * x, 0});
      id.push_back(first + i);
    }
    total = comm.sum(cells);
  }
  [[nodiscard]] VtkGrid grid() const { return {points, connectivity, offsets, types}; }
  [[nodiscard]] std::vector<VtkField> fields() const {
    return {{"density", std::span<const double>(density)},
            {"velocity", std::span<const double>(velocity), 3},
            {"cell", std::span<const std::int64_t>(id)}};
  }

  std::vector<Vec3> points;
  std::vector<std::int32_t> connectivity;
  std::vector<std::int64_t> offsets;
  std::vector<std::uint8_t> types;
  std::vector<double> density, velocity;
  std::vector<std::int64_t> id;
  std::int64_t total = 0;
};

class Vtkhdf : public ::testing::Test {
 protected:
  Communicator comm = Communicator::world();
  Scratch scratch{comm};
  Strip strip{comm};
  std::filesystem::path path = scratch / "fields_10.vtkhdf";

  void write(const VtkOptions& options = {.time = 0.25, .step = 10, .provenance = "a test"}) {
    write_vtkhdf(comm, path, strip.grid(), strip.fields(), options);
  }
};

TEST_F(Vtkhdf, HasOnePiecePerRankWithCells) {
  write();
  const Hdf5File file = Hdf5File::open(comm, path);
  EXPECT_EQ(file.info("VTKHDF/NumberOfCells").rows, std::max(1, comm.size() - 1));
  EXPECT_EQ(file.info("VTKHDF/Points").rows, 4 * strip.total);
  EXPECT_EQ(file.info("VTKHDF/Offsets").rows, strip.total + std::max(1, comm.size() - 1));
  EXPECT_EQ(file.read_rows<double>("VTKHDF/FieldData/TimeValue", 0, 1)[0], 0.25);
  EXPECT_EQ(file.read_text("Provenance"), "a test");
  EXPECT_EQ(file.read_rows<double>("VTKHDF/CellData/density", 0, strip.total).back(), static_cast<double>(strip.total));
  EXPECT_EQ(file.read_rows<std::int64_t>("VTKHDF/Connectivity", 0, 1)[0], 0) << "points are renumbered without the unused ones";
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".part"));
}

TEST_F(Vtkhdf, ProvenanceMayBeLong) {
  const std::string effective(200'000, 'x');  // HDF5 attributes are limited to 64 KB
  write({.provenance = effective});
  EXPECT_EQ(Hdf5File::open(comm, path).read_text("Provenance"), effective);
}

TEST_F(Vtkhdf, Float32HalvesTheFile) {
  write({.precision = VtkOptions::Precision::float32});
  const Hdf5File file = Hdf5File::open(comm, path);
  EXPECT_EQ(file.info("VTKHDF/Points").scalar, ElementType::Scalar::float32);
  EXPECT_EQ(file.read_rows<float>("VTKHDF/CellData/velocity", 1, 1, 3)[1], 2.0F);
}

TEST_F(Vtkhdf, IsTheSameWithThreads) {
  write();
  const auto bytes = [&](const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  const std::string whole = bytes(path);
  comm.barrier();
  for (const int threads : {1, 2, 5}) {
    Team team(threads);
    auto held = std::make_shared<Strip>(comm);
    PendingFile file =
        begin_vtkhdf(comm, path, held->grid(), held->fields(), {.time = 0.25, .step = 10, .provenance = "a test"}, held, team);
    held.reset();
    file.start();
    file.finish();
    EXPECT_TRUE(bytes(path) == whole) << threads;
    comm.barrier();
  }
}

TEST_F(Vtkhdf, EmptyGridIsOneEmptyPiece) {
  write_vtkhdf(comm, path, {}, {});
  const Hdf5File file = Hdf5File::open(comm, path);
  EXPECT_EQ(file.info("VTKHDF/NumberOfCells").rows, 1);
  EXPECT_EQ(file.info("VTKHDF/Offsets").rows, 1);
}

TEST_F(Vtkhdf, H5pyReadsIt) {
  write();
  const Outcome outcome = run_program(comm, scratch, "/usr/bin/python3 -c 'import h5py, numpy'", "/usr/bin/python3", R"py(
import h5py, numpy, sys
total = int(sys.argv[2])
root = h5py.File(sys.argv[1])["VTKHDF"]
assert list(root.attrs["Version"]) == [1, 0], root.attrs["Version"]
assert root.attrs["Type"] == b"UnstructuredGrid", root.attrs["Type"]
cells, points, ids = (root["NumberOf" + n][:] for n in ("Cells", "Points", "ConnectivityIds"))
assert cells.sum() == total and points.sum() == len(root["Points"]) and ids.sum() == len(root["Connectivity"])
assert len(root["Offsets"]) == total + len(cells) and len(root["Types"]) == total and (root["Types"][:] == 9).all()
x, at, first = 0, 0, 0
for n, p, c in zip(cells, points, ids):
    connectivity = root["Connectivity"][first:first + c].reshape(n, 4)
    centre = root["Points"][at:at + p][connectivity].mean(axis=1)
    assert numpy.allclose(centre[:, 0], x + numpy.arange(n) + 0.5), centre
    x, at, first = x + n, at + p, first + c
assert numpy.array_equal(root["CellData/density"][:], 1.0 + numpy.arange(total))
assert root["CellData/velocity"].shape == (total, 3)
assert root["CellData/cell"].dtype == numpy.int64
print("as written")
)py",
                                      path.string() + " " + std::to_string(strip.total));
  if (!outcome.ran) GTEST_SKIP() << "/usr/bin/python3 has no h5py: install python3-h5py";
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("as written"));
}

TEST_F(Vtkhdf, ParaViewOpensIt) {
  write();
  const Outcome outcome = run_program(comm, scratch, "pvpython --version", "pvpython", R"py(
import os
import sys
from paraview.simple import OpenDataFile, UpdatePipeline, VTKHDFReader
total = int(sys.argv[2])
reader = VTKHDFReader(FileName=sys.argv[1])
UpdatePipeline(proxy=reader)
data = reader.GetDataInformation()
assert data.GetDataSetTypeAsString() == "vtkUnstructuredGrid", data.GetDataSetTypeAsString()
assert data.GetNumberOfCells() == total, data.GetNumberOfCells()
assert data.GetNumberOfPoints() == 4 * total, data.GetNumberOfPoints()
assert data.GetBounds() == (0.0, float(total), 0.0, 1.0, 0.0, 0.0), data.GetBounds()
density = reader.CellData["density"]
assert density.GetRange() == (1.0, float(total)), density.GetRange()
velocity = reader.CellData["velocity"]
assert velocity.GetNumberOfComponents() == 3 and velocity.GetRange(1) == (0.0, 2.0 * (total - 1)), velocity.GetRange(1)
assert reader.FieldData["TimeValue"].GetRange() == (0.25, 0.25)
# ParaView 5.11 selects this reader automatically only for files named .hdf, later versions also for .vtkhdf.
os.link(sys.argv[1], sys.argv[1] + ".hdf")
found = OpenDataFile(sys.argv[1] + ".hdf")
UpdatePipeline(proxy=found)
assert found.GetDataInformation().GetNumberOfCells() == total
print("opened")
)py",
                                      path.string() + " " + std::to_string(strip.total));
  if (!outcome.ran)
    GTEST_SKIP() << "pvpython is not installed: install paraview and python3-paraview to check the files with ParaView itself";
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("opened"));
}

TEST_F(Vtkhdf, InconsistentSizesThrowOnAllRanks) {
  test::limit_present_test();
  const int last = comm.size() - 1;
  const bool here = comm.rank().value() == last;
  const auto error = [&](auto spoil) {
    Strip bad = strip;
    std::vector<VtkField> fields = bad.fields();
    if (here) spoil(bad, fields);
    return error_of<ContractError>([&] { write_vtkhdf(comm, path, bad.grid(), fields); });
  };
  if (strip.total == 0) GTEST_SKIP() << "the grid has no cells on this number of ranks, and the test spoils cells";
  EXPECT_THAT(error([](Strip& s, auto&) { s.connectivity[0] = 9999; }), HasSubstr("there is no point 9999"));
  EXPECT_THAT(error([](Strip& s, auto&) { s.offsets.pop_back(); }), HasSubstr("offsets for"));
  EXPECT_THAT(error([](Strip& s, auto&) { s.offsets.back() += 1; }), HasSubstr("offsets go from 0"));
  EXPECT_THAT(error([](Strip&, auto& f) { f[0].components = 2; }), HasSubstr("field density has"));
  EXPECT_THAT(error([](Strip&, auto& f) { f[2].name = "density"; }), HasSubstr("two fields are called density"));
  EXPECT_THAT(error([](Strip&, auto& f) { f[2].name = "a/b"; }), HasSubstr("no field can be called \"a/b\""));
  if (comm.size() > 1) {
    EXPECT_THAT(error([](Strip&, auto& f) { f.pop_back(); }), HasSubstr("where rank 0 has"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Vtkhdf, MissingDirectory) {
  path = scratch / "missing/fields.vtkhdf";
  EXPECT_THAT(error_of<IoError>([&] { write(); }), HasSubstr("make its directory first"));
}

}  // namespace
}  // namespace weft::io::vtkhdf_test
