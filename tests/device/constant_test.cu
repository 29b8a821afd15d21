// Constant memory: kernels read what set_constant() has set, in stream order.
#include <gtest/gtest.h>

#include <vector>

#include "weft/device/constant.cuh"
#include "weft/device/device_vector.hpp"
#include "weft/device/graph.hpp"
#include "weft/device/parallel_for.cuh"

#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::constant_test {
namespace {

struct Table {
  double factor = 1;  // a default that constant memory cannot have
  int offsets[1000] = {};
};
__constant__ Constant<Table> table;

struct Read {
  double* to;
  __device__ void operator()(int i) const { to[i] = table->factor * (*table).offsets[i]; }
};
__global__ void read_kernel(int n, const Read read) {
  grid_dependency_sync();
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) read(i);
}

TEST(ConstantCuda, kernels_read_the_value_of_their_place_in_the_stream) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const DeviceVector<double> first(stream, 1000), second(stream, 1000);
  const auto read = [&](const DeviceVector<double>& to) {
    launch(stream, "read", {.blocks = 8, .threads = 128}, read_kernel, 1000, Read{to.data()});
  };
  Table value;
  for (int i = 0; i < 1000; ++i) value.offsets[i] = i;
  value.factor = 2;
  set_constant(stream, table, value);
  value.factor = -1;  // too late for the first
  read(first);
  set_constant(stream, table, value);
  read(second);
  std::vector<double> a(1000), b(1000);
  first.get(0, a, after(stream));
  second.get(0, b, after(stream));
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(a[i], 2.0 * static_cast<double>(i));
    ASSERT_EQ(b[i], -1.0 * static_cast<double>(i));
  }
}

TEST(ConstantCuda, rejects_streams_that_cannot_copy_the_value_at_once) {
  WEFT_NEEDS_GPU();
  EXPECT_BREACH(set_constant(host_stream(), table, Table{}));
  Stream stream;
  (void)Graph::capture(stream, [](Stream& s) { EXPECT_BREACH(set_constant(s, table, Table{})); });
}

}  // namespace
}  // namespace weft::constant_test
