#include "weft/device/cuda_call_counts.hpp"

#include <gtest/gtest.h>

#include "weft/device/device_vector.hpp"
#include "weft/device/graph.hpp"

#include "support/gpu.hpp"

namespace weft::detail::cuda_call_counts_test {
namespace {

TEST(CudaCallCounts, IsNotCountedForHostStreams) {
  const CudaCallCounts before = cuda_call_counts();
  host_stream().wait();
  const CudaCallCounts spent = cuda_call_counts() - before;
  EXPECT_EQ(spent.waits, 0);
  EXPECT_EQ(spent.allocations, 0);
}

TEST(CudaCallCounts, CountsTheOperationsOfCuda) {
  WEFT_NEEDS_GPU();
  const CudaCallCounts before = cuda_call_counts();
  Stream stream;
  const DeviceVector<double> buffer(stream, 100);
  set_bytes(stream, buffer.data(), 0, 800);
  Graph graph = Graph::capture(stream, [&](Stream& captured) { set_bytes(captured, buffer.data(), 1, 800); });
  graph.launch(stream);
  graph.launch(stream);
  stream.wait();
  const CudaCallCounts spent = cuda_call_counts() - before;
  EXPECT_EQ(spent.allocations, 1);
  EXPECT_EQ(spent.copies, 2);
  EXPECT_EQ(spent.graphs, 2);
  EXPECT_EQ(spent.waits, 1);
  EXPECT_EQ(spent.kernels, 0);
}

}  // namespace
}  // namespace weft::detail::cuda_call_counts_test
