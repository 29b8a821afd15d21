// The solvers and meshes that cases ask for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "weft/base/error.hpp"
#include "weft/flow/app/run.hpp"

#include "flow/run_support.hpp"
#include "flow/solver_support.hpp"
#include "io/support/scratch.hpp"

namespace weft::flow::make_solver_test {
namespace {

using test::common_error;
using test::kAirfoil;
using test::kWedge;
using ::testing::HasSubstr;

TEST(MakeSolver, NamesAZoneWithoutACondition) {
  const Communicator comm = Communicator::world();
  std::string text(kWedge);
  const std::string condition = "[boundary.upper]\nkind = \"supersonic_outflow\"\n";
  text.erase(text.find(condition), condition.size());
  const Case c = read_case(io::CaseReader(io::CaseFile::from_text(text)));
  const mesh::Mesh m = load_mesh(comm, c.mesh);
  const std::string message = common_error<InputError>(comm, [&] { (void)make_solver(m, c); });
  EXPECT_THAT(message, HasSubstr("zone \"upper\""));
  EXPECT_THAT(message, HasSubstr("[boundary.upper]"));
}

TEST(MakeSolver, RefusesAVortexInThreeDimensions) {
  const Communicator comm = Communicator::world();
  const std::array<std::string, 3> keys{"mesh.layers=1", "boundary.zmin.kind=symmetry", "boundary.zmax.kind=symmetry"};
  const Case c = read_case(io::CaseReader(io::CaseFile::from_text(kAirfoil, "case.toml", keys)));
  const mesh::Mesh m = load_mesh(comm, c.mesh);
  const std::string message = common_error<InputError>(comm, [&] { (void)make_solver(m, c); });
  EXPECT_THAT(message, HasSubstr("boundary.farfield.vortex_correction"));
  EXPECT_THAT(message, HasSubstr("three-dimensional"));
}

/// A wave of density that comes in with the stream, written down as a formula.
constexpr const char* kWaveComesIn = R"toml(
[mesh]
generator = "box"
nx = 32
ny = 2
ymax = 0.0625
[initial]
kind = "expression"
density_expression = "1 + 0.1*sin(2*pi*(x - 3*t))"
velocity_x_expression = "3"
[boundary.xmin]
kind = "prescribed"
state = "expression"
density_expression = "1 + 0.1*sin(2*pi*(x - 3*t))"
velocity_x_expression = "3"
[boundary.xmax]
kind = "supersonic_outflow"
[boundary.ymin]
kind = "symmetry"
[boundary.ymax]
kind = "symmetry"
[numerics]
limiter = "none"
[stop]
time = 1
)toml";

Case wave_comes_in(const std::string& changed) {
  return read_case(io::CaseReader(io::CaseFile::from_text(kWaveComesIn, "case.toml", std::array{changed})));
}

TEST(MakeSolver, PrescribedFormulasDependOnTime) {
  const auto error_with = [](const char* cells) {
    const Case c = wave_comes_in(cells);
    const mesh::Mesh m = load_mesh(Communicator::world(), c.mesh);
    const auto solver = make_solver(m, c);
    const InitialState exact(c.initial);
    solver->initialise(exact);
    test::advance(*solver, 1);  // three waves have come in
    return errors(*solver, [&](Vec3 x) { return exact.at(x, 1); })[0].l2;
  };
  const double coarse = error_with("mesh.nx=32"), fine = error_with("mesh.nx=64");
  EXPECT_LE(coarse, 0.01);
  EXPECT_GE(test::order(coarse, fine), 1.5) << coarse << " to " << fine;  // at the outflow the scheme is of first order
}

TEST(MakeSolver, AnInvalidFormulaDuringTheRunIsReportedOnEveryRank) {
  const Communicator comm = Communicator::world();
  const Case c = wave_comes_in("boundary.xmin.density_expression=1 - 10*t");
  const mesh::Mesh m = load_mesh(comm, c.mesh);
  const auto solver = make_solver(m, c);
  solver->initialise(InitialState(c.initial));
  EXPECT_THAT(common_error<PhysicsError>(comm, [&] { test::advance(*solver, 1); }), HasSubstr("at boundary \"xmin\""));
}

TEST(MakeSolver, PrescribedVelocitiesAboutTheAxisAreRejected) {
  const std::array<std::string, 3> turning{"mesh.axisymmetric=true", "boundary.inlet.kind=prescribed",
                                           "boundary.inlet.state=entropy_wave"};
  const Case c = read_case(io::CaseReader(io::CaseFile::from_text(kWedge, "case.toml", turning)));
  const Communicator comm = Communicator::world();
  const mesh::Mesh m = load_mesh(comm, c.mesh);
  const std::string message = common_error<InputError>(comm, [&] { (void)make_solver(m, c); });
  EXPECT_THAT(message, HasSubstr("boundary.inlet.kind"));
  EXPECT_THAT(message, HasSubstr("a velocity about the axis"));
}

TEST(MakeSolver, ABodyForceOfTheCaseActs) {
  const Case c = wave_comes_in("body_force.acceleration=[0, 0, 5]");
  const mesh::Mesh m = load_mesh(Communicator::world(), c.mesh);
  const auto solver = make_solver(m, c);
  solver->initialise(InitialState(c.initial));
  const double dt = solver->step(1).dt;
  for (const mesh::LocalCellId cell : m.owned()) {
    if (m.cell_centroid[cell].x < 0.3) continue;  // the gas that entered does not fall yet
    EXPECT_NEAR(solver->primitive(cell).velocity.z, 5 * dt, 1e-3 * dt);
  }
}

TEST(LoadMesh, TurnsAMeshAboutItsAxis) {
  MeshChoice choice;
  choice.generator = "box";
  choice.parameters = {{"nx", std::int64_t{2}}, {"ny", std::int64_t{2}}};
  choice.axisymmetric = true;
  EXPECT_TRUE(load_mesh(Communicator::world(), choice).axisymmetric);
}

TEST(LoadMesh, WeighsCellsByAFormulaOfTheirPlace) {
  const Communicator comm = Communicator::world();
  for (const char* partitioner : {"metis", "hilbert"}) {
    for (const char* balance : {"cells", "cost"}) {
      const std::array<std::string, 5> keys{"mesh.nx=40", "mesh.ny=20", "mesh.weight=1 + 3*(x<0)",
                                            std::string("mesh.balance=") + balance,
                                            std::string("mesh.partitioner=") + partitioner};
      const Case c = read_case(io::CaseReader(io::CaseFile::from_text(kWedge, "case.toml", keys)));
      const mesh::Mesh m = load_mesh(comm, c.mesh);
      double work = 0;
      for (const mesh::LocalCellId cell : m.owned()) work += m.cell_centroid[cell].x < 0 ? 4 : 1;
      EXPECT_LE(comm.max(work), 1.05 * comm.sum(work) / comm.size() + 4) << partitioner << ", " << balance;
    }
  }
  const std::array<std::string, 1> negative{"mesh.weight=x"};
  const Case c = read_case(io::CaseReader(io::CaseFile::from_text(kWedge, "case.toml", negative)));
  const std::string message = common_error<InputError>(comm, [&] { (void)load_mesh(comm, c.mesh); });
  EXPECT_THAT(message, HasSubstr("mesh.weight: \"x\" is -0."));
  EXPECT_THAT(message, HasSubstr("finite and above 0"));
}

TEST(LoadMesh, ScalesThenMoves) {
  MeshChoice choice;
  choice.generator = "box";
  choice.parameters = {{"nx", std::int64_t{2}}, {"ny", std::int64_t{2}}};
  choice.scale = 2;
  choice.offset = {1, 0, 0};
  const mesh::Mesh m = load_mesh(Communicator::world(), choice);
  double volume = 0;
  for (const mesh::LocalCellId c : m.owned()) {
    volume += m.cell_volume[c];
    EXPECT_GT(m.cell_centroid[c].x, 1);
  }
  EXPECT_DOUBLE_EQ(m.comm.sum(volume), 4);
}

}  // namespace
}  // namespace weft::flow::make_solver_test
