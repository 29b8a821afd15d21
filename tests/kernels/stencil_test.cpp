#include "weft/kernels/primitives/stencil.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/teams.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::stencil_test {
namespace {

constexpr StencilWeights<double> kAll{1, 10, 100, 1e3, 1e4, 1e5, 1e6};

std::vector<double> array_on(const Box& box, double value) {
  return std::vector<double>(static_cast<std::size_t>(box.entries()), value);
}

TEST(Stencil, arrays_have_a_layer_of_ghosts) {
  const Box box{4, 3, 2};
  EXPECT_EQ(box.entries(), 6 * 5 * 4);
  EXPECT_EQ(box.at(-1, -1, -1), 0);
  EXPECT_EQ(box.at(0, 0, 0), 30 + 6 + 1);
  EXPECT_EQ(box.at(4, 3, 2), box.entries() - 1);
  EXPECT_FALSE(box.empty());
  EXPECT_TRUE((Box{4, 0, 2}.empty()));
}

TEST(Stencil, rows_may_be_padded) {
  const Box box{4, 3, 2, 8};
  EXPECT_EQ(box.entries(), 8 * 5 * 4);
  EXPECT_EQ(box.plane(), 40);
  EXPECT_EQ(box.at(-1, -1, -1), 0);
  EXPECT_EQ(box.at(0, 0, 0), 40 + 8 + 1);
  EXPECT_EQ(box.at(4, 3, 2), box.entries() - 3);
  EXPECT_EQ((Box{4, 3, 2}.row), 6);
}

TEST(Stencil, each_neighbour_has_its_weight) {
  const Box box{3, 3, 3};
  std::vector<double> in = array_on(box, 0), out = array_on(box, -1);
  in[static_cast<std::size_t>(box.at(1, 1, 1))] = 1;
  apply_stencil(kAll, box, std::span<const double>(in), std::span(out));
  const auto at = [&](int i, int j, int k) { return out[static_cast<std::size_t>(box.at(i, j, k))]; };
  EXPECT_EQ(at(1, 1, 1), 1);
  EXPECT_EQ(at(2, 1, 1), 10);  // the entry 1 is its neighbour at i - 1
  EXPECT_EQ(at(0, 1, 1), 100);
  EXPECT_EQ(at(1, 2, 1), 1e3);
  EXPECT_EQ(at(1, 0, 1), 1e4);
  EXPECT_EQ(at(1, 1, 2), 1e5);
  EXPECT_EQ(at(1, 1, 0), 1e6);
  EXPECT_EQ(at(0, 0, 1), 0);
}

TEST(Stencil, reads_ghosts_and_writes_none) {
  const Box box{3, 1, 2};
  std::vector<double> in = array_on(box, 1), out = array_on(box, -1);
  apply_stencil(kAll, box, std::span<const double>(in), std::span(out));
  for (int k = -1; k <= box.nz; ++k) {
    for (int j = -1; j <= box.ny; ++j) {
      for (int i = -1; i <= box.nx; ++i) {
        const bool point = i >= 0 && i < box.nx && j >= 0 && j < box.ny && k >= 0 && k < box.nz;
        EXPECT_EQ(out[static_cast<std::size_t>(box.at(i, j, k))], point ? 1111111 : -1) << i << " " << j << " " << k;
      }
    }
  }
}

TEST(Stencil, neither_reads_nor_writes_padding) {
  const Box box{3, 2, 2, 7};
  std::vector<double> in = array_on(box, std::numeric_limits<double>::quiet_NaN()), out = array_on(box, -1);
  const auto number = [](int i, int j, int k) { return 100. * k + 10. * j + i; };
  for (int k = -1; k <= box.nz; ++k) {
    for (int j = -1; j <= box.ny; ++j) {
      for (int i = -1; i <= box.nx; ++i) in[static_cast<std::size_t>(box.at(i, j, k))] = number(i, j, k);
    }
  }
  std::vector<double> expected = out;
  for (int k = 0; k < box.nz; ++k) {
    for (int j = 0; j < box.ny; ++j) {
      for (int i = 0; i < box.nx; ++i) {
        // Contributions of the weights of kAll: x: 100 - 10, y: 10 (10,000 - 1000), z: 100 (1,000,000 - 100,000).
        expected[static_cast<std::size_t>(box.at(i, j, k))] = 1111111 * number(i, j, k) + 90 + 90'000 + 90'000'000;
      }
    }
  }
  apply_stencil(kAll, box, std::span<const double>(in), std::span(out));
  EXPECT_EQ(out, expected);
}

TEST(Stencil, adds_in_the_order_of_the_weights) {
  const StencilWeights<double> ones{1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(ones(1e16, 1, -1e16, 0, 0, 0, 0), 0);  // 1e16 + 1 is 1e16
  EXPECT_EQ(ones(1e16, -1e16, 1, 0, 0, 0, 0), 1);
}

TEST(Stencil, does_not_depend_on_the_number_of_threads) {
  const Box box{7, 19, 23, 12};
  std::vector<double> in = array_on(box, 0), of_one = array_on(box, -1);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 1.0 / (1.0 + static_cast<double>(i % 1009));
  apply_stencil(kAll, box, std::span<const double>(in), std::span(of_one));
  test::for_teams([&](Team& team) {
    std::vector<double> out = array_on(box, -1);
    apply_stencil(kAll, box, std::span<const double>(in), std::span(out), team);
    EXPECT_EQ(out, of_one);
  });
}

TEST(Stencil, accepts_a_box_without_points) {
  const Box box{0, 2, 2};
  std::vector<double> in = array_on(box, 1), out = array_on(box, -1);
  apply_stencil(kAll, box, std::span<const double>(in), std::span(out));
  EXPECT_EQ(out, array_on(box, -1));
}

TEST(Stencil, invalid_arguments_violate_the_contract) {
  const Box box{2, 3, 4};
  std::vector<double> in = array_on(box, 1), out = array_on(box, 0);
  const std::span<const double> from(in);
  const std::span<double> to(out);
  EXPECT_BREACH(apply_stencil(kAll, Box{2, 3, 3}, from, to));
  EXPECT_BREACH(apply_stencil(kAll, Box{-1, 3, 4}, from, to));
  constexpr int kMost = std::numeric_limits<int>::max();
  EXPECT_BREACH(apply_stencil(kAll, Box{kMost, kMost, kMost}, from, to));
  EXPECT_BREACH(apply_stencil(kAll, Box{2, 3, 4, 3}, from.first(3 * 5 * 6), to.first(3 * 5 * 6)));
  EXPECT_BREACH(apply_stencil(kAll, Box{2, 3, 4, 5}, from, to));
  EXPECT_BREACH(apply_stencil(kAll, Box{2, 3, 4, std::numeric_limits<std::int64_t>::max()}, from, to));
  EXPECT_BREACH(apply_stencil(kAll, box, from.first(from.size() - 1), to));
  EXPECT_BREACH(apply_stencil(kAll, box, from, to.first(to.size() - 1)));
  EXPECT_BREACH(apply_stencil(kAll, box, from, std::span(in)));
}

}  // namespace
}  // namespace weft::kernels::stencil_test
