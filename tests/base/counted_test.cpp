#include "weft/base/counted.hpp"

#include <gtest/gtest.h>

namespace weft::counted_test {
namespace {

TEST(Counted, UsesTheSingularForOneAndThePluralOtherwise) {
  EXPECT_EQ(counted(1, "cell"), "1 cell");
  EXPECT_EQ(counted(0, "cell"), "0 cells");
  EXPECT_EQ(counted(10216, "triangle"), "10216 triangles");
  EXPECT_EQ(counted(1, "hexahedron"), "1 hexahedron");
  EXPECT_EQ(counted(2, "tetrahedron"), "2 tetrahedra");
}

}  // namespace
}  // namespace weft::counted_test
