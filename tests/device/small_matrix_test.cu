// Small matrices in kernels: the same digits as on the host.
#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "weft/base/small_matrix.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"

#include "support/gpu.hpp"

namespace weft::small_matrix_test {
namespace {

template <int N>
struct Answers {
  Matrix<double, N> product, transposed, inverted;
  Vector<double, N> solution;
  double determinant;
};

/// Computes everything for one matrix.
template <int N>
struct Compute {
  const Matrix<double, N>* a;
  Answers<N>* answers;
  WEFT_HD void operator()(int i) const {
    Answers<N> now{};
    now.transposed = transpose(a[i]);
    now.product = a[i] * now.transposed;
    const LuFactors<double, N> lu = lu_factors(a[i]);
    if (lu.regular) now.solution = lu.solve(Vector<double, N>{{1}});
    if constexpr (N <= 4) {
      now.determinant = determinant(a[i]);
      now.inverted = inverse(a[i]);
    }
    answers[i] = now;
  }
};

template <int N>
void expect_digits_of_the_host() {
  constexpr int kSamples = 1000;
  std::mt19937 random(N);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Matrix<double, N>> a(kSamples);
  for (Matrix<double, N>& m : a) {
    for (double& x : m.entry) x = uniform(random);
  }
  a[0] = {};  // singular
  std::vector<Answers<N>> here(kSamples), there(kSamples);
  for (int i = 0; i < kSamples; ++i) Compute<N>{a.data(), here.data()}(i);
  Stream stream;
  const DeviceVector<Matrix<double, N>> matrices(Backend::cuda, a);
  const DeviceVector<Answers<N>> answers(Backend::cuda, kSamples);
  parallel_for(space::cuda{}, stream, kSamples, Compute<N>{matrices.data(), answers.data()});
  answers.get(0, there, after(stream));
  for (int i = 1; i < kSamples; ++i) {
    const auto at = static_cast<std::size_t>(i);
    ASSERT_EQ(there[at].product, here[at].product) << N;
    ASSERT_EQ(there[at].transposed, here[at].transposed) << N;
    ASSERT_EQ(there[at].inverted, here[at].inverted) << N;
    ASSERT_EQ(there[at].solution, here[at].solution) << N;
    ASSERT_EQ(there[at].determinant, here[at].determinant) << N;
  }
  EXPECT_EQ(there[0].solution, here[0].solution) << "of a singular matrix nothing is solved";
}

TEST(CudaSmallMatrixTest, DigitsAreThoseOfTheHost) {
  WEFT_NEEDS_GPU();
  expect_digits_of_the_host<1>();
  expect_digits_of_the_host<2>();
  expect_digits_of_the_host<3>();
  expect_digits_of_the_host<4>();
  expect_digits_of_the_host<5>();
  expect_digits_of_the_host<6>();
  expect_digits_of_the_host<7>();
}

}  // namespace
}  // namespace weft::small_matrix_test
