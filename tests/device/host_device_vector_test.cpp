#include "weft/device/host_device_vector.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/id.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/graph.hpp"

#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::host_device_vector_test {
namespace {

HostDeviceVector<double> counting(std::size_t size, Backend backend) {
  HostDeviceVector<double> x(size, backend, "x");
  std::iota(x.data(), x.data() + size, 0.0);
  return x;
}

std::vector<double> to_vector(std::span<const double> values) { return {values.begin(), values.end()}; }

// Accesses to one element of a device side by copies, which are valid for every backend.
double load(Stream& stream, const double* from) {
  double value = 0;
  copy_bytes(stream, &value, from, sizeof value);
  stream.wait();
  return value;
}
void store(Stream& stream, double* to, double value) {
  copy_bytes(stream, to, &value, sizeof value);
  stream.wait();
}

class HostDeviceVectorTest : public test::BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, HostDeviceVectorTest, test::every_backend(), test::backend_name);
/// Backends whose device side can be stale.
class DeviceSideTest : public test::BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, DeviceSideTest, test::device_backends(), test::backend_name);

TEST_P(HostDeviceVectorTest, resizes_like_a_vector) {
  struct Tag;
  HostDeviceVector<Id<Tag, std::int32_t>> ids(3, GetParam());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(ids[i].valid());
  HostDeviceVector<double> x = counting(4, GetParam());
  x.resize(6);
  EXPECT_EQ(to_vector(std::as_const(x).span()), (std::vector<double>{0, 1, 2, 3, 0, 0}));
  x.resize(2);
  x.resize(3);
  EXPECT_EQ(to_vector(std::as_const(x).span()), (std::vector<double>{0, 1, 0}));
  x.resize(0);
  EXPECT_TRUE(x.empty());
  EXPECT_TRUE(x.read(Side::device).empty());
  x.to_device({});
  x.to_host({});
  EXPECT_THROW(x.resize(std::numeric_limits<std::size_t>::max()), std::bad_alloc);
}

TEST_P(HostDeviceVectorTest, is_aligned) {
  for (const std::size_t size : {1U, 7U, 1000U}) {
    HostDeviceVector<char> x(size, GetParam());
    x.to_device({});
    for (const Side side : {Side::host, Side::device}) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.read(side).data()) % DeviceStorage::kAlignment, 0U);
    }
  }
}

TEST_P(HostDeviceVectorTest, copies_to_the_device_and_back) {
  Stream stream = Stream::for_backend(GetParam());
  HostDeviceVector<double> x = counting(5, GetParam());
  x.to_device(after(stream)).wait();
  for (double& value : x.read_write(Side::device)) store(stream, &value, 2 * load(stream, &value));
  x.to_host(after(stream)).wait();
  EXPECT_EQ(to_vector(std::as_const(x).span()), (std::vector<double>{0, 2, 4, 6, 8}));
  EXPECT_TRUE(x.fresh(Side::host) && x.fresh(Side::device));
}

TEST_P(HostDeviceVectorTest, copies_to_the_device_and_back_in_stream_order) {
  Stream stream = Stream::for_backend(GetParam());
  HostDeviceVector<double> x = counting(1000, GetParam());
  x.to_device(stream);
  store(stream, x.read_write(Side::device, 7, 1).data(), -7);
  x.to_host(stream, 7, 1);
  EXPECT_EQ(std::as_const(x)[7], -7);  // waits for the copy
  EXPECT_EQ(std::as_const(x)[8], 8);
}

TEST_P(HostDeviceVectorTest, access_to_the_host_side_waits_for_pending_copies) {
  constexpr std::size_t kSize = 100'000;
  Stream stream = Stream::for_backend(GetParam());
  HostDeviceVector<double> x = counting(kSize, GetParam());
  for (int round = 0; round < 20; ++round) {
    x.to_device(after(stream));
    for (double& value : x.write(Side::host)) value = -1;  // waits until the copy has read them
    if (GetParam() == Backend::host || sides_share_memory(GetParam())) break;
    Event last = x.to_device(after(stream));
    (void)x.read_write(Side::device);
    last = x.to_host(after(last));
    const double sum = std::accumulate(std::as_const(x).data(), std::as_const(x).data() + kSize, 0.0);
    ASSERT_EQ(sum, -static_cast<double>(kSize));
  }
  HostDeviceVector<double> destroyed = counting(kSize, GetParam());
  destroyed.to_device(after(stream));  // the destructor waits for the copy
}

TEST_P(HostDeviceVectorTest, copies_are_deep_and_moves_preserve_addresses) {
  HostDeviceVector<double> x = counting(3, GetParam());
  HostDeviceVector<double> copy = x;
  copy[0] = 7;
  EXPECT_EQ(std::as_const(x)[0], 0);
  EXPECT_EQ(copy.name(), "x");
  const double* const address = std::as_const(x).data();
  const HostDeviceVector<double> moved = std::move(x);
  EXPECT_EQ(moved.data(), address);
  EXPECT_TRUE(x.empty());  // NOLINT(bugprone-use-after-move): a moved-from vector is empty
  x.resize(2);
  EXPECT_EQ(x.size(), 2U);
  x = moved;
  EXPECT_EQ(to_vector(std::as_const(x).span()), to_vector(moved.span()));
}

TEST(HostDeviceVector, host_backend_has_one_memory) {
  HostDeviceVector<double> x = counting(3, Backend::host);
  EXPECT_EQ(x.read(Side::host).data(), x.read(Side::device).data());
  x.write(Side::device)[1] = 9;
  EXPECT_EQ(std::as_const(x)[1], 9);
}

TEST_P(DeviceSideTest, has_two_memories_or_one) {
  HostDeviceVector<double> x = counting(3, GetParam());
  x.to_device({});
  EXPECT_EQ(x.read(Side::host).data() == x.read(Side::device).data(), sides_share_memory(GetParam()));
}

TEST_P(DeviceSideTest, releases_the_host_side) {
  Stream stream = Stream::for_backend(GetParam());
  HostDeviceVector<double> x = counting(100, GetParam());
  const bool shared = sides_share_memory(GetParam());
  if (!shared) {
    EXPECT_THROW(x.release_host(), DeviceError);
  }
  x.to_device(stream);
  x.release_host();
  if (!shared) {
    EXPECT_THROW((void)std::as_const(x).data(), DeviceError);
  }
  EXPECT_EQ(load(stream, &x.read(Side::device)[42]), 42);
  x.to_host(stream);
  EXPECT_EQ(std::as_const(x)[42], 42);
  x.release_host();
  std::iota(x.write(Side::host).begin(), x.write(Side::host).end(), 1.0);
  EXPECT_FALSE(x.fresh(Side::device));
  x.to_device(stream);
  EXPECT_EQ(load(stream, &x.read(Side::device)[42]), 43);
}

TEST_P(DeviceSideTest, copies_are_repeated_by_a_graph) {
  Stream stream = Stream::for_backend(GetParam());
  HostDeviceVector<double> x = counting(100, GetParam());
  x.to_device(stream);
  stream.wait();
  (void)x.read_write(Side::device);
  Graph graph = Graph::capture(stream, [&](Stream& s) {
    if (!x.fresh(Side::host)) x.to_host(s);
  });
  for (const double value : {1.0, 2.0}) {
    store(stream, const_cast<double*>(&x.read(Side::device)[3]), value);
    graph.launch(stream);
    stream.wait();
    if (GetParam() != Backend::mirror) {  // the captured function finds the host side fresh in the second launch
      EXPECT_EQ(std::as_const(x)[3], value);
    }
  }
}

TEST_P(DeviceSideTest, reading_a_stale_side_throws_and_names_the_array) {
  HostDeviceVector<double> x = counting(4, GetParam());
  try {
    (void)x.read(Side::device);
    ADD_FAILURE() << "no exception was thrown";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("\"x\": the device side is stale"), std::string::npos) << error.what();
    EXPECT_EQ(error.suggestion(), "call to_device() first");
  }
  EXPECT_THROW((void)x.read_write(Side::device), DeviceError);
  EXPECT_THROW(x.to_host({}), DeviceError);
  Stream stream = Stream::for_backend(GetParam());
  x.to_device({}).wait();
  store(stream, &x.read_write(Side::device)[0], 1);
  EXPECT_FALSE(x.fresh(Side::host));
  EXPECT_THROW((void)std::as_const(x).data(), DeviceError);
  EXPECT_THROW((void)x.data(), DeviceError);
  EXPECT_THROW((void)std::as_const(x)[3], DeviceError);
  EXPECT_THROW(x.to_device({}), DeviceError);
  EXPECT_THROW(x.resize(8), DeviceError);
  EXPECT_THROW(HostDeviceVector<double>{x}, DeviceError);
  HostDeviceVector<double> y;
  EXPECT_THROW(y = x, DeviceError);
  x.to_host({});
  EXPECT_EQ(std::as_const(x)[0], 1);
}

TEST_P(DeviceSideTest, writing_makes_the_other_side_stale_only_where_written) {
  HostDeviceVector<double> x = counting(10, GetParam());
  Stream stream = Stream::for_backend(GetParam());
  x.to_device({}).wait();
  store(stream, x.read_write(Side::device, 4, 3).data(), -4);
  EXPECT_EQ(std::as_const(x)[3], 3);
  EXPECT_THROW((void)std::as_const(x)[4], DeviceError);
  x.to_host({}, 4, 1);
  EXPECT_EQ(std::as_const(x)[4], -4);
  EXPECT_THROW((void)std::as_const(x)[5], DeviceError);
  x.write(Side::host, 5, 2)[0] = 50;  // overwrites stale elements
  EXPECT_TRUE(x.fresh(Side::host));
  EXPECT_FALSE(x.fresh(Side::device));
  EXPECT_TRUE(x.fresh(Side::device, 0, 5) && x.fresh(Side::device, 7, 3));
  x.to_device({}, 5, 2).wait();
  EXPECT_EQ(load(stream, &x.read(Side::device)[5]), 50);
}

TEST_P(DeviceSideTest, brings_only_elements_that_are_stale) {
  HostDeviceVector<double> x = counting(10, GetParam());
  Stream stream = Stream::for_backend(GetParam());
  x.to_device({}).wait();
  if (sides_share_memory(GetParam())) {
    store(stream, x.read_write(Side::device, 1, 1).data(), -1.0);
    x.bring(Side::host, {}, 0, 10).wait();
    EXPECT_TRUE(x.fresh(Side::host));
    EXPECT_EQ(std::as_const(x)[1], -1);
    return;
  }
  for (const std::size_t i : {1, 2, 6}) store(stream, x.read_write(Side::device, i, 1).data(), -1.0);
  x.write(Side::host, 4, 1)[0] = 40;
  EXPECT_THROW(x.to_host({}), DeviceError) << "element 4 is stale on the device";
  x.bring(Side::host, {}, 0, 10).wait();
  EXPECT_EQ(to_vector(std::as_const(x).span()), (std::vector<double>{0, -1, -1, 3, 40, 5, -1, 7, 8, 9}));
  x.bring(Side::device, {}, 2, 5).wait();
  EXPECT_TRUE(x.fresh(Side::device));
  EXPECT_EQ(load(stream, &x.read(Side::device)[4]), 40);
}

TEST_P(DeviceSideTest, resize_makes_the_device_side_stale) {
  HostDeviceVector<double> x = counting(4, GetParam());
  x.to_device({});
  x.resize(100);
  EXPECT_THROW((void)x.read(Side::device), DeviceError);
  Stream stream = Stream::for_backend(GetParam());
  x.to_device({}).wait();
  EXPECT_EQ(load(stream, &x.read(Side::device)[3]), 3);
}

TEST_P(DeviceSideTest, may_come_first) {
  struct Id {
    std::int32_t value = -1;
    float weight = 0.5F;
    std::int32_t more = 7;
  };
  constexpr std::size_t kSize = 1001;  // no power of two
  HostDeviceVector<Id> x(kSize, GetParam(), "ids", Side::device);
  EXPECT_EQ(x.size(), kSize);
  EXPECT_EQ(x.allocated(Side::host), sides_share_memory(GetParam()));
  EXPECT_TRUE(x.allocated(Side::device));
  EXPECT_TRUE(x.fresh(Side::device));
  EXPECT_FALSE(x.fresh(Side::host));
  EXPECT_THROW((void)x.data(), DeviceError);
  EXPECT_THROW(x.resize(10), DeviceError);
  x.to_host({}).wait();
  EXPECT_TRUE(x.allocated(Side::host));
  for (const Id& id : std::as_const(x).span()) {
    ASSERT_EQ(id.value, -1);
    ASSERT_EQ(id.weight, 0.5F);
    ASSERT_EQ(id.more, 7);
  }
  x.resize(kSize + 2);
  EXPECT_EQ(x[kSize + 1].more, 7);
  const HostDeviceVector<double> none(0, GetParam(), "none", Side::device);
  EXPECT_TRUE(none.allocated(Side::device) && none.fresh(Side::device));
}

TEST_P(DeviceSideTest, tracking_is_suspended_for_a_scheduler) {
  HostDeviceVector<double> x = counting(4, GetParam());
  x.suspend_tracking();
  EXPECT_TRUE(x.allocated(Side::device));
  EXPECT_FALSE(x.is_tracked());
  (void)x.read(Side::device);  // stale there, which the scheduler knows
  Stream stream = Stream::for_backend(GetParam());
  (void)x.copy_untracked(Side::device, stream, 1, 2);
  stream.wait();
  EXPECT_THROW(x.to_device(After()), ContractError);
  x.resume_tracking();
  EXPECT_FALSE(x.fresh(Side::device));
  x.set_fresh(1, 2, false, true);
  EXPECT_TRUE(x.fresh(Side::device, 1, 2));
  EXPECT_FALSE(x.fresh(Side::host, 1, 1));
  EXPECT_TRUE(x.fresh(Side::host, 3, 1));
  x.set_fresh(0, 4, true, true);
  EXPECT_TRUE(x.fresh(Side::host) && x.fresh(Side::device));
  x.set_fresh(1, 2, false, true);
  x.set_fresh(1, 2, false, true);  // as before
  EXPECT_TRUE(x.fresh(Side::device) && x.fresh(Side::host, 0, 1) && x.fresh(Side::host, 3, 1));
  EXPECT_FALSE(x.fresh(Side::host, 1, 1) || x.fresh(Side::host, 2, 1));
  x.to_host(After(), 1, 2).wait();
  EXPECT_EQ(std::as_const(x)[2], counting(4, Backend::host)[2]);
}

TEST_P(DeviceSideTest, out_of_range_access_violates_the_contract) {
  HostDeviceVector<double> x = counting(4, GetParam());
  EXPECT_BREACH((void)x[4]);
  EXPECT_BREACH(x.to_device({}, 3, 2));
  EXPECT_BREACH((void)x.read(Side::host, 5, 0));
}

}  // namespace
}  // namespace weft::host_device_vector_test
