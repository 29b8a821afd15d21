// Extrapolations to boundary rows: exact where the neighbours determine them, absent where they do not.
#include "weft/flow/scheme/extrapolation.hpp"

#include <gtest/gtest.h>

namespace weft::flow::extrapolation_test {
namespace {

using detail::damped_sum;

double extrapolate(const Extrapolations& e, const std::vector<double>& values, double own) {
  double result = own;
  for (std::int32_t s = e.offset[0]; s < e.offset[1]; ++s) {
    const auto i = static_cast<std::size_t>(s);
    result += e.weight[i] * (values[static_cast<std::size_t>(e.row[i])] - own);
  }
  return result;
}

TEST(Extrapolations, AreExactForLinearFields) {
  const auto linear = [](Vec3 x) { return 2 + 0.3 * x.x - 0.7 * x.y + 1.1 * x.z; };
  for (const int dim : {2, 3}) {
    const double z = dim == 3 ? 1 : 0;
    const IdVector<LocalRow, Vec3> centroid{
        {0, 0, 0}, {1, 0.1, 0.1 * z}, {0.2, 1, 0.3 * z}, {-0.8, 0.5, z}, {0.1, -0.2, 0.9 * z}};
    std::vector<double> values;
    for (const Vec3 x : centroid) values.push_back(linear(x));
    const Vec3 to{-0.3, -1, -0.4 * z};
    Extrapolations e;
    e.append(centroid[LocalRow(0)], to, std::vector<std::int32_t>{1, 2, 3, 4}, centroid);
    EXPECT_NEAR(extrapolate(e, values, values[0]), linear(to), 1e-14);
  }
}

TEST(Extrapolations, IgnoreUndeterminedDirections) {
  const IdVector<LocalRow, Vec3> centroid{{0, 0, 0}, {0, 1, 0}, {1e-3, -1, 0}};
  const std::vector<double> values{5, 7, 4};
  Extrapolations along, across, alone;
  along.append(centroid[LocalRow(0)], {0, -0.5, 0}, std::vector<std::int32_t>{1}, centroid);
  across.append(centroid[LocalRow(0)], {3, 0, 0}, std::vector<std::int32_t>{1, 2}, centroid);
  alone.append(centroid[LocalRow(0)], {3, 0, 0}, {}, centroid);
  EXPECT_NEAR(extrapolate(along, values, 5), 4, 1e-15);
  EXPECT_NEAR(extrapolate(across, values, 5), 5, 5e-3);
  EXPECT_EQ(extrapolate(alone, values, 5), 5);
}

TEST(Extrapolations, ScalarsAreLinearWithinTheRangeOfTheirCells) {
  const IdVector<LocalRow, Vec3> centroid{{0, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, -0.5, 0}};
  Extrapolations e;
  e.append(centroid[LocalRow(0)], {0.5, -0.4, 0}, std::vector<std::int32_t>{1, 2, 3}, centroid);
  e.append(centroid[LocalRow(0)], {0, -3, 0}, std::vector<std::int32_t>{1, 2, 3}, centroid);
  std::vector<double> values;  // the first of two scalars in each row, 0.4 + 0.1 x + 0.2 y
  for (const Vec3 x : centroid) values.insert(values.end(), {0.4 + 0.1 * x.x + 0.2 * x.y, 7});
  EXPECT_NEAR(detail::extrapolated_scalar(detail::view_of(e), 0, values[0], values.data(), 2), 0.37, 1e-15);
  EXPECT_NEAR(detail::extrapolated_scalar(detail::view_of(e), 1, values[0], values.data(), 2), 0.3, 1e-15);  // not -0.2
  EXPECT_EQ(detail::extrapolated_scalar(detail::view_of(e), 1, 7, values.data() + 1, 2), 7);
}

TEST(Extrapolations, LargeIncrementsAreScaledDown) {
  const IdealGas gas;
  const Primitive w{1, {0.5, 0, 0}, 1};
  const Primitive small{0.04, {0.02, 0.05, 0}, -0.04};
  const Primitive sum = damped_sum(gas, w, small);
  for (int k = 0; k < IdealGas::kVars; ++k) EXPECT_EQ(sum[k], w[k] + small[k]);
  for (const double size : {0.6, 1.0, 3.0, 100.0}) {
    const Primitive shock = damped_sum(gas, w, {-size, {size, 0, 0}, -size});
    EXPECT_TRUE(gas.physical(shock)) << size;
    EXPECT_LE(1 - shock.pressure, 0.01 / size + 1e-15);
  }
}

}  // namespace
}  // namespace weft::flow::extrapolation_test
