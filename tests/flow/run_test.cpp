// Whole runs: criteria of the end, output, and rejected input, equal on every rank.
#include "weft/flow/app/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "weft/base/error.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"
#include "weft/io/table.hpp"
#include "weft/io/text_file.hpp"

#include "flow/run_support.hpp"
#include "flow/solver_support.hpp"

namespace weft::flow::run_test {
namespace {

using test::common_error;
using test::kAirfoil;
using test::kWedge;
using test::Told;
using test::WholeRun;
using ::testing::HasSubstr;

/// The force on a supersonic inflow, which does not drift.
constexpr const char* kConstantForce = R"(forces.wall.zones=["inlet"])";

TEST_F(WholeRun, StopsAtTheFirstCriterionThatHolds) {
  EXPECT_EQ(run_wedge({}).reason, StopReason::steps);
  EXPECT_EQ(told.last.step, 12);
  EXPECT_DOUBLE_EQ(told.last.fraction, 1);
  const RunSummary timed = run_wedge({"stop.time=0.05"}, Existing::overwrite);
  EXPECT_EQ(timed.reason, StopReason::time);
  EXPECT_NEAR(timed.time, 0.05, 1e-15);
  EXPECT_EQ(run_wedge({"stop.residual=0.999"}, Existing::overwrite).reason, StopReason::residual);
  EXPECT_EQ(run_wedge({"stop.force_change=100", "stop.force_window=3", kConstantForce}, Existing::overwrite).reason,
            StopReason::force_change);
  EXPECT_EQ(run_wedge({"stop.wall_time=1e-9"}, Existing::overwrite).reason, StopReason::wall_time);
  const RunSummary none = run_wedge({"stop.steps=0"}, Existing::overwrite);
  EXPECT_EQ(none.steps, 0);
  EXPECT_EQ(none.cells, 96);
}

TEST_F(WholeRun, IsJudgedAlikeInOneGoAndAfterARestart) {
  const std::vector<std::string> keys{"stop.residual=1e-9", "probes.p.at=[0.2, 0.5]"};
  const RunSummary whole = run_wedge(keys);
  EXPECT_FALSE(whole.verdict.good);
  EXPECT_NEAR(whole.verdict.reference_lengths.value(), 2 * whole.time, 1e-12);  // Mach 2, a speed of sound of 1, a length of 1
  EXPECT_NEAR(whole.verdict.domain_lengths.value(), 2 * whole.time / 1.5, 1e-12);
  ASSERT_EQ(whole.verdict.drifts.size(), 1U);
  ASSERT_EQ(told.last.monitored.size(), 2U);
  EXPECT_EQ(told.last.monitored[0].first, "Cd");
  EXPECT_EQ(told.last.monitored[0].second, whole.forces.at("wall").drag);
  EXPECT_EQ(whole.verdict.decades.size(), 4U);  // there is no motion along z
  auto cut = keys;
  cut.emplace_back("stop.steps=5");
  (void)run_wedge(cut, Existing::overwrite);
  EXPECT_EQ(describe(run_wedge(keys, Existing::resume).verdict), describe(whole.verdict));
}

TEST_F(WholeRun, TheLengthOfAPeriodicDomainIsThatOfItsCells) {
  const std::string text = R"toml(
[mesh]
generator = "box"
nx = 8
ny = 4
xmax = 2.0
periodic = [{from = "xmin", to = "xmax", translation = [2.0, 0.0]}]
[free_stream]
density = 1.4
pressure = 1.0
mach = 0.5
[boundary."y*"]
kind = "slip_wall"
[stop]
steps = 4
)toml";
  const io::CaseReader reader(io::CaseFile::from_text(text, "case.toml", {}));
  const Case c = wedge(reader);
  const RunSummary end = run(comm, c, reader.effective_toml(), Existing::refuse, told, [] { return false; });
  EXPECT_NEAR(end.verdict.domain_lengths.value(), 0.5 * end.time / 2, 1e-12);
}

TEST_F(WholeRun, EndsOnEveryRankWhenOneIsAskedTo) {
  const bool asked = comm.rank().value() == comm.size() - 1;
  const RunSummary summary = run_wedge({}, Existing::refuse, [&] { return asked && told.last.step >= 4; });
  EXPECT_EQ(summary.reason, StopReason::interrupted);
  EXPECT_EQ(summary.steps, 4);
  EXPECT_EQ(told.files.back(), "checkpoint.h5");
  EXPECT_EQ(run_wedge({}, Existing::resume).steps, 12);
}

TEST_F(WholeRun, ResumedEndsWithTheSameDigits) {
  const RunSummary whole = run_wedge({});
  EXPECT_EQ(run_wedge({"stop.steps=5"}, Existing::overwrite).steps, 5);
  const RunSummary parts = run_wedge({}, Existing::resume);
  EXPECT_EQ(whole.time, parts.time);
  EXPECT_EQ(whole.residual, parts.residual);
  EXPECT_EQ(whole.forces.at("wall").force, parts.forces.at("wall").force);
}

TEST_F(WholeRun, InterruptedAndResumedLeavesTheHistoriesOfARunInOneGo) {
  const auto histories = [&] {
    return std::array{io::read_table(comm, scratch / "results" / "residuals.csv"),
                      io::read_table(comm, scratch / "results" / "forces.csv")};
  };
  const std::vector<std::string> often{"output.history_steps=5", "stop.force_change=1e-30", "stop.force_window=10"};
  const RunSummary whole = run_wedge(often);
  const auto expected = histories();
  EXPECT_EQ(expected[0].size(), 3U);  // steps 5, 10, 12
  EXPECT_EQ(run_wedge(often, Existing::overwrite, [&] { return told.last.step == 7; }).steps, 7);
  EXPECT_EQ(run_wedge(often, Existing::resume).residual, whole.residual);
  EXPECT_EQ(histories(), expected);
  // The window in which the forces must settle includes steps before the restart: 5 to 15 has one, 10 to 12 would not.
  (void)run_wedge({"output.history_steps=1", "stop.steps=8", kConstantForce}, Existing::overwrite);
  const RunSummary settled =
      run_wedge({"output.history_steps=1", "stop.steps=20", "stop.force_change=100", "stop.force_window=10", kConstantForce},
                Existing::resume);
  EXPECT_EQ(settled.reason, StopReason::force_change);
  EXPECT_EQ(settled.steps, 10);
}

TEST_F(WholeRun, GoesOnWhileForcesDriftHoweverSmallTheyAre) {
  const std::vector<std::string> keys{"output.history_steps=1", "stop.force_change=1e-2", "stop.force_window=3",
                                      "forces.wall.area=1e6"};
  const RunSummary drifting = run_wedge(keys);
  EXPECT_EQ(drifting.reason, StopReason::steps);
  EXPECT_FALSE(drifting.verdict.good);
  auto of_inflow = keys;
  of_inflow.emplace_back(kConstantForce);
  const RunSummary constant = run_wedge(of_inflow, Existing::overwrite);
  EXPECT_EQ(constant.reason, StopReason::force_change);
  EXPECT_TRUE(constant.verdict.good);
}

TEST_F(WholeRun, ResumedReplacesTheFieldsOfLaterSteps) {
  (void)run_wedge({"output.field_steps=4", "output.checkpoint_steps=5", "stop.steps=5"});
  const auto file = [&](const char* name) { return scratch / "results" / name; };
  if (comm.is_root()) {
    for (const char* name : {"fields_00000008.hdf", "fields_00000008_density.png", "fields_failed.hdf"})
      io::write_text(file(name), "old");
    for (const char* name : {"fields_mean.hdf", "walls_paper.pdf", "fields_mach.mp4"})
      io::write_text(file(name), "not of a step");
  }
  comm.barrier();
  (void)run_wedge({"stop.steps=6"}, Existing::resume);
  for (const char* name : {"fields_mean.hdf", "walls_paper.pdf", "fields_mach.mp4"}) {
    EXPECT_TRUE(std::filesystem::exists(file(name))) << name;
  }
  EXPECT_TRUE(std::filesystem::exists(file("fields_00000004.hdf")));
  for (const char* name : {"fields_00000008.hdf", "fields_00000008_density.png", "fields_failed.hdf"}) {
    EXPECT_FALSE(std::filesystem::exists(file(name))) << name;
  }
}

TEST_F(WholeRun, FieldsAreThoseOfTheirStepOnAnyNumberOfThreads) {
  const auto file = [&] { return scratch / "results" / "fields_00000004.hdf"; };
  const auto densities = [&] {
    const io::Hdf5File in = io::Hdf5File::open(comm, file());
    return in.read_rows<double>("VTKHDF/CellData/density", 0, in.info("VTKHDF/CellData/density").rows);
  };
  (void)run_wedge({"output.field_steps=4", "stop.steps=4"});
  const auto expected = densities();
  for (const char* threads : {"threads=1", "threads=3"}) {
    (void)run_wedge({"output.field_steps=2", "stop.steps=8", threads}, Existing::overwrite);
    EXPECT_EQ(densities(), expected) << "steps that follow change what is being written";
  }
}

TEST_F(WholeRun, FieldsBeforeAnErrorAreKept) {
  const auto fail = [&]() -> bool {
    if (told.last.step >= 1) throw InputError("no input");
    return false;
  };
  EXPECT_THROW((void)run_wedge({}, Existing::refuse, fail), InputError);
  EXPECT_TRUE(std::filesystem::exists(scratch / "results" / "fields_00000000.hdf"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "results" / "fields_00000000.hdf.part"));
  EXPECT_EQ(told.files, (std::vector<std::string>{"fields_00000000.hdf"}));
}

TEST_F(WholeRun, FieldsBeforeAFailedStepAreKept) {
  // Roe's linearised solver cannot open a vacuum, however short the step.
  EXPECT_THROW((void)run_wedge({"numerics.flux=roe", "initial.kind=expression", "initial.density_expression=1.4",
                                "initial.pressure_expression=1", "initial.velocity_x_expression=x < 0.5 ? -40 : 40"}),
               PhysicsError);
  const auto exists = [&](const char* name) { return std::filesystem::exists(scratch / "results" / name); };
  EXPECT_TRUE(exists("fields_00000000.hdf"));
  EXPECT_TRUE(exists("fields_failed.hdf"));
  EXPECT_FALSE(exists("fields_00000000.hdf.part"));
  EXPECT_EQ(told.files, (std::vector<std::string>{"fields_00000000.hdf", "fields_failed.hdf"}));
}

TEST_F(WholeRun, ScalarsGoOnWithTheSameDigits) {
  const auto histories = [&] {
    return std::array{io::read_table(comm, scratch / "results" / "probes.csv"),
                      io::read_table(comm, scratch / "results" / "integrals.csv")};
  };
  const std::vector<std::string> with{
      "scalars.dye.initial=x < 0",      "scalars.smoke={}",       "boundary.inlet.scalars.dye=1 + y*t",
      "boundary.inlet.scalars.smoke=3", "probes.a.at=[0.1, 0.5]", "output.integrals=true",
      "output.history_steps=3"};
  (void)run_wedge(with);
  const auto expected = histories();
  ASSERT_EQ(expected[0].front().size(), 2U + 5 + 2);
  ASSERT_EQ(expected[1].front().size(), 2U + 5 + 2);
  EXPECT_NEAR(expected[0].front()[7], 0, 1e-15);  // dye at the probe, at the start
  EXPECT_GT(expected[1].back()[8], 0.1);          // smoke has entered
  (void)run_wedge(with, Existing::overwrite, [&] { return told.last.step == 7; });
  auto turned = with;  // in another order
  std::swap(turned[0], turned[1]);
  EXPECT_THAT(common_error<IoError>(comm, [&] { (void)run_wedge(turned, Existing::resume); }), HasSubstr("probes.csv"));
  (void)run_wedge(with, Existing::resume);
  EXPECT_EQ(histories(), expected);
}

TEST_F(WholeRun, WritesMonitorsLinesAndChosenFieldsAndGoesOnWithThem) {
  const auto file = [&](const char* name) { return scratch / "results" / name; };
  const std::vector<std::string> keys{"output.fields=[\"pressure\", \"schlieren\", \"cp\"]",
                                      "output.field_steps=4",
                                      "output.history_steps=3",
                                      "monitors.out.zones=outlet",
                                      "monitors.out.quantities=[\"mass_flow\", \"mach\"]",
                                      "monitors.out.average=mass",
                                      "monitors.out.progress=true",
                                      "monitors.through.zones=[\"inlet\", \"outlet\", \"upper\", \"wall\"]",
                                      "lines.up.from=[-0.25, 0]",
                                      "lines.up.to=[-0.25, 1]",
                                      "lines.up.points=5"};
  (void)run_wedge(keys);
  ASSERT_EQ(told.last.monitored.size(), 4U);  // Cd and Cl of the wall precede them
  EXPECT_EQ(told.last.monitored[2].first, "mass_flow(out)");
  EXPECT_EQ(told.last.monitored[3].first, "mach(out)");
  const auto monitors = io::read_table(comm, file("monitors.csv"));
  const auto line = io::read_table(comm, file("line_up_00000012.csv"));
  ASSERT_EQ(monitors.size(), 5U);  // steps 0, 3, 6, 9, 12
  EXPECT_EQ(monitors.back()[2], told.last.monitored[2].second);
  EXPECT_GT(monitors.back()[2], 2);
  EXPECT_NEAR(monitors.front()[3], 2, 1e-12);
  EXPECT_NEAR(monitors.back()[4], 0, 0.5);  // inflow equals outflow except for storage
  EXPECT_EQ(line.size(), 5U);
  EXPECT_EQ(line.front().size(), 4U + 3);
  if (comm.is_root()) {
    io::Hdf5File fields = io::Hdf5File::open(Communicator::self(), file("fields_00000012.hdf"));
    EXPECT_EQ(fields.datasets("VTKHDF/CellData"), (std::vector<std::string>{"cell_id", "cp", "pressure", "rank", "schlieren"}));
    const auto schlieren = fields.read_rows<double>("VTKHDF/CellData/schlieren", 0, 96);
    EXPECT_GT(*std::max_element(schlieren.begin(), schlieren.end()), 0.1);
  }
  EXPECT_TRUE(io::read_text(file("monitors.csv")).starts_with("step,time,out_mass_flow,out_mach,through_mass_flow\n"));
  comm.barrier();
  (void)run_wedge(keys, Existing::overwrite, [&] { return told.last.step == 7; });
  EXPECT_FALSE(std::filesystem::exists(file("line_up_00000012.csv")));
  EXPECT_TRUE(std::filesystem::exists(file("line_up_00000007.csv")));
  comm.barrier();
  (void)run_wedge(keys, Existing::resume);
  EXPECT_EQ(io::read_table(comm, file("monitors.csv")), monitors);
  EXPECT_EQ(io::read_table(comm, file("line_up_00000012.csv")), line);
}

TEST_F(WholeRun, WritesForcesInNewtonsWithoutAStream) {
  const std::vector<std::string> keys{"free_stream.mach=0",
                                      "boundary.inlet.mach=2",
                                      "boundary.inlet.density=1.4",
                                      "boundary.inlet.pressure=1",
                                      "forces.wall.reference_pressure=0.5",
                                      "initial.mach=2",
                                      "initial.density=1.4",
                                      "initial.pressure=1"};
  const RunSummary summary = run_wedge(keys);
  const std::string text = io::read_text(scratch / "results" / "forces.csv");
  EXPECT_TRUE(text.starts_with("step,time,wall_fx,wall_fy,wall_fz,wall_mx,wall_my,wall_mz\n")) << text.substr(0, 100);
  const auto rows = io::read_table(comm, scratch / "results" / "forces.csv");
  const Forces& wall = summary.forces.at("wall");
  EXPECT_EQ(rows.back()[2], wall.force.x);
  EXPECT_EQ(rows.back()[7], wall.moment.z);
  EXPECT_LT(wall.force.y, -0.5);
  ASSERT_EQ(told.last.monitored.size(), 2U);
  EXPECT_EQ(told.last.monitored[0].first, "Fx");
  EXPECT_EQ(run_wedge({keys.begin(), keys.end()}, Existing::resume).steps, 12);
  EXPECT_EQ(rows, io::read_table(comm, scratch / "results" / "forces.csv"));
  auto settled = keys;
  settled.emplace_back("stop.force_change=0.1");
  EXPECT_THAT(common_error<InputError>(comm, [&] { (void)run_wedge(settled, Existing::overwrite); }),
              HasSubstr("stop.force_change"));
  (void)run_wedge({}, Existing::overwrite);
  EXPECT_TRUE(io::read_text(scratch / "results" / "forces.csv")
                  .starts_with("step,time,wall_cd,wall_cl,wall_cmx,wall_cmy,wall_cmz,wall_cm_nose_up,wall_fx,"));
}

TEST_F(WholeRun, StartsFromTheSolutionOfAnother) {
  (void)run_wedge({});
  if (comm.is_root()) std::filesystem::rename(scratch / "results", scratch / "first");
  comm.barrier();
  struct Noted : Told {
    void noted(const std::string& text) override { note = text; }
    std::string note;
  } noted;
  const auto run_from = [&](std::vector<std::string> keys, Existing existing) {
    keys.insert(keys.end(), {"initial.kind=solution", "initial.file=" + (scratch / "first").string()});
    const io::CaseReader reader(io::CaseFile::from_text(kWedge, "case.toml", keys));
    return run(comm, wedge(reader), reader.effective_toml(), existing, noted, [] { return false; });
  };
  // On the same mesh the flow continues unchanged, except for the clock; on a finer one it is the same flow, too.
  const RunSummary same = run_from({"stop.steps=0"}, Existing::refuse);
  EXPECT_THAT(noted.note, HasSubstr("fields_00000012.hdf (step 12, 96 cells)"));
  EXPECT_EQ(same.time, 0);
  const auto force = io::read_table(comm, scratch / "first" / "forces.csv").back()[8];
  EXPECT_NEAR(same.forces.at("wall").force.x, force, 1e-12);
  const RunSummary fine = run_from({"stop.steps=0", "mesh.nx=30", "mesh.ny=20"}, Existing::overwrite);
  EXPECT_NEAR(fine.forces.at("wall").force.x, force, 0.2 * force);  // a flow with a shock, not yet steady
  const RunSummary whole = run_from({"stop.steps=9"}, Existing::overwrite);
  (void)run_from({"stop.steps=4"}, Existing::overwrite);
  EXPECT_EQ(run_from({"stop.steps=9"}, Existing::resume).forces.at("wall").force, whole.forces.at("wall").force);
}

TEST_F(WholeRun, AVortexInTheFarFieldGoesOnWithTheSameDigits) {
  const auto run_airfoil = [&](const std::vector<std::string>& overrides, Existing existing, std::int64_t last = 1000) {
    const io::CaseReader reader(io::CaseFile::from_text(kAirfoil, "case.toml", overrides));
    return run(comm, wedge(reader), reader.effective_toml(), existing, told, [&] { return told.last.step == last; });
  };
  const auto residuals = [&] { return io::read_table(comm, scratch / "results" / "residuals.csv"); };
  const auto circulations = [&] {
    const io::CaseReader reader(io::CaseFile::from_text(kAirfoil));
    const Case c = wedge(reader);
    const mesh::Mesh m = load_mesh(comm, c.mesh);
    return Results(comm, c, reader.effective_toml(), Existing::resume).read_checkpoint(m).circulations;
  };
  const RunSummary plain = run_airfoil({"boundary.farfield.vortex_correction="}, Existing::refuse);
  EXPECT_TRUE(circulations().empty());
  const auto without = residuals();
  const RunSummary whole = run_airfoil({}, Existing::overwrite);
  const auto expected = residuals();
  EXPECT_NE(expected, without);
  ASSERT_EQ(circulations().size(), 1U);
  const Primitive stream{1.4, {0.5 * std::cos(std::numbers::pi / 60), 0.5 * std::sin(std::numbers::pi / 60), 0}, 1};
  const double circulation = circulation_of(whole.forces.at("airfoil").force, stream);
  EXPECT_GT(circulation, 1e-3);
  EXPECT_NEAR(circulations().front().second, circulation, 1e-12);  // step 12 has updated it
  for (const std::int64_t last : {6, 8}) {
    told.last = {};
    EXPECT_EQ(run_airfoil({}, Existing::overwrite, last).steps, last);
    const RunSummary parts = run_airfoil({}, Existing::resume);
    EXPECT_EQ(parts.steps, 12);
    EXPECT_EQ(residuals(), expected) << last;
    EXPECT_EQ(parts.forces.at("airfoil").force, whole.forces.at("airfoil").force) << last;
  }
}

TEST(CheckSteps, WarnsWhereDampedJumpsLimitTheCourantNumber) {
  for (const auto& [elements, damped] : {std::pair{"quads", false}, std::pair{"triangles", true}}) {
    const mesh::Mesh m = test::generated("box", {{"nx", std::int64_t{6}}, {"ny", std::int64_t{6}}, {"elements", elements}},
                                         test::periodic_box(2, 1));
    for (const int stages : {1, 2, 3}) {
      const auto step_at = [&](double cfl, bool stabilized) {
        Solver solver(m, {.numerics = {.stabilize_simplices = stabilized, .rk_stages = stages, .cfl = cfl}});
        solver.initialise([](Vec3) { return Primitive{1, {0.3, 0.1, 0}, 1}; });
        EXPECT_EQ(check_steps(solver).empty(), cfl <= solver.most_cfl());
        return solver.step(1e9).dt;
      };
      const double most = most_damped_cfl(stages);
      EXPECT_DOUBLE_EQ(step_at(1.2, true), damped ? step_at(most, true) : step_at(1.2, false)) << elements << stages;
      EXPECT_DOUBLE_EQ(step_at(1.2, false) / step_at(0.6, false), 2) << elements << stages;
      EXPECT_DOUBLE_EQ(step_at(0.6, true), step_at(0.6, false)) << elements << stages;
    }
  }
}

}  // namespace
}  // namespace weft::flow::run_test
