#include "weft/flow/physics/limiter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace weft::flow::limiter_test {
namespace {

/// Every combination of allowed increase, allowed decrease and increment.
template <class F>
void for_every_case(F&& f) {
  for (const double up : {0.0, 1e-12, 0.3, 1.0, 7.0}) {
    for (const double down : {0.0, -1e-9, -0.5, -2.0}) {
      for (const double d : {-9.0, -1.0, -0.2, -1e-10, 0.0, 1e-13, 0.1, 0.9, 3.0}) f(up, down, d);
    }
  }
}

TEST(Limiter, NoneIsOne) {
  for_every_case([](double up, double down, double d) { EXPECT_EQ(NoLimiter{}(up, down, d, 0), 1); });
}

TEST(Limiter, BarthJespersenGoldens) {
  const BarthJespersen phi;
  EXPECT_EQ(phi(1.0, -1, 0.5, 0), 1);
  EXPECT_EQ(phi(1.0, -1, 4, 0), 0.25);
  EXPECT_EQ(phi(1.0, -3, -4, 0), 0.75);
  EXPECT_EQ(phi(0.0, -3, 1, 0), 0);
  EXPECT_EQ(phi(0.0, 0, 0, 0), 1);
}

TEST(Limiter, VenkatakrishnanGoldens) {
  const Venkatakrishnan phi;
  // With y = allowed increment / d: (y^2 + 2y) / (y^2 + y + 2).
  EXPECT_DOUBLE_EQ(phi(1.0, -1, 1, 0), 0.75);
  EXPECT_DOUBLE_EQ(phi(2.0, -1, 1, 0), 1);
  EXPECT_DOUBLE_EQ(phi(1.0, -2, -1, 0), 1);
  EXPECT_EQ(phi(0.0, -1, 1, 0), 0);
  EXPECT_EQ(phi(0.0, 0, 0, 0), 1);
  EXPECT_DOUBLE_EQ(phi(1.0, -1, 1, 1), 4.0 / 5.0);
  // Far below eps the limiter is off.
  EXPECT_NEAR(phi(1e-6, -1e-6, 1e-5, 1), 1, 1e-9);
  EXPECT_DOUBLE_EQ((Venkatakrishnan{2}.eps2(0.5, 3.0)), 9);
  EXPECT_DOUBLE_EQ((Venkatakrishnan{4}.eps2(0.5, 1.0)), 8);
}

template <class Limiter>
void expect_monotone(const Limiter& phi) {
  for_every_case([&](double up, double down, double d) {
    const double f = phi(up, down, d, 0);
    EXPECT_GE(f, 0);
    EXPECT_LE(f * d, up * (1 + 1e-15)) << up << ' ' << down << ' ' << d;
    EXPECT_GE(f * d, down * (1 + 1e-15)) << up << ' ' << down << ' ' << d;
  });
}
TEST(Limiter, BarthJespersenMakesNoExtrema) { expect_monotone(BarthJespersen{}); }
TEST(Limiter, VenkatakrishnanWithoutEpsMakesNoExtrema) { expect_monotone(Venkatakrishnan{0}); }

TEST(Limiter, LargerBoundsLimitLess) {
  const BarthJespersen barth;
  const Venkatakrishnan venkat;
  double last_barth = 0, last_venkat = 0;
  for (int i = 0; i <= 16; ++i) {
    const double room = 0.125 * i;
    EXPECT_GE(barth(room, -1, 1, 0), last_barth);
    EXPECT_GE(venkat(room, -1, 1, 0), last_venkat);
    last_barth = barth(room, -1, 1, 0);
    last_venkat = venkat(room, -1, 1, 0);
  }
}

TEST(Limiter, VenkatakrishnanDoesNotDependOnUnits) {
  const Venkatakrishnan phi{3};
  const double plain = phi(0.02, -0.01, 0.05, phi.eps2(0.1, 1.0));
  EXPECT_NEAR(phi(2000.0, -1000, 5000, phi.eps2(0.1, 1e5)), plain, 1e-15);
}

TEST(Limiter, ReconstructionFallsBackToTheMeanWhereNotPositive) {
  const Primitive mean{1, {1, 2, 3}, 1};
  EXPECT_EQ(reconstruct(mean, {0.5, {1, 0, 0}, -0.5}), (Primitive{1.5, {2, 2, 3}, 0.5}));
  EXPECT_EQ(reconstruct(mean, {-1.5, {1, 0, 0}, 0}), mean);
  EXPECT_EQ(reconstruct(mean, {0, {1, 0, 0}, -1}), mean);
  EXPECT_EQ(reconstruct(mean, {std::nan(""), {}, 0}), mean);
}

TEST(Limiter, ChosenByName) {
  for (const std::string_view name : names<LimiterKind>()) EXPECT_EQ(name_of(kind_named<LimiterKind>(name)), name);
  try {
    (void)kind_named<LimiterKind>("venkatakrisnan");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.suggestion(), "did you mean \"venkatakrishnan\"?");
  }
  const auto value = [](auto limiter) { return limiter(1.0, -1, 4, limiter.eps2(0.5, 1.0)); };
  EXPECT_EQ(visit_limiter(LimiterKind::none, 2, value), 1);
  EXPECT_EQ(visit_limiter(LimiterKind::barth_jespersen, 2, value), 0.25);
  EXPECT_DOUBLE_EQ(visit_limiter(LimiterKind::venkatakrishnan, 2, value), (1 + 1 + 8.0) / (1 + 1 + 4 + 32.0));
}

}  // namespace
}  // namespace weft::flow::limiter_test
