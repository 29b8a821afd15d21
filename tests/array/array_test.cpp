#include "weft/array/array.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/vec3.hpp"

namespace weft::array_test {
namespace {

// Value of entry k of row i in these tests, for all element types.
template <class T>
T entry(std::int64_t i, int k) {
  return static_cast<T>(10 * i + k);
}
template <>
Vec3 entry<Vec3>(std::int64_t i, int k) {
  return {static_cast<double>(i), static_cast<double>(k), 0.5};
}
template <>
LocalRow entry<LocalRow>(std::int64_t i, int k) {
  return LocalRow(10 * i + k);
}
enum class Colour : std::uint8_t { red, green };
template <>
Colour entry<Colour>(std::int64_t i, int k) {
  return (i + k) % 2 == 0 ? Colour::red : Colour::green;
}

int row_length(std::int32_t i) { return i % 4; }

template <class A>
void fill(A& array, std::int32_t first, std::int32_t last) {
  for (std::int32_t i = first; i < last; ++i) {
    if constexpr (A::kKind == RowKind::static_max || A::kKind == RowKind::max) array.resize_row(i, row_length(i));
    for (int k = 0; k < array.row_size(i); ++k) array(i, k) = entry<typename A::value_type>(i, k);
  }
}
template <class A>
void expect_filled(const A& array, std::int32_t rows) {
  ASSERT_GE(array.rows(), rows);
  for (std::int32_t i = 0; i < rows; ++i) {
    if constexpr (A::kKind == RowKind::static_max || A::kKind == RowKind::max || A::kKind == RowKind::csr) {
      EXPECT_EQ(array.row_size(i), row_length(i));
    }
    for (int k = 0; k < array.row_size(i); ++k) EXPECT_EQ(array.at(i, k), entry<typename A::value_type>(i, k)) << i << ", " << k;
  }
}

template <class A>
A make(std::int64_t rows, int width, Layout layout) {
  if constexpr (A::kWidth == Dynamic) {
    return A(rows, width, layout);
  } else {
    return A(rows, layout);
  }
}

template <class A>
class TableTest : public ::testing::Test {};
using Tables = ::testing::Types<Array<double>, Array<double, 5>, Array<bool, 3>, Array<float, Dynamic>,
                                Array<LocalRow, NonUniform, 8>, Array<Vec3, NonUniform, Dynamic>, Array<Vec3, 3>,
                                Array<Colour, 3>, Array<std::int64_t, Dynamic>, Array<double, 5, 5, 64>,
                                Array<double, Dynamic, Dynamic, 32>, Array<float, NonUniform, 8, 64>, Array<Vec3, 1, 1, 16>>;
TYPED_TEST_SUITE(TableTest, Tables);

TYPED_TEST(TableTest, ResizesWritesAndReadsBackInBothLayouts) {
  for (const Layout layout : {Layout::aos, Layout::soa}) {
    TypeParam array = make<TypeParam>(0, 4, layout);
    EXPECT_EQ(array.rows(), 0);
    EXPECT_TRUE(array.empty());
    array.resize(7);
    fill(array, 0, 7);
    expect_filled(array, 7);
    array.resize(12);
    expect_filled(array, 7);
    fill(array, 7, 12);
    expect_filled(array, 12);
    array.resize(3);
    expect_filled(array, 3);
    EXPECT_EQ(array.rows(), 3);
    EXPECT_EQ(array.layout(), layout);
  }
}

TYPED_TEST(TableTest, CloneIsIndependentInEitherLayout) {
  for (const Layout from : {Layout::aos, Layout::soa}) {
    for (const Layout to : {Layout::aos, Layout::soa}) {
      TypeParam array = make<TypeParam>(9, 4, from);
      fill(array, 0, 9);
      TypeParam copy = array.clone(to);
      EXPECT_EQ(copy.layout(), to);
      array.resize(1);
      if (array.row_size(0) > 0) array(0, 0) = typename TypeParam::value_type{};
      expect_filled(copy, 9);
    }
  }
}

TYPED_TEST(TableTest, MoveLeavesAnEmptyArray) {
  TypeParam array = make<TypeParam>(5, 4, Layout::aos);
  fill(array, 0, 5);
  const auto* const memory = array.data();
  TypeParam other = std::move(array);
  EXPECT_EQ(array.rows(), 0);  // NOLINT: the state after a move is part of the contract
  EXPECT_EQ(other.data(), memory);
  expect_filled(other, 5);
  array = make<TypeParam>(2, 4, Layout::aos);
  EXPECT_EQ(array.rows(), 2);
}

TYPED_TEST(TableTest, AtIsCheckedInAllBuilds) {
  TypeParam array = make<TypeParam>(4, 4, Layout::aos);
  fill(array, 0, 4);
  EXPECT_THROW((void)array.at(4, 0), ContractError);
  EXPECT_THROW((void)array.at(-1, 0), ContractError);
  EXPECT_THROW((void)array.at(3, array.row_size(3)), ContractError);
  EXPECT_THROW((void)array.at(3, -1), ContractError);
  EXPECT_THROW((void)std::as_const(array).at(LocalRow(99), 0), ContractError);
}

TYPED_TEST(TableTest, ViewReadsAndWritesAndRejectsTheOtherLayout) {
  for (const Layout layout : {Layout::aos, Layout::soa}) {
    TypeParam array = make<TypeParam>(6, 4, layout);
    fill(array, 0, 6);
    const auto check = [&](auto view) {
      static_assert(std::is_trivially_copyable_v<decltype(view)>);
      static_assert(std::is_same_v<typename decltype(view)::SpaceType, space::host>);
      EXPECT_EQ(view.rows(), 6);
      for (std::int32_t i = 0; i < 6; ++i) {
        for (int k = 0; k < array.row_size(i); ++k) {
          EXPECT_EQ(&view(i, k), &array(i, k));
          EXPECT_EQ(view(LocalRow(i), k), entry<typename TypeParam::value_type>(i, k));
        }
      }
    };
    if (layout == Layout::aos) {
      check(array.view());
      check(std::as_const(array).view());
      EXPECT_THROW((void)array.template view<Soa>(), ContractError);
    } else {
      check(array.template view<Soa>());
      EXPECT_THROW((void)array.view(), ContractError);
    }
  }
}

TYPED_TEST(TableTest, RowsAreSpans) {
  TypeParam array = make<TypeParam>(6, 4, Layout::aos);
  fill(array, 0, 6);
  for (std::int32_t i = 0; i < 6; ++i) {
    const std::span<const typename TypeParam::value_type> row = std::as_const(array).row(i);
    ASSERT_EQ(static_cast<int>(row.size()), array.row_size(i));
    for (std::size_t k = 0; k < row.size(); ++k) EXPECT_EQ(row[k], entry<typename TypeParam::value_type>(i, static_cast<int>(k)));
    if constexpr (TypeParam::kRowAlign != kNoRowAlign) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(row.data()) % TypeParam::kRowAlign, 0U);
    }
  }
}

TEST(ArrayTest, NewEntriesAreValueInitialised) {
  const Array<LocalRow, 2> ids(3);
  EXPECT_EQ(ids(1, 1), LocalRow{});
  const Array<double, Dynamic> numbers(3, 2, Layout::soa);
  EXPECT_EQ(numbers(2, 1), 0.0);
}

TEST(ArrayTest, WidthOneIsReadWithOneIndex) {
  Array<double> volume(3);
  volume(LocalRow(2)) = 4.0;
  EXPECT_EQ(std::as_const(volume)(2), 4.0);
  EXPECT_EQ(volume.view()(2), 4.0);
}

TEST(ArrayTest, RunTimeWidthsChangeAndPreserveEntries) {
  for (const Layout layout : {Layout::aos, Layout::soa}) {
    Array<double, Dynamic> array(4, 2, layout);
    fill(array, 0, 4);
    array.resize(5, 3);
    EXPECT_EQ(array.width(), 3);
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 2; ++k) EXPECT_EQ(array(i, k), entry<double>(i, k));
    }
    EXPECT_EQ(array(4, 2), 0.0);
    array.resize(2, 1);
    EXPECT_EQ(array(1, 0), entry<double>(1, 0));
    array.resize(2, 0);
    EXPECT_EQ(array.row_size(0), 0);
    EXPECT_THROW(array.resize(2, -1), ContractError);
  }
}

TEST(ArrayTest, TooManyRowsForALocalIdThrow) {
  EXPECT_THROW((Array<double>(std::int64_t{1} << 31)), LimitError);
  EXPECT_THROW((Array<double>(-1)), LimitError);
  EXPECT_THROW((Array<double, NonUniform>(std::int64_t{1} << 31)), LimitError);
}

TEST(ArrayTest, PaddedRowsHoldUpToTheirMaximum) {
  Array<std::int32_t, NonUniform, 3> array(2);
  EXPECT_EQ(array.row_size(0), 0);
  array.resize_row(0, 3);
  EXPECT_THROW(array.resize_row(0, 4), ContractError);
  EXPECT_THROW(array.resize_row(2, 1), ContractError);
  EXPECT_THROW(array.resize_row(0, -1), ContractError);
  Array<std::int32_t, NonUniform, Dynamic> shrinking(1, 4);
  shrinking.resize_row(0, 4);
  shrinking.resize(1, 2);
  EXPECT_EQ(shrinking.row_size(0), 2);
}

#if defined(WEFT_CONTRACTS) || !defined(NDEBUG)
TEST(ArrayTest, InvalidIndicesViolateAContract) {
  Array<double, 3> array(2);
  EXPECT_THROW((void)array(2, 0), ContractError);
  EXPECT_THROW((void)array(0, 3), ContractError);
  EXPECT_THROW((void)array.view()(0, 3), ContractError);
  EXPECT_THROW((void)array.row(2), ContractError);
  const Array<double, 3> soa(2, Layout::soa);
  EXPECT_THROW((void)soa.row(0), ContractError);
}
#endif

Array<double, NonUniform> make_csr(std::int32_t rows) {
  Array<double, NonUniform> csr;
  std::vector<double> row;
  for (std::int32_t i = 0; i < rows; ++i) {
    row.clear();
    for (int k = 0; k < row_length(i); ++k) row.push_back(entry<double>(i, k));
    csr.push_row(row);
  }
  return csr;
}

TEST(CsrTest, PushedRowsReadBack) {
  const Array<double, NonUniform> csr = make_csr(10);
  EXPECT_EQ(csr.rows(), 10);
  expect_filled(csr, 10);
  EXPECT_EQ(csr.offsets().size(), 11U);
  EXPECT_EQ(csr.offsets().back(), static_cast<std::int64_t>(csr.entries().size()));
}

TEST(CsrTest, ExampleOfTheHeader) {
  Array<int, NonUniform> csr({0, 2, 2, 3}, {7, 8, 9});
  EXPECT_EQ(csr(LocalRow(2), 0), 9);
  csr.decompress();
  csr.resize_row(LocalRow(1), 1);
  csr.compress();
  EXPECT_TRUE(std::ranges::equal(csr.offsets(), std::vector<std::int64_t>{0, 2, 3, 4}));
  EXPECT_TRUE(std::ranges::equal(csr.entries(), std::vector<int>{7, 8, 0, 9}));
}

TEST(CsrTest, EmptyArraysAndEmptyRows) {
  Array<double, NonUniform> csr;
  EXPECT_EQ(csr.rows(), 0);
  EXPECT_EQ(csr.offsets().size(), 1U);
  EXPECT_TRUE(csr.entries().empty());
  csr.decompress();
  csr.compress();
  EXPECT_EQ(csr.rows(), 0);
  csr.resize(3);
  EXPECT_EQ(csr.rows(), 3);
  EXPECT_EQ(csr.row_size(1), 0);
  EXPECT_TRUE(csr.row(2).empty());
  csr.push_row({});
  EXPECT_EQ(csr.rows(), 4);
}

TEST(CsrTest, CompressEditDecompressRoundTrip) {
  Array<double, NonUniform> csr = make_csr(8);
  EXPECT_TRUE(csr.compressed());
  EXPECT_THROW(csr.resize_row(0, 2), ContractError);
  csr.decompress();
  EXPECT_FALSE(csr.compressed());
  expect_filled(csr, 8);
  EXPECT_THROW((void)csr.entries(), ContractError);
  EXPECT_THROW((void)csr.offsets(), ContractError);
  EXPECT_THROW((void)csr.view(), ContractError);
  EXPECT_THROW(csr.push_row({}), ContractError);
  csr.resize_row(0, 2);
  csr(0, 1) = 5.0;
  csr.resize_row(3, 0);
  csr.compress();
  EXPECT_EQ(csr.row_size(0), 2);
  EXPECT_EQ(csr(0, 0), 0.0);
  EXPECT_EQ(csr(0, 1), 5.0);
  EXPECT_EQ(csr.row_size(3), 0);
  for (int k = 0; k < row_length(7); ++k) EXPECT_EQ(csr(7, k), entry<double>(7, k));
  csr.resize(2);
  EXPECT_EQ(csr.rows(), 2);
  EXPECT_EQ(csr.entries().size(), 3U);
}

TEST(CsrTest, AssignChecksItsOffsets) {
  Array<double, NonUniform> csr;
  csr.assign({0, 1, 1, 3}, {1, 2, 3});
  EXPECT_EQ(csr.rows(), 3);
  EXPECT_EQ(csr(2, 1), 3.0);
  EXPECT_THROW(csr.assign(std::vector<std::int64_t>{}, std::vector<double>{}), ContractError);
  EXPECT_THROW(csr.assign({1, 3}, {1, 2, 3}), ContractError);
  EXPECT_THROW(csr.assign({0, 2, 1, 3}, {1, 2, 3}), ContractError);
  EXPECT_THROW(csr.assign({0, 1, 2}, {1, 2, 3}), ContractError);
  EXPECT_EQ(csr.rows(), 3) << "a refused assignment changes nothing";
}

TEST(CsrTest, TakesItsOwnRowsAndOffsets) {
  constexpr std::int32_t kRows = 1000;
  Array<double, NonUniform> csr = make_csr(kRows);
  csr.assign_offsets(csr.offsets());
  EXPECT_EQ(csr.rows(), kRows);
  EXPECT_EQ(csr.offsets().back(), static_cast<std::int64_t>(csr.entries().size()));
  for (const double value : csr.entries()) ASSERT_EQ(value, 0.0);
  const Array<double, NonUniform> filled = make_csr(kRows);
  csr.assign(csr.offsets(), filled.entries());
  expect_filled(csr, kRows);
  csr.assign(filled.offsets(), csr.entries());
  expect_filled(csr, kRows);
  csr.assign(csr.offsets(), csr.entries());
  expect_filled(csr, kRows);
}

TEST(CsrTest, PushesItsOwnRows) {
  Array<double, NonUniform> csr;
  csr.push_row(std::vector{1.0, 2.0, 3.0});
  for (int i = 1; i < 1000; ++i) csr.push_row(csr.row(i % 2 == 0 ? 0 : i - 1));
  EXPECT_EQ(csr.entries().size(), 3000U);
  for (int i = 0; i < 1000; ++i) {
    for (int k = 0; k < 3; ++k) ASSERT_EQ(csr(i, k), k + 1.0) << i << ", " << k;
  }
}

TEST(CsrTest, CloneViewAndMove) {
  Array<double, NonUniform> csr = make_csr(6);
  Array<double, NonUniform> copy = csr.clone();
  copy(1, 0) = -1.0;
  expect_filled(csr, 6);
  const auto view = csr.view();
  static_assert(std::is_trivially_copyable_v<decltype(view)>);
  for (std::int32_t i = 0; i < 6; ++i) {
    EXPECT_EQ(view.row_size(i), row_length(i));
    for (int k = 0; k < row_length(i); ++k) EXPECT_EQ(&view(i, k), &csr(i, k));
  }
  EXPECT_THROW((void)csr.view<Soa>(), ContractError);
  const Array<double, NonUniform> moved = std::move(csr);
  expect_filled(moved, 6);
  EXPECT_EQ(csr.rows(), 0);  // NOLINT: part of the contract
  EXPECT_THROW((void)csr.at(0, 0), ContractError);
}

}  // namespace
}  // namespace weft::array_test
