#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "weft/flow/app/expression.hpp"

namespace weft::flow::initial_expression_test {
namespace {

TEST(InitialExpression, Evaluates) {
  EXPECT_EQ(Expression("2")({9, 9, 9}), 2);
  EXPECT_EQ(Expression("x + 10*y + 100*z")({1, 2, 3}), 321);
  EXPECT_EQ(Expression("2^3^2")({}), 512);
  EXPECT_EQ(Expression("-x^2")({3, 0, 0}), -9);
  EXPECT_EQ(Expression("x < 0.5 ? 1 : 0.125")({0.4, 0, 0}), 1);
  EXPECT_EQ(Expression("x < 0.5 && y >= 1 ? 1 : 0.125")({0.4, 0, 0}), 0.125);
  EXPECT_EQ(Expression("x == 1 || y != 0")({1, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(Expression("1 + 0.2*sin(2*pi*x)")({0.25, 0, 0}), 1.2);
  EXPECT_DOUBLE_EQ(Expression("exp(-(x^2 + y^2))")({1, 1, 0}), std::exp(-2.0));
  EXPECT_EQ(Expression("max(x, y, z)")({1, 7, 3}), 7);
  EXPECT_TRUE(std::isinf(Expression("1/x")({0, 0, 0})));
}

TEST(InitialExpression, KeepsWorkingWhenMoved) {
  Expression a("x*y");
  EXPECT_EQ(a({2, 3, 0}), 6);
  Expression b = std::move(a);
  EXPECT_EQ(b({4, 5, 0}), 20);
  a = Expression("z");
  EXPECT_EQ(a({0, 0, 8}), 8);
  EXPECT_EQ(b({4, 6, 0}), 24);
}

std::string failure(const std::string& text) {
  try {
    const Expression e(text, Where{.file = "case.toml", .line = 7, .key = "initial.density"});
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

constexpr const char* kPlace = "case.toml:7: initial.density: ";

TEST(InitialExpression, ErrorsNameTheKeyAndThePosition) {
  const auto expect = [](const std::string& text, const std::string& message) { EXPECT_EQ(failure(text), kPlace + message); };
  expect("1 + sen(x)", "unknown name \"sen\" at column 5 of \"1 + sen(x)\"; did you mean \"sin\"?");
  expect("1 + q", "unknown name \"q\" at column 5 of \"1 + q\"; the variables are x, y, z and t");
  expect("2*(x + 1", "a closing bracket is missing at column 9 of \"2*(x + 1\"");
  expect("2*x) + 1", "unexpected bracket at column 4 of \"2*x) + 1\"");
  expect("1 +", "the expression \"1 +\" ends too soon");
  expect("", "the expression is empty; write a number or a formula in x, y, z and t");
  expect("x = 3", "unexpected \"=\" at column 3 of \"x = 3\"; compare with ==");
  expect("1, 2", "\"1, 2\" has 2 values; write one formula, without commas: decimals have a point");
  expect("if(x < 1, 2, 3)", "unknown name \"if\" at column 1 of \"if(x < 1, 2, 3)\"; write condition ? value : other value");
  expect("2 3", "unexpected \"3\" at column 3 of \"2 3\"");
  expect("2 * * x", "unexpected \"*\" at column 5 of \"2 * * x\"");
  expect("sin(x, y)", "\"sin\" has the wrong number of arguments at column 1 of \"sin(x, y)\"");
  expect("2 * x**2", "unexpected \"**\" at column 6 of \"2 * x**2\"; write a power with ^, as in x^2");
  constexpr const char* kSmall = " Names of variables and functions are in small letters";
  expect("1 + Sin(x)", fmt::format("unknown name \"Sin\" at column 5 of \"1 + Sin(x)\"; did you mean \"sin\"?{}", kSmall));
  expect("1 + X", fmt::format("unknown name \"X\" at column 5 of \"1 + X\"; did you mean \"x\"?{}", kSmall));
  expect("2 * PI", fmt::format("unknown name \"PI\" at column 5 of \"2 * PI\"; did you mean \"pi\"?{}", kSmall));
  expect("SINE(x)", "unknown name \"SINE\" at column 1 of \"SINE(x)\"; did you mean \"sin\"?");
  constexpr const char* kPlain =
      "a formula has plain numbers in SI units (angles in radians): convert the number and leave out the unit";
  expect("10 m", fmt::format("unexpected unit \"m\" at column 4 of \"10 m\"; {}", kPlain));
  expect("1.5bar + x", fmt::format("unexpected unit \"bar\" at column 4 of \"1.5bar + x\"; {}", kPlain));
  expect("x * 3. kg/m^3", fmt::format("unexpected unit \"kg/m^3\" at column 8 of \"x * 3. kg/m^3\"; {}", kPlain));
  expect("sin(30 deg)", fmt::format("unexpected unit \"deg\" at column 8 of \"sin(30 deg)\"; {}", kPlain));
  expect("2 mach", "unknown name \"mach\" at column 3 of \"2 mach\"; did you mean \"max\"?");
  expect("2 min(x, 1)", "unexpected \"min\" at column 3 of \"2 min(x, 1)\"");
  expect("1 @ 2", "unexpected \"@\" at column 3 of \"1 @ 2\"");
}

}  // namespace
}  // namespace weft::flow::initial_expression_test
