#include "weft/kernels/primitives/line_stencil.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/associative.hpp"
#include "kernels/teams.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::line_stencil_test {
namespace {

TEST(LineStencil, example_of_the_documentation) {
  const std::vector<double> in{1, 4, 9, 16};
  std::vector<double> out(2);
  apply_line_stencil(LineStencil<double, 1>{{-0.5, 0, 0.5}}, std::span<const double>(in), std::span(out));
  EXPECT_EQ(out, (std::vector<double>{4, 6}));
}

TEST(LineStencil, adds_from_left_to_right_on_any_number_of_threads) {
  const LineStencil<double, 4> stencil{{0.3, -0.7, 1.1, 0.9, -2.3, 0.1, 0.77, -0.2, 3.1}};
  for (const std::size_t n : {0, 1, 8, 4095, 4096, 20'001}) {
    const std::vector<double> in = test::cancelling_numbers<double>(n + 8);
    std::vector<double> expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = stencil.coefficient[0] * in[i];
      for (std::size_t k = 1; k < 9; ++k) sum += stencil.coefficient[k] * in[i + k];
      expected[i] = sum;
    }
    test::for_teams([&](Team& team) {
      std::vector<double> out(n);
      apply_line_stencil(stencil, std::span<const double>(in), std::span(out), team);
      EXPECT_EQ(out, expected) << n;
    });
  }
}

TEST(LineStencil, invalid_arguments_violate_the_contract) {
  const LineStencil<float, 1> stencil{{1, 2, 3}};
  std::vector<float> in(10), out(9);
  const std::span<const float> from(in);
  EXPECT_BREACH(apply_line_stencil(stencil, from, std::span(out)));
  EXPECT_BREACH(apply_line_stencil(stencil, from, std::span(in).first(8)));
}

}  // namespace
}  // namespace weft::kernels::line_stencil_test
