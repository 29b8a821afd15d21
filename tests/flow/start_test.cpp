// Starts from solutions on other meshes: exact for linear fields, of second order for smooth ones, the same on any number of
// ranks.
#include "weft/flow/app/start.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "weft/base/error.hpp"
#include "weft/flow/app/old_solution.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/io/vtk/vtkhdf.hpp"

#include "flow/solver_support.hpp"
#include "io/support/scratch.hpp"
#include "support/contracts.hpp"

namespace weft::flow::start_test {
namespace {

using test::common_error;
using test::generated;
using ::testing::HasSubstr;

using Field = std::function<Primitive(Vec3)>;
using Dye = std::function<double(Vec3)>;

/// Writes a field file of these fields, as a run on this mesh would.
void write_solution(const mesh::Mesh& m, const std::filesystem::path& file, const Field& field, const Dye& dye = nullptr,
                    const std::string& provenance = "[gas]\ngamma = 1.4\n",
                    io::VtkOptions::Precision precision = io::VtkOptions::Precision::float64) {
  std::vector<std::int32_t> connectivity;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint8_t> types;
  std::vector<double> density, velocity, pressure, scalar;
  for (const mesh::LocalCellId c : m.owned()) {
    const mesh::CellShape& shape = mesh::shape(m.cell_type[c]);
    for (int k = 0; k < shape.nodes; ++k)
      connectivity.push_back(m.cell_nodes.row(c)[mesh::vtk_position(m.cell_type[c], k)].value());
    offsets.push_back(std::ssize(connectivity));
    types.push_back(static_cast<std::uint8_t>(shape.vtk));
    const Primitive w = field(m.cell_centroid[c]);
    density.push_back(w.density);
    velocity.insert(velocity.end(), {w.velocity.x, w.velocity.y, w.velocity.z});
    pressure.push_back(w.pressure);
    if (dye) scalar.push_back(dye(m.cell_centroid[c]));
  }
  std::vector<io::VtkField> fields{{"density", std::span<const double>(density), 1},
                                   {"velocity", std::span<const double>(velocity), 3},
                                   {"pressure", std::span<const double>(pressure), 1}};
  if (dye) fields.push_back({"dye", std::span<const double>(scalar), 1});
  io::write_vtkhdf(m.comm, file, {.points = m.node_coord, .connectivity = connectivity, .offsets = offsets, .types = types},
                   fields, {.time = 3, .step = 40, .precision = precision, .provenance = provenance});
}

Case case_from(const std::filesystem::path& file, const std::string& more = {}) {
  const std::string text = "[mesh]\ngenerator = \"box\"\n[stop]\nsteps = 1\n[initial]\nkind = \"solution\"\nfile = \"" +
                           std::filesystem::absolute(file).string() + "\"\n" + more;
  return read_case(io::CaseReader(io::CaseFile::from_text(text, "case.toml")));
}

/// Returns the largest difference of the start from a field in cells for which `where` holds, in any variable.
double error_of(const Start& start, const mesh::Mesh& m, const Field& field, const std::function<bool(Vec3)>& where = nullptr) {
  double largest = 0;
  for (const mesh::LocalCellId c : m.owned()) {
    const Vec3 x = m.cell_centroid[c];
    if (where && !where(x)) continue;
    const Primitive difference = start.state()(x) + -1.0 * field(x);
    for (int k = 0; k < Primitive::kVars; ++k) largest = std::max(largest, std::abs(difference[k]));
  }
  return m.comm.max(largest);
}

mesh::GeneratorParameters box(std::int64_t nx, std::int64_t ny, std::int64_t nz) { return {{"nx", nx}, {"ny", ny}, {"nz", nz}}; }

class SolutionStart : public ::testing::Test {
 protected:
  const Communicator comm = Communicator::world();
  const io::Scratch scratch{comm};
};

TEST_F(SolutionStart, IsExactOnLinearFields) {
  const Field field = [](Vec3 x) {
    return Primitive{2 + 0.3 * x.x - 0.2 * x.y + 0.1 * x.z, {x.y, 1 - x.x, 0.5 * x.z}, 3 + 0.4 * x.y - 0.3 * x.z};
  };
  for (const int dim : {2, 3}) {
    for (const bool cut : {false, true}) {
      SCOPED_TRACE(std::to_string(dim) + (cut ? "-D, simplices" : "-D, boxes"));
      mesh::GeneratorParameters coarse = box(7, 6, dim == 3 ? 5 : 0), fine = box(10, 11, dim == 3 ? 7 : 0);
      if (cut) coarse["elements"] = fine["elements"] = std::string(dim == 3 ? "tetrahedra" : "triangles");
      const mesh::Mesh old = generated("box", coarse), m = generated("box", fine);
      write_solution(old, scratch / "old.hdf", field);
      const Case c = case_from(scratch / "old.hdf");
      const Start start(m, c);
      // In a corner of tetrahedra a cell may have fewer neighbours than the space has directions.
      const auto inside = [&](Vec3 x) {
        return std::min({x.x, 1 - x.x, x.y, 1 - x.y}) > 0.25 && (dim == 2 || std::min(x.z, 1 - x.z) > 0.25);
      };
      EXPECT_LE(error_of(start, m, field, inside), 1e-13);
      if (!cut) {
        EXPECT_LE(error_of(start, m, field), 1e-13);
      }
      EXPECT_THAT(start.note(), HasSubstr("step 40"));
      EXPECT_THAT(start.note(), ::testing::Not(HasSubstr("outside")));
    }
  }
}

TEST_F(SolutionStart, IsOfSecondOrderOnSmoothFields) {
  const Field field = [](Vec3 x) {
    const double wave = std::sin(2 * std::numbers::pi * x.x) * std::cos(2 * std::numbers::pi * x.y);
    return Primitive{1 + 0.2 * wave, {wave, 0.5 * wave, 0}, 1 - 0.2 * wave};
  };
  const mesh::Mesh m = generated("box", box(37, 41, 0));
  std::vector<double> errors;
  for (const std::int64_t n : {16, 32, 64}) {
    write_solution(generated("box", {{"nx", n}, {"ny", n}, {"elements", std::string("triangles")}}), scratch / "old.hdf", field);
    const Case c = case_from(scratch / "old.hdf");
    const Start start(m, c);
    errors.push_back(error_of(start, m, field, [](Vec3 x) { return std::min({x.x, 1 - x.x, x.y, 1 - x.y}) > 0.15; }));
  }
  for (std::size_t k = 0; k + 1 < errors.size(); ++k) {
    const double order = std::log2(errors[k] / errors[k + 1]);
    RecordProperty("order_" + std::to_string(k), std::to_string(order));
    EXPECT_GE(order, 1.7) << errors[k] << " then " << errors[k + 1];
    EXPECT_LE(order, 2.6);
  }
}

TEST_F(SolutionStart, IsTheSameToTheLastBitOnAnyNumberOfRanks) {
  const Field field = [](Vec3 x) {
    return Primitive{1.5 + std::sin(7 * x.x * x.y), {x.y * x.y, std::cos(5 * x.x), 0}, 2 + x.x * x.y};
  };
  const mesh::GeneratorParameters coarse{
      {"nx", std::int64_t{13}}, {"ny", std::int64_t{9}}, {"elements", std::string("triangles")}};
  write_solution(generated("box", coarse), scratch / "parted.hdf", field);
  if (comm.is_root()) write_solution(generated("box", coarse, {}, Communicator::self()), scratch / "whole.hdf", field);
  comm.barrier();
  const mesh::Mesh parted = generated("box", box(20, 17, 0)), whole = generated("box", box(20, 17, 0), {}, Communicator::self());
  // One rank reads the file of all ranks, and all ranks the file of one: their orders of cells differ.
  for (const char* name : {"parted.hdf", "whole.hdf"}) {
    const Case c = case_from(scratch / name);
    const Start here(parted, c), alone(whole, c);
    std::vector<double> mine, single;
    const auto append = [](const Start& start, const mesh::Mesh& m, std::vector<double>& values) {
      for (const mesh::LocalCellId i : m.owned()) {
        const Primitive w = start.state()(m.cell_centroid[i]);
        for (int k = 0; k < Primitive::kVars; ++k) values.push_back(w[k]);
      }
    };
    append(here, parted, mine);
    append(alone, whole, single);
    EXPECT_EQ(test::gathered(parted, mine, Primitive::kVars), test::gathered(whole, single, Primitive::kVars)) << name;
  }
}

TEST_F(SolutionStart, TakesTheNearestCellOutsideAndCountsThem) {
  const Field field = [](Vec3 x) { return Primitive{2 + x.x, {1, 0, 0}, 1}; };
  write_solution(generated("box", box(4, 4, 0)), scratch / "old.hdf", field);
  const mesh::Mesh m = generated("box", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{4}}, {"xmax", 2.0}});
  const Case c = case_from(scratch / "old.hdf");
  const Start start(m, c);
  EXPECT_THAT(start.note(), HasSubstr("16 cells of 32 outside its mesh"));
  for (const mesh::LocalCellId i : m.owned()) {
    const Vec3 x = m.cell_centroid[i];
    EXPECT_NEAR(start.state()(x).density, x.x < 1 ? 2 + x.x : 2.875, 1e-14);
  }
}

TEST_F(SolutionStart, KeepsStatesPhysicalAtJumps) {
  const Field field = [](Vec3 x) { return x.x < 0.5 ? Primitive{1, {}, 1} : Primitive{1e-3, {}, 1e-4}; };
  write_solution(generated("box", box(10, 4, 0)), scratch / "old.hdf", field);
  const mesh::Mesh m = generated("box", box(37, 5, 0));
  const Case c = case_from(scratch / "old.hdf");
  const Start start(m, c);
  for (const mesh::LocalCellId i : m.owned()) {
    const Primitive w = start.state()(m.cell_centroid[i]);
    EXPECT_GE(w.density, 0.5e-3);
    EXPECT_GE(w.pressure, 0.5e-4);
    EXPECT_LE(w.pressure, 2);
  }
}

TEST_F(SolutionStart, BringsScalarsAndRegions) {
  const Field field = [](Vec3) { return Primitive{2, {}, 1}; };
  const Dye dye = [](Vec3 x) { return x.x + 3 * x.y; };
  const std::string scalars = "[scalars.dye]\n";
  write_solution(generated("box", box(6, 5, 0)), scratch / "old.hdf", field, dye, scalars);
  const mesh::Mesh m = generated("box", box(9, 8, 0));
  const Case c = case_from(scratch / "old.hdf",
                           "[[initial.region]]\nshape = \"half_space\"\npoint = [0.5, 0]\nnormal = [1, 0]\n"
                           "density = 4\npressure = 1\n" +
                               scalars);
  const Start start(m, c);
  Solver solver(m, {.boundary = test::everywhere(m, {}), .scalars = make_scalars(c.scalars)});
  start.initialise(solver);
  for (const mesh::LocalCellId i : m.owned()) {
    const Vec3 x = m.cell_centroid[i];
    EXPECT_NEAR(solver.primitive(i).density, x.x < 0.5 ? 2 : 4, 1e-13);
    EXPECT_NEAR(solver.scalar(0, i), dye(x), 1e-12);
  }
  EXPECT_EQ(solver.time(), 0);
}

TEST_F(SolutionStart, RefusesAnotherGasDimensionOrScalars) {
  const Field field = [](Vec3) { return Primitive{2, {}, 1}; };
  const mesh::Mesh flat = generated("box", box(4, 4, 0));
  write_solution(flat, scratch / "old.hdf", field);
  const auto error = [&](const mesh::Mesh& m, const Case& c) {
    return common_error<InputError>(comm, [&] { (void)Start(m, c); });
  };
  EXPECT_THAT(error(flat, case_from(scratch / "old.hdf", "[gas]\ngamma = 1.3\n")), HasSubstr("gamma 1.4 and gas constant 1"));
  EXPECT_THAT(error(flat, case_from(scratch / "old.hdf", "[scalars.dye]\n")), HasSubstr("has 0 scalars, and the case 1 scalar"));
  EXPECT_THAT(error(generated("box", box(3, 3, 3)), case_from(scratch / "old.hdf")),
              HasSubstr("this solution is 2-D, and the mesh of the case 3-D"));
  write_solution(
      flat, scratch / "ink.hdf", field, [](Vec3) { return 1; }, "[scalars.ink]\n");
  EXPECT_THAT(error(flat, case_from(scratch / "ink.hdf", "[scalars.dye]\n")), HasSubstr("no scalar \"dye\""));
  EXPECT_THAT(error(flat, case_from(scratch.path())), HasSubstr("holds no field file"));
  EXPECT_THAT(common_error<IoError>(comm, [&] { (void)Start(flat, case_from(scratch / "none.hdf")); }),
              HasSubstr("no such file"));
  // The last file of a folder; and not the folder to which the run is to write.
  write_solution(flat, scratch / "fields_00000002.hdf", field);
  write_solution(flat, scratch / "fields_00000010.hdf", field);
  EXPECT_THAT(Start(flat, case_from(scratch.path())).note(), HasSubstr("fields_00000010.hdf"));
  Case own = case_from(scratch.path());
  own.output.directory = scratch.path();
  EXPECT_THAT(error(flat, own), HasSubstr("choose another output.directory"));
}

TEST_F(SolutionStart, ReadsSinglePrecision) {
  const Field field = [](Vec3 x) { return Primitive{2 + x.x, {x.y, 0, 0}, 1 + x.y}; };
  write_solution(generated("box", box(7, 5, 0)), scratch / "old.hdf", field, nullptr, "", io::VtkOptions::Precision::float32);
  const mesh::Mesh m = generated("box", box(10, 11, 0));
  const Case c = case_from(scratch / "old.hdf");
  EXPECT_LE(error_of(Start(m, c), m, field), 3e-6);
}

}  // namespace
}  // namespace weft::flow::start_test
