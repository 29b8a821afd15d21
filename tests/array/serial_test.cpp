#include "weft/array/serial.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/vec3.hpp"
#include "weft/comm/communicator.hpp"

namespace weft {
namespace {

TEST(ElementTypeTest, NamesWhatItConsistsOf) {
  enum class Small : std::uint8_t { a };
  struct Opaque {
    std::int32_t a[3];
  };
  EXPECT_EQ(to_string(element_type<double>), "float64");
  EXPECT_EQ(to_string(element_type<const float>), "float32");
  EXPECT_EQ(to_string(element_type<std::int64_t>), "int64");
  EXPECT_EQ(to_string(element_type<LocalRow>), "int32");
  EXPECT_EQ(to_string(element_type<GlobalRow>), "int64");
  EXPECT_EQ(to_string(element_type<Small>), "uint8");
  EXPECT_EQ(to_string(element_type<bool>), "uint8");
  EXPECT_EQ(to_string(element_type<Vec3>), "float64x3");
  EXPECT_EQ(to_string(element_type<std::array<float, 4>>), "float32x4");
  EXPECT_EQ(to_string(element_type<Opaque>), "bytes12");
}

template <class A>
A make(std::int32_t rows, Layout layout) {
  A array;
  if constexpr (A::kKind == RowKind::csr) {
    for (std::int32_t i = 0; i < rows; ++i) array.push_row(std::vector<typename A::value_type>(static_cast<std::size_t>(i % 3)));
  } else if constexpr (A::kWidth == Dynamic) {
    array = A(rows, 3, layout);
  } else {
    array = A(rows, layout);
  }
  for (std::int32_t i = 0; i < rows; ++i) {
    if constexpr (A::kKind == RowKind::static_max || A::kKind == RowKind::max) array.resize_row(i, i % 3);
    for (int k = 0; k < array.row_size(i); ++k) array(i, k) = typename A::value_type(7 * i + k);
  }
  return array;
}

template <class A>
class SerialTest : public ::testing::Test {};
using Arrays = ::testing::Types<Array<double, 5>, Array<float, Dynamic>, Array<LocalRow, NonUniform, 8>,
                                Array<std::int64_t, NonUniform, Dynamic>, Array<double, NonUniform>, Array<double, 5, 5, 64>,
                                Array<std::uint8_t>>;
TYPED_TEST_SUITE(SerialTest, Arrays);

TYPED_TEST(SerialTest, ReadsBackWhatWasWrittenOnEmptyRanksToo) {
  const Communicator comm = Communicator::world();
  for (const std::int32_t rows : {comm.rank().value() == 0 ? 0 : 9, comm.rank().value() == 0 ? 9 : 0}) {
    for (const Layout layout : {Layout::aos, Layout::soa}) {
      const TypeParam array = make<TypeParam>(rows, layout);
      const TypeParam back = deserialize<TypeParam>(serialize(array), "test");
      ASSERT_EQ(back.rows(), rows);
      for (std::int32_t i = 0; i < rows; ++i) {
        ASSERT_EQ(back.row_size(i), array.row_size(i));
        for (int k = 0; k < array.row_size(i); ++k) EXPECT_EQ(back(i, k), array(i, k));
      }
    }
  }
}

TYPED_TEST(SerialTest, WrongSignatureIsRefused) {
  const SerialRows serial = serialize(make<TypeParam>(4, Layout::aos));
  EXPECT_THROW((void)deserialize<Array<Vec3>>(serial, "test"), InputError);
  EXPECT_THROW((void)(deserialize<Array<typename TypeParam::value_type, 7>>(serial, "test")), InputError);
  SerialRows other_element = serial;
  other_element.signature.element.scalar = ElementType::Scalar::bytes;
  EXPECT_THROW((void)deserialize<TypeParam>(other_element, "test"), InputError);
}

TYPED_TEST(SerialTest, DamagedRowsAreRefused) {
  const SerialRows serial = serialize(make<TypeParam>(4, Layout::aos));
  SerialRows cut = serial;
  cut.bytes.pop_back();
  EXPECT_THROW((void)deserialize<TypeParam>(cut, "test"), InputError);
  SerialRows more_rows = serial;
  ++more_rows.rows;
  EXPECT_THROW((void)deserialize<TypeParam>(more_rows, "test"), InputError);
  if (!serial.row_sizes.empty()) {
    SerialRows negative = serial;
    negative.row_sizes[0] = -1;
    EXPECT_THROW((void)deserialize<TypeParam>(negative, "test"), InputError);
  }
}

}  // namespace
}  // namespace weft
