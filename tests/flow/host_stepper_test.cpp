// The task graphs of the stepper of the host: their accesses, their communication, errors of user functions.
#include "weft/flow/host/host_stepper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "weft/mesh/mesh_params.hpp"
#include "weft/task/schedule.hpp"

#include "flow/scalar_support.hpp"

namespace weft::flow::host_stepper_test {
namespace {

using task::Node;
using testing::HasSubstr;

/// Sets the state and makes it the start of a step.
void start(HostStepper& stepper, const Scheme& scheme, const test::Setting& setting) {
  const mesh::Mesh& m = scheme.mesh();
  const StateRows rows = stepper.state();
  const std::size_t scalars = scheme.scalars().size();
  for (const mesh::LocalCellId cell : m.owned()) {
    const std::size_t c = cell.index();
    const Conserved u = scheme.gas().conserved(setting.start(m.cell_centroid[cell]));
    for (int k = 0; k < Stepper::kVars; ++k) rows.conserved[c * Stepper::kVars + static_cast<std::size_t>(k)] = u[k];
    for (std::size_t k = 0; k < scalars; ++k) {
      rows.scalar_amounts[c * scalars + k] = u.density * scheme.scalars()[k].initial(m.cell_centroid[cell]);
    }
  }
  stepper.load();
}

/// Computes steps with output between them. Returns the state, the rates of change and the gradients.
std::vector<double> computed(const Scheme& scheme, const test::Setting& setting, task::Check check) {
  HostStepper stepper(scheme, check);
  const Communicator& comm = scheme.mesh().comm;
  stepper.set_parameters({});
  start(stepper, scheme, setting);
  double time = 0, dt = 0.2 * comm.min(stepper.result().stable_dt);
  std::vector<double> values;
  for (int i = 0; i < 2; ++i) {
    stepper.step({.time = time, .dt = dt, .advance = dt});
    const StepResult result = stepper.result();
    values.insert(values.end(), result.rate_squared.begin(), result.rate_squared.end());
    time += dt;
    dt = 0.2 * comm.min(result.stable_dt);
    stepper.refresh(time);
  }
  const ConstStateRows rows = stepper.fetch();
  values.insert(values.end(), rows.conserved.begin(), rows.conserved.end());
  values.insert(values.end(), rows.scalar_amounts.begin(), rows.scalar_amounts.end());
  for (const CellGradient& gradient : stepper.gradients()) {
    for (const Vec3& of : gradient.of) values.insert(values.end(), {of.x, of.y, of.z});
  }
  return values;
}

TEST(HostStepper, TasksStateAllTheirAccesses) {
  std::vector<test::Setting> settings = test::settings();
  for (const test::Setting& setting : test::surrounded_settings()) settings.push_back(setting);
  std::size_t next = 0;
  for (const test::Setting& setting : settings) {
    const mesh::Mesh m = setting.mesh();
    const std::vector<Numerics> all = test::every_numerics(setting);
    for (const std::size_t i : {next % all.size(), (next + 5) % all.size()}) {  // each with several meshes, not with all
      const Numerics& numerics = all[i];
      const Scheme scheme(m, {.boundary = setting.boundary(m), .numerics = numerics, .stencil = setting.options.stencil});
      SCOPED_TRACE(setting.name + ", " + test::described(numerics));
      EXPECT_EQ(computed(scheme, setting, task::Check::accesses), computed(scheme, setting, task::Check::none));
    }
    ++next;
  }
}

TEST(HostStepper, TasksOfScalarsStateAllTheirAccesses) {
  for (const test::Setting& setting : test::settings()) {
    const mesh::Mesh m = setting.mesh();
    for (const GradientKind gradient : {GradientKind::least_squares, GradientKind::none}) {
      const Scheme scheme(m, {.boundary = test::bringing_scalars(m),
                              .numerics = {.gradient = gradient},
                              .stencil = setting.options.stencil,
                              .scalars = test::three_scalars()});
      SCOPED_TRACE(setting.name);
      EXPECT_EQ(computed(scheme, setting, task::Check::accesses), computed(scheme, setting, task::Check::none));
    }
  }
}

/// Returns the place of a node in the order of execution, -1 if there is none.
int place(const task::Stage& stage, const std::string& name) {
  const auto found = std::ranges::find(stage.nodes, name, &Node::name);
  return found == stage.nodes.end() ? -1 : static_cast<int>(found - stage.nodes.begin());
}

/// Returns true if the node waits for the other one, at least by other nodes.
bool waits_for(const task::Stage& stage, const std::string& name, const std::string& other) {
  std::vector<char> after(stage.nodes.size());
  after[static_cast<std::size_t>(place(stage, other))] = 1;
  for (std::size_t i = 0; i < after.size(); ++i) {  // the nodes are in an order of execution
    for (const int next : stage.successors_of(static_cast<int>(i))) after[static_cast<std::size_t>(next)] |= after[i];
  }
  return after[static_cast<std::size_t>(place(stage, name))] != 0;
}

TEST(HostStepper, ExchangesOverlapWithInnerCells) {
  const test::Setting setting = test::settings().front();
  const mesh::Mesh m = setting.mesh();
  const Scheme scheme(m, {});
  const HostStepper stepper(scheme);
  const task::Stage& stage = stepper.stage_plan().schedule().repeated;
  ASSERT_EQ(stepper.stage_plan().schedule().exchanges.size(), 2U) << stepper.stage_plan().text();
  const std::string first = "gradients and fluxes (inner, first half)", border = "boundary states and gradients (border)",
                    second = "gradients and fluxes (inner, second half)", remaining = "remaining and boundary fluxes",
                    interfaces = "fluxes of partition interfaces";
  EXPECT_FALSE(waits_for(stage, first, "finish pull values"));
  EXPECT_FALSE(waits_for(stage, first, "start pull values"));
  EXPECT_TRUE(waits_for(stage, border, "finish pull values"));
  EXPECT_TRUE(waits_for(stage, "start pull gradients, sensors", border));
  EXPECT_FALSE(waits_for(stage, second, "finish pull gradients, sensors"));
  EXPECT_FALSE(waits_for(stage, remaining, "finish pull gradients, sensors"));
  EXPECT_TRUE(waits_for(stage, interfaces, "finish pull gradients, sensors"));
  EXPECT_TRUE(waits_for(stage, "update", interfaces));
  if (m.comm.max(m.inner_cells) > 0) {
    EXPECT_FALSE(waits_for(stage, "start pull gradients, sensors", second));
  }
}

TEST(HostStepper, ValuesOfScalarsTravelWithThoseOfTheFlow) {
  const test::Setting setting = test::settings().front();
  const mesh::Mesh m = setting.mesh();
  const Scheme scheme(m, {.scalars = test::three_scalars()});
  const HostStepper stepper(scheme);
  const task::Schedule& schedule = stepper.stage_plan().schedule();
  ASSERT_EQ(schedule.exchanges.size(), 3U) << stepper.stage_plan().text();
  EXPECT_EQ(schedule.exchanges[0].arrays.size(), 2U);
  EXPECT_GE(place(schedule.repeated, "start pull values, scalars"), 0) << stepper.stage_plan().text();
  EXPECT_FALSE(waits_for(schedule.repeated, "start pull values, scalars", "stage"));
}

/// Returns the rows of the mesh on this rank.
task::PretendedRows rows_of(const mesh::Mesh& m) {
  task::PretendedRows rows{.owned = m.owned_cells,
                           .inner = m.inner_cells,
                           .boundary = mesh::index_space_with_boundary(m).boundary_rows(),
                           .others_have_inner = m.comm.max(m.inner_cells) > 0,
                           .others_have_ghosts = m.comm.max(m.ghost_cells) > 0};
  for (const GhostPlan::Neighbour& neighbour : m.plan.neighbours()) {
    if (neighbour.rank == m.comm.rank()) {
      rows.images += neighbour.ghosts.size();
    } else {
      rows.neighbours.push_back({neighbour.rank, std::ssize(neighbour.send_rows), neighbour.ghosts.size()});
    }
  }
  return rows;
}

TEST(HostStepper, ADryStageIsThatOfARunAndCountsItsMessages) {
  for (const test::Setting& setting : test::settings()) {
    for (const bool with_scalars : {false, true}) {
      const mesh::Mesh m = setting.mesh();
      const Scheme scheme(m, {.boundary = setting.boundary(m),
                              .numerics = {.rk_stages = 3},
                              .scalars = with_scalars ? test::three_scalars() : std::vector<Scalar>{}});
      HostStepper stepper(scheme);
      const task::DryPlan dry = stepper.dry_stage(m.comm.size(), rows_of(m));
      const task::Schedule& schedule = stepper.stage_plan().schedule();
      for (const auto& [counted, real] :
           {std::pair(&dry.schedule.first, &schedule.first), std::pair(&dry.schedule.repeated, &schedule.repeated)}) {
        std::vector<std::string> names, expected;
        for (const Node& node : counted->nodes) names.push_back(node.name);
        for (const Node& node : real->nodes) expected.push_back(node.name);
        EXPECT_EQ(names, expected);
        EXPECT_EQ(counted->successors, real->successors);
      }
      start(stepper, scheme, setting);
      const Traffic before = stepper.sent();
      stepper.step({.dt = 1e-9, .advance = 1e-9});
      Traffic counted = dry.first;
      for (int stage = 1; stage < 3; ++stage) counted += dry.repeated;
      EXPECT_EQ(counted, stepper.sent() - before);
    }
  }
}

// The others complete the step. They would learn of the error by the next reduction of their program.
TEST(HostStepper, AFunctionThatThrowsOnOneRankDoesNotStopTheOthersInAStep) {
  const test::Setting setting = test::settings().front();
  const mesh::Mesh m = setting.mesh();
  const bool last = m.comm.rank().value() + 1 == m.comm.size();
  bool fails = false;
  SourceTerm source;
  source.function = [&](Vec3, double, const Primitive&) {
    if (fails && last) throw std::runtime_error("no such table");
    return Conserved{};
  };
  const Scheme scheme(m, {.source = source});
  HostStepper stepper(scheme);
  stepper.set_parameters({});
  start(stepper, scheme, setting);
  (void)stepper.result();
  fails = true;
  std::string problem;
  try {
    stepper.step({.dt = 1e-3, .advance = 1e-3});
  } catch (const Error& error) {
    problem = error.what();
  }
  if (last) {
    EXPECT_THAT(problem, HasSubstr("task 'sources': no such table"));
  } else {
    EXPECT_EQ(problem, "");
  }
  EXPECT_THROW(stepper.evaluate(0), Error) << "on every rank";
  fails = false;
  start(stepper, scheme, setting);
  EXPECT_NO_THROW(stepper.step({.dt = 1e-3, .advance = 1e-3}));
}

}  // namespace
}  // namespace weft::flow::host_stepper_test
