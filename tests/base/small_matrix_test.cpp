#include "weft/base/small_matrix.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace weft::small_matrix_test {
namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T, int R, int C>
Dense dense(const Matrix<T, R, C>& a) {
  return Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(a.entry, R, C)
      .template cast<double>();
}
template <int R, int C>
void expect_near(const Matrix<double, R, C>& a, const Dense& b, double tolerance) {
  ASSERT_EQ(b.rows(), R);
  ASSERT_EQ(b.cols(), C);
  EXPECT_LE((dense(a) - b).cwiseAbs().maxCoeff(), tolerance) << dense(a) << "\n\n" << b;
}

class SmallMatrixTest : public ::testing::Test {
 protected:
  template <int R, int C = R>
  Matrix<double, R, C> any() {
    Matrix<double, R, C> m;
    for (double& x : m.entry) x = uniform_(random_);
    return m;
  }
  /// Calls f with the constants 1 ... 7.
  template <class F>
  static void each_size(const F& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (f(std::integral_constant<int, I + 1>{}), ...);
    }(std::make_integer_sequence<int, 7>{});
  }

 private:
  std::mt19937 random_{7};
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

TEST_F(SmallMatrixTest, ProductsOfEverySizeEqualThoseOfEigen) {
  each_size([&](auto rows) {
    each_size([&](auto inner) {
      each_size([&](auto columns) {
        const auto a = any<rows(), inner()>();
        const auto b = any<inner(), columns()>();
        expect_near(a * b, dense(a) * dense(b), 1e-14);
      });
    });
  });
}

TEST_F(SmallMatrixTest, SumsAndTransposesOfEverySizeEqualThoseOfEigen) {
  each_size([&](auto rows) {
    each_size([&](auto columns) {
      const auto a = any<rows(), columns()>(), b = any<rows(), columns()>();
      expect_near(a + b, dense(a) + dense(b), 0);
      expect_near(a - b, dense(a) - dense(b), 0);
      expect_near(3.0 * a, 3 * dense(a), 0);
      expect_near(transpose(a), dense(a).transpose(), 0);
      EXPECT_EQ(transpose(transpose(a)), a);
    });
  });
}

TEST_F(SmallMatrixTest, SystemsOfEverySizeAreSolved) {
  each_size([&](auto size) {
    for (int sample = 0; sample < 200; ++sample) {
      const auto a = any<size()>();
      const auto b = any<size(), 3>();
      const LuFactors<double, size()> lu = lu_factors(a);
      ASSERT_TRUE(lu.regular);
      const Eigen::PartialPivLU<Dense> wanted(dense(a));
      const auto x = lu.solve(b);
      const double rounding = 1e-15 * size() * dense(x).cwiseAbs().maxCoeff();
      expect_near(a * x, dense(b), rounding);
      expect_near(x, wanted.solve(dense(b)), rounding / wanted.rcond());
      for (int i = 0; i < size(); ++i) {  // the pivots bound the entries of L by 1
        for (int k = 0; k < i; ++k) EXPECT_LE(std::abs(lu.factors(i, k)), 1);
      }
    }
  });
}

TEST_F(SmallMatrixTest, RowsAreExchangedWhereAPivotIsZero) {
  // Every permutation matrix of size 4: without pivoting nearly all divide by zero.
  int order[4] = {0, 1, 2, 3};
  do {
    Matrix<double, 4> p;
    for (int i = 0; i < 4; ++i) p(i, order[i]) = 2;
    const auto lu = lu_factors(p);
    ASSERT_TRUE(lu.regular);
    EXPECT_EQ(lu.solve(Matrix<double, 4>::identity()), 0.25 * transpose(p));
    EXPECT_EQ(inverse(p), 0.25 * transpose(p));
    EXPECT_EQ(std::abs(determinant(p)), 16);
  } while (std::next_permutation(order, order + 4));
}

TEST_F(SmallMatrixTest, SingularMatricesAreReported) {
  each_size([&](auto size) {
    EXPECT_FALSE(lu_factors(Matrix<double, size()>{}).regular);
    Matrix<double, size()> a = any<size()>();
    a(size() - 1, 0) = std::numeric_limits<double>::quiet_NaN();
    if constexpr (size() == 1) {
      EXPECT_FALSE(lu_factors(a).regular);
    } else {
      Matrix<double, size()> equal_rows = Matrix<double, size()>::identity();
      for (int k = 0; k < size(); ++k) equal_rows(1, k) = equal_rows(0, k);
      EXPECT_FALSE(lu_factors(equal_rows).regular);
    }
  });
}

TEST_F(SmallMatrixTest, DeterminantsAndInversesEqualThoseOfEigen) {
  each_size([&](auto size) {
    if constexpr (size() <= 4) {
      for (int sample = 0; sample < 200; ++sample) {
        const auto a = any<size()>();
        EXPECT_NEAR(determinant(a), dense(a).determinant(), 1e-14);
        const double rounding = 1e-15 * size() * dense(inverse(a)).cwiseAbs().maxCoeff();
        const double condition = 1 / Eigen::PartialPivLU<Dense>(dense(a)).rcond();
        expect_near(inverse(a) * a, Dense::Identity(size(), size()), rounding * condition);
        expect_near(inverse(a), dense(a).inverse(), rounding * condition);
      }
    }
  });
}

TEST_F(SmallMatrixTest, IsComputedAtCompileTime) {
  constexpr Matrix<int, 2, 3> a{{1, 2, 3, 4, 5, 6}};
  static_assert((a * transpose(a)) == Matrix<int, 2>{{14, 32, 32, 77}});
  static_assert(determinant(Matrix<int, 4>{{2, 0, 0, 1, 0, 3, 0, 0, 0, 0, 4, 0, 1, 0, 0, 5}}) == 108);
  static_assert(inverse(Matrix<double, 2>{{0, 2, 4, 0}}) == Matrix<double, 2>{{0, 0.25, 0.5, 0}});
  static_assert(lu_factors(Matrix<double, 2>{{0, 2, 4, 2}}).factors == Matrix<double, 2>{{4, 2, 0, 2}});
  static_assert(lu_factors(Matrix<double, 2>{{0, 2, 4, 2}}).solve(Vector<double, 2>{{2, 6}})(0) == 1);
  EXPECT_EQ(lu_factors(Matrix<float, 1>{{4.0F}}).solve(Vector<float, 1>{{2.0F}})(0), 0.5F);
}

}  // namespace
}  // namespace weft::small_matrix_test
