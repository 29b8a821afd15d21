// Runs that go on: from a checkpoint, on another device, with a changed case.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "weft/base/error.hpp"
#include "weft/flow/app/results.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"
#include "weft/io/table.hpp"
#include "weft/io/text_file.hpp"

#include "flow/run_support.hpp"
#include "flow/solver_support.hpp"
#include "support/gpu.hpp"

namespace weft::flow::run_resume_test {
namespace {

using test::common_error;
using test::kWedge;
using test::WholeRun;
using ::testing::HasSubstr;

using Devices = std::pair<Backend, Backend>;

/// Runs of which a second goes on, on the host or on a GPU, from what a first left in its folder.
class RunOnHostOrOnCuda : public WholeRun, public ::testing::WithParamInterface<Devices> {
 protected:
  static constexpr double kAgreement = 1e-12;
  static constexpr double kGradientAgreement = 1e-10;  // differences of values over the sizes of cells
  /// All that a run in one go or in parts leaves at its end.
  struct Left {
    RunSummary summary;
    std::vector<double> conserved, amounts;  ///< values of all cells, from the last checkpoint
    std::vector<std::vector<double>> residuals, probes, monitors, line;
    std::vector<double> schlieren;  ///< values in fields that were written while a GPU computed further steps
    double time = 0;
  };

  void SetUp() override {
    if (GetParam() != Devices(Backend::host, Backend::host)) WEFT_NEEDS_GPU();
  }

  /// The inflow is "1 + y*t" or, where a GPU is to compute steps while a checkpoint is written, steady.
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
  const auto refused = [&](const std::vector<std::string>& changes) {
    std::vector<std::string> overrides = changes;
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
  // The accepted changes are now those of the run itself.
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
  (void)run_wedge({"stop.steps=1"});  // none of these attempts stands in the way
  EXPECT_THAT(refused({}), HasSubstr("--overwrite"));
  EXPECT_NE(common_error<IoError>(comm, [&] { (void)run_wedge({"mesh.nx=13"}, Existing::resume); }), "");
}

}  // namespace
}  // namespace weft::flow::run_resume_test
