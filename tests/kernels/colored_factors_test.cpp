// ILU(0) and LU-SGS by colours on the host.
#include "weft/kernels/linear/colored_factors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "weft/kernels/linear/block_jacobi.hpp"
#include "weft/kernels/linear/gmres.hpp"

#include "kernels/coupled_rows.hpp"
#include "kernels/diffusion.hpp"
#include "kernels/history.hpp"
#include "kernels/teams.hpp"
#include "support/contracts.hpp"

namespace weft::kernels::colored_factors_test {
namespace {

constexpr int kB = 5;

/// A dense row-major matrix.
struct Dense {
  std::size_t n;
  std::vector<double> entries;
  explicit Dense(std::size_t rows) : n(rows), entries(rows * rows) {}
  double& operator()(std::size_t i, std::size_t j) { return entries[i * n + j]; }
  [[nodiscard]] double operator()(std::size_t i, std::size_t j) const { return entries[i * n + j]; }
};

/// Returns the inverse by elimination with partial pivoting.
Dense inverse(Dense a) {
  Dense b(a.n);
  for (std::size_t i = 0; i < a.n; ++i) b(i, i) = 1;
  for (std::size_t c = 0; c < a.n; ++c) {
    std::size_t pivot = c;
    for (std::size_t i = c; i < a.n; ++i) {
      if (std::abs(a(i, c)) > std::abs(a(pivot, c))) pivot = i;
    }
    for (std::size_t j = 0; j < a.n; ++j) {
      std::swap(a(c, j), a(pivot, j));
      std::swap(b(c, j), b(pivot, j));
    }
    for (std::size_t i = 0; i < a.n; ++i) {
      const double factor = i == c ? 0 : a(i, c) / a(c, c);
      for (std::size_t j = 0; j < a.n; ++j) {
        a(i, j) -= factor * a(c, j);
        b(i, j) -= factor * b(c, j);
      }
    }
  }
  for (std::size_t i = 0; i < a.n; ++i) {
    for (std::size_t j = 0; j < a.n; ++j) b(i, j) /= a(i, i);
  }
  return b;
}

Dense product(const Dense& a, const Dense& b) {
  Dense c(a.n);
  for (std::size_t i = 0; i < a.n; ++i) {
    for (std::size_t k = 0; k < a.n; ++k) {
      for (std::size_t j = 0; j < a.n; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

/// Calls call(i, j, entry) for the scalar entries of the blocks.
template <class Call>
void for_each_entry(const test::BlockList<double>& list, const Call& call) {
  for (std::size_t row = 0; row < static_cast<std::size_t>(list.rows); ++row) {
    for (auto n = static_cast<std::size_t>(list.offsets[row]); n < static_cast<std::size_t>(list.offsets[row + 1]); ++n) {
      const auto column = static_cast<std::size_t>(list.column[n]);
      for (std::size_t e = 0; e < kB * kB; ++e) call(row * kB + e / kB, column * kB + e % kB, list.blocks[n * kB * kB + e]);
    }
  }
}

/// Returns the matrix M of a preconditioner from its applications to unit vectors.
Dense matrix_of(Preconditioner<double>& preconditioner, std::size_t n) {
  Dense result(n);
  std::vector<double> r(n), z(n);
  for (std::size_t j = 0; j < n; ++j) {
    r[j] = 1;
    preconditioner.apply(r, z, calling_thread());
    r[j] = 0;
    for (std::size_t i = 0; i < n; ++i) result(i, j) = z[i];
  }
  return inverse(result);
}

struct Case {
  test::BlockList<double> list = test::coupled_rows<double, kB>(40);
  std::shared_ptr<const BsrPattern> pattern = list.pattern();
  BsrMatrix<double, kB> a{pattern, list.blocks};
};

std::vector<std::int32_t> distinct(std::int32_t rows) {
  std::vector<std::int32_t> colors(static_cast<std::size_t>(rows));
  std::iota(colors.begin(), colors.end(), 0);
  return colors;
}

TEST(ColoredFactors, ilu0_has_the_blocks_of_the_matrix_at_its_positions) {
  const Case c;
  for (const RowColors& colors : {RowColors(*c.pattern), RowColors(*c.pattern, distinct(40))}) {
    ColoredFactors<double, kB> ilu(*c.pattern, colors, Factors::ilu0);
    ilu.factor(c.a.view());
    EXPECT_TRUE(ilu.singular_rows().empty());
    const Dense m = matrix_of(ilu, 40 * kB);
    for_each_entry(c.list,
                   [&](std::size_t i, std::size_t j, double entry) { EXPECT_NEAR(m(i, j), entry, 1e-10) << i << " " << j; });
  }
}

TEST(ColoredFactors, lu_sgs_is_the_product_of_the_triangles) {
  const Case c;
  const RowColors colors(*c.pattern);
  ColoredFactors<double, kB> factors(*c.pattern, colors, Factors::lu_sgs);
  factors.factor(c.a.view());
  const std::size_t n = 40 * kB;
  std::vector<std::size_t> position(40);
  for (std::size_t p = 0; p < 40; ++p) position[static_cast<std::size_t>(colors.order()[p])] = p;
  Dense lower(n), upper(n), diagonal(n);
  for_each_entry(c.list, [&](std::size_t i, std::size_t j, double entry) {
    const std::size_t row = position[i / kB], column = position[j / kB];
    if (row >= column) lower(i, j) = entry;
    if (row <= column) upper(i, j) = entry;
    if (row == column) diagonal(i, j) = entry;
  });
  const Dense expected = product(lower, product(inverse(diagonal), upper)), m = matrix_of(factors, n);
  for (std::size_t e = 0; e < n * n; ++e) ASSERT_NEAR(m.entries[e], expected.entries[e], 1e-10) << e;
}

template <class T, int B>
void expect_bits_for_any_team(const test::BlockList<T>& list, Factors kind) {
  const auto pattern = list.pattern();
  const BsrMatrix<T, B> a(pattern, list.blocks);
  const RowColors colors(*pattern);
  const std::vector<T> r = test::numbers<T>(static_cast<std::size_t>(list.rows) * B, 4);
  std::vector<T> expected(r.size());
  ColoredFactors<T, B> factors(*pattern, colors, kind);
  factors.factor(a.view());
  factors.apply(r, expected);
  test::for_teams([&](Team& team) {
    std::vector<T> z(r.size());
    ColoredFactors<T, B> by_team(*pattern, colors, kind, team);
    by_team.factor(a.view(), team);
    by_team.apply(r, z, team);
    EXPECT_EQ(z, expected);
  });
}

TEST(ColoredFactors, bits_do_not_depend_on_threads) {
  expect_bits_for_any_team<double, 4>(test::coupled_rows<double, 4>(300), Factors::ilu0);
  expect_bits_for_any_team<double, 7>(test::coupled_rows<double, 7>(300), Factors::lu_sgs);
  expect_bits_for_any_team<float, 6>(test::coupled_rows<float, 6>(300), Factors::ilu0);
  expect_bits_for_any_team<double, 5>(test::diffusion<double, 5>(11), Factors::ilu0);  // 1331 rows: a set-up on all threads
  expect_bits_for_any_team<double, 4>(test::random_matrix<double, 4>(1100, 1200), Factors::lu_sgs);  // ghost columns
}

/// Returns the iterations of GMRES(30) to a residual of 1e-8.
std::int32_t iterations(const BsrMatrix<double, kB>& a, Preconditioner<double>* preconditioner) {
  const std::vector<double> b = test::numbers<double>(static_cast<std::size_t>(a.pattern().rows()) * kB, 3);
  std::vector<double> x(b.size());
  Gmres<double, kB> solver(a.pattern().rows(), 30, Backend::host);
  solver.start(a.view(), preconditioner, b, x, 1e-8);
  solver.cycle(40);
  EXPECT_EQ(solver.status().state, KrylovState::converged) << test::text_of(solver.status());
  return solver.status().iterations;
}

TEST(ColoredFactors, save_iterations_of_gmres_and_colours_cost_some) {
  const auto list = test::diffusion<double, kB>(12);
  const auto pattern = list.pattern();
  const BsrMatrix<double, kB> a(pattern, list.blocks);
  BlockJacobi<double, kB> jacobi(pattern->rows(), Backend::host);
  jacobi.factor(a.view());
  const RowColors colors(*pattern), natural(*pattern, distinct(pattern->rows()));
  ColoredFactors<double, kB> sgs(*pattern, colors, Factors::lu_sgs), ilu(*pattern, colors, Factors::ilu0),
      of_natural_order(*pattern, natural, Factors::ilu0);
  for (auto* factors : {&sgs, &ilu, &of_natural_order}) factors->factor(a.view());
  const std::int32_t with_jacobi = iterations(a, &jacobi), with_sgs = iterations(a, &sgs), with_ilu = iterations(a, &ilu),
                     with_natural = iterations(a, &of_natural_order);
  RecordProperty("iterations_block_jacobi", with_jacobi);
  RecordProperty("iterations_lu_sgs", with_sgs);
  RecordProperty("iterations_ilu0", with_ilu);
  RecordProperty("iterations_ilu0_natural_order", with_natural);
  EXPECT_LT(with_sgs, with_jacobi);
  EXPECT_LE(with_ilu, with_sgs);
  EXPECT_LT(with_natural, with_ilu);
}

TEST(ColoredFactors, rows_without_a_regular_diagonal_block_are_reported) {
  auto list = test::coupled_rows<double, kB>(40);
  for (std::size_t n = 0; n < list.column.size(); ++n) {  // the diagonal block of row 7
    if (static_cast<std::int64_t>(n) >= list.offsets[7] && static_cast<std::int64_t>(n) < list.offsets[8] &&
        list.column[n] == 7) {
      std::fill_n(list.blocks.begin() + static_cast<std::ptrdiff_t>(n) * kB * kB, kB * kB, 0.0);
    }
  }
  const auto pattern = list.pattern();
  const BsrMatrix<double, kB> a(pattern, list.blocks);
  ColoredFactors<double, kB> factors(*pattern, RowColors(*pattern), Factors::lu_sgs);
  factors.factor(a.view());
  EXPECT_EQ(factors.singular_rows(), std::vector<std::int32_t>{7});
  const std::vector<double> r(200, 1);
  std::vector<double> z(200);
  factors.apply(r, z);
  for (const double value : z) EXPECT_TRUE(std::isfinite(value));
}

TEST(ColoredFactors, an_empty_matrix_and_ghost_columns) {
  const auto list = test::random_matrix<double, kB>(30, 45);
  const auto pattern = list.pattern();
  const BsrMatrix<double, kB> a(pattern, list.blocks);
  ColoredFactors<double, kB> factors(*pattern, RowColors(*pattern), Factors::ilu0);
  factors.factor(a.view());
  for (const std::int32_t row : factors.singular_rows()) EXPECT_EQ(row % 9, 8);  // those are empty
  const BsrMatrix<double, kB> empty(test::BlockList<double>{}.pattern());
  ColoredFactors<double, kB> of_nothing(empty.pattern(), RowColors(empty.pattern()), Factors::ilu0);
  of_nothing.factor(empty.view());
  std::vector<double> none;
  of_nothing.apply(none, none);
}

TEST(ColoredFactors, vectors_and_matrices_that_do_not_fit_violate_the_contract) {
  const Case c;
  const BsrMatrix<double, kB> other(test::coupled_rows<double, kB>(39).pattern());
  ColoredFactors<double, kB> factors(*c.pattern, RowColors(*c.pattern), Factors::ilu0);
  std::vector<double> memory(400);
  const std::span<double> all(memory);
  EXPECT_BREACH(factors.factor(other.view()));
  EXPECT_BREACH(factors.apply(all.first(199), all.last(200)));
  EXPECT_BREACH(factors.apply(all.first(200), all.subspan(100, 200)));
  EXPECT_BREACH((ColoredFactors<double, kB>(other.pattern(), RowColors(*c.pattern), Factors::ilu0)));
}

}  // namespace
}  // namespace weft::kernels::colored_factors_test
