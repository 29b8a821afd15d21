#include "weft/flow/app/initial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "flow/solver_support.hpp"

namespace weft::flow::initial_test {
namespace {

constexpr Primitive kCalm{1.4, {0, 0, 0}, 1}, kHot{1.4, {0, 0, 0}, 10}, kDense{7, {1, 2, 3}, 1};

InitialState named(InitialKind kind) { return InitialState({.kind = kind}); }

template <class F>
std::string failure(const F& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Initial, Uniform) {
  const InitialState s({.state = kDense});
  EXPECT_EQ(s({1, 2, 3}), kDense);
  EXPECT_EQ(s.at({1, 2, 3}, 5), kDense);
  EXPECT_EQ(named(InitialKind::forward_step)({0, 0, 0}), (Primitive{1.4, {3, 0, 0}, 1}));
}

TEST(Initial, RiemannProblemsByName) {
  EXPECT_EQ(named(InitialKind::sod)({0.49, 0, 0}), kSod.left);
  EXPECT_EQ(named(InitialKind::sod)({0.51, 0, 0}), kSod.right);
  EXPECT_EQ(named(InitialKind::lax)({0.51, 0, 0}), kLax.right);
  EXPECT_EQ(named(InitialKind::toro_123)({0.4, 0, 0}), kToro123.left);
  EXPECT_EQ(named(InitialKind::toro_left_blast)({0.4, 0, 0}), kToroLeftBlast.left);
  EXPECT_EQ(named(InitialKind::toro_collision)({0.41, 0, 0}), kToroCollision.right);
  const InitialState moved({.kind = InitialKind::riemann, .riemann = {kHot, kCalm}, .x0 = -2.0});
  EXPECT_EQ(moved({-2.1, 5, 5}), kHot);
  EXPECT_EQ(moved({-1.9, 5, 5}), kCalm);
}

TEST(Initial, RiemannProblemsHaveExactSolutions) {
  const InitialState s = named(InitialKind::sod);
  ASSERT_TRUE(s.has_exact_solution());
  EXPECT_NEAR(s.at({0.6, 0, 0}, 0.2).pressure, 0.30313, 5e-6);
  EXPECT_EQ(s.at({0.05, 0, 0}, 0.2), kSod.left);
}

TEST(Initial, EveryNameMakesAState) {
  for (const std::string_view name : names<InitialKind>()) {
    const InitialKind kind = kind_named<InitialKind>(name);
    EXPECT_EQ(name_of(kind), name);
    InitialParams params{.kind = kind, .state = kCalm, .riemann = {kHot, kCalm}};
    params.solution = [](Vec3) { return kCalm; };
    const InitialState s(params);
    const Vec3 x{-0.8, 0.3, 0};  // within Ringleb's flow
    EXPECT_TRUE(params.gas.physical(s(x))) << name;
    EXPECT_EQ(s.at(x, 0), s(x));
    if (s.has_exact_solution()) {
      EXPECT_TRUE(params.gas.physical(s.at(x, 0.1))) << name;
    }
  }
}

TEST(Initial, FieldsAreThoseOfTheExactSolutions) {
  const Vec3 x{0.2, 0.7, 0.4};
  EXPECT_EQ(named(InitialKind::vortex).at(x, 0.3), IsentropicVortex{}(x, 0.3));
  EXPECT_EQ(named(InitialKind::entropy_wave).at(x, 0.3), EntropyWave{}(x, 0.3));
  EXPECT_EQ(named(InitialKind::double_mach).at(x, 0.1), DoubleMach{}(x, 0.1));
  EXPECT_EQ(named(InitialKind::manufactured)(x), ManufacturedSolution{}(x));
  const Vec3 inside = Ringleb::place(0.8, 1.0);
  EXPECT_EQ(named(InitialKind::ringleb)(inside), Ringleb{}(inside));
}

TEST(Initial, RinglebEntersThroughTheInletOfItsMesh) {
  const mesh::Mesh m = test::generated("ringleb", {{"nx", std::int64_t{8}}, {"ny", std::int64_t{4}}});
  const InitialState state = named(InitialKind::ringleb);
  for (const mesh::BoundaryZone& zone : m.boundary) {
    const double sign = zone.name == "inlet" ? -1 : zone.name == "outlet" ? 1 : 0;
    if (sign == 0) continue;
    for (const mesh::LocalFaceId face : zone.faces) {
      EXPECT_GT(sign * dot(state(m.face_centroid[face]).velocity, m.face_normal[face]), 0) << zone.name;
    }
  }
}

TEST(Initial, LaterRegionsOverrideEarlierOnes) {
  InitialParams params{.state = kCalm};
  params.regions = {{.shape = Region::Shape::half_space, .point = {0, 1, 0}, .normal = {0, 1, 0}, .state = kHot},
                    {.shape = Region::Shape::box, .lower = {0, 0, -1}, .upper = {1, 2, 1}, .state = kDense},
                    {.shape = Region::Shape::sphere, .centre = {1, 1, 0}, .radius = 0.25, .state = kSod.right}};
  const InitialState s(params);
  EXPECT_EQ(s({-1, 0.5, 0}), kCalm);
  EXPECT_EQ(s({-1, 1.5, 0}), kHot);
  EXPECT_EQ(s({0.5, 1.5, 0}), kDense);
  EXPECT_EQ(s({0.9, 1.0, 0}), kSod.right);
  EXPECT_EQ(s({1.2, 1.0, 0}), kSod.right);
  EXPECT_EQ(s({0.5, 0.5, 2}), kCalm);
  EXPECT_FALSE(s.has_exact_solution());
  // A box without bounds is everywhere.
  params.regions.push_back({.state = kHot});
  EXPECT_EQ(InitialState(params)({1e9, -1e9, 0}), kHot);
  for (const std::string_view name : names<Region::Shape>()) EXPECT_EQ(name_of(kind_named<Region::Shape>(name)), name);
}

TEST(Initial, ReportsTimeDependence) {
  for (const InitialKind kind : {InitialKind::uniform, InitialKind::forward_step, InitialKind::ringleb}) {
    EXPECT_FALSE(InitialState({.kind = kind, .state = {1, {}, 1}}).depends_on_time()) << name_of(kind);
  }
  for (const InitialKind kind : {InitialKind::sod, InitialKind::vortex, InitialKind::double_mach}) {
    EXPECT_TRUE(InitialState({.kind = kind}).depends_on_time()) << name_of(kind);
  }
  InitialParams params{.kind = InitialKind::expression};
  params.expressions.pressure.text = "1 + 0.1*x";
  EXPECT_FALSE(InitialState(params).depends_on_time());
  params.expressions.pressure.text = "1 + 0.1*t";
  EXPECT_TRUE(InitialState(params).depends_on_time());
}

TEST(Initial, ByExpression) {
  InitialParams params{.kind = InitialKind::expression};
  params.expressions.density.text = "1 + 0.2*sin(2*pi*x)";
  params.expressions.velocity_x.text = "y";
  params.expressions.velocity_z.text = "-z";
  params.expressions.pressure.text = "x < 0.5 ? 1 : 0.1";
  const InitialState s(params);
  const Primitive w = s({0.25, 3, 4});
  EXPECT_DOUBLE_EQ(w.density, 1.2);
  EXPECT_EQ(w.velocity, (Vec3{3, 0, -4}));
  EXPECT_EQ(w.pressure, 1);
  EXPECT_FALSE(s.has_exact_solution());
}

TEST(Initial, ExpressionErrorsNameTheirKey) {
  InitialParams params{.kind = InitialKind::expression};
  params.expressions.velocity_y.text = "sin(";
  EXPECT_EQ(failure([&] { InitialState{params}; }).rfind("initial.velocity_y: ", 0), 0U);
  params.expressions.velocity_y = {"2*foo", Where{.file = "c.toml", .line = 4, .key = "start.v"}};
  EXPECT_EQ(failure([&] { InitialState{params}; }).rfind("c.toml:4: start.v: unknown name \"foo\" at column 3", 0), 0U);
}

TEST(Initial, UnphysicalStatesAreNamedWithTheirPlace) {
  InitialParams params{.kind = InitialKind::expression};
  params.expressions.density.text = "x";
  const InitialState s(params);
  EXPECT_EQ(s({2, 0, 0}).density, 2);
  EXPECT_EQ(failure([&] {
              (void)s({-1, 2, 3});
            }),
            "initial.density: the state at (-1, 2, 3) is not physical: density -1, velocity (0, 0, 0), pressure 1; density and "
            "pressure must be positive and everything finite");
  EXPECT_EQ(
      failure([] {
        InitialState({.state = {1, {0, 0, 0}, -2}});
      }),
      "initial: the uniform state is not physical: density 1, velocity (0, 0, 0), pressure -2; density and pressure must be "
      "positive");
  InitialParams region{.state = kCalm};
  region.regions = {{.state = kHot}, {.state = {}}};
  EXPECT_NE(failure([&] { InitialState{region}; }).find("the state of region 2 is not physical"), std::string::npos);
  InitialParams wave{.kind = InitialKind::entropy_wave};
  wave.entropy_wave.amplitude = -1;
  EXPECT_NE(failure([&] { InitialState{wave}; }).find("trough"), std::string::npos);
  InitialParams vortex{.kind = InitialKind::vortex};
  vortex.vortex.strength = 20;
  EXPECT_NE(failure([&] { InitialState{vortex}; }).find("vortex core"), std::string::npos);
  InitialParams sines{.kind = InitialKind::manufactured};
  sines.manufactured.amplitude.pressure = 3;
  EXPECT_NE(failure([&] { InitialState{sines}; }).find("manufactured"), std::string::npos);
}

TEST(Initial, SolutionsForAirRefuseAnotherGas) {
  for (const InitialKind kind : {InitialKind::ringleb, InitialKind::double_mach, InitialKind::forward_step}) {
    EXPECT_EQ(failure([&] { InitialState({.kind = kind, .gas = {.gamma = 1.3}}); }),
              "initial: \"" + std::string(name_of(kind)) + "\" is a solution for gamma = 1.4, not 1.3; set gamma to 1.4");
  }
}

TEST(Initial, UnknownNameSuggestsTheClosest) {
  EXPECT_EQ(failure([] { (void)kind_named<InitialKind>("vortx", Where{.key = "initial.kind"}); }),
            "initial.kind: unknown initial state \"vortx\"; did you mean \"vortex\"?");
}

TEST(Initial, AFunctionIsGivenByAProgram) {
  const InitialState state({.kind = InitialKind::function, .where = {.key = "initial.kind"}});
  EXPECT_FALSE(state.has_exact_solution());
  EXPECT_FALSE(state.depends_on_time());
  try {
    (void)state({0, 0, 0});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().key, "initial.kind");
  }
}

}  // namespace
}  // namespace weft::flow::initial_test
