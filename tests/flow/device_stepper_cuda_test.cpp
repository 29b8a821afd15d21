// The task graph of the stepper of a GPU: its overlap, its communication and its graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "weft/flow/cuda/device_stepper.hpp"
#include "weft/flow/cuda/make_device_stepper.hpp"
#include "weft/task/schedule.hpp"

#include "flow/scalar_support.hpp"
#include "support/gpu.hpp"

namespace weft::flow::device_stepper_cuda_test {
namespace {

using task::Kind;
using task::Node;
using task::Stage;

/// The nodes of a step, which have the same names in each stage of it.
class StepNodes {
 public:
  explicit StepNodes(const task::Plan& plan) : stage_(plan.schedule().repeated) {}

  /// Returns the node of this name in a stage; counted from 0. Fails if there is none.
  [[nodiscard]] std::size_t at(const std::string& name, int number = 0) const {
    for (std::size_t i = 0; i < stage_.nodes.size(); ++i) {
      if (stage_.nodes[i].name == name && number-- == 0) return i;
    }
    ADD_FAILURE() << "no node " << name;
    return 0;
  }
  [[nodiscard]] bool has(const std::string& name) const {
    return std::ranges::find(stage_.nodes, name, &Node::name) != stage_.nodes.end();
  }
  /// Returns true if node `later` waits for node `earlier`, at least by other nodes.
  [[nodiscard]] bool waits_for(std::size_t later, std::size_t earlier) const {
    std::vector<char> after(stage_.nodes.size());
    after[earlier] = 1;
    for (std::size_t i = 0; i < after.size(); ++i) {  // the nodes are in an order of execution
      for (const int next : stage_.successors_of(static_cast<int>(i))) after[static_cast<std::size_t>(next)] |= after[i];
    }
    return after[later] != 0;
  }
  [[nodiscard]] const Stage& stage() const { return stage_; }

 private:
  const Stage& stage_;
};

using Fp64Stepper = detail::DeviceStepper<double, double>;

class DeviceStepperCuda : public ::testing::Test {
 protected:
  void SetUp() override { WEFT_NEEDS_GPU(); }
};

TEST_F(DeviceStepperCuda, ExchangesOverlapWithInnerTiles) {
  const test::Setting setting = test::settings().front();
  const mesh::Mesh m = setting.mesh();
  const Scheme scheme(m, {.boundary = setting.boundary(m)});
  const std::unique_ptr<Stepper> stepper = detail::make_device_stepper(scheme);
  const task::Plan& plan = static_cast<Fp64Stepper&>(*stepper).step_plan();
  const StepNodes nodes(plan);
  SCOPED_TRACE(plan.text());
  if (!nodes.has("fluxes (border)")) {
    EXPECT_EQ(m.comm.max(m.plan.ghost_rows()), 0);
    stepper->close();
    GTEST_SKIP() << "needs ghosts";
  }
  const std::size_t inner_gradients = nodes.at("gradients (inner)", 1), inner_fluxes = nodes.at("fluxes (inner)", 1);
  const std::size_t border_gradients = nodes.at("gradients (border)", 1), border_fluxes = nodes.at("fluxes (border)", 1);
  const std::size_t values = nodes.at("finish pull values", 1), gradients = nodes.at("finish pull gradients, sensors", 1);
  EXPECT_FALSE(nodes.waits_for(inner_gradients, values));
  EXPECT_FALSE(nodes.waits_for(values, nodes.at("fluxes (inner)", 0)));
  EXPECT_TRUE(nodes.waits_for(values, nodes.at("fluxes (border)", 0)));
  EXPECT_TRUE(nodes.waits_for(border_gradients, values));
  EXPECT_FALSE(nodes.waits_for(border_gradients, inner_gradients));
  EXPECT_TRUE(nodes.waits_for(gradients, border_gradients));
  EXPECT_FALSE(nodes.waits_for(gradients, inner_gradients));
  EXPECT_TRUE(nodes.waits_for(inner_fluxes, border_gradients));
  EXPECT_FALSE(nodes.waits_for(inner_fluxes, gradients));
  EXPECT_TRUE(nodes.waits_for(border_fluxes, inner_gradients));
  EXPECT_TRUE(nodes.waits_for(border_fluxes, gradients));
  EXPECT_FALSE(nodes.waits_for(border_fluxes, inner_fluxes));
  stepper->close();
}

TEST_F(DeviceStepperCuda, NothingButTheEndOfAStepWaitsForTheSumsOfRates) {
  const test::Setting setting = test::settings().front();
  const mesh::Mesh m = setting.mesh();
  const Scheme scheme(m, {.boundary = setting.boundary(m)});
  const std::unique_ptr<Stepper> stepper = detail::make_device_stepper(scheme);
  const task::Plan& plan = static_cast<Fp64Stepper&>(*stepper).step_plan();
  const StepNodes nodes(plan);
  SCOPED_TRACE(plan.text());
  const std::size_t sums = nodes.at("sum rates"), end = nodes.at("end step");
  for (std::size_t i = 0; i < nodes.stage().nodes.size(); ++i) {
    EXPECT_EQ(nodes.waits_for(i, sums), i == sums || i == end) << nodes.stage().nodes[i].name;
  }
  EXPECT_FALSE(nodes.waits_for(sums, nodes.at("gradients (inner)", 1)));
  stepper->close();
}

TEST_F(DeviceStepperCuda, AStepIsOneGraphWhereTheHostTakesNoPart) {
  const test::Setting setting = test::settings().front();
  const mesh::Mesh m = setting.mesh();
  const Scheme scheme(m, {.boundary = test::bringing_scalars(m, false), .scalars = test::three_scalars()});
  const std::unique_ptr<Stepper> stepper = detail::make_device_stepper(scheme);
  const task::Plan& plan = static_cast<Fp64Stepper&>(*stepper).step_plan();
  SCOPED_TRACE(plan.text());
  const bool captured = std::ranges::all_of(plan.exchanges(), [](const Exchange& exchange) {
    return exchange.transport() == Transport::peer || exchange.transport() == Transport::nccl;
  });
  EXPECT_TRUE(captured || !stepper->runs_sequences());
  for (const Node& node : plan.schedule().repeated.nodes) {
    const bool exchanges = node.kind == Kind::start || node.kind == Kind::finish;
    if (captured) {
      EXPECT_EQ(node.graph, 0) << node.name;
    } else {
      EXPECT_EQ(node.graph >= 0, !exchanges) << node.name;
    }
  }
  stepper->close();
}

}  // namespace
}  // namespace weft::flow::device_stepper_cuda_test
