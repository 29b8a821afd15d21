#include "weft/flow/host/simd_vector.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <tuple>

#include "weft/flow/physics/flux.hpp"
#include "weft/flow/physics/limiter.hpp"

namespace weft::flow::detail::simd_vector_test {
namespace {

constexpr int kWidth = 4;  // available on every machine; width 8 is compared with it in solver_simd_width_test.cpp
using Four = SimdVector<kWidth>;

std::uint64_t bits(double a) {
  std::uint64_t b = 0;
  std::memcpy(&b, &a, sizeof b);
  return b;
}

/// Returns numbers of many sizes and both signs, the same in every run.
double number(int i) { return std::ldexp(std::sin(1.7 * i + 0.3), i % 5 - 2); }

Four vector(int i) {
  std::array<double, kWidth> values{};
  for (int lane = 0; lane < kWidth; ++lane) values[static_cast<std::size_t>(lane)] = number(i + 31 * lane);
  return Four::load(values.data());
}

TEST(SimdVector, EachElementIsComputedAsAScalar) {
  for (int i = 0; i < 200; ++i) {
    const Four a = vector(i), b = vector(i + 7);
    const Four sum = a + b, difference = a - b, product = a * b, quotient = a / b, square_root = root(a * a),
               least = lesser(a, b), most = greater(a, b), size = absolute(a), chosen = select(a < 0.25 && b > -1, a, b),
               minus = -a;
    for (int lane = 0; lane < kWidth; ++lane) {
      const double x = a[lane], y = b[lane];
      EXPECT_EQ(bits(sum[lane]), bits(x + y));
      EXPECT_EQ(bits(difference[lane]), bits(x - y));
      EXPECT_EQ(bits(product[lane]), bits(x * y));
      EXPECT_EQ(bits(quotient[lane]), bits(x / y));
      EXPECT_EQ(bits(square_root[lane]), bits(std::sqrt(x * x)));
      EXPECT_EQ(bits(least[lane]), bits(lesser(x, y)));
      EXPECT_EQ(bits(most[lane]), bits(greater(x, y)));
      EXPECT_EQ(bits(size[lane]), bits(std::abs(x)));
      EXPECT_EQ(bits(chosen[lane]), bits(x < 0.25 && y > -1 ? x : y));
      EXPECT_EQ(bits(minus[lane]), bits(-x));
    }
  }
}

TEST(SimdVector, LoadsStoresAndBroadcasts) {
  const std::array<double, 6> from{1, 2, 3, 4, 5, 6};
  std::array<double, 6> to{};
  Four::load(&from[1]).store(&to[2]);
  EXPECT_EQ(to, (std::array<double, 6>{0, 0, 2, 3, 4, 5}));
  Four(-0.0).store(to.data());
  for (std::size_t lane = 0; lane < kWidth; ++lane) EXPECT_EQ(bits(to[lane]), bits(-0.0));
}

TEST(SimdVector, AllTestsEveryElement) {
  std::array<double, kWidth> values{1, 1, 1, 1};
  EXPECT_TRUE(all(Four::load(values.data()) > 0));
  for (double& value : values) {
    value = std::nan("");
    EXPECT_FALSE(all(Four::load(values.data()) > 0));
    value = 1;
  }
}

TEST(SimdVector, Transposes) {
  Four rows[kWidth];
  for (int i = 0; i < kWidth; ++i) {
    for (int j = 0; j < kWidth; ++j) rows[i].v[j] = 10 * i + j;
  }
  transpose(rows);
  for (int i = 0; i < kWidth; ++i) {
    for (int j = 0; j < kWidth; ++j) EXPECT_EQ(rows[i][j], 10 * j + i);
  }
}

template <class T>
BasicPrimitive<T> state(const T& a, const T& b) {
  return {1.5 + 0.25 * a, {b, a - b, a * b}, 1 + 0.125 * b};
}

template <class Flux>
void expect_same_flux(const Flux& flux) {
  const IdealGas gas;
  for (int i = 0; i < 100; ++i) {
    const Four a = vector(i), b = vector(i + 3), c = vector(i + 11);
    const BasicVec3<Four> n{0.6, 0.0, -0.8};
    const BasicConserved<Four> through = flux(gas, state(a, b), state(b, c), n);
    for (int lane = 0; lane < kWidth; ++lane) {
      const Conserved one = flux(gas, state(a[lane], b[lane]), state(b[lane], c[lane]), Vec3{0.6, 0.0, -0.8});
      for (int k = 0; k < IdealGas::kVars; ++k) EXPECT_EQ(bits(through[k][lane]), bits(one[k])) << i << ' ' << k;
    }
  }
}

TEST(SimdVector, FluxesAreThoseOfSingleFaces) {
  std::apply([](const auto&... row) { (expect_same_flux(row.make({})), ...); }, kFluxes.types);
  expect_same_flux(RoeFlux{0});
  expect_same_flux(AusmPlusUpFlux{0.1});
  expect_same_flux([](const auto& gas, const auto& left, const auto& right, const auto& n) {
    return HllcHlleFlux{}(gas, left, right, n, lesser(greater(8 * (left.pressure - 1), 0), 1));  // 0 in about half of the
                                                                                                 // elements
  });
}

template <class Limiter>
void expect_same_limiter(const Limiter& limiter) {
  for (int i = 0; i < 100; ++i) {
    const Four up = absolute(vector(i)), down = -absolute(vector(i + 5)), d = i % 10 == 0 ? Four(0.0) : vector(i + 9);
    const Four eps2 = limiter.eps2(0.01, absolute(vector(i + 2)));
    const Four phi = limiter(up, down, d, eps2);
    for (int lane = 0; lane < kWidth; ++lane) {
      EXPECT_EQ(bits(phi[lane]), bits(limiter(up[lane], down[lane], d[lane], eps2[lane])));
    }
  }
}

TEST(SimdVector, LimitersAreThoseOfScalars) {
  expect_same_limiter(NoLimiter{});
  expect_same_limiter(BarthJespersen{});
  expect_same_limiter(Venkatakrishnan{5});
}

TEST(SimdVector, InterleavesRowsOfAnyLength) {
  Four rows[5];
  for (int i = 0; i < 5 * kWidth; ++i) rows[i / kWidth].v[i % kWidth] = i;
  deinterleave(rows);
  for (int i = 0; i < 5 * kWidth; ++i) EXPECT_EQ(rows[i % 5][i / 5], i);
  interleave(rows);
  for (int i = 0; i < 5 * kWidth; ++i) EXPECT_EQ(rows[i / kWidth][i % kWidth], i);
  const Four first = rows[0];
  repeat(first, rows);
  for (int i = 0; i < 5 * kWidth; ++i) EXPECT_EQ(rows[i / kWidth][i % kWidth], first[i / 5]);
}

}  // namespace
}  // namespace weft::flow::detail::simd_vector_test
