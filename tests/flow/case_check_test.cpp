// check_case: every error at once, each with its line; figures in SI; warnings.
#include "weft/flow/app/case_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "weft/comm/communicator.hpp"

namespace weft::flow::case_check_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kAirfoil = R"toml([gas]
gas_constant = 287.05
[mesh]
generator = "naca"
around = 32
radial = 16
radius = 30.0
[free_stream]
pressure = 101325.0
temperature = 288.15
mach = 0.8
[boundary.airfoil]
kind = "slip_wall"
[boundary.farfield]
kind = "far_field"
[forces.airfoil]
zones = ["airfoil"]
length = 2.0
[stop]
time = 0.01
)toml";

constexpr const char* kBox = R"toml([mesh]
generator = "box"
nx = 8
ny = 8
[initial]
kind = "expression"
[boundary."*"]
kind = "slip_wall"
[stop]
steps = 4
)toml";

CaseCheck check(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return check_case(Communicator::world(), io::CaseFile::from_text(text, "case.toml", overrides));
}

std::vector<std::string> errors(const CaseCheck& found) {
  std::vector<std::string> texts;
  for (const Error& error : found.errors) texts.emplace_back(error.what());
  return texts;
}

TEST(CaseCheck, ReportsAllErrorsOfACaseWithTheirLines) {
  const CaseCheck found = check(R"toml(titel = "x"
[mesh]
generator = "box"
[free_stream]
density = 1.4
pressure = "abc"
mach = 2.0
[boundary.xmin]
kind = "supersonic_inflo"
[boundary."y*"]
kind = "slip_wall"
[boundary."ym*"]
kind = "slip_wall"
[boundary.ymax]
kind = "slip_wall"
[boundary."z*"]
kind = "slip_wall"
[numerics]
cfl = 20
limter = "none"
[forces.a]
zones = ["xmni"]
[probes.b]
at = [4, 5]
[stop]
steps = 5
residual = 2
)toml");
  EXPECT_THAT(
      errors(found),
      ElementsAre(
          HasSubstr("case.toml:1:1: titel: unknown key; did you mean \"title\"?"),
          HasSubstr("case.toml:6:12: free_stream.pressure: expected a number with a unit"),
          HasSubstr("case.toml:9:8: boundary.xmin.kind: there is no \"supersonic_inflo\"; did you mean \"supersonic_inflow\"?"),
          HasSubstr("case.toml:13:8: boundary.\"ym*\".kind: the patterns \"y*\" and \"ym*\" both match the zone \"ymin\""),
          HasSubstr(
              "case.toml:17:8: boundary.\"z*\".kind: no boundary zone of the mesh generator box matches the pattern \"z*\""),
          HasSubstr("case.toml:19:7: numerics.cfl: must be > 0 and <= 2, is 20"),
          HasSubstr("case.toml:20:1: numerics.limter: unknown key; did you mean \"limiter\"?"),
          HasSubstr("case.toml:22:9: forces.a.zones: the mesh generator box has no boundary zone \"xmni\""),
          HasSubstr("case.toml:24:6: probes.b.at: the probe \"b\" at (4, 5, 0) lies outside the mesh"),
          HasSubstr("case.toml:27:12: stop.residual: must be > 0 and <= 1, is 2"),
          HasSubstr(
              "case.toml: zone \"xmax\" of the mesh generator box has no boundary condition; add a section [boundary.xmax]")));
  EXPECT_FALSE(found.steps.has_value());
}

/// A kind that is not one of Weft's hides no other error of its section.
TEST(CaseCheck, ReportsUnknownKeysOfAZoneOfUnknownKind) {
  for (const char* kind : {"wall", "CHOOSE", "slip_wal"}) {
    EXPECT_THAT(errors(check(kAirfoil, {std::string("boundary.airfoil.kind=") + kind, "boundary.airfoil.total_presure=1"})),
                ElementsAre(HasSubstr("boundary.airfoil.kind"), HasSubstr("did you mean \"total_pressure\"?")))
        << kind;
    EXPECT_THAT(errors(check(kAirfoil, {std::string("boundary.airfoil.kind=") + kind, "boundary.airfoil.total_pressure=1"})),
                ElementsAre(HasSubstr("boundary.airfoil.kind")))
        << kind << " may be meant for a kind with that key";
  }
}

/// Consequences of an error are not reported as errors.
TEST(CaseCheck, LeavesOutTheConsequencesOfAnError) {
  EXPECT_THAT(errors(check(kAirfoil, {"free_stream.pressure=abc"})), ElementsAre(HasSubstr("free_stream.pressure")));
  EXPECT_THAT(errors(check(kAirfoil, {"free_stream.mach=-1"})), ElementsAre(HasSubstr("free_stream.mach")));
  EXPECT_THAT(errors(check(kAirfoil, {"boundary.airfoil.kind=wall"})), ElementsAre(HasSubstr("boundary.airfoil.kind")));
  EXPECT_THAT(errors(check(kAirfoil, {"boundary.airfoil.kind=CHOOSE"})), ElementsAre(HasSubstr("still to be chosen")));
  EXPECT_THAT(errors(check(kAirfoil, {"boundary=3"})),
              ElementsAre(HasSubstr("expected sections"), HasSubstr("\"airfoil\""), HasSubstr("\"farfield\"")));
  EXPECT_THAT(errors(check(kAirfoil, {"mesh.generator=nacca"})), ElementsAre(HasSubstr("mesh.generator")));
  EXPECT_THAT(errors(check(kAirfoil, {"mesh.around=x"})), ElementsAre(HasSubstr("mesh.around")));
  EXPECT_THAT(errors(check(kAirfoil, {"mesh.radius=0.1"})), ElementsAre(HasSubstr("mesh.radius=0.1")));
  EXPECT_THAT(errors(check(kAirfoil, {"stop.time=-1"})), ElementsAre(HasSubstr("stop.time")));
  EXPECT_THAT(errors(check(kAirfoil, {"output=3", "gas=2"})), ElementsAre(HasSubstr("gas"), HasSubstr("output")));
  // Two incompatible keys in two sections.
  EXPECT_THAT(errors(check(kBox, {"mesh.axisymmetric=true", "numerics.gradient=green_gauss", "body_force.acceleration=[0, 1]"})),
              ::testing::UnorderedElementsAre(HasSubstr("numerics.gradient: Green-Gauss gradients are of plane cells"),
                                              HasSubstr("body_force.acceleration: in an axisymmetric flow")));
}

TEST(CaseCheck, ReportsUnknownKeysNextToAnUnknownChoice) {
  EXPECT_THAT(errors(check(kAirfoil, {"numerics.flux=hlc", "numerics.limter=none", "numerics.entropy_fix=0.2"})),
              ::testing::UnorderedElementsAre(HasSubstr("numerics.flux: there is no \"hlc\""),
                                              HasSubstr("numerics.limter: unknown key; did you mean \"limiter\"?")));
  EXPECT_THAT(
      errors(check(kAirfoil, {"boundary.airfoil.kind=slip_wal", "boundary.airfoil.presure=1", "boundary.airfoil.pressure=1"})),
      ::testing::UnorderedElementsAre(HasSubstr("boundary.airfoil.kind"), HasSubstr("boundary.airfoil.presure: unknown key")));
}

TEST(CaseCheck, AMissingStartIsReportedAsSuch) {
  EXPECT_THAT(errors(check("[mesh]\ngenerator = \"box\"\n[boundary.\"*\"]\nkind = \"slip_wall\"\n[stop]\nsteps = 1\n")),
              ElementsAre(HasSubstr("initial: nothing says how the flow starts; add [initial], or [free_stream]")));
}

TEST(CaseCheck, AZoneWhoseNameIsMisspeltIsOneError) {
  std::string text = kAirfoil;
  text.replace(text.find("boundary.farfield"), 17, "boundary.far_field");
  EXPECT_THAT(errors(check(text)), ElementsAre(HasSubstr("has no boundary zone \"far_field\"; did you mean \"farfield\"?")));
}

TEST(CaseCheck, FiguresAreInSIWhereTheCaseIs) {
  const CaseCheck found = check(kAirfoil);
  EXPECT_THAT(errors(found), IsEmpty());
  EXPECT_THAT(found.warnings, IsEmpty());
  EXPECT_TRUE(found.si);
  ASSERT_EQ(found.states.size(), 1U);  // the start and the far field are the free stream
  const StateFigures& stream = found.states[0];
  EXPECT_EQ(stream.name, "free_stream");
  EXPECT_NEAR(stream.density, 1.22500, 1e-4);  // the standard atmosphere at sea level
  EXPECT_NEAR(stream.sound_speed, 340.294, 0.01);
  EXPECT_NEAR(stream.speed, 0.8 * stream.sound_speed, 1e-9);
  EXPECT_NEAR(stream.dynamic_pressure, 0.7 * 101325 * 0.64, 1e-6);  // gamma p M^2 / 2
  EXPECT_NEAR(stream.total_temperature, 288.15 * (1 + 0.2 * 0.64), 1e-9);
  EXPECT_EQ(found.reference_length, 2);
  EXPECT_NEAR(*found.convective_time, 2 / stream.speed, 1e-15);
  // Viscosity of the standard atmosphere: 1.7894e-5 Pa s.
  EXPECT_NEAR(*found.reynolds, stream.density * stream.speed * 2 / 1.7894e-5, 1e-3 * *found.reynolds);
  ASSERT_EQ(found.zones.size(), 2U);
  EXPECT_EQ(found.zones[0].kind, BoundaryKind::slip_wall);
  EXPECT_EQ(found.zones[0].condition(), "slip_wall");
  EXPECT_EQ(found.zones[0].faces, 32);
  ASSERT_TRUE(found.steps && found.cost);
  EXPECT_EQ(found.steps->criterion, "stop.time");
  EXPECT_EQ(*found.steps->estimate, static_cast<std::int64_t>(std::ceil(0.01 / found.steps->first)));
  EXPECT_GT(found.cost->memory_bytes, 1e6);
  const std::string text = describe(found);
  for (const char* words : {"case.toml: good. 512 cells in 2-D; zones: airfoil farfield\n", "figures are in SI units",
                            "pressure 101325 Pa, temperature 288.15 K", "Mach 0.8", "without viscosity",
                            " steps to stop.time at that length", "a step"})
    EXPECT_THAT(text, HasSubstr(words));
}

TEST(CaseCheck, AreasOfAnAxisymmetricCaseAreOfTheWholeTurn) {
  const std::vector<std::string> uniform{"initial.kind=uniform", "initial.pressure=1", "initial.density=1"};
  EXPECT_THAT(describe(check(kBox, uniform)), HasSubstr("zone xmin: slip_wall (by the pattern \"*\"), 8 faces, length 1\n"));
  auto turned = uniform;
  turned.emplace_back("mesh.axisymmetric=true");
  EXPECT_THAT(describe(check(kBox, turned)), HasSubstr("zone xmin: slip_wall (by the pattern \"*\"), 8 faces, area 3.14159"));
}

TEST(CaseCheck, FiguresHaveNoUnitsWhereTheCaseHasNone) {
  const CaseCheck found = check(kAirfoil, {"gas.gas_constant=1", "free_stream.pressure=1", "free_stream.temperature=1",
                                           "numerics.local_time_step=true", "stop.residual=1e-6", "stop.steps=70"});
  EXPECT_THAT(errors(found), IsEmpty());
  EXPECT_FALSE(found.si);
  EXPECT_FALSE(found.reynolds.has_value());
  EXPECT_EQ(found.steps->criterion, "stop.steps");
  EXPECT_EQ(found.steps->estimate, 70);
  EXPECT_THAT(found.steps->not_estimated, ElementsAre("stop.residual"));
  EXPECT_THAT(describe(found), ::testing::Not(HasSubstr(" Pa")));
}

TEST(CaseCheck, CountsTheStepsOfARamp) {
  const CaseCheck all = check(kAirfoil), ramp = check(kAirfoil, {"numerics.cfl_ramp_steps=100", "numerics.cfl_start=0.2"});
  EXPECT_DOUBLE_EQ(ramp.steps->first, 0.25 * all.steps->first);
  EXPECT_DOUBLE_EQ(ramp.steps->later, all.steps->first);
  EXPECT_NEAR(static_cast<double>(*ramp.steps->estimate), static_cast<double>(*all.steps->estimate) + 37.5, 1);
}

TEST(CaseCheck, WarnsOfDoubtfulChoices) {
  EXPECT_THAT(check(kAirfoil, {"mesh.radius=3"}).warnings,
              ElementsAre(HasSubstr("the far field \"farfield\" comes as near to the walls as")));
  EXPECT_THAT(check(kAirfoil, {"mesh.radius=3", "free_stream.mach=1.5"}).warnings, IsEmpty());
  EXPECT_THAT(check(kAirfoil, {"free_stream.pressure=1", "free_stream.temperature=1"}).warnings,
              ElementsAre(HasSubstr("the gas has 1 K with gas.gas_constant = 287.05")));
  EXPECT_THAT(check(kAirfoil, {"forces={}", "mesh.scale=1000"}).warnings, ElementsAre(HasSubstr("set mesh.scale = 0.001")));
  EXPECT_THAT(check(kBox, {"mesh.xmax=20000"}).warnings,
              ElementsAre(HasSubstr("a cell has a longest edge of 2e+04 times its shortest at (")));
}

/// Returns the warnings that contain `part`.
std::vector<std::string> warnings_with(const CaseCheck& found, const std::string& part) {
  std::vector<std::string> chosen;
  for (const std::string& warning : found.warnings) {
    if (warning.find(part) != std::string::npos) chosen.push_back(warning);
  }
  return chosen;
}

TEST(CaseCheck, WarnsOfReferenceValuesThatDoNotFitTheWalls) {
  const auto warnings = [](const std::vector<std::string>& overrides) {
    return warnings_with(check(kAirfoil, overrides), "forces.airfoil.");
  };
  EXPECT_THAT(warnings({}), IsEmpty());
  // Values in millimetres, and a mesh that is scaled to metres.
  const std::vector<std::string> millimetres{"mesh.chord=1000", "mesh.scale=0.001", "forces.airfoil.length=1000",
                                             "forces.airfoil.area=1000", "forces.airfoil.moment_centre=[250, 0]"};
  const std::string walls = "the walls, whose box is 1 x 0.12 m after mesh.scale = 0.001; it looks like a value in the unit of ";
  EXPECT_THAT(
      warnings(millimetres),
      ElementsAre(
          HasSubstr("forces.airfoil.area: the reference area of 1000 m^2 is 1000 times the largest extent of " + walls +
                    "the mesh file: give it after scaling, 1 m^2"),
          HasSubstr("forces.airfoil.length: the reference length of 1000 m is 1000 times the largest extent of " + walls +
                    "the mesh file: give it after scaling, 1 m"),
          HasSubstr("forces.airfoil.moment_centre: the moment centre is 249 times their longest side away from the walls")));
  // Values in metres, and a mesh that is not scaled.
  EXPECT_THAT(
      warnings({"mesh.chord=1000", "forces.airfoil.length=1", "forces.airfoil.area=1"}),
      ElementsAre(HasSubstr("forces.airfoil.area"),
                  HasSubstr("the reference length of 1 m is 0.008333 times the smallest extent of the walls, whose box is "
                            "1000 x 120 m; set mesh.scale")));
  EXPECT_THAT(
      warnings_with(check(kAirfoil, {"numerics.reference_length=1000"}), "numerics.reference_length: the reference length of"),
      ::testing::SizeIs(1));
  // Values that are only unusual: the thickness, the span of a wing of high aspect ratio, a value that is not written.
  EXPECT_THAT(warnings({"forces.airfoil.length=0.12", "forces.airfoil.area=20", "forces.airfoil.moment_centre=[-10, 0]"}),
              IsEmpty());
  EXPECT_THAT(
      warnings_with(check(std::string(kAirfoil).replace(std::string(kAirfoil).find("length = 2.0"), 12, ""), {"mesh.chord=1000"}),
                    "forces.airfoil."),
      IsEmpty());
}

TEST(CaseCheck, WarnsOfVelocitiesOutOfThePlaneOfAMesh) {
  const auto warnings = [](const char* text, const std::vector<std::string>& overrides) {
    return warnings_with(check(text, overrides), "has a component along z, out of the plane of this 2-D mesh");
  };
  const std::vector<std::string> at_rest{"initial.kind=uniform", "initial.density=1", "initial.pressure=1"};
  const auto box = [&](const std::string& velocity) {
    auto keys = at_rest;
    keys.push_back(velocity);
    return warnings(kBox, keys);
  };
  EXPECT_THAT(box("initial.velocity=[0, 0, 10]"),
              ElementsAre(HasSubstr("initial.velocity: the velocity (0, 0, 10) has a component")));
  EXPECT_THAT(box("initial.velocity=[1, 2, 0]"), IsEmpty());
  EXPECT_THAT(box("initial.velocity=[1, 2]"), IsEmpty());
  EXPECT_THAT(warnings(kBox, {"initial.velocity_z_expression=x"}),
              ElementsAre(HasSubstr("initial.velocity_z_expression: the velocity \"x\" has a component")));
  // The stream, not the zones that take it over; angles that turn it out of the plane.
  EXPECT_THAT(warnings(kAirfoil, {"free_stream.beta=5"}), ElementsAre(HasSubstr("free_stream.beta: the velocity (")));
  EXPECT_THAT(warnings(kAirfoil, {"free_stream.alpha=5", "free_stream.lift_axis=z"}),
              ElementsAre(HasSubstr("free_stream.lift_axis: the velocity (")));
  EXPECT_THAT(warnings(kAirfoil, {"free_stream.alpha=180"}), IsEmpty());
  EXPECT_THAT(warnings(kAirfoil, {"boundary.farfield.velocity=[200, 0, 20]"}),
              ElementsAre(HasSubstr("boundary.farfield.velocity: the velocity (200, 0, 20)")));
  EXPECT_THAT(
      warnings(kAirfoil, {"free_stream.beta=5", "mesh.layers=1", "boundary.zmin.kind=symmetry", "boundary.zmax.kind=symmetry"}),
      IsEmpty());
  EXPECT_THAT(errors(check(kBox, {"initial.kind=uniform", "initial.density=1", "initial.pressure=1",
                                  "initial.velocity=[0, 0, 10]", "mesh.axisymmetric=true"})),
              ElementsAre(HasSubstr("initial.velocity: (0, 0, 10) is a velocity about the axis")));
}

constexpr const char* kDuct = R"toml([gas]
gas_constant = 287.05
[mesh]
generator = "box"
nx = 8
ny = 4
[initial]
pressure = 101325.0
temperature = 288.15
[boundary.xmin]
kind = "total_pressure_inflow"
total_pressure = "1.2 bar"
total_temperature = 300.0
[boundary.xmax]
kind = "static_pressure_outflow"
pressure = 101325.0
[boundary."y*"]
kind = "slip_wall"
[stop]
steps = 4
)toml";

TEST(CaseCheck, ListsTheGasOutsideOfOpenings) {
  const std::string duct = describe(check(kDuct));
  EXPECT_THAT(duct, HasSubstr("zone xmin: total_pressure_inflow, 4 faces, length 1, total pressure 120000 Pa, total temperature "
                              "300 K\n"));
  EXPECT_THAT(duct, HasSubstr("zone xmax: static_pressure_outflow, 4 faces, length 1, static pressure 101325 Pa\n"));
  EXPECT_THAT(duct, HasSubstr("zone ymin: slip_wall (by the pattern \"y*\"), 8 faces, length 1\n"));
  EXPECT_THAT(describe(check(kAirfoil)), HasSubstr(", static pressure 101325 Pa, temperature 288.15 K\n"));
}

TEST(CaseCheck, WarnsOfPressuresOfOpeningsThatCanHardlyBeMeant) {
  EXPECT_THAT(check(kDuct).warnings, IsEmpty());
  EXPECT_THAT(
      check(kDuct, {"boundary.xmin.total_pressure=100000"}).warnings,
      ElementsAre(HasSubstr("boundary.xmax.pressure: the static pressure behind this outflow, 101325 Pa, is above every total "
                            "pressure of the inflows (100000 Pa of boundary.xmin): the flow would run backwards; correct "
                            "one of them")));
  EXPECT_THAT(check(kDuct, {"boundary.xmin.total_pressure=1.2"}).warnings,
              ElementsAre(HasSubstr("is above every total pressure of the inflows (1.2 Pa of boundary.xmin)")));
  EXPECT_THAT(
      check(kDuct, {"boundary.xmax.pressure=1.0"}).warnings,
      ElementsAre(HasSubstr("the total pressure of boundary.xmin, 120000 Pa, is 1.2e+05 times the static pressure behind this "
                            "outflow, 1 Pa")));
  const std::string stream = R"(boundary.xmin={kind="far_field", pressure=101325, temperature=288.15, velocity=[50, 0]})";
  EXPECT_THAT(warnings_with(check(kDuct, {stream, "boundary.xmax.pressure=1.0"}), "times the static pressure"), SizeIs(1));
  EXPECT_THAT(warnings_with(check(kDuct, {stream, "boundary.xmax.pressure=101325"}), "times the static pressure"), IsEmpty());
  // A choked outflow, gas at rest, gas that a body force holds, and an inflow of which no pressure is known.
  EXPECT_THAT(check(kDuct, {"boundary.xmax.pressure=1000.0"}).warnings, IsEmpty());
  EXPECT_THAT(check(kDuct, {"boundary.xmin.total_pressure=101325"}).warnings, IsEmpty());
  EXPECT_THAT(check(kDuct, {"boundary.xmin.total_pressure=100000", "body_force.acceleration=[9.81, 0]"}).warnings, IsEmpty());
  EXPECT_THAT(check(kDuct, {R"(boundary.xmin={kind="prescribed", density_expression="1", pressure_expression="1000"})"}).warnings,
              IsEmpty());
  // The flow enters through another opening with a total pressure above the outlet's.
  const std::string far_field = R"(boundary.ymin={kind="far_field", pressure=101325, temperature=288.15, velocity=[0, 50]})";
  EXPECT_THAT(warnings_with(check(kDuct, {"boundary.xmin.total_pressure=100000", far_field}), "backwards"), IsEmpty());
  // Supersonic inflows.
  EXPECT_THAT(check(kDuct, {R"(boundary.xmin={kind="supersonic_inflow", pressure=2e5, temperature=300, velocity=[3000, 0]})",
                            "boundary.xmax.pressure=1"})
                  .warnings,
              IsEmpty());
}

/// Pressures and temperatures that may be in Pa and K; if both certainly are, the case is rejected.
TEST(CaseCheck, WarnsOfSIWithoutAGasConstant) {
  const std::string text = std::string(kAirfoil).substr(std::string(kAirfoil).find("[mesh]"));
  EXPECT_THAT(errors(check(text)), ElementsAre(HasSubstr("no gas constant")));
  for (const auto& [pressure, temperature] : {std::pair{"500", "288.15"}, std::pair{"101325", "60"}, std::pair{"500", "60"}}) {
    const CaseCheck found =
        check(text, {std::string("free_stream.pressure=") + pressure, std::string("free_stream.temperature=") + temperature});
    EXPECT_THAT(errors(found), IsEmpty());
    EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("look like Pa and K, but no gas constant is given"))) << temperature;
  }
  EXPECT_THAT(check(text, {"free_stream.pressure=1", "free_stream.temperature=1"}).warnings, IsEmpty());
}

TEST(CaseCheck, ReportsAFlowThatFailsInItsFirstSteps) {
  const CaseCheck found = check(kBox, {"numerics.flux=roe", "initial.velocity_x_expression=\"x < 0.5 ? -40 : 40\""});
  ASSERT_EQ(found.errors.size(), 1U);
  EXPECT_EQ(found.errors[0].kind(), Error::Kind::physics);
}

}  // namespace
}  // namespace weft::flow::case_check_test
