#include "weft/device/host_device_vector.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/id.hpp"

#include "support/contracts.hpp"

namespace weft {
namespace {

HostDeviceVector<double> counting(std::size_t size, Backend backend) {
  HostDeviceVector<double> x(size, backend, "x");
  std::iota(x.data(), x.data() + size, 0.0);
  return x;
}

std::vector<double> to_vector(std::span<const double> values) { return {values.begin(), values.end()}; }

class HostDeviceVectorTest : public ::testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(Backends, HostDeviceVectorTest, ::testing::Values(Backend::host, Backend::mirror),
                         [](const auto& test) { return to_string(test.param); });

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

TEST_P(HostDeviceVectorTest, goes_to_the_device_and_back) {
  HostDeviceVector<double> x = counting(5, GetParam());
  EXPECT_TRUE(x.to_device(after(host_stream())).done());
  for (double& value : x.read_write(Side::device)) value *= 2;
  x.to_host(after(host_stream())).wait();
  EXPECT_EQ(to_vector(std::as_const(x).span()), (std::vector<double>{0, 2, 4, 6, 8}));
  EXPECT_TRUE(x.fresh(Side::host) && x.fresh(Side::device));
}

TEST_P(HostDeviceVectorTest, copies_are_deep_and_moves_keep_addresses) {
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

TEST(HostDeviceVector, mirror_has_two) {
  HostDeviceVector<double> x = counting(3, Backend::mirror);
  x.to_device({});
  EXPECT_NE(x.read(Side::host).data(), x.read(Side::device).data());
}

TEST(HostDeviceVector, reading_a_stale_side_throws_and_names_the_array) {
  HostDeviceVector<double> x = counting(4, Backend::mirror);
  try {
    (void)x.read(Side::device);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("\"x\": the device side is stale"), std::string::npos) << error.what();
    EXPECT_EQ(error.suggestion(), "call to_device() first");
  }
  EXPECT_THROW((void)x.read_write(Side::device), DeviceError);
  EXPECT_THROW(x.to_host({}), DeviceError);
  x.to_device({});
  x.read_write(Side::device)[0] = 1;
  EXPECT_FALSE(x.fresh(Side::host));
  EXPECT_THROW((void)std::as_const(x).data(), DeviceError);
  EXPECT_THROW((void)x.data(), DeviceError);
  EXPECT_THROW((void)std::as_const(x)[3], DeviceError);
  EXPECT_THROW(x.to_device({}), DeviceError);
  EXPECT_THROW(x.resize(8), DeviceError);
  EXPECT_THROW(HostDeviceVector<double>{x}, DeviceError);
  x.to_host({});
  EXPECT_EQ(std::as_const(x)[0], 1);
}

TEST(HostDeviceVector, writing_makes_the_other_side_stale_only_where_written) {
  HostDeviceVector<double> x = counting(10, Backend::mirror);
  x.to_device({});
  x.read_write(Side::device, 4, 3)[0] = -4;
  EXPECT_EQ(std::as_const(x)[3], 3);
  EXPECT_THROW((void)std::as_const(x)[4], DeviceError);
  x.to_host({}, 4, 1);
  EXPECT_EQ(std::as_const(x)[4], -4);
  EXPECT_THROW((void)std::as_const(x)[5], DeviceError);
  x.write(Side::host, 5, 2)[0] = 50;  // overwrites what was stale
  EXPECT_TRUE(x.fresh(Side::host));
  EXPECT_FALSE(x.fresh(Side::device));
  EXPECT_TRUE(x.fresh(Side::device, 0, 5) && x.fresh(Side::device, 7, 3));
  x.to_device({}, 5, 2);
  EXPECT_EQ(x.read(Side::device)[5], 50);
}

TEST(HostDeviceVector, resize_makes_the_device_side_stale) {
  HostDeviceVector<double> x = counting(4, Backend::mirror);
  x.to_device({});
  x.resize(100);
  EXPECT_THROW((void)x.read(Side::device), DeviceError);
  x.to_device({});
  EXPECT_EQ(x.read(Side::device)[3], 3);
}

TEST(HostDeviceVector, ranges_outside_break_the_contract) {
  HostDeviceVector<double> x = counting(4, Backend::mirror);
  EXPECT_BREACH((void)x[4]);
  EXPECT_BREACH(x.to_device({}, 3, 2));
  EXPECT_BREACH((void)x.read(Side::host, 5, 0));
}

}  // namespace
}  // namespace weft
