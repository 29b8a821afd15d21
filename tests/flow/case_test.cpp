// Cases: every wrong value is reported with its key, and the effective case reads back as itself.
#include "weft/flow/app/case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <regex>

#include "weft/base/error.hpp"
#include "weft/io/case/case_file.hpp"
#include "weft/io/text_file.hpp"
#include "weft/mesh/io/read_mesh.hpp"

#include "flow/solver_support.hpp"
#include "io/support/scratch.hpp"
#include "support/source_dir.hpp"

namespace weft::flow::case_test {
namespace {

using ::testing::HasSubstr;

/// A case with all required keys.
constexpr const char* kGood = R"toml(
[mesh]
generator = "box"
nx = 4
ny = 4
[free_stream]
density = 1.4
pressure = 1.0
mach = 0.5
[stop]
steps = 1
)toml";

io::CaseReader reader_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return io::CaseReader(io::CaseFile::from_text(text, "case.toml", overrides));
}

Case read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_case(reader_of(text, overrides));
}

struct Wrong {
  std::vector<std::string> overrides;
  std::vector<std::string> words;  ///< all in the message
};

TEST(Case, NamesTheKeyOfEveryWrongValue) {
  const std::vector<Wrong> all{
      // unknown keys and sections
      {{"numerics.clf=1"}, {"numerics.clf", "did you mean \"cfl\""}},
      {{"bondary.wall.kind=slip_wall"}, {"bondary", "boundary"}},
      {{"mesh.n=3"}, {"mesh.n"}},
      {{"boundary.wall.kind=slip_wall", "boundary.wall.pressure=1"}, {"boundary.wall.pressure"}},
      {{"initial.strength=5"}, {"initial.strength"}},
      // wrong types
      {{"numerics.cfl=fast"}, {"numerics.cfl"}},
      {{"numerics.local_time_step=2"}, {"numerics.local_time_step"}},
      {{"stop.steps=1.5"}, {"stop.steps"}},
      {{"gas=3"}, {"gas"}},
      {{"device=gpu"}, {"device", "cuda"}},
      {{"transport=pear", "device=cuda"}, {"transport", "peer"}},
      {{"transport=peer"}, {"transport", "device = \"cuda\""}},
      {{"transport=shared", "device=cuda"}, {"transport", "staged"}},
      {{"threads=0"}, {"threads", "1"}},
      {{"threads=-3"}, {"threads", "1"}},
      {{"threads=5000"}, {"threads", "1024"}},
      {{"threads=two"}, {"threads"}},
      {{"threads=2", "device=cuda"}, {"threads", "device = \"host\""}},
      {{"free_stream.velocity=3"}, {"free_stream.velocity"}},
      {{"probes.a.at=[1]"}, {"probes.a.at"}},
      {{"mesh.nx=many"}, {"nx", "many"}},
      // out of range
      {{"numerics.cfl=0"}, {"numerics.cfl", "0"}},
      {{"numerics.cfl=2.1"}, {"numerics.cfl", "2"}},
      {{"numerics.cfl_start=0"}, {"numerics.cfl_start"}},
      {{"numerics.cfl_ramp_steps=-1"}, {"numerics.cfl_ramp_steps"}},
      {{"numerics.order_ramp_steps=-1"}, {"numerics.order_ramp_steps"}},
      {{"numerics.flux=ausm_plus_up", "numerics.cutoff_mach=0"}, {"numerics.cutoff_mach", "1e-06"}},
      {{"numerics.cutoff_mach=0.5"}, {"numerics.cutoff_mach", "unknown key"}},
      {{"numerics.flux=roe", "numerics.entropy_fix=-0.1"}, {"numerics.entropy_fix", "0"}},
      {{"numerics.flux=roe", "numerics.entropy_fix=1.1"}, {"numerics.entropy_fix", "1"}},
      {{"numerics.entropy_fix=0.1"}, {"numerics.entropy_fix", "unknown key"}},
      {{"body_force.acceleration=9.81"}, {"body_force.acceleration"}},
      {{"numerics.rk_order=4"}, {"numerics.rk_order", "3"}},
      {{"numerics.venkatakrishnan_k=-1"}, {"numerics.venkatakrishnan_k"}},
      {{"numerics.reference_length=0"}, {"numerics.reference_length"}},
      {{"gas.gamma=1"}, {"gas.gamma"}},
      {{"gas.gamma=3.5"}, {"gas.gamma"}},
      {{"gas.gas_constant=0"}, {"gas.gas_constant"}},
      {{"mesh.scale=0"}, {"mesh.scale"}},
      {{"free_stream.pressure=-1"}, {"free_stream.pressure"}},
      {{"free_stream.density=0"}, {"free_stream.density"}},
      {{"free_stream.mach=-1"}, {"free_stream.mach"}},
      {{"free_stream.alpha=200"}, {"free_stream.alpha"}},
      {{"stop.time=-1"}, {"stop.time"}},
      {{"stop.steps=-1"}, {"stop.steps"}},
      {{"stop.residual=2"}, {"stop.residual"}},
      {{"stop.wall_time=0"}, {"stop.wall_time"}},
      {{"stop.force_change=0"}, {"stop.force_change"}},
      {{"stop.force_window=0"}, {"stop.force_window"}},
      {{"output.field_interval=0"}, {"output.field_interval"}},
      {{"output.field_steps=0"}, {"output.field_steps"}},
      {{"output.history_steps=0"}, {"output.history_steps"}},
      {{"output.checkpoint_steps=0"}, {"output.checkpoint_steps"}},
      {{"forces.a.zones=wall", "forces.a.area=0"}, {"forces.a.area"}},
      {{"forces.a.zones=wall", "forces.a.reference_pressure=-1"}, {"forces.a.reference_pressure"}},
      {{"output.fields=[]"}, {"output.fields", "the list is empty"}},
      {{"monitors.a.zones=wall", "monitors.a.quantities=massflow"},
       {"monitors.a.quantities", "unknown quantity \"massflow\"", "did you mean \"mass_flow\"?", "total_temperature"}},
      {{"monitors.a.zones=wall", "monitors.a.average=volume"}, {"monitors.a.average", "mass"}},
      {{"lines.a.from=[0, 0]", "lines.a.to=[0, 0]"}, {"lines.a.to", "same point"}},
      {{"lines.a.from=[0, 0]", "lines.a.to=[1, 0]", "lines.a.points=1"}, {"lines.a.points"}},
      {{"lines.\"a/b\".from=[0, 0]", "lines.\"a/b\".to=[1, 0]"}, {"\"a/b\"", "letters, digits"}},
      {{"sections.a.point=[0, 0]", "sections.a.normal=[0, 0]"}, {"sections.a.normal", "length zero"}},
      {{"boundary.in.kind=prescribed", "boundary.in.state=solution"}, {"boundary.in.state", "expression"}},
      {{"forces.a.zones=wall", "forces.a.length=-1"}, {"forces.a.length"}},
      {{"forces.a.zones=wall", "forces.a.drag_direction=[0, 0, 0]"}, {"forces.a.drag_direction"}},
      {{"forces.a.zones=wall", "forces.a.lift_direction=[0, 0, 0]"}, {"forces.a.lift_direction"}},
      {{"forces.a.zones=wall", "forces.a.drag_direction=[0, -2, 0]"}, {"forces.a.drag_direction", "the same axis"}},
      {{"forces.\"a, b\".zones=wall"}, {"forces.\"a, b\"", "name of a column", "without commas"}},
      {{"monitors.\"a,b\".zones=wall"}, {"monitors.\"a,b\"", "name of a column"}},
      {{"probes.\"a,b\".at=[0, 0]"}, {"probes.\"a,b\"", "name of a column"}},
      // vortices
      {{"boundary.a.kind=far_field", "boundary.a.vortex_correction=body"},
       {"boundary.a.vortex_correction", "no section [forces.body]", "add one"}},
      {{"boundary.a.kind=far_field", "forces.wing.zones=wall", "boundary.a.vortex_correction=wings", "free_stream.mach=0.5"},
       {"boundary.a.vortex_correction", "did you mean \"wing\"?"}},
      {{"boundary.a.kind=far_field", "boundary.a.mach=1.5", "forces.wing.zones=wall", "boundary.a.vortex_correction=wing"},
       {"boundary.a.vortex_correction", "Mach number 1.5"}},
      {{"boundary.a.kind=far_field", "boundary.a.mach=0", "forces.wing.zones=wall", "boundary.a.vortex_correction=wing"},
       {"boundary.a.vortex_correction", "Mach number 0"}},
      {{"mesh.axisymmetric=true", "free_stream.mach=0.5", "boundary.a.kind=far_field", "forces.wing.zones=wall",
        "boundary.a.vortex_correction=wing"},
       {"boundary.a.vortex_correction", "plane flows"}},
      {{"boundary.a.kind=far_field", "boundary.a.vortex_steps=0"}, {"boundary.a.vortex_steps"}},
      {{"boundary.a.kind=supersonic_inflow", "boundary.a.vortex_correction=wing"},
       {"boundary.a.vortex_correction", "unknown key"}},
      // scalars
      {{"scalars.dye.start=1"}, {"scalars.dye.start"}},
      {{"scalars.dye.initial=sen(x)"}, {"scalars.dye.initial", "did you mean \"sin\""}},
      {{"scalars.dye.initial=[1, 2]"}, {"scalars.dye.initial"}},
      {{"scalars.dye.reference=1"}, {"scalars.dye.reference", "unknown key"}},
      {{"scalars.pressure.initial=1"}, {"scalars.pressure", "a field of the flow"}},
      {{"scalars.2nd.initial=1"}, {"scalars.2nd", "begins with a letter"}},
      {{"scalars.a-b.initial=1"}, {"scalars.a-b", "begins with a letter"}},
      {{"scalars.a={}", "scalars.b={}", "scalars.c={}", "scalars.d={}", "scalars.e={}", "scalars.f={}", "scalars.g={}",
        "scalars.h={}", "scalars.i={}"},
       {"scalars.i", "8 scalars at most"}},
      {{"scalars.dye={}", "boundary.a.kind=far_field", "boundary.a.scalars.die=1"}, {"boundary.a.scalars.die", "\"dye\""}},
      {{"boundary.a.kind=far_field", "boundary.a.scalars.dye=1"}, {"boundary.a.scalars", "no scalars"}},
      {{"scalars.dye={}", "boundary.a.kind=slip_wall", "boundary.a.scalars.dye=1"}, {"boundary.a.scalars"}},
      {{"scalars.dye={}", "boundary.a.kind=far_field", "boundary.a.scalars.dye=2*q"},
       {"boundary.a.scalars.dye", "unknown name \"q\""}},
      {{"scalars.dye={}", "source=manufactured", "initial.kind=manufactured"}, {"source", "scalars"}},
      // unknown words
      {{"numerics.flux=hlcc"}, {"numerics.flux", "hllc"}},
      {{"numerics.limiter=minmod"}, {"numerics.limiter", "barth_jespersen"}},
      {{"numerics.gradient=gauss"}, {"numerics.gradient", "green_gauss"}},
      {{"numerics.stencil=edge"}, {"numerics.stencil"}},
      {{"mesh.order=random"}, {"mesh.order", "hilbert"}},
      {{"mesh.generator=bocks"}, {"mesh.generator", "box"}},
      {{"initial.kind=sodd"}, {"initial.kind", "sod"}},
      {{"boundary.wall.kind=slipwall"}, {"boundary.wall.kind", "slip_wall"}},
      {{"output.precision=half"}, {"output.precision", "single"}},
      {{"source=gravity"}, {"source", "manufactured"}},
      // missing
      {{"boundary.wall.state=1"}, {"boundary.wall.kind"}},
      {{"boundary.in.kind=total_pressure_inflow", "boundary.in.total_temperature=1"}, {"boundary.in.total_pressure"}},
      {{"boundary.in.kind=total_pressure_inflow", "boundary.in.total_pressure=1"}, {"boundary.in.total_temperature"}},
      {{"boundary.out.kind=static_pressure_outflow"}, {"boundary.out.pressure"}},
      {{"forces.a.area=1"}, {"forces.a.zones"}},
      {{"free_stream.mach=0.5", "forces.a.zones=[]"}, {"forces.a.zones", "the list is empty"}},
      {{"probes.a={}"}, {"probes.a.at"}},
      {{"initial.kind=solution"}, {"initial.file"}},
      {{"monitors.a={}"}, {"monitors.a.zones"}},
      {{"lines.a.from=[0, 0]"}, {"lines.a.to"}},
      {{"sections.a.point=[0, 0]"}, {"sections.a.normal"}},
      // keys that exclude or need one another
      {{"mesh.file=a.su2"}, {"mesh.generator", "exactly one"}},
      {{"free_stream.temperature=1"}, {"free_stream.temperature", "give one of them"}},
      {{"free_stream.velocity=[1, 0]"}, {"free_stream.mach", "give one of them"}},
      {{"free_stream.mach=0", "forces.a.zones=wall", "stop.force_change=1e-3"}, {"stop.force_change", "free stream"}},
      {{"stop.force_change=1e-3"}, {"stop.force_change", "[forces.<name>]"}},
      {{"free_stream.mach=0", "output.fields=[\"cp\"]"}, {"output.fields", "none that moves"}},
      {{"source=manufactured"}, {"source", "initial.kind"}},
      {{"mesh.axisymmetric=true", "numerics.gradient=green_gauss"}, {"numerics.gradient", "least_squares"}},
      {{"mesh.axisymmetric=true", "body_force.acceleration=[0, -1]"}, {"body_force.acceleration", "along the axis"}},
      {{"mesh.axisymmetric=true", "boundary.in.kind=prescribed", "boundary.in.state=expression",
        "boundary.in.velocity_z_expression=sin(t)"},
       {"boundary.in.velocity_z_expression", "\"sin(t)\" is a velocity about the axis", "3-D"}},
      {{"mesh.axisymmetric=true", "source=manufactured"}, {"source", "plane flows"}},
      {{"numerics.cfl=0.05", "numerics.cfl_ramp_steps=10"}, {"numerics.cfl_start", "above the Courant number"}},
      {{"numerics.flux=ausm_plus_up", "numerics.cutoff_mach=1e-170"}, {"numerics.cutoff_mach", "1e-06"}},
      {{"mesh.weight=1 + sen(x)"}, {"mesh.weight", "did you mean \"sin\"?"}},
      {{"numerics.precision=mixed"}, {"numerics.precision", "device = \"cuda\""}},
      {{"initial.kind=expression", "output.exact_errors=true"}, {"output.exact_errors"}},
      {{"initial.kind=manufactured", "output.exact_errors=true"}, {"output.exact_errors", "set source = \"manufactured\""}},
      {{"initial.kind=sod", "body_force.acceleration=[0, -1]", "output.exact_errors=true"},
       {"output.exact_errors", "body force"}},
  };
  ASSERT_NO_THROW((void)read(kGood));
  for (const Wrong& wrong : all) {
    std::string message;
    try {
      (void)read(kGood, wrong.overrides);
    } catch (const InputError& error) {
      message = error.what();
    }
    EXPECT_NE(message, "") << wrong.overrides[0] << " was accepted";
    for (const std::string& word : wrong.words) EXPECT_THAT(message, HasSubstr(word)) << wrong.overrides[0];
  }
}

TEST(Case, NeedsAMeshAStopAndCompleteStates) {
  const auto message_of = [](const std::string& text) -> std::string {
    try {
      (void)read(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  const std::string mesh = "[initial]\ndensity = 1\npressure = 1\n[mesh]\ngenerator = \"box\"\n", stop = "[stop]\nsteps = 1\n";
  EXPECT_EQ(message_of(mesh + stop), "");
  EXPECT_THAT(message_of(stop), HasSubstr("mesh"));
  EXPECT_THAT(message_of("[mesh]\nscale = 2\n" + stop), HasSubstr("exactly one of mesh.file and mesh.generator"));
  EXPECT_THAT(message_of(mesh), HasSubstr("stop"));
  EXPECT_THAT(message_of(mesh + "[stop]\nforce_window = 3\n"), HasSubstr("no criterion ends the run"));
  EXPECT_THAT(message_of(mesh + stop + "[free_stream]\ndensity = 1\n"), HasSubstr("free_stream.pressure"));
  EXPECT_THAT(message_of(mesh + stop + "[free_stream]\npressure = 1\n"), HasSubstr("free_stream.density"));
  // Without a free stream, a far field needs a state of its own.
  EXPECT_THAT(message_of(mesh + stop + "[boundary.xmin]\nkind = \"far_field\"\n"), HasSubstr("boundary.xmin.pressure"));
  EXPECT_THAT(message_of("[mesh]\ngenerator = \"box\"\n" + stop), HasSubstr("initial: nothing says how the flow starts"));
  EXPECT_THAT(message_of(mesh + stop + "[numerics]\ncfl = 0.5\nlimiter = 3\n"), HasSubstr("case.toml:10:"));
}

TEST(Case, ReadsStates) {
  const Case c = read(kGood, {"gas.gas_constant=287.05", "free_stream.alpha=90 deg", "boundary.a.kind=far_field",
                              "boundary.b.kind=supersonic_inflow", "boundary.b.mach=2", "boundary.c.kind=far_field",
                              "boundary.c.pressure=100 kPa", "boundary.c.velocity=[1, 2]"});
  ASSERT_TRUE(c.free_stream.has_value());
  EXPECT_NEAR(c.free_stream->velocity.x, 0, 1e-16);
  EXPECT_DOUBLE_EQ(c.free_stream->velocity.y, 0.5);
  ASSERT_EQ(c.boundary.size(), 3U);
  EXPECT_EQ(c.boundary[0].params.state, *c.free_stream);
  EXPECT_DOUBLE_EQ(c.boundary[1].params.state.velocity.x, 2);
  EXPECT_EQ(c.boundary[2].params.state, (Primitive{1.4, {1, 2, 0}, 1e5}));
  const Case warm = read(
      "[mesh]\ngenerator = \"box\"\n[gas]\ngas_constant = 287.05\n[free_stream]\npressure = 101325\n"
      "temperature = 288.15\n[stop]\nsteps = 1\n");
  EXPECT_DOUBLE_EQ(warm.free_stream->density, 101325 / (287.05 * 288.15));
}

TEST(Case, ReadsTheEntropyFixOfRoesFlux) {
  EXPECT_EQ(read(kGood, {"numerics.flux=roe"}).numerics.entropy_fix, 0.2);
  EXPECT_EQ(read(kGood, {"numerics.flux=roe", "numerics.entropy_fix=0"}).numerics.entropy_fix, 0);
}

TEST(Case, TurnsTheStreamByAlphaTowardsTheLiftAxisAndByBetaTowardsXCrossLiftAxis) {
  const double a = 10 * std::numbers::pi / 180, b = 5 * std::numbers::pi / 180;
  const auto force = [](const char* axis) {
    return read(kGood, {"free_stream.alpha=10", "free_stream.beta=5", std::string("free_stream.lift_axis=") + axis,
                        "forces.body.zones=[\"xmin\"]"})
        .forces.front();
  };
  const auto expect_near = [](Vec3 v, Vec3 expected) { EXPECT_LE(norm(v - expected), 1e-15) << v.x << ' ' << v.y << ' ' << v.z; };
  const Vec3 along_y{std::cos(a) * std::cos(b), std::sin(a) * std::cos(b), std::sin(b)};
  expect_near(force("y").drag_direction, along_y);
  const Vec3 up = Vec3{0, 1, 0} - along_y.y * along_y;
  expect_near(force("y").lift_direction, up / norm(up));
  const Vec3 along_z{std::cos(a) * std::cos(b), -std::sin(b), std::sin(a) * std::cos(b)};
  expect_near(force("z").drag_direction, along_z);
  const Vec3 above = Vec3{0, 0, 1} - along_z.z * along_z;
  expect_near(force("z").lift_direction, above / norm(above));
}

TEST(Case, LiftIsAcrossAStreamAlongTheLiftAxis) {
  const auto lift = [](const char* alpha, const char* axis) {
    return read(kGood, {alpha, axis, "forces.body.zones=[\"xmin\"]"}).forces.front().lift_direction;
  };
  EXPECT_EQ(lift("free_stream.alpha=90", "free_stream.lift_axis=y"), (Vec3{-1, 0, 0}));
  EXPECT_EQ(lift("free_stream.alpha=-90", "free_stream.lift_axis=z"), (Vec3{1, 0, 0}));
  EXPECT_EQ(lift("free_stream.mach=0", "forces.body.drag_direction=[0, 1, 0]"), (Vec3{0, 1, 0})) << "no coefficients";
}

TEST(Case, WarnsOfSinglePrecisionAtLowMachNumbers) {
  const auto warnings = [](const std::vector<std::string>& overrides) { return read(kGood, overrides).warnings; };
  EXPECT_TRUE(warnings({"free_stream.mach=0.01"}).empty());
  EXPECT_TRUE(warnings({"device=cuda", "numerics.precision=mixed"}).empty());
  for (const char* precision : {"numerics.precision=mixed", "numerics.precision=fp32"}) {
    const auto slow = warnings({"device=cuda", precision, "free_stream.mach=0.04"});
    ASSERT_EQ(slow.size(), 1U);
    EXPECT_THAT(slow[0], HasSubstr("Mach number of the case's states is 0.04"));
    EXPECT_THAT(slow[0], HasSubstr("use precision = \"fp64\""));
  }
  // The fastest state counts; in a duct, the speed that its pressures cause.
  const std::vector<std::string> still{"device=cuda", "numerics.precision=mixed", "free_stream.mach=0"};
  EXPECT_TRUE(warnings(still).empty());
  auto duct = still;
  duct.insert(duct.end(),
              {"boundary.xmin.kind=total_pressure_inflow", "boundary.xmin.total_pressure=1.0007",
               "boundary.xmin.total_temperature=0.7", "boundary.xmax.kind=static_pressure_outflow", "boundary.xmax.pressure=1"});
  EXPECT_EQ(warnings(duct).size(), 1U);  // Mach 0.03
  duct.push_back("boundary.xmin.total_pressure=1.2");
  EXPECT_TRUE(warnings(duct).empty());
}

TEST(Case, ReadsScalars) {
  const Case c = read(kGood, {"scalars.dye.initial=x", "scalars.smoke={}", "boundary.a.kind=far_field",
                              "boundary.a.scalars.smoke=2*t", "boundary.b.kind=prescribed", "boundary.c.kind=slip_wall"});
  ASSERT_EQ(c.scalars.size(), 2U);
  EXPECT_EQ(c.scalars[0].name, "dye");
  EXPECT_EQ(c.scalars[0].initial.text, "x");
  EXPECT_EQ(c.scalars[1].initial.text, "0");
  ASSERT_EQ(c.boundary[0].scalars.size(), 2U);
  EXPECT_EQ(c.boundary[0].scalars[0].text, "0");
  EXPECT_EQ(c.boundary[0].scalars[1].text, "2*t");
  EXPECT_EQ(c.boundary[1].scalars.size(), 2U);
  EXPECT_TRUE(c.boundary[2].scalars.empty());
}

TEST(Case, AMeshIsRefusedAsACaseOnEveryRank) {
  const Communicator comm = Communicator::world();
  const io::Scratch scratch{comm};
  for (const mesh::MeshReaderRow& row : mesh::kMeshReaders.rows) {
    const std::filesystem::path file = scratch / ("wing" + std::string(row.extension));
    EXPECT_THAT(test::common_error<IoError>(comm, [&] { (void)read_case_file(comm, file); }), HasSubstr("wing"))
        << "a file that is missing is no mesh";
    if (comm.is_root()) io::write_text(file, "a mesh");
    comm.barrier();
    EXPECT_THAT(test::common_error<InputError>(comm, [&] { (void)read_case_file(comm, file); }),
                HasSubstr("this is a mesh, and a case (TOML) is wanted here; weft new from_file wing.toml --mesh"));
  }
}

TEST(Case, TheEffectiveCaseReadsBackAsItself) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() / "cases")) {
    if (entry.path().extension() != ".toml") continue;
    ++cases;
    const std::vector<std::string> overrides{"numerics.cfl=0.1"};
    const io::CaseReader first(io::CaseFile::read(Communicator::self(), entry.path(), overrides));
    const Case a = read_case(first);
    const std::string effective = first.effective_toml();
    const io::CaseReader second = reader_of(effective);
    const Case b = read_case(second);
    // The first lines name the case and its overrides, and comments mark defaults.
    const auto body = [](const std::string& text) {
      return std::regex_replace(text.substr(text.find("title")), std::regex("  # default"), "");
    };
    EXPECT_EQ(body(second.effective_toml()), body(effective)) << entry.path();
    EXPECT_EQ(a.free_stream, b.free_stream);
    EXPECT_EQ(a.initial.kind, b.initial.kind);
    EXPECT_EQ(a.numerics.cfl, 0.1);
    EXPECT_EQ(b.numerics.cfl, 0.1);
    EXPECT_EQ(a.stop.time, b.stop.time);
    for (const auto& [name, value] : a.mesh.parameters) EXPECT_EQ(b.mesh.parameters.at(name), value) << name;
    EXPECT_EQ(a.boundary.size(), b.boundary.size());
    EXPECT_EQ(a.output.directory, b.output.directory);
  }
  EXPECT_GE(cases, 6);
}

TEST(Case, TheReferenceHasEveryKey) {
  const std::string reference = case_reference();
  for (const char* key : {"gamma",
                          "file",
                          "generator",
                          "translation",
                          "mach",
                          "alpha",
                          "kind",
                          "total_temperature",
                          "cfl",
                          "limiter",
                          "stencil",
                          "rk_order",
                          "local_time_step",
                          "wall_time",
                          "force_window",
                          "field_interval",
                          "checkpoint_steps",
                          "exact_errors",
                          "moment_centre",
                          "at",
                          "density_expression",
                          "radius"}) {
    EXPECT_THAT(reference, HasSubstr(std::string("`") + key + "`"));
  }
}

}  // namespace
}  // namespace weft::flow::case_test
