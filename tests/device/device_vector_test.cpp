// DeviceVector: memory of a device in stream order or of its own, and copies from and to the host.
#include "weft/device/device_vector.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <new>
#include <numeric>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/device/device.hpp"
#include "weft/device/graph.hpp"
#include "weft/device/ipc.hpp"

#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::device_vector_test {
namespace {

std::vector<double> counting(std::size_t size) {
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

class DeviceVectorTest : public test::BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, DeviceVectorTest, ::testing::Values(Backend::host, Backend::mirror, Backend::cuda),
                         test::backend_name);

TEST_P(DeviceVectorTest, copies_in_stream_order) {
  Stream stream = Stream::for_backend(GetParam());
  const std::vector<double> in = counting(1000);
  DeviceVector<double> x(stream, in);
  x.copy_from_host(10, std::span(in).first(2), stream);
  std::vector<double> out(1000, -1);
  x.copy_to_host(5, std::span(out).first(10), stream).wait();
  EXPECT_EQ(std::vector<double>(out.begin(), out.begin() + 11), (std::vector<double>{6, 7, 8, 9, 10, 1, 2, 13, 14, 15, -1}));
  EXPECT_EQ(x.size(), 1000U);
  EXPECT_EQ(x.bytes(), 8000U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.data()) % DeviceStorage::kAlignment, 0U);
  EXPECT_EQ(x.span().data(), x.data());
}

TEST_P(DeviceVectorTest, copies_after_an_event) {
  const std::vector<double> in = counting(100);
  DeviceVector<double> x(GetParam(), in);
  std::vector<double> out(3);
  x.get(7, out, After());
  EXPECT_EQ(out, (std::vector<double>{8, 9, 10}));
  const Event copied = x.copy_from_host(98, std::span(in).first(2), After());
  x.get(97, out, after(copied));
  EXPECT_EQ(out, (std::vector<double>{98, 1, 2}));
}

TEST_P(DeviceVectorTest, moves_leave_an_empty_vector) {
  Stream stream = Stream::for_backend(GetParam());
  DeviceVector<double> x(stream, counting(3));
  double* const address = x.data();
  DeviceVector<double> y = std::move(x);
  EXPECT_EQ(y.data(), address);
  EXPECT_TRUE(x.empty());        // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(x.data(), nullptr);  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  x = DeviceVector<double>(stream, counting(5));
  x = std::move(y);
  std::vector<double> out(3);
  x.copy_to_host(0, out, stream).wait();
  EXPECT_EQ(out, counting(3));
}

TEST_P(DeviceVectorTest, without_elements_has_no_memory) {
  Stream stream = Stream::for_backend(GetParam());
  EXPECT_EQ(DeviceVector<double>(stream, 0).data(), nullptr);
  EXPECT_EQ(DeviceVector<double>(GetParam(), 0).data(), nullptr);
  DeviceVector<double> none;
  none.put({});
  none.get(0, {}, After());
  EXPECT_TRUE(none.empty());
}

TEST_P(DeviceVectorTest, rejects_ranges_beyond_the_end) {
  DeviceVector<double> x(GetParam(), 4);
  std::vector<double> values(3);
  EXPECT_BREACH(x.copy_from_host(2, values, After()));
  EXPECT_BREACH(x.copy_to_host(5, values, After()));
  EXPECT_THROW(DeviceVector<double>(GetParam(), std::numeric_limits<std::size_t>::max()), std::bad_alloc);
}

TEST(DeviceVector, needs_a_gpu_for_its_memory) {
  WEFT_NEEDS_NO_GPU();
  EXPECT_THROW(DeviceVector<double>(Backend::cuda, 3), DeviceError);
}

TEST(DeviceVector, cuda_memory_of_its_own_can_be_mapped_and_that_of_a_pool_cannot) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const DeviceVector<double> own(Backend::cuda, 1 << 20), pooled(stream, 1 << 20);
  EXPECT_NO_THROW((void)ipc_handle(own.data()));
  EXPECT_THROW((void)ipc_handle(pooled.data()), DeviceError);
  stream.wait();
}

TEST(DeviceVector, cuda_allocation_in_stream_order_can_be_captured) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const PinnedBuffer<double> in(100);
  PinnedBuffer<double> out(100);
  Graph graph = Graph::capture(stream, [&](Stream& s) {
    DeviceVector<double> x(s, 100);
    set_bytes(s, x.data(), 0, x.bytes());
    x.copy_to_host(0, out.span(), s);
  });
  out.data()[99] = 5;
  graph.launch(stream);
  stream.wait();
  EXPECT_EQ(out.data()[99], 0);
}

}  // namespace
}  // namespace weft::device_vector_test
