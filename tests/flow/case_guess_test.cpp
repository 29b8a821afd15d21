// guess_case: kinds from names and geometry, periodic pairs from their faces, and a case that can be checked.
#include "weft/flow/app/case_guess.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/flow/app/case.hpp"
#include "weft/io/case/case_reader.hpp"
#include "weft/mesh/generate/generate_by_name.hpp"

namespace weft::flow::case_guess_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Names = std::map<std::string, std::string>;

/// Returns a generated mesh with other names for its zones.
mesh::Mesh named(const std::string& generator, const mesh::GeneratorParameters& parameters, const Names& names = {}) {
  const Communicator comm = Communicator::world();
  mesh::MeshBlock block = mesh::generate(comm, generator, parameters);
  for (mesh::Zone& zone : block.zones) {
    if (const auto other = names.find(zone.name); other != names.end()) zone.name = other->second;
  }
  return mesh::build(comm, std::move(block));
}

/// Returns kinds by zone, with the partners of periodic pairs as their kinds.
Names kinds(const mesh::Mesh& mesh) {
  Names found;
  for (const ZoneGuess& guess : guess_zones(mesh)) {
    std::string& kind = found[guess.shape.name];
    if (!guess.partner.empty()) kind = "= " + guess.partner;
    if (guess.kind) kind = name_of(*guess.kind);
    if (guess.to_choose()) kind = kToChoose;
  }
  return found;
}

TEST(GuessZones, ByTheirNames) {
  EXPECT_EQ(kinds(named("naca", {{"around", "16"}, {"radial", "4"}})),
            (Names{{"airfoil", "slip_wall"}, {"farfield", "far_field"}}));
  const mesh::GeneratorParameters box{{"nx", "3"}, {"ny", "2"}, {"nz", "2"}};
  EXPECT_EQ(kinds(named("box", box,
                        {{"xmin", "Inlet"},
                         {"xmax", "OUTLET-1"},
                         {"ymin", "Symmetry"},
                         {"ymax", "far_field"},
                         {"zmin", "Upper Wall"},
                         {"zmax", "PressureFarfield"}})),
            (Names{{"Inlet", "far_field"},
                   {"OUTLET-1", "static_pressure_outflow"},
                   {"Symmetry", "symmetry"},
                   {"far_field", "far_field"},
                   {"Upper Wall", "slip_wall"},
                   {"PressureFarfield", "far_field"}}));
}

TEST(GuessZones, ByTheirGeometryWhereNamesSayNothing) {
  const mesh::GeneratorParameters naca{{"around", "16"}, {"radial", "4"}};
  EXPECT_EQ(kinds(named("naca", naca, {{"airfoil", "1"}, {"farfield", "2"}})), (Names{{"1", "slip_wall"}, {"2", "far_field"}}));
  // One layer of cells: its sides are planes of symmetry. Those of several layers are not known.
  mesh::GeneratorParameters layered = naca;
  layered["layers"] = "1";
  EXPECT_EQ(kinds(named("naca", layered)),
            (Names{{"airfoil", "slip_wall"}, {"farfield", "far_field"}, {"zmin", "symmetry"}, {"zmax", "symmetry"}}));
  layered["layers"] = "2";
  EXPECT_EQ(kinds(named("naca", layered)).at("zmin"), kToChoose);
  // Sides of a channel, and those of a box without indications.
  const mesh::GeneratorParameters wedge{{"nx", "6"}, {"ny", "4"}};
  EXPECT_EQ(
      kinds(named("wedge", wedge, {{"wall", "lower"}})),
      (Names{{"inlet", "far_field"}, {"outlet", "static_pressure_outflow"}, {"lower", "slip_wall"}, {"upper", "slip_wall"}}));
  for (const auto& [zone, kind] : kinds(named("box", {{"nx", "3"}, {"ny", "3"}}))) EXPECT_EQ(kind, kToChoose) << zone;
  // A name that the geometry contradicts.
  EXPECT_EQ(kinds(named("wedge", wedge, {{"wall", "symmetry"}})).at("symmetry"), "slip_wall");
}

TEST(GuessZones, PairsPeriodicZonesByTheirFaces) {
  const mesh::GeneratorParameters box{{"nx", "3"}, {"ny", "3"}, {"nz", "3"}};
  const Names names{{"xmin", "periodic_0_l"}, {"xmax", "periodic_0_r"}, {"ymin", "periodic_1_l"},
                    {"ymax", "periodic_1_r"}, {"zmin", "bottom wall"},  {"zmax", "cyclic"}};
  EXPECT_EQ(kinds(named("box", box, names)), (Names{{"periodic_0_l", "= periodic_0_r"},
                                                    {"periodic_0_r", "= periodic_0_l"},
                                                    {"periodic_1_l", "= periodic_1_r"},
                                                    {"periodic_1_r", "= periodic_1_l"},
                                                    {"bottom wall", "slip_wall"},
                                                    {"cyclic", kToChoose}}));
  // Points along the pair do not coincide with their partners.
  const mesh::Mesh uneven = named("wedge", {{"nx", "4"}, {"ny", "4"}}, {{"inlet", "per_1"}, {"outlet", "per_2"}});
  EXPECT_EQ(kinds(uneven).at("per_1"), kToChoose);
}

TEST(GuessCase, CanBeReadAndNamesItsFileFromItsFolder) {
  const mesh::Mesh mesh = named("naca", {{"around", "16"}, {"radial", "4"}});
  const GuessedCase guessed = guess_case(mesh, "meshes/naca.su2", "cases/wing.toml");
  EXPECT_THAT(guessed.to_choose, IsEmpty());
  EXPECT_THAT(guessed.text, HasSubstr("file = \"../meshes/naca.su2\""));
  EXPECT_THAT(guessed.text, HasSubstr("directory = \"results/wing\""));
  const Case read = read_case(io::CaseReader(io::CaseFile::from_text(guessed.text, "cases/wing.toml")));
  ASSERT_EQ(read.boundary.size(), 2U);
  ASSERT_EQ(read.forces.size(), 1U);
  EXPECT_NEAR(read.forces[0].length, 1, 1e-5);
  EXPECT_NEAR(read.forces[0].area, 1, 1e-5);
  EXPECT_LT(norm(read.forces[0].moment_centre - Vec3{0.25, 0, 0}), 1e-5);
  EXPECT_TRUE(read.numerics.local_time_step);
  EXPECT_THAT(guess_case(mesh, "/far/away/naca.su2", "wing.toml").text, HasSubstr("file = \"/far/away/naca.su2\""));
}

TEST(GuessCase, OfAScaledMeshHasItsScaleAndLengthsInMetres) {
  const Communicator comm = Communicator::world();
  mesh::MeshBlock block = mesh::generate(comm, "naca", {{"around", "16"}, {"radial", "4"}, {"chord", "1000"}});
  mesh::scale(block, 0.001);
  const std::string text = guess_case(mesh::build(comm, std::move(block)), "mm.msh", "mm.toml", 0.001).text;
  EXPECT_THAT(text, HasSubstr("# weft new from_file --mesh mm.msh --scale 0.001 writes all of them.\nscale = 0.001\n"));
  EXPECT_THAT(text, HasSubstr("m after scaling"));
  const Case read = read_case(io::CaseReader(io::CaseFile::from_text(text)));
  EXPECT_EQ(read.mesh.scale, 0.001);
  EXPECT_NEAR(read.forces[0].length, 1, 1e-5);
  EXPECT_NEAR(read.forces[0].area, 1, 1e-5);
  EXPECT_LT(norm(read.forces[0].moment_centre - Vec3{0.25, 0, 0}), 1e-5);
}

TEST(GuessCase, WritesNamesThatTomlQuotes) {
  const mesh::Mesh mesh =
      named("naca", {{"around", "16"}, {"radial", "4"}}, {{"airfoil", "main wing \"a\""}, {"farfield", "far*"}});
  const Case read = read_case(io::CaseReader(io::CaseFile::from_text(guess_case(mesh, "a.msh", "a.toml").text)));
  EXPECT_EQ(read.boundary[0].zone, "main wing \"a\"");
  EXPECT_EQ(read.boundary[1].zone, "far*");
  EXPECT_EQ(read.forces[0].name, "walls") << "a table of comma-separated values cannot have the name of the zone";
}

TEST(GuessCase, LiftIsInThePlaneOfSymmetryAndAreasAreOfTheBox) {
  const mesh::GeneratorParameters layered{{"around", "16"}, {"radial", "4"}, {"layers", "2"}, {"depth", "3"}};
  const mesh::Mesh mesh = named("naca", layered, {{"zmin", "symmetry"}, {"zmax", "far_2"}});
  const std::string text = guess_case(mesh, "a.msh", "a.toml").text;
  EXPECT_THAT(text, Not(HasSubstr("lift_axis")));
  const Case read = read_case(io::CaseReader(io::CaseFile::from_text(text)));
  EXPECT_NEAR(read.forces[0].area, 3, 1e-4);  // seen along the lift
}

TEST(GuessCase, OfAPeriodicMeshHasNoStopByResidual) {
  const mesh::Mesh mesh =
      named("vortex_box", {{"n", "8"}},
            {{"xmin", "periodic_0_l"}, {"xmax", "periodic_0_r"}, {"ymin", "periodic_1_l"}, {"ymax", "periodic_1_r"}});
  const std::string text = guess_case(mesh, "a.msh", "a.toml").text;
  const Case read = read_case(io::CaseReader(io::CaseFile::from_text(text)));
  ASSERT_EQ(read.mesh.build.periodic.size(), 2U);
  EXPECT_EQ(read.mesh.build.periodic[0].from, "periodic_0_l");
  EXPECT_FALSE(read.mesh.build.periodic[0].translation.has_value());
  EXPECT_THAT(text, HasSubstr("# 8 faces of each match; translation = [10, 0, 0]"));
  EXPECT_FALSE(read.stop.residual.has_value());
  EXPECT_FALSE(read.numerics.local_time_step);
}

TEST(GuessCase, MarksWhatIsToBeChosen) {
  const mesh::Mesh mesh = named("box", {{"nx", "3"}, {"ny", "3"}}, {{"xmin", "wall"}});
  const GuessedCase guessed = guess_case(mesh, "a.msh", "a.toml");
  EXPECT_THAT(guessed.to_choose, ElementsAre("xmax", "ymin", "ymax"));
  EXPECT_THAT(guessed.text, HasSubstr("the plane x = 1, the domain is below it.\n[boundary.xmax]\nkind = \"CHOOSE\""));
  EXPECT_THROW((void)read_case(io::CaseReader(io::CaseFile::from_text(guessed.text))), InputError);
}

}  // namespace
}  // namespace weft::flow::case_guess_test
