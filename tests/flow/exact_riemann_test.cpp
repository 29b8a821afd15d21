#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/physics/physical_flux.hpp"
#include "weft/flow/solutions/riemann.hpp"

namespace weft::flow::exact_riemann_test {
namespace {

constexpr IdealGas kGas;

TEST(ExactRiemann, Sod) {
  const RiemannSolution s(kGas, kSod);
  EXPECT_NEAR(s.star_pressure(), 0.30313, 5e-6);
  EXPECT_NEAR(s.star_velocity(), 0.92745, 5e-6);
  EXPECT_NEAR(s.star_density_left(), 0.42632, 5e-6);
  EXPECT_NEAR(s.star_density_right(), 0.26557, 5e-6);
}

TEST(ExactRiemann, Lax) {
  const RiemannSolution s(kGas, kLax);
  EXPECT_NEAR(s.star_pressure(), 2.4661, 5e-5);
  EXPECT_NEAR(s.star_velocity(), 1.5287, 5e-5);
  EXPECT_NEAR(s.star_density_left(), 0.34457, 5e-6);
  EXPECT_NEAR(s.star_density_right(), 1.30408, 5e-6);
}

TEST(ExactRiemann, Toro123) {
  const RiemannSolution s(kGas, kToro123);
  EXPECT_NEAR(s.star_pressure(), 0.0018939, 5e-8);
  EXPECT_NEAR(s.star_velocity(), 0, 1e-15);
  EXPECT_NEAR(s.star_density_left(), 0.021852, 5e-7);
  EXPECT_NEAR(s.star_density_right(), 0.021852, 5e-7);
}

TEST(ExactRiemann, ToroLeftBlast) {
  const RiemannSolution s(kGas, kToroLeftBlast);
  EXPECT_NEAR(s.star_pressure(), 460.894, 5e-4);
  EXPECT_NEAR(s.star_velocity(), 19.5975, 5e-5);
  EXPECT_NEAR(s.star_density_left(), 0.57506, 5e-6);
  EXPECT_NEAR(s.star_density_right(), 5.99924, 5e-6);
}

TEST(ExactRiemann, ToroCollision) {
  const RiemannSolution s(kGas, kToroCollision);
  EXPECT_NEAR(s.star_pressure(), 1691.65, 5e-3);
  EXPECT_NEAR(s.star_velocity(), 8.68977, 5e-6);
}

std::vector<RiemannStates> every_problem() {
  std::vector<RiemannStates> all{kSod, kLax, kToro123, kToroLeftBlast, kToroCollision};
  all.push_back({{1.4, {3, 1, 0}, 1}, {0.7, {3, 0, 2}, 1}});  // a contact and shear
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) {  // mirrored
    RiemannStates m{all[i].right, all[i].left};
    m.left.velocity.x = -m.left.velocity.x;
    m.right.velocity.x = -m.right.velocity.x;
    all.push_back(m);
  }
  return all;
}

// In a box that holds every wave, the content at t = 1 is the initial content plus the inflow.
TEST(ExactRiemann, ConservesMassMomentumAndEnergy) {
  for (const RiemannStates& states : every_problem()) {
    const RiemannSolution s(kGas, states);
    const Vec3 n{1, 0, 0};
    const double reach = 1.1 * (max_wave_speed(kGas, states.left, n) + max_wave_speed(kGas, states.right, n) +
                                2 * std::sqrt(kGas.gamma * s.star_pressure() / s.star_density_right()));
    constexpr int kSamples = 200000;
    const double dx = 2 * reach / kSamples;
    Conserved sum;
    for (int i = 0; i < kSamples; ++i) sum += dx * kGas.conserved(s.sample(-reach + (i + 0.5) * dx));
    const Conserved expected = reach * (kGas.conserved(states.left) + kGas.conserved(states.right)) +
                               physical_flux(kGas, states.left, n) - physical_flux(kGas, states.right, n);
    const double scale = reach * std::max(kGas.conserved(states.left).energy, kGas.conserved(states.right).energy);
    for (int k = 0; k < IdealGas::kVars; ++k) EXPECT_NEAR(sum[k], expected[k], 3e-5 * scale) << IdealGas::conserved_name(k);
  }
}

TEST(ExactRiemann, FarAwayNothingHasHappened) {
  for (const RiemannStates& states : every_problem()) {
    const RiemannSolution s(kGas, states);
    EXPECT_EQ(s.sample(-1e3), states.left);
    EXPECT_EQ(s.sample(1e3), states.right);
  }
}

TEST(ExactRiemann, InsideTheFanEntropyAndInvariantHold) {
  const RiemannSolution s(kGas, kSod);
  for (int i = 0; i <= 10; ++i) {
    const double xi = -1.18 + 0.11 * i;
    const Primitive w = s.sample(xi);
    EXPECT_NEAR(kGas.entropy(w), kGas.entropy(kSod.left), 1e-14);
    EXPECT_NEAR(w.velocity.x + 5 * kGas.sound_speed(w), 5 * kGas.sound_speed(kSod.left), 1e-13);
    EXPECT_NEAR(w.velocity.x - kGas.sound_speed(w), xi, 1e-14);
  }
}

TEST(ExactRiemann, TangentialVelocityJumpsAtTheContact) {
  RiemannStates states = kSod;
  states.left.velocity.y = 3;
  states.right.velocity.z = -2;
  const RiemannSolution s(kGas, states);
  EXPECT_EQ(s.sample(0.92).velocity.y, 3);
  EXPECT_EQ(s.sample(0.92).velocity.z, 0);
  EXPECT_EQ(s.sample(0.93).velocity.y, 0);
  EXPECT_EQ(s.sample(0.93).velocity.z, -2);
}

TEST(ExactRiemann, RefusesVacuumAndUnphysicalStates) {
  EXPECT_THROW(RiemannSolution(kGas, {{1, {-6, 0, 0}, 0.4}, {1, {6, 0, 0}, 0.4}}), InputError);
  try {
    (void)RiemannSolution(kGas, {{1, {0, 0, 0}, 1}, {-1, {0, 0, 0}, 1}});
    ADD_FAILURE() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problem(), "a state of the Riemann problem is unphysical");
    EXPECT_EQ(error.suggestion(), "density and pressure must be positive and all variables finite on both sides");
  }
}

}  // namespace
}  // namespace weft::flow::exact_riemann_test
