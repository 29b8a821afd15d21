// The kernel of the transport `peer` on one GPU, with a neighbour that does not exist: it waits until the neighbour's flags are
// set, or until the exchange is stopped.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "weft/array/transport/put.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/graph.hpp"
#include "weft/device/host_device_vector.hpp"
#include "weft/device/stream.hpp"

#include "support/gpu.hpp"
#include "support/time_limit.hpp"

namespace weft::detail::put_test {
namespace {

class CudaPut : public ::testing::Test {
 protected:
  static constexpr int kRows = 5000;  ///< several chunks

  void SetUp() override {
    WEFT_NEEDS_GPU();
    weft::test::limit_present_test();
  }

  /// Everything that a put uses, in memory of this GPU.
  struct Neighbour {
    DeviceVector<double> from{Backend::cuda, std::vector<double>(kRows, 7)}, to{Backend::cuda, std::vector<double>(kRows, 0)};
    DeviceVector<PeerFlags> here{Backend::cuda, std::vector<PeerFlags>(1)}, there{Backend::cuda, std::vector<PeerFlags>(1)};
    DeviceVector<std::uint32_t> epochs{Backend::cuda, std::vector<std::uint32_t>(kPutBlocks)};
    HostDeviceVector<std::uint32_t> stop{1, Backend::cuda_mapped};
    std::uint32_t* stop_on_host = stop.write(Side::host).data();
    CopyList copies{Backend::cuda, std::array{ItemCopy{.from = reinterpret_cast<const std::byte*>(from.data()),
                                                       .to = reinterpret_cast<std::byte*>(to.data()),
                                                       .from_items = {},
                                                       .to_items = {},
                                                       .from_stride = sizeof(double),
                                                       .to_stride = sizeof(double),
                                                       .item_bytes = sizeof(double),
                                                       .count = kRows,
                                                       .group = 0}}};
    PutArgs args{.table = copies.table(),
                 .links = nullptr,
                 .link_count = 1,
                 .epochs = epochs.data(),
                 .stop = stop_on_host,
                 .parts_here = {copies.parts()[0]},
                 .links_here = {{.here = here.data(), .there = there.data(), .arriving = 1}}};

    void raise_stop() { std::atomic_ref(*stop_on_host).store(1); }
    /// Sets the flags that the neighbour writes.
    void set_flags(Stream& stream, std::uint32_t credit, std::uint32_t arrived) {
      const PeerFlags flags{.credit = credit, .arrived = arrived};
      copy_bytes(stream, here.data(), &flags, sizeof flags);
      stream.wait();
    }
    [[nodiscard]] int written(Stream& stream) {
      std::vector<double> rows(kRows);
      copy_bytes(stream, rows.data(), to.data(), sizeof(double) * kRows);
      stream.wait();
      return static_cast<int>(std::ranges::count(rows, 7.0));
    }
    [[nodiscard]] PeerFlags published(Stream& stream) {
      PeerFlags flags{};
      copy_bytes(stream, &flags, there.data(), sizeof flags);
      stream.wait();
      return flags;
    }
  };

  static void expect_waiting(const Event& event) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(event.done());
  }
};

TEST_F(CudaPut, WritesRowsAndEndsWhenTheNeighbourHasSetItsFlags) {
  Neighbour n;
  Stream stream, other;
  launch_put(stream, n.args);
  const Event end = stream.record();
  expect_waiting(end);
  EXPECT_EQ(n.written(other), 0) << "without a credit";
  n.set_flags(other, 1, 0);
  expect_waiting(end);
  EXPECT_EQ(n.written(other), kRows);
  n.set_flags(other, 1, 1);
  end.wait();
  EXPECT_EQ(n.published(other).credit, 1U);
  EXPECT_EQ(n.published(other).arrived, n.args.table.chunks);
}

TEST_F(CudaPut, EndsWhenItIsStoppedWhileItWaitsForACredit) {
  Neighbour n;
  Stream stream, other;
  launch_put(stream, n.args);
  const Event end = stream.record();
  expect_waiting(end);
  n.raise_stop();
  end.wait();
  EXPECT_EQ(n.written(other), 0) << "the neighbour has given no credit";
}

TEST_F(CudaPut, EndsWhenItIsStoppedWhileItWaitsForRows) {
  Neighbour n;
  Stream stream, other;
  n.set_flags(other, 1, 0);
  launch_put(stream, n.args);
  const Event end = stream.record();
  expect_waiting(end);
  n.raise_stop();
  end.wait();
  EXPECT_EQ(n.written(other), kRows);
}

TEST_F(CudaPut, AllLaunchesOfAGraphEndWhenTheyAreStopped) {
  Neighbour n;
  Stream stream;
  Graph graph = Graph::capture(stream, [&](Stream& in) { launch_put(in, n.args); });
  // More than the device accepts before a launch blocks the host: only another thread can stop them then.
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    n.raise_stop();
  });
  for (int i = 0; i < 3000; ++i) graph.launch(stream);
  stream.wait();
  stopper.join();
  graph.launch(stream);
  stream.wait();
}

}  // namespace
}  // namespace weft::detail::put_test
