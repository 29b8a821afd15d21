#include "weft/device/registered_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/device/host_device_vector.hpp"

#include "support/gpu.hpp"

namespace weft::registered_memory_test {
namespace {

/// Expects ContractError whose problem contains `text`.
template <class F>
void expect_refused(const F& f, const std::string& text) {
  try {
    f();
    FAIL() << "nothing was thrown; expected: " << text;
  } catch (const ContractError& error) {
    EXPECT_NE(error.problem().find(text), std::string::npos) << error.problem();
  }
}

TEST(RegisteredMemoryTest, RefusesNullEmptyAndOverlappingMemory) {
  std::vector<double> values(100, 1.0);
  expect_refused([] { RegisteredMemory(std::span<double>(static_cast<double*>(nullptr), 3)); }, "its address is null");
  expect_refused([&] { RegisteredMemory(std::span(values).first(0)); }, "its length is zero");
  const std::span all(values);
  {
    const RegisteredMemory middle(all.subspan(20, 10));
    EXPECT_EQ(middle.bytes().size(), 80U);
    for (const auto& [first, count] :
         std::vector<std::pair<std::size_t, std::size_t>>{{20, 10}, {0, 100}, {0, 21}, {29, 5}, {24, 2}}) {
      const std::span overlapping = all.subspan(first, count);
      expect_refused([&] { const RegisteredMemory again(overlapping); }, "overlap memory that is registered");
    }
  }
  const RegisteredMemory whole(all);  // the earlier registration has ended
  EXPECT_FALSE(whole.wrapped());
}

TEST(RegisteredMemoryTest, NeighbouringRangesDoNotOverlap) {
  // Whole pages: CUDA locks pages, and refuses to lock a page twice.
  constexpr std::size_t kPage = 4096;
  std::vector<std::byte> pages(4 * kPage);
  void* first = pages.data();
  std::size_t left = pages.size();
  ASSERT_NE(std::align(kPage, 2 * kPage, first, left), nullptr);
  const std::span<std::byte> both(static_cast<std::byte*>(first), 2 * kPage);
  const RegisteredMemory behind(both.last(kPage)), before(both.first(kPage));
  EXPECT_EQ(before.bytes().data() + kPage, behind.bytes().data());
}

TEST(RegisteredMemoryTest, RefusesMemoryThatDoesNotFitTheElements) {
  alignas(64) std::array<std::byte, 128> bytes{};
  const RegisteredMemory odd{std::span(bytes).subspan(1, 16)};
  expect_refused([&] { HostDeviceVector<double>(odd, Backend::mirror); }, "multiple of 8 bytes");
  const RegisteredMemory few{std::span(bytes).subspan(64, 12)};
  expect_refused([&] { HostDeviceVector<double>(few, Backend::mirror); }, "not whole elements");
  const RegisteredMemory whole{std::span(bytes).subspan(96, 16)};
  expect_refused([&] { HostDeviceVector<double>(whole, Backend::cuda_managed); }, "cannot be managed memory");
  EXPECT_FALSE(whole.wrapped()) << "a refused vector wraps nothing";
  EXPECT_EQ(HostDeviceVector<double>(whole, Backend::mirror).size(), 2U);
}

TEST(RegisteredMemoryTest, OneVectorAtATimeWrapsIt) {
  std::vector<double> values{1, 2, 3};
  RegisteredMemory memory{std::span(values)};
  {
    const HostDeviceVector<double> x(memory, Backend::mirror);
    EXPECT_TRUE(memory.wrapped());
    expect_refused([&] { HostDeviceVector<double>(memory, Backend::host); }, "two arrays of the same registered memory");
    expect_refused([&] { memory.release(); }, "cannot be released");
  }
  EXPECT_FALSE(memory.wrapped());
  RegisteredMemory moved = std::move(memory);
  EXPECT_EQ(moved.bytes().size(), 24U);
  moved.release();
  EXPECT_TRUE(moved.bytes().empty());
  expect_refused([&] { HostDeviceVector<double>(moved, Backend::host); }, "not registered");
  const RegisteredMemory again{std::span(values)};
}

class WrappedVectorTest : public test::BackendTest {};

TEST_P(WrappedVectorTest, SharesTheMemoryAndTracksFreshness) {
  std::vector<double> values{1, 2, 3, 4};
  const RegisteredMemory memory{std::span(values)};
  HostDeviceVector<double> x(memory, GetParam(), "loads");
  EXPECT_TRUE(x.borrowed());
  EXPECT_EQ(x.data(), values.data());
  EXPECT_EQ(x[2], 3);
  x[2] = 30;
  EXPECT_EQ(values[2], 30);
  EXPECT_EQ(x.fresh(Side::device), GetParam() == Backend::host);
  x.to_device(After()).wait();
  EXPECT_TRUE(x.fresh(Side::device));
  if (GetParam() == Backend::mirror) {
    x.read_write(Side::device)[1] = 20;
    EXPECT_EQ(values[1], 2) << "the device has memory of its own";
    EXPECT_THROW((void)x[1], DeviceError);
    x.release_host();  // no operation: the memory belongs to others
    EXPECT_FALSE(x.fresh(Side::host));
    x.to_host(After()).wait();
    EXPECT_EQ(values[1], 20);
  }
  if (GetParam() == Backend::cuda) {
    values[3] = 0;  // not through the vector
    x.to_host(After()).wait();
    EXPECT_EQ(values[3], 4) << "the copy of the device was not written to the memory";
  }
  if (GetParam() == Backend::cuda_mapped) {
    EXPECT_EQ(x.read(Side::device).data(), values.data()) << "a kernel accesses the memory itself";
  }
  HostDeviceVector<double> copy = x;
  EXPECT_FALSE(copy.borrowed());
  copy.resize(10);
  EXPECT_NE(copy.data(), values.data());
  HostDeviceVector<double> moved = std::move(x);
  EXPECT_EQ(moved.data(), values.data());
  moved.resize(4);
  expect_refused([&] { moved.resize(5); }, "cannot be resized");
  expect_refused([&] { moved.resize(3); }, "cannot be resized");
}

TEST_P(WrappedVectorTest, RefusesAccessAfterTheRegistrationHasEnded) {
  std::vector<double> values(1000, 5.0);
  auto memory = std::make_optional<RegisteredMemory>(std::span(values));
  {
    HostDeviceVector<double> x(*memory, GetParam(), "loads");
    x.to_device(After()).wait();
    memory.reset();
    expect_refused([&] { (void)std::as_const(x)[0]; }, "\"loads\": the host memory of the array was released");
    expect_refused([&] { (void)x.write(Side::host); }, "was released");
    if (GetParam() != Backend::host) {
      expect_refused([&] { x.to_device(After()); }, "was released");
      expect_refused([&] { x.to_host(After()); }, "was released");
    }
    // The pages stay locked until the vector is gone.
    expect_refused([&] { RegisteredMemory{std::span(values)}; }, "overlap");
  }
  const RegisteredMemory again{std::span(values)};
  EXPECT_EQ(HostDeviceVector<double>(again, GetParam())[999], 5.0);
}

INSTANTIATE_TEST_SUITE_P(Backends, WrappedVectorTest,
                         ::testing::Values(Backend::host, Backend::mirror, Backend::cuda, Backend::cuda_mapped),
                         test::backend_name);

}  // namespace
}  // namespace weft::registered_memory_test
