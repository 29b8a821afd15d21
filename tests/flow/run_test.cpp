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

#include "flow/solver_support.hpp"
#include "io/support/scratch.hpp"
#include "support/gpu.hpp"

namespace weft::flow {
namespace {

using test::common_error;
using ::testing::HasSubstr;

constexpr const char* kWedge = R"toml(
[mesh]
generator = "wedge"
nx = 12
ny = 8
[free_stream]
density = 1.4
pressure = 1.0
mach = 2.0
[boundary.inlet]
kind = "supersonic_inflow"
[boundary.outlet]
kind = "supersonic_outflow"
[boundary.upper]
kind = "supersonic_outflow"
[boundary.wall]
kind = "slip_wall"
[forces.wall]
zones = "wall"
[output]
history_steps = 1
[stop]
steps = 12
)toml";

struct Told : RunObserver {
  void advanced(const Progress& progress) override { last = progress; }
  void wrote(const std::filesystem::path& file) override { files.push_back(file.filename().string()); }
  void changed(const std::vector<io::CaseChange>& those) override { changes = those; }
  Progress last;
  std::vector<std::string> files;
  std::vector<io::CaseChange> changes;
};

class WholeRun : public ::testing::Test {
 protected:
  [[nodiscard]] Case wedge(const io::CaseReader& reader) const {
    Case c = read_case(reader);
    c.output.directory = scratch / "results";
    return c;
  }
  RunSummary run_wedge(
      const std::vector<std::string>& overrides, Existing existing = Existing::refuse,
      const std::function<bool()>& stop = [] { return false; }) {
    const io::CaseReader reader(io::CaseFile::from_text(kWedge, "case.toml", overrides));
    const Case c = wedge(reader);  // before the effective case, which contains the keys that were read
    return run(comm, c, reader.effective_toml(), existing, told, stop);
  }

  const Communicator comm = Communicator::world();
  const io::Scratch scratch{comm};
  Told told;
};

TEST_F(WholeRun, StopsAtTheFirstCriterionThatHolds) {
  EXPECT_EQ(run_wedge({}).reason, StopReason::steps);
  EXPECT_EQ(told.last.step, 12);
  EXPECT_DOUBLE_EQ(told.last.fraction, 1);
  const RunSummary timed = run_wedge({"stop.time=0.05"}, Existing::overwrite);
  EXPECT_EQ(timed.reason, StopReason::time);
  EXPECT_NEAR(timed.time, 0.05, 1e-15);
  EXPECT_EQ(run_wedge({"stop.residual=0.999"}, Existing::overwrite).reason, StopReason::residual);
  EXPECT_EQ(run_wedge({"stop.force_change=100", "stop.force_window=3"}, Existing::overwrite).reason, StopReason::force_change);
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
  (void)run_wedge({"output.history_steps=1", "stop.steps=8"}, Existing::overwrite);
  const RunSummary settled =
      run_wedge({"output.history_steps=1", "stop.steps=20", "stop.force_change=100", "stop.force_window=10"}, Existing::resume);
  EXPECT_EQ(settled.reason, StopReason::force_change);
  EXPECT_EQ(settled.steps, 10);
}

TEST_F(WholeRun, ResumedReplacesTheFieldsOfLaterSteps) {
  (void)run_wedge({"output.field_steps=4", "output.checkpoint_steps=5", "stop.steps=5"});
  const auto file = [&](const char* name) { return scratch / "results" / name; };
  if (comm.is_root()) {
    for (const char* name : {"fields_00000008.hdf", "fields_00000008_density.png", "fields_failed.hdf"})
      io::write_text(file(name), "old");
  }
  comm.barrier();
  (void)run_wedge({"stop.steps=6"}, Existing::resume);
  EXPECT_TRUE(std::filesystem::exists(file("fields_00000004.hdf")));
  for (const char* name : {"fields_00000008.hdf", "fields_00000008_density.png", "fields_failed.hdf"}) {
    EXPECT_FALSE(std::filesystem::exists(file(name))) << name;
  }
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

constexpr const char* kAirfoil = R"toml(
[mesh]
generator = "naca"
around = 32
radial = 8
radius = 3.0
[free_stream]
density = 1.4
pressure = 1.0
mach = 0.5
alpha = 3
[boundary.airfoil]
kind = "slip_wall"
[boundary.farfield]
kind = "far_field"
vortex_correction = "airfoil"
vortex_steps = 4
[forces.airfoil]
zones = "airfoil"
moment_centre = [0.25, 0]
[output]
history_steps = 3
[stop]
steps = 12
)toml";

/// Interrupted between two updates of the circulation, and at one.
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

using Devices = std::pair<Backend, Backend>;

/// Runs of which a second continues, on the host or on a GPU, from the results of a first.
class RunOnHostOrOnCuda : public WholeRun, public ::testing::WithParamInterface<Devices> {
 protected:
  static constexpr double kAgreement = 1e-12;
  static constexpr double kGradientAgreement = 1e-10;  // differences of values over the sizes of cells
  /// The final results of a run, uninterrupted or in parts.
  struct Left {
    RunSummary summary;
    std::vector<double> conserved, amounts;  ///< values of all cells, from the last checkpoint
    std::vector<std::vector<double>> residuals, probes, monitors, line;
    std::vector<double> schlieren;  ///< fields that were written while a GPU computed steps
    double time = 0;
  };

  void SetUp() override {
    if (GetParam() != Devices(Backend::host, Backend::host)) WEFT_NEEDS_GPU();
  }

  /// Returns the keys. The inflow is "1 + y*t" or, if a GPU is to compute steps while a checkpoint is written, steady.
  [[nodiscard]] std::vector<std::string> keys(Backend device, int steps) const {
    return {std::string("device=") + to_string(device),
            "stop.steps=" + std::to_string(steps),
            "mesh.elements=mixed",
            "output.checkpoint_steps=10",
            "output.history_steps=" + std::to_string(kHistorySteps),
            "probes.a.at=[0.1, 0.5]",
            "scalars.dye.initial=sin(5*x)",
            "output.fields=[\"density\", \"vorticity\", \"schlieren\"]",
            "output.field_steps=10",
            "monitors.out.zones=outlet",
            "monitors.out.quantities=[\"mass_flow\", \"total_pressure\"]",
            "lines.up.from=[-0.25, 0]",
            "lines.up.to=[-0.25, 1]",
            "boundary.inlet.scalars.dye=" + inflow};
  }
  Left end_of_run(Backend device, Existing existing) {
    Left left;
    left.summary = run_wedge(keys(device, kSteps), existing);
    const io::CaseReader reader(io::CaseFile::from_text(kWedge, "case.toml", keys(device, kSteps)));
    const Case c = wedge(reader);
    const mesh::Mesh m = load_mesh(comm, c.mesh);
    const Resumed last = Results(comm, c, reader.effective_toml(), Existing::resume).read_checkpoint(m);
    EXPECT_EQ(last.step, kSteps);
    left.time = last.time;
    left.conserved = test::gathered(m, last.conserved, Solver::kVars);
    left.amounts = test::gathered(m, last.scalar_amounts, 1);
    left.residuals = io::read_table(comm, scratch / "results" / "residuals.csv");
    left.probes = io::read_table(comm, scratch / "results" / "probes.csv");
    left.monitors = io::read_table(comm, scratch / "results" / "monitors.csv");
    left.line = io::read_table(comm, scratch / "results" / "line_up_00000050.csv");
    const io::Hdf5File fields = io::Hdf5File::open(comm, scratch / "results" / "fields_00000050.hdf");
    const char* const name = "VTKHDF/CellData/schlieren";
    left.schlieren = fields.read_rows<double>(name, 0, fields.info(name).rows);
    return left;
  }

  static void expect_near(const Left& whole, const Left& parts) {
    EXPECT_NEAR(whole.time, parts.time, kAgreement * whole.time);
    EXPECT_LE(test::relative_difference(IdealGas{}, whole.conserved, parts.conserved), kAgreement);
    ASSERT_EQ(whole.amounts.size(), parts.amounts.size());
    double most = 0;
    for (const double amount : whole.amounts) most = std::max(most, std::abs(amount));
    EXPECT_GT(most, 0.5);
    for (std::size_t i = 0; i < whole.amounts.size(); ++i) {
      EXPECT_NEAR(whole.amounts[i], parts.amounts[i], kAgreement * most) << i;
    }
    const Vec3 force = whole.summary.forces.at("wall").force;
    EXPECT_LE(norm(force - parts.summary.forces.at("wall").force), kAgreement * norm(force));
    EXPECT_EQ(whole.residuals.size(), std::size_t{kSteps / kHistorySteps});
    EXPECT_EQ(whole.probes.size(), std::size_t{kSteps / kHistorySteps} + 1);
    expect_near(whole.residuals, parts.residuals, 1e-9);
    expect_near(whole.probes, parts.probes, kAgreement);
    expect_near(whole.monitors, parts.monitors, kAgreement);
    EXPECT_EQ(whole.line.size(), 101U);
    expect_near(whole.line, parts.line, kGradientAgreement);
    expect_near({whole.schlieren}, {parts.schlieren}, kGradientAgreement);
    EXPECT_GT(*std::max_element(whole.schlieren.begin(), whole.schlieren.end()), 1);
  }
  static void expect_near(const std::vector<std::vector<double>>& whole, const std::vector<std::vector<double>>& parts,
                          double nearly) {
    ASSERT_EQ(whole.size(), parts.size());
    for (std::size_t row = 0; row < whole.size(); ++row) {
      ASSERT_EQ(whole[row].size(), parts[row].size());
      for (std::size_t k = 0; k < whole[row].size(); ++k) {
        EXPECT_NEAR(whole[row][k], parts[row][k], nearly * (1 + std::abs(whole[row][k]))) << "row " << row << ", column " << k;
      }
    }
  }

  static constexpr int kSteps = 60, kHistorySteps = 5;
  std::string inflow = "1 + y*t";
};

TEST_P(RunOnHostOrOnCuda, GoesOnFromACheckpoint) {
  const Left whole = end_of_run(Backend::host, Existing::refuse);
  const auto [first, second] = GetParam();
  EXPECT_EQ(run_wedge(keys(first, 25), Existing::overwrite).steps, 25);
  const Left parts = end_of_run(second, Existing::resume);
  EXPECT_EQ(parts.summary.first_step, 25);
  expect_near(whole, parts);
}

/// A GPU computes the next steps while such a checkpoint is written.
TEST_P(RunOnHostOrOnCuda, GoesOnFromACheckpointDuringTheRun) {
  inflow = "1 + y";
  const Left whole = end_of_run(Backend::host, Existing::refuse);
  const auto [first, second] = GetParam();
  EXPECT_EQ(run_wedge(keys(first, 25), Existing::overwrite).steps, 25);
  if (comm.is_root()) io::write_text(scratch / "results" / "checkpoint.h5", "damaged");
  comm.barrier();
  const Left parts = end_of_run(second, Existing::resume);
  EXPECT_EQ(parts.summary.first_step, 20);
  expect_near(whole, parts);
}

INSTANTIATE_TEST_SUITE_P(Flow, RunOnHostOrOnCuda,
                         ::testing::Values(Devices(Backend::host, Backend::host), Devices(Backend::cuda, Backend::host),
                                           Devices(Backend::host, Backend::cuda), Devices(Backend::cuda, Backend::cuda)),
                         [](const auto& devices) {
                           return std::string(to_string(devices.param.first)) + "_then_" + to_string(devices.param.second);
                         });

TEST_F(WholeRun, RefusesACheckpointOfOtherScalars) {
  const auto refused = [&](const std::vector<std::string>& overrides) {
    return common_error<InputError>(comm, [&] { (void)run_wedge(overrides, Existing::resume); });
  };
  (void)run_wedge({"scalars.dye={}", "stop.steps=6"});
  EXPECT_THAT(refused({}), HasSubstr("has the scalars dye, and the case has no scalars"));
  EXPECT_THAT(refused({"scalars.fog={}"}), HasSubstr("has the scalars dye, and the case has the scalars fog"));
  (void)run_wedge({"stop.steps=6"}, Existing::overwrite);
  EXPECT_THAT(refused({"scalars.dye={}"}), HasSubstr("has no scalars, and the case has the scalars dye"));
  (void)run_wedge({}, Existing::resume);
}

TEST_F(WholeRun, ResumedWithOtherHistoriesChangesNothing) {
  (void)run_wedge({"stop.steps=6"});
  const auto content = [&](const char* name) { return io::read_text(scratch / "results" / name); };
  const std::array before{content("case.toml"), content("residuals.csv"), content("forces.csv")};
  comm.barrier();
  EXPECT_THAT(common_error<IoError>(comm, [&] { (void)run_wedge({"forces.lid.zones=upper"}, Existing::resume); }),
              HasSubstr("forces.csv"));
  EXPECT_THAT(common_error<InputError>(comm, [&] { (void)run_wedge({"probes.p.at=[9, 9]"}, Existing::resume); }),
              HasSubstr("outside the mesh"));
  EXPECT_EQ((std::array{content("case.toml"), content("residuals.csv"), content("forces.csv")}), before);
}

TEST_F(WholeRun, ResumedWithChangedPhysicsIsRefusedUnlessAccepted) {
  (void)run_wedge({"stop.steps=4", "boundary.upper.kind=far_field", "free_stream.alpha=1"});
  const auto content = [&](const char* name) { return io::read_text(scratch / "results" / name); };
  const std::array before{content("case.toml"), content("residuals.csv"), content("forces.csv")};
  comm.barrier();
  const auto refused = [&](std::vector<std::string> overrides) {
    overrides.insert(overrides.end(), {"stop.steps=6", "boundary.upper.kind=far_field"});
    return common_error<InputError>(comm, [&] { (void)run_wedge(overrides, Existing::resume); });
  };
  EXPECT_THAT(refused({"free_stream.alpha=2"}), HasSubstr("changes the physics: free_stream.alpha was 1.0 and is 2.0; give"));
  EXPECT_THAT(refused({"free_stream.alpha=2"}), HasSubstr("--accept-changes"));
  EXPECT_THAT(refused({"free_stream.alpha=1", "numerics.flux=roe"}), HasSubstr("numerics.flux was \"hllc_hlle\" and is \"roe\""));
  EXPECT_THAT(refused({"free_stream.alpha=1", "numerics.reference_length=2"}),
              HasSubstr("numerics.reference_length was absent and is 2.0"));
  EXPECT_EQ((std::array{content("case.toml"), content("residuals.csv"), content("forces.csv")}), before);
  comm.barrier();
  EXPECT_TRUE(told.changes.empty());
  EXPECT_EQ(run_wedge({"stop.steps=6", "free_stream.alpha=3", "boundary.upper.kind=far_field"}, Existing::resume_changed).steps,
            6);
  std::vector<std::string> listed;
  for (const io::CaseChange& change : told.changes) listed.push_back(change.key + ": " + change.before + ", " + change.now);
  EXPECT_THAT(listed, ::testing::ElementsAre("free_stream.alpha: 1.0, 3.0", "stop.steps: 4, 6",
                                             ::testing::StartsWith("forces.wall.drag_direction: ["),
                                             ::testing::StartsWith("forces.wall.lift_direction: [")));
  // The choices of the resumed run are now those of the run.
  EXPECT_EQ(run_wedge({"stop.steps=7", "free_stream.alpha=3", "boundary.upper.kind=far_field"}, Existing::resume).steps, 7);
  EXPECT_EQ(told.changes.size(), 1U);
}

TEST_F(WholeRun, RefusesWhatDoesNotFitTheMesh) {
  const auto refused = [&](const std::vector<std::string>& overrides, Existing existing = Existing::refuse) {
    return common_error<InputError>(comm, [&] { (void)run_wedge(overrides, existing); });
  };
  EXPECT_THAT(refused({"boundary.wal.kind=slip_wall"}), HasSubstr("no boundary zone \"wal\""));
  EXPECT_THAT(refused({"boundary.wal.kind=slip_wall"}), HasSubstr("did you mean \"wall\""));
  EXPECT_THAT(refused({"forces.wall.zones=lid"}), HasSubstr("forces.wall.zones"));
  EXPECT_THAT(refused({"mesh.nx=0"}), HasSubstr("nx"));
  EXPECT_THAT(refused({}, Existing::resume), HasSubstr("leave out --resume"));
  (void)run_wedge({"stop.steps=1"});  // none of these attempts prevents a run
  EXPECT_THAT(refused({}), HasSubstr("--overwrite"));
  EXPECT_NE(common_error<IoError>(comm, [&] { (void)run_wedge({"mesh.nx=13"}, Existing::resume); }), "");
}

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

/// A wave of density that enters with the stream, given as a formula.
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
    test::advance(*solver, 1);  // three waves have entered
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
  for (std::int32_t cell = 0; cell < m.owned_cells; ++cell) {
    if (m.cell_centroid[static_cast<std::size_t>(cell)].x < 0.3) continue;  // the inflow does not fall yet
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
      for (const mesh::LocalCellId cell : m.owned()) work += m.cell_centroid[cell.index()].x < 0 ? 4 : 1;
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
  for (std::int32_t c = 0; c < m.owned_cells; ++c) {
    volume += m.cell_volume[static_cast<std::size_t>(c)];
    EXPECT_GT(m.cell_centroid[static_cast<std::size_t>(c)].x, 1);
  }
  EXPECT_DOUBLE_EQ(m.comm.sum(volume), 4);
}

}  // namespace
}  // namespace weft::flow
