#include "weft/device/device.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/device/buffers.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/graph.hpp"
#include "weft/device/info.hpp"
#include "weft/device/interval_set.hpp"
#include "weft/device/parallel_for.hpp"
#include "weft/device/storage.hpp"
#include "weft/device/stream.hpp"

#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::device_test {
namespace {

TEST(Stream, host_stream_completes_work_before_calls_return) {
  Stream& stream = host_stream();
  EXPECT_EQ(&stream, &host_stream());
  const Event event = stream.record();
  EXPECT_TRUE(event.done());
  stream.wait_for(after(event));
  after(stream).wait();
  stream.wait();
  EXPECT_TRUE(After().event().done());
}

class DeviceStorageTest : public test::BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, DeviceStorageTest, test::every_backend(), test::backend_name);

TEST_P(DeviceStorageTest, copies_in_both_directions) {
  const auto storage = DeviceStorage::make(GetParam(), 8);
  EXPECT_EQ(storage->backend(), GetParam());
  EXPECT_EQ(storage->bytes(), 8U);
  const std::vector<std::byte> in{std::byte{1}, std::byte{2}, std::byte{3}};
  std::vector<std::byte> out(2);
  const Event copied = storage->copy_from_host(5, in, After());
  storage->copy_to_host(6, out, after(copied)).wait();
  EXPECT_EQ(out, (std::vector<std::byte>{std::byte{2}, std::byte{3}}));
  Stream stream = Stream::for_backend(GetParam());
  storage->copy_from_host(4, in, stream);
  storage->copy_to_host(6, out, stream).wait();
  EXPECT_EQ(out, (std::vector<std::byte>{std::byte{3}, std::byte{3}}));
  EXPECT_BREACH(storage->copy_from_host(6, in, After()));
  EXPECT_BREACH(storage->copy_to_host(9, out, After()));
  EXPECT_EQ(DeviceStorage::make(GetParam(), 0)->data(), nullptr);
}

class StreamTest : public test::BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, StreamTest, ::testing::Values(Backend::host, Backend::cuda), test::backend_name);

TEST_P(StreamTest, orders_work_of_two_streams) {
  constexpr std::size_t kBytes = 1 << 22;
  Stream first = Stream::for_backend(GetParam(), Priority::high), second = Stream::for_backend(GetParam());
  EXPECT_EQ(first.is_host(), GetParam() == Backend::host);
  PinnedBuffer<unsigned char> result(kBytes);
  DeviceVector<unsigned char> buffer(first, kBytes);
  for (int round = 1; round <= 10; ++round) {
    set_bytes(first, buffer.data(), static_cast<unsigned char>(round), kBytes);
    second.wait_for(after(first));
    copy_bytes(second, result.data(), buffer.data(), kBytes);
    first.wait_for(after(second));
    second.record().wait();
    ASSERT_EQ(result.data()[0], round);
    ASSERT_EQ(result.data()[kBytes - 1], round);
  }
  first.wait();
  EXPECT_TRUE(first.record().done() || !first.is_host());
  Stream moved = std::move(first);
  EXPECT_EQ(moved.is_host(), GetParam() == Backend::host);
  moved.wait();
  first = std::move(moved);
  EXPECT_FALSE(first.capturing());
}

TEST_P(StreamTest, launches_a_graph_repeatedly) {
  Stream stream = Stream::for_backend(GetParam()), side = Stream::for_backend(GetParam());
  PinnedBuffer<unsigned char> result(4);
  const auto storage = DeviceStorage::make(GetParam(), 4);
  unsigned char value = 1;
  set_bytes(stream, storage->data(), value, 4);
  Graph graph = Graph::capture(stream, [&](Stream& s) {
    side.wait_for(after(s));  // forks and joins
    copy_bytes(side, result.data(), storage->data(), 4);
    s.wait_for(after(side));
  });
  EXPECT_FALSE(stream.capturing());
  stream.wait();
  for (value = 5; value < 8; ++value) {
    set_bytes(stream, storage->data(), value, 4);
    graph.launch(stream);
    stream.wait();
    EXPECT_EQ(result.data()[3], value);
  }
  Graph moved = std::move(graph);
  moved.launch(stream);
  Graph().launch(stream);
  stream.wait();
  struct Failure {};
  EXPECT_THROW((void)Graph::capture(stream, [](Stream&) { throw Failure(); }).launch(stream), Failure);
  EXPECT_FALSE(stream.capturing());
  set_bytes(stream, storage->data(), 1, 4);
  stream.wait();
}

TEST(Stream, of_others_orders_work_and_is_not_destroyed_on_cuda) {
  WEFT_NEEDS_GPU();
  constexpr std::size_t kBytes = 64 * 1024 * 1024;
  const auto storage = DeviceStorage::make(Backend::cuda, kBytes);
  Stream owner;
  for (void* const handle : {owner.handle(), static_cast<void*>(nullptr)}) {  // null: the default stream
    Stream side;
    unsigned char last = 0;
    for (unsigned char value = 1; value < 20; ++value) {
      {
        Stream stream = Stream::of_others(handle);
        EXPECT_FALSE(stream.is_host());
        EXPECT_EQ(stream.device(), current_device());
        set_bytes(stream, storage->data(), value, kBytes);
        side.wait_for(after(stream));
        stream = Stream::of_others(handle);  // assignment destroys neither
      }
      copy_bytes(side, &last, storage->data() + kBytes - 1, 1);
      side.wait();
      EXPECT_EQ(last, value);
    }
  }
  owner.record().wait();
}

TEST(Stream, of_others_needs_a_gpu) {
  if (device_count() > 0) GTEST_SKIP() << "there is one";
  EXPECT_THROW((void)Stream::of_others(nullptr), DeviceError);
}

TEST(Stream, measures_time_on_cuda) {
  WEFT_NEEDS_GPU();
  Stream stream;
  DeviceVector<char> buffer(stream, 1 << 26);
  const Event begin = stream.record_timed();
  set_bytes(stream, buffer.data(), 1, buffer.size());
  const Event end = stream.record_timed();
  EXPECT_GT(end.seconds_since(begin), 0);
  EXPECT_LT(end.seconds_since(begin), 1);
  EXPECT_BREACH((void)stream.record().seconds_since(begin));
}

TEST(Device, reports_why_no_gpu_can_be_used) {
  if (device_count() > 0) {
    EXPECT_TRUE(cuda_unavailable_reason().empty());
    EXPECT_BREACH((void)no_gpu());
    EXPECT_EQ(device_of(device_count()), 0);
    set_device(device_of(0));
    EXPECT_EQ(current_device(), 0);
    EXPECT_EQ(current_gpu().bus, cuda_info().devices.front().pci_bus);
    EXPECT_EQ(current_gpu(), current_gpu());
    wait_for_device();
  } else {
    EXPECT_FALSE(cuda_unavailable_reason().empty());
    EXPECT_NE(no_gpu().problem().find(cuda_unavailable_reason()), std::string::npos);
    EXPECT_NE(no_gpu().suggestion().find(cuda_info().remedy), std::string::npos);
    if (cuda_unavailable_reason() == "this build has no CUDA") {
      EXPECT_NE(no_gpu().suggestion().find("nvcc"), std::string::npos);
    }
    for (const Backend backend : {Backend::cuda, Backend::cuda_managed, Backend::cuda_mapped}) {
      try {
        (void)DeviceStorage::make(backend, 8);
        ADD_FAILURE() << "no exception was thrown";
      } catch (const DeviceError& error) {
        EXPECT_NE(std::string(error.what()).find(cuda_unavailable_reason()), std::string::npos) << error.what();
      }
      EXPECT_THROW((void)Stream::for_backend(backend), DeviceError);
    }
    EXPECT_THROW(Stream(), DeviceError);
    EXPECT_THROW((void)device_of(0), DeviceError);
    EXPECT_THROW((void)current_device(), DeviceError);
    EXPECT_THROW((void)current_gpu(), DeviceError);
    EXPECT_THROW(wait_for_device(), DeviceError);
    EXPECT_THROW((void)measure_bandwidth(0), DeviceError);
  }
  EXPECT_THROW(set_device(device_count()), DeviceError);
  EXPECT_THROW(set_device(-1), DeviceError);
  EXPECT_BREACH((void)device_of(-1));
}

TEST(Device, reads_the_local_rank_that_the_launcher_states) {
  const char* const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};
  std::vector<std::optional<std::string>> before;
  for (const char* const name : names) {
    const char* const text = std::getenv(name);
    before.push_back(text != nullptr ? std::optional<std::string>(text) : std::nullopt);
    unsetenv(name);
  }
  EXPECT_EQ(launched_local_rank(), std::nullopt);
  setenv("SLURM_LOCALID", "3", 1);
  EXPECT_EQ(launched_local_rank(), 3);
  for (const char* const wrong : {"", "x", "-1", "1 ", "99999999999"}) {
    setenv("OMPI_COMM_WORLD_LOCAL_RANK", wrong, 1);
    EXPECT_EQ(launched_local_rank(), 3) << wrong;
  }
  setenv("OMPI_COMM_WORLD_LOCAL_RANK", "12", 1);
  EXPECT_EQ(launched_local_rank(), 12);
  unsetenv("SLURM_LOCALID");
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i]) {
      setenv(names[i], before[i]->c_str(), 1);
    } else {
      unsetenv(names[i]);
    }
  }
}

TEST(PinnedBuffer, allocates_memory_with_and_without_cuda) {
  PinnedBuffer<double> buffer(1000);
  std::fill(buffer.span().begin(), buffer.span().end(), 2.0);
  PinnedBuffer<double> moved = std::move(buffer);
  EXPECT_EQ(moved.span()[999], 2.0);
  EXPECT_EQ(moved.size(), 1000U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(moved.data()) % DeviceStorage::kAlignment, 0U);
  EXPECT_EQ(PinnedBuffer<double>().data(), nullptr);
  EXPECT_THROW((void)PinnedBuffer<double>(std::numeric_limits<std::size_t>::max()), std::bad_alloc);
}

TEST(IntervalSet, agrees_with_a_set_of_integers) {
  std::mt19937 random(1);
  detail::IntervalSet intervals;
  std::set<std::size_t> expected;
  for (int step = 0; step < 2000; ++step) {
    const std::size_t first = random() % 40, last = first + random() % 8;
    if (random() % 2 == 0) {
      intervals.add(first, last);
      for (std::size_t i = first; i < last; ++i) expected.insert(i);
    } else {
      intervals.remove(first, last);
      for (std::size_t i = first; i < last; ++i) expected.erase(i);
    }
    for (std::size_t i = 0; i < 48; ++i) ASSERT_EQ(intervals.intersects(i, i + 1), expected.contains(i)) << step;
    ASSERT_FALSE(intervals.intersects(3, 3));
    const std::size_t begin = random() % 48, end = begin + random() % 48;
    std::set<std::size_t> within, all;
    for (const auto& part : intervals.within(begin, end)) {
      for (std::size_t i = part.first; i < part.last; ++i) ASSERT_TRUE(within.insert(i).second) << step;
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (expected.contains(i)) all.insert(i);
    }
    ASSERT_EQ(within, all) << step;
    ASSERT_EQ(intervals.contains(begin, end), all.size() == end - begin) << step;
    ASSERT_EQ(intervals.intersects(begin, end), !all.empty()) << step;
  }
}

TEST(ParallelFor, visits_every_index_once) {
  std::vector<int> visits(100);
  parallel_for(space::host{}, 100, [&](int i) { ++visits[static_cast<std::size_t>(i)]; });
  parallel_for(space::mirror{}, std::int64_t{100}, [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
  EXPECT_EQ(visits, std::vector<int>(100, 2));
  parallel_for(space::host{}, 0, [](int) { FAIL(); });
  parallel_for(space::mirror{}, host_stream(), 100, [&](int i) { ++visits[static_cast<std::size_t>(i)]; });
  EXPECT_EQ(visits, std::vector<int>(100, 3));
}

TEST(Reduce, has_a_fixed_order_and_a_small_error) {
  const auto sum = [](int n, double value) {
    return reduce(
        space::host{}, n, 0.0, [&](int) { return value; }, [](double a, double b) { return a + b; });
  };
  EXPECT_EQ(sum(0, 1.0), 0.0);
  int product = 0;
  reduce_into(
      space::mirror{}, host_stream(), 5, 1, [](int i) { return i + 1; }, [](int a, int b) { return a * b; }, &product);
  EXPECT_EQ(product, 120);
  EXPECT_EQ(reduce(
                space::host{}, host_stream(), 0, 1, [](int) { return 7; }, [](int a, int b) { return a * b; }),
            1);
  for (const int n : {1, 31, 32, 33, 1023, 1024, 1025, 2047, 2048, 2049, 100000}) EXPECT_EQ(sum(n, 1.0), n);
  EXPECT_NEAR(sum(1'000'000, 0.1), 1e5, 1e-9);  // sequential summation has an error of 1.3e-6
  // The order between blocks: blocks of 1024 from the left, ranges split into halves at block boundaries.
  const auto pairs = [](const std::string& a, const std::string& b) {
    return !b.empty() && !a.empty() ? "(" + a + " " + b + ")" : a + b;
  };
  const auto blocks = [&](int n) {
    return reduce(
        space::host{}, n, std::string(), [](int i) { return std::string(i % 1024 == 0 ? "b" : ""); }, pairs);
  };
  EXPECT_EQ(blocks(3 * 1024 + 1), "((b b) (b b))");
  EXPECT_EQ(blocks(3 * 1024), "(b (b b))");
  EXPECT_EQ(sum((1 << 24) + 5, 1.0), (1 << 24) + 5);
  // The order within a block: every 32nd value from the left, then lanes at the distances 16, 8, 4, 2 and 1.
  const auto within = [&](const std::set<int>& seen) {
    return reduce(
        space::host{}, 1000, std::string(), [&](int i) { return seen.contains(i) ? std::to_string(i) : std::string(); }, pairs);
  };
  EXPECT_EQ(within({3, 35, 67, 4, 36, 20}), "(((4 36) 20) ((3 35) 67))");
  EXPECT_EQ(within({0, 1, 2, 16, 17, 24, 32, 992}), "((((((0 32) 992) 16) 24) 2) (1 17))");
}

TEST(CudaInfo, describes_every_gpu) {
  const CudaInfo info = cuda_info();
  EXPECT_EQ(info.missing, cuda_unavailable_reason());
  EXPECT_EQ(info.remedy.empty(), info.missing.empty());
  EXPECT_EQ(static_cast<int>(info.devices.size()), device_count());
  for (const DeviceInfo& device : info.devices) {
    EXPECT_FALSE(device.name.empty());
    EXPECT_GT(device.memory_free_bytes, 0);
    EXPECT_GE(device.memory_total_bytes, device.memory_free_bytes);
    EXPECT_GE(device.compute_major, 7);
    EXPECT_EQ(static_cast<int>(device.peers.size()), device_count() - 1);
  }
  EXPECT_EQ(info.runtime.empty(), info.missing == "this build has no CUDA");
}

TEST(HostInfo, describes_the_host) {
  const HostInfo info = host_info();
  EXPECT_FALSE(info.cpu.empty());
  EXPECT_GE(info.threads, 1);
  EXPECT_GT(info.memory_bytes, 0);
  EXPECT_FALSE(info.compiler.empty());
}

}  // namespace
}  // namespace weft::device_test
