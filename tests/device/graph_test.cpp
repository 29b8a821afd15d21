// Graphs: host functions and other graphs as nodes, and updates in place; on a host stream and on a GPU.
#include "weft/device/graph.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "weft/device/device_vector.hpp"

#include "support/gpu.hpp"

namespace weft::graph_test {
namespace {

class GraphTest : public test::BackendTest {
 protected:
  GraphTest() {
    if (!is_cuda(GetParam()) || device_count() > 0) stream_ = std::make_unique<Stream>(Stream::for_backend(GetParam()));
  }
  Stream& stream() { return *stream_; }

 private:
  std::unique_ptr<Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Backends, GraphTest, ::testing::Values(Backend::host, Backend::cuda), test::backend_name);

TEST_P(GraphTest, host_functions_run_in_stream_order) {
  DeviceVector<int> x(stream(), 1);
  PinnedBuffer<int> copied(1);
  std::vector<int> seen;
  set_bytes(stream(), x.data(), 1, sizeof(int));
  x.copy_to_host(0, copied.span(), stream());
  call_on_host(stream(), [&] { seen.push_back(*copied.data()); });
  set_bytes(stream(), x.data(), 2, sizeof(int));
  x.copy_to_host(0, copied.span(), stream());
  call_on_host(stream(), [&] { seen.push_back(*copied.data()); });
  stream().wait();
  EXPECT_EQ(seen, (std::vector<int>{0x01010101, 0x02020202}));
}

TEST_P(GraphTest, host_functions_are_nodes_that_a_graph_owns) {
  auto owned = std::make_shared<int>(0);
  const std::weak_ptr<int> alive = owned;
  DeviceVector<int> x(stream(), 1);
  PinnedBuffer<int> copied(1);
  int sum = 0;
  {
    Graph graph = Graph::capture(stream(), [&, owned](Stream& s) {
      x.copy_to_host(0, copied.span(), s);
      call_on_host(s, [&sum, &copied, owned] { sum += *copied.data() + ++*owned; });
    });
    EXPECT_EQ(sum, 0) << "a capture executes nothing";
    owned.reset();
    for (const auto value : std::vector<unsigned char>{1, 2}) {
      set_bytes(stream(), x.data(), value, sizeof(int));
      graph.launch(stream());
    }
    stream().wait();
    EXPECT_EQ(sum, 0x01010101 + 0x02020202 + 1 + 2);
    EXPECT_FALSE(alive.expired());
  }
  if (GetParam() == Backend::host) {
    EXPECT_TRUE(alive.expired());  // CUDA destroys what a graph owns at some time after the graph
  }
}

TEST_P(GraphTest, another_graph_becomes_a_node) {
  DeviceVector<unsigned char> x(stream(), 3);
  Graph child = Graph::capture(stream(), [&](Stream& s) { set_bytes(s, x.data() + 1, 7, 1); });
  Graph parent = Graph::capture(stream(), [&](Stream& s) {
    set_bytes(s, x.data(), 1, 3);
    child.launch(s);                               // after the first operation
    copy_bytes(s, x.data() + 2, x.data() + 1, 1);  // and before the last
  });
  set_bytes(stream(), x.data(), 0, 3);
  std::vector<unsigned char> bytes(3, 9);
  x.get(0, bytes, after(stream()));
  EXPECT_EQ(bytes, (std::vector<unsigned char>{0, 0, 0})) << "neither capture executes anything";
  for (int i = 0; i < 2; ++i) {
    parent.launch(stream());
    x.get(0, bytes, after(stream()));
    EXPECT_EQ(bytes, (std::vector<unsigned char>{1, 7, 7}));
  }
  child.launch(stream());  // still works alone
  stream().wait();
}

TEST_P(GraphTest, update_changes_arguments_in_place) {
  DeviceVector<unsigned char> x(stream(), 4);
  set_bytes(stream(), x.data(), 0, 4);
  const auto set = [&](std::size_t at, unsigned char value) {
    return [&x, at, value](Stream& s) { set_bytes(s, x.data() + at, value, 1); };
  };
  Graph graph = Graph::capture(stream(), set(0, 1));
  graph.launch(stream());
  EXPECT_TRUE(graph.update(stream(), set(2, 5)));  // the launch before may still be running
  graph.launch(stream());
  std::vector<unsigned char> bytes(4);
  x.get(0, bytes, after(stream()));
  EXPECT_EQ(bytes, (std::vector<unsigned char>{1, 0, 5, 0}));
}

TEST_P(GraphTest, update_by_other_operations_makes_a_new_graph) {
  DeviceVector<unsigned char> x(stream(), 4);
  set_bytes(stream(), x.data(), 0, 4);
  Graph graph = Graph::capture(stream(), [&](Stream& s) { set_bytes(s, x.data(), 1, 1); });
  const bool in_place = graph.update(stream(), [&](Stream& s) {
    set_bytes(s, x.data(), 3, 1);
    copy_bytes(s, x.data() + 1, x.data(), 1);
  });
  EXPECT_EQ(in_place, GetParam() == Backend::host);
  graph.launch(stream());
  std::vector<unsigned char> bytes(4);
  x.get(0, bytes, after(stream()));
  EXPECT_EQ(bytes, (std::vector<unsigned char>{3, 3, 0, 0}));
  Graph empty;
  EXPECT_FALSE(empty.update(stream(), [&](Stream& s) { set_bytes(s, x.data() + 3, 8, 1); }));
  empty.launch(stream());
  x.get(0, bytes, after(stream()));
  EXPECT_EQ(bytes[3], 8);
}

TEST_P(GraphTest, failed_update_leaves_the_graph_as_it_was) {
  if (GetParam() == Backend::host) GTEST_SKIP() << "nothing is captured on a host stream, which calls the function at the launch";
  DeviceVector<unsigned char> x(stream(), 1);
  Graph graph = Graph::capture(stream(), [&](Stream& s) { set_bytes(s, x.data(), 4, 1); });
  EXPECT_THROW((void)graph.update(stream(), [](Stream&) { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_FALSE(stream().capturing());
  graph.launch(stream());
  std::vector<unsigned char> bytes(1);
  x.get(0, bytes, after(stream()));
  EXPECT_EQ(bytes[0], 4);
}

}  // namespace
}  // namespace weft::graph_test
