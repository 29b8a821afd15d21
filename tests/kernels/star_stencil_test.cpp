#include "weft/kernels/primitives/star_stencil.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "weft/base/mix.hpp"

#include "kernels/teams.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::star_stencil_test {
namespace {

constexpr StarWeights<double> kWeights{1, {2, 3, 5, 7}, {11, 13, 17, 19}, {23, 29, 31, 37}};

std::vector<double> array_on(const StarBox& box, double value) {
  return std::vector<double>(static_cast<std::size_t>(box.entries()), value);
}

TEST(StarStencil, arrays_have_four_layers_of_ghosts) {
  const StarBox box{4, 3, 2};
  EXPECT_EQ(box.row, 12);
  EXPECT_EQ(box.entries(), 12 * 11 * 10);
  EXPECT_EQ(box.at(-4, -4, -4), 0);
  EXPECT_EQ(box.at(7, 6, 5), box.entries() - 1);
}

TEST(StarStencil, each_neighbour_has_the_weight_of_its_distance) {
  const StarBox box{9, 9, 9};
  std::vector<double> in = array_on(box, 0), out = array_on(box, -1);
  in[static_cast<std::size_t>(box.at(4, 4, 4))] = 1;
  apply_star_stencil(kWeights, box, std::span<const double>(in), std::span(out));
  const auto at = [&](int i, int j, int k) { return out[static_cast<std::size_t>(box.at(i, j, k))]; };
  EXPECT_EQ(at(4, 4, 4), 1);
  for (int r = 1; r <= 4; ++r) {
    for (const int side : {-r, r}) {
      EXPECT_EQ(at(4 + side, 4, 4), kWeights.x[r - 1]);
      EXPECT_EQ(at(4, 4 + side, 4), kWeights.y[r - 1]);
      EXPECT_EQ(at(4, 4, 4 + side), kWeights.z[r - 1]);
      EXPECT_EQ(at(4 + side, 3, 4), 0);
    }
  }
}

TEST(StarStencil, reads_ghosts_and_writes_none) {
  const StarBox box{1, 2, 1, 12};
  std::vector<double> in = array_on(box, 1), out = array_on(box, -1);
  apply_star_stencil(kWeights, box, std::span<const double>(in), std::span(out));
  double sum = kWeights.centre;
  for (int r = 0; r < 4; ++r) sum += 2 * (kWeights.x[r] + kWeights.y[r] + kWeights.z[r]);
  int written = 0;
  for (const double value : out) {
    if (value == -1) continue;
    EXPECT_EQ(value, sum);
    ++written;
  }
  EXPECT_EQ(written, 2);
}

TEST(StarStencil, does_not_depend_on_the_number_of_threads) {
  const StarBox box{33, 20, 9};
  std::vector<double> in = array_on(box, 0), of_one = array_on(box, -1);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(mix_bits(i) >> 12) * 0x1p-52;
  apply_star_stencil(kWeights, box, std::span<const double>(in), std::span(of_one));
  test::for_teams([&](Team& team) {
    std::vector<double> out = array_on(box, -1);
    apply_star_stencil(kWeights, box, std::span<const double>(in), std::span(out), team);
    EXPECT_EQ(out, of_one);
  });
}

TEST(StarStencil, invalid_arguments_violate_the_contract) {
  const StarBox box{2, 2, 2};
  std::vector<double> in = array_on(box, 0), out = array_on(box, 0);
  const std::span<const double> from(in);
  EXPECT_BREACH(apply_star_stencil(kWeights, box, from, std::span(in)));
  EXPECT_BREACH(apply_star_stencil(kWeights, box, from, std::span(out).first(out.size() - 1)));
  EXPECT_BREACH(apply_star_stencil(kWeights, StarBox{2, 2, 2, 9}, from, std::span(out)));
  EXPECT_BREACH(apply_star_stencil(kWeights, StarBox{-1, 2, 2}, from, std::span(out)));
}

}  // namespace
}  // namespace weft::kernels::star_stencil_test
