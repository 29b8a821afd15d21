#include "weft/array/eigen.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "weft/array/array.hpp"
#include "weft/array/array_pair.hpp"

namespace weft::eigen_test {
namespace {

/// Sets entry k of row i to 10 i + k.
template <class A>
void fill(A& array) {
  for (int i = 0; i < array.rows(); ++i) {
    for (int k = 0; k < array.width(); ++k) array(i, k) = 10 * i + k;
  }
}

TEST(EigenTest, MapsTheWholeTableInEitherLayout) {
  for (const Layout layout : {Layout::aos, Layout::soa}) {
    Array<double, 5> array(4, layout);
    fill(array);
    const auto check = [&](auto map) {
      EXPECT_EQ(map.rows(), 4);
      EXPECT_EQ(map.cols(), 5);
      for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 5; ++k) EXPECT_EQ(&map.coeffRef(i, k), &array(i, k));
      }
    };
    if (layout == Layout::aos) {
      check(eigen_matrix(array.view()));
    } else {
      check(eigen_matrix(array.view<Soa>()));
    }
  }
  Array<double, 3, 3, 64> padded(4);
  fill(padded);
  EXPECT_EQ(eigen_matrix(std::as_const(padded).view()).col(2).sum(), 2.0 + 12.0 + 22.0 + 32.0);
  Array<double> column(3);
  eigen_matrix(column.view()).setConstant(2.0);
  EXPECT_EQ(column(2), 2.0);
}

TEST(EigenTest, MapsRangesOfRows) {
  const IdRange<LocalRow> range(LocalRow(1), LocalRow(3));
  const auto check = [&](auto map, auto& array) {
    ASSERT_EQ(map.rows(), 2);
    ASSERT_EQ(map.cols(), array.width());
    for (int i = 0; i < 2; ++i) {
      for (int k = 0; k < array.width(); ++k) EXPECT_EQ(&map.coeffRef(i, k), &array(i + 1, k));
    }
  };
  Array<double, 5> aos(4), soa(4, Layout::soa);
  Array<float, Dynamic> wide(4, 7), columns(4, 7, Layout::soa);
  Array<double, 3, 3, 64> padded(4);
  Array<double, 1, 1, 16> padded_column(4);
  check(eigen_matrix(aos.view(), range), aos);
  check(eigen_matrix(soa.view<Soa>(), range), soa);
  check(eigen_matrix(wide.view(), range), wide);
  check(eigen_matrix(columns.view<Soa>(), range), columns);
  check(eigen_matrix(padded.view(), range), padded);
  check(eigen_matrix(padded_column.view(), range), padded_column);
  EXPECT_EQ(eigen_matrix(aos.view(), {LocalRow(4), LocalRow(4)}).rows(), 0);
  using Map = decltype(eigen_matrix(std::as_const(aos).view(), range));
  static_assert(!(Eigen::internal::traits<Map>::Flags & Eigen::LvalueBit), "a map of const rows is const");
}

TEST(EigenTest, MapsRowsOfEveryKindAndLayout) {
  const auto check = [](auto map, auto& array, int row, int size) {
    ASSERT_EQ(map.size(), size);
    for (int k = 0; k < size; ++k) EXPECT_EQ(&map.coeffRef(k), &array(row, k));
  };
  Array<double, 5> soa(4, Layout::soa);
  Array<double, Dynamic> columns(4, 6, Layout::soa);
  check(eigen_row(soa.view<Soa>(), 2), soa, 2, 5);
  check(eigen_row(columns.view<Soa>(), LocalRow(3)), columns, 3, 6);
  auto matrix = eigen_row_matrix<2, 3>(columns.view<Soa>(), 1);
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_EQ(&matrix.coeffRef(i, k), &columns(1, 3 * i + k));
  }
  auto vector = eigen_row_matrix<6, 1>(columns.view<Soa>(), 1);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(&vector.coeffRef(k), &columns(1, k));

  Array<double, NonUniform, 4> lists(3), lists_soa(3, Layout::soa);
  Array<double, NonUniform, Dynamic> longer(3, 9), longer_soa(3, 9, Layout::soa);
  for (int i = 0; i < 3; ++i) {
    lists.resize_row(i, i);
    lists_soa.resize_row(i, i);
    longer.resize_row(i, 4 * i);
    longer_soa.resize_row(i, 4 * i);
  }
  Array<double, NonUniform> csr({0, 0, 1, 3}, {7, 8, 9});
  for (int i = 0; i < 3; ++i) {
    check(eigen_row(lists.view(), i), lists, i, i);
    check(eigen_row(lists_soa.view<Soa>(), i), lists_soa, i, i);
    check(eigen_row(longer.view(), i), longer, i, 4 * i);
    check(eigen_row(longer_soa.view<Soa>(), i), longer_soa, i, 4 * i);
    check(eigen_row(csr.view(), i), csr, i, i);
  }
  EXPECT_EQ(eigen_row(std::as_const(csr).view(), 2).dot(Eigen::Vector2d(1, 10)), 98);
}

TEST(EigenTest, MapsTheOwnedRowsOfAPair) {
  const Communicator comm = Communicator::world();
  ArrayPair<double, 3> u(GhostPlan::build(comm, 2, std::vector<GlobalRow>{GlobalRow(0)}));
  for (int i = 0; i < u.rows(); ++i) {
    for (int k = 0; k < 3; ++k) u(i, k) = 3 * i + k;
  }
  auto owned = eigen_matrix(u.view(), u.space().owned());
  const Eigen::RowVector3d mean = owned.colwise().mean();
  EXPECT_EQ(mean, Eigen::RowVector3d(1.5, 2.5, 3.5));
  owned.rowwise() -= mean;
  EXPECT_EQ(u(1, 2), 1.5);
  if (u.ghost_rows() > 0) {
    EXPECT_EQ(u(2, 2), 8) << "ghost rows are not in the map";
  }
}

TEST(EigenTest, MapsRows) {
  Array<double, Dynamic> array(3, 6);
  fill(array);
  EXPECT_EQ(eigen_row(std::as_const(array).view(), 1).sum(), 75.0);
  auto gradient = eigen_row_matrix<2, 3>(array.view(), LocalRow(2));
  EXPECT_EQ(gradient(1, 0), array(2, 3));
  gradient(0, 2) = -1.0;
  EXPECT_EQ(array(2, 2), -1.0);
}

}  // namespace
}  // namespace weft::eigen_test
