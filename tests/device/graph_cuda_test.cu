// Graphs with kernels around host functions and child graphs: kernels may start before the preceding one has completed
// (programmatic dependent launch), but not before other nodes.
#include <gtest/gtest.h>

#include <vector>

#include "weft/device/device_vector.hpp"
#include "weft/device/graph.hpp"
#include "weft/device/parallel_for.cuh"

#include "support/gpu.hpp"

namespace weft::graph_cuda_test {
namespace {

constexpr int kSize = 1 << 20;

struct Affine {
  int* x;
  int factor, shift;
  WEFT_HD void operator()(int i) const { x[i] = factor * x[i] + shift; }
};

std::vector<int> values_of(const DeviceVector<int>& x, Stream& stream) {
  std::vector<int> values(x.size());
  x.get(0, values, after(stream));
  return values;
}

TEST(GraphCuda, kernels_keep_their_order_around_other_nodes) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const DeviceVector<int> x(stream, kSize);
  set_bytes(stream, x.data(), 0, kSize * sizeof(int));
  PinnedBuffer<int> seen(1);
  int on_host = 0;
  const auto apply = [&](Stream& s, int factor, int shift) {
    parallel_for(space::cuda{}, s, kSize, Affine{x.data(), factor, shift});
  };
  Graph child = Graph::capture(stream, [&](Stream& s) {
    apply(s, 3, 0);
    apply(s, 1, 1);
  });
  Graph graph = Graph::capture(stream, [&](Stream& s) {
    apply(s, 0, 5);   // 5
    child.launch(s);  // 16
    apply(s, 2, 0);   // 32
    x.copy_to_host(kSize - 1, seen.span(), s);
    call_on_host(s, [&] { on_host = *seen.data(); });
    apply(s, 1, 7);   // 39
    child.launch(s);  // 118
  });
  for (int i = 0; i < 3; ++i) {
    on_host = 0;
    graph.launch(stream);
    EXPECT_EQ(values_of(x, stream), std::vector<int>(kSize, 118));
    EXPECT_EQ(on_host, 32);
  }
}

TEST(GraphCuda, update_changes_arguments_of_kernels) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const DeviceVector<int> x(stream, kSize), y(stream, kSize);
  for (const DeviceVector<int>* each : {&x, &y}) set_bytes(stream, each->data(), 0, kSize * sizeof(int));
  const auto work = [](const DeviceVector<int>& to, int value) {
    return [data = to.data(), value](Stream& s) {
      parallel_for(space::cuda{}, s, kSize, Affine{data, 0, value});
      parallel_for(space::cuda{}, s, kSize / 2, Affine{data, 2, 0});
    };
  };
  Graph graph = Graph::capture(stream, work(x, 1));
  graph.launch(stream);
  EXPECT_TRUE(graph.update(stream, work(y, 4)));
  graph.launch(stream);
  const std::vector<int> first = values_of(x, stream), second = values_of(y, stream);
  EXPECT_EQ(first.front(), 2);
  EXPECT_EQ(first.back(), 1);
  EXPECT_EQ(second.front(), 8);
  EXPECT_EQ(second.back(), 4);
  EXPECT_FALSE(graph.update(stream, [&](Stream& s) { work(x, 6)(s), work(y, 7)(s); })) << "more kernels than before";
  graph.launch(stream);
  EXPECT_EQ(values_of(x, stream).back(), 6);
  EXPECT_EQ(values_of(y, stream).front(), 14);
}

}  // namespace
}  // namespace weft::graph_cuda_test
