// A list of arrays is counted without a GPU, and allocated as it is counted.
#include "weft/flow/cuda/array_list.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/vec3.hpp"

#include "support/gpu.hpp"

namespace weft::flow::detail::array_list_test {
namespace {

struct Arrays {
  DeviceVector<double> doubles;
  DeviceVector<float> floats;
  DeviceVector<Vec3> vectors;
  DeviceVector<double> none;
  ArrayPair<double, 5> pair;
  ArrayPair<float, Dynamic> wide;

  template <class Visit>
  void each_array(Visit&& visit) {
    visit(doubles, std::vector<double>{1, 2, 3});
    visit(floats, std::vector<double>{0.1, 0.2});
    visit(vectors, 5);
    visit(none, 0);
    const GhostPlan plan = GhostPlan::build(Communicator::world(), 4, std::vector<GlobalRow>());
    visit(pair, IndexSpace(plan, 3));
    visit(wide, IndexSpace(plan), 6);
  }
};

TEST(ArrayList, BytesAreCountedBeforeThereIsAnArray) {
  Arrays arrays;
  CountBytes count;
  arrays.each_array(count);
  EXPECT_EQ(count.bytes,
            3 * sizeof(double) + 2 * sizeof(float) + 5 * sizeof(Vec3) + (4 + 3) * 5 * sizeof(double) + 4 * 6 * sizeof(float));
  EXPECT_EQ(arrays.doubles.size(), 0);
  EXPECT_EQ(arrays.doubles.data(), nullptr);
  EXPECT_TRUE(arrays.pair.empty());
}

TEST(ArrayList, CudaAllocatesWhatIsListed) {
  WEFT_NEEDS_GPU();
  Arrays arrays;
  arrays.each_array(Allocate());
  EXPECT_EQ(arrays.doubles.size(), 3);
  EXPECT_EQ(arrays.floats.size(), 2);
  EXPECT_EQ(arrays.vectors.size(), 5);
  EXPECT_EQ(arrays.none.size(), 0);
  EXPECT_EQ(arrays.none.data(), nullptr);
  EXPECT_EQ(arrays.pair.rows(), 7);
  EXPECT_EQ(arrays.wide.row_size(0), 6);
  EXPECT_NE(on_device(arrays.pair), nullptr);
  EXPECT_FALSE(weft::detail::ArrayAccess::allocated(arrays.pair.array(), Side::host));
  std::vector<float> floats(2);
  arrays.floats.get(0, floats, After());
  EXPECT_EQ(floats, (std::vector<float>{0.1F, 0.2F}));
}

TEST(ArrayList, NothingIsAllocatedWithoutAGpu) {
  WEFT_NEEDS_NO_GPU();
  Arrays arrays;
  EXPECT_THROW(arrays.each_array(Allocate()), DeviceError);
}

}  // namespace
}  // namespace weft::flow::detail::array_list_test
