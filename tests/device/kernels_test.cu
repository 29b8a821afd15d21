// Tests that need a CUDA compiler: kernels and failing CUDA calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/device/graph.hpp"
#include "weft/device/host_device_vector.hpp"
#include "weft/device/parallel_for.cuh"

#include "device/older_gpu.hpp"
#include "support/contracts.hpp"
#include "support/gpu.hpp"

namespace weft::kernels_test {
namespace {

struct Sum {
  WEFT_HD double operator()(double a, double b) const { return a + b; }
};
/// Values whose sum depends on the order of addition in the last digits.
struct Uneven {
  WEFT_HD double operator()(std::int64_t i) const { return 1.0 / static_cast<double>(i * i % 1009 + 3) - 1e-3; }
};

struct Five {
  double v[5];
};
struct AddFives {
  WEFT_HD Five operator()(const Five& a, const Five& b) const {
    Five sum{};
    for (int k = 0; k < 5; ++k) sum.v[k] = a.v[k] + b.v[k];
    return sum;
  }
};
struct MakeFive {
  WEFT_HD Five operator()(std::int64_t i) const {
    Five five{};
    for (int k = 0; k < 5; ++k) five.v[k] = Uneven{}(i + k);
    return five;
  }
};
struct SmallestAt {
  double value;
  std::int64_t at;
};
struct Smaller {
  WEFT_HD SmallestAt operator()(const SmallestAt& a, const SmallestAt& b) const {
    return b.value < a.value || (b.value == a.value && b.at < a.at) ? b : a;
  }
};

// Functors instead of lambdas: nvcc rejects device lambdas in private member functions, and the body of a test is one.
struct AddIndex {
  int* at;
  WEFT_HD void operator()(int i) const { at[i] += i + 1; }
};
struct Double {
  int* at;
  WEFT_HD void operator()(std::int64_t i) const { at[i] *= 2; }
};
struct Increment {
  double* at;
  WEFT_HD void operator()(int i) const { at[i] += 1; }
};
struct Load {
  const double* at;
  WEFT_HD double operator()(int i) const { return at[i]; }
};
struct UnevenAt {
  WEFT_HD SmallestAt operator()(int i) const { return {Uneven{}(i), i}; }
};
/// A type whose size is no multiple of a word.
struct Bytes {
  std::int8_t sum[13];
};
struct MakeBytes {
  WEFT_HD Bytes operator()(int i) const {
    Bytes b{};
    for (int k = 0; k < 13; ++k) b.sum[k] = static_cast<std::int8_t>((i + k) % 7);
    return b;
  }
};
struct AddBytes {
  WEFT_HD Bytes operator()(Bytes a, const Bytes& b) const {
    for (int k = 0; k < 13; ++k) a.sum[k] = static_cast<std::int8_t>(a.sum[k] ^ b.sum[k]);
    return a;
  }
};
struct Largest {
  double v[12];
};
struct MakeLargest {
  WEFT_HD Largest operator()(int i) const {
    Largest x{};
    for (int k = 0; k < 12; ++k) x.v[k] = 1.0 / (1 + i + k);
    return x;
  }
};
struct AddLargest {
  WEFT_HD Largest operator()(Largest a, const Largest& b) const {
    for (int k = 0; k < 12; ++k) a.v[k] += b.v[k];
    return a;
  }
};
struct ReverseAndIncrement {
  const int* from;
  int* to;
  int count;
  WEFT_HD void operator()(int i) const { to[i] = from[count - 1 - i] + 1; }
};
struct AddReversed {
  const int* from;
  int* to;
  int count;
  WEFT_HD void operator()(int i) const { to[i] += from[count - 1 - i]; }
};
struct Nothing {
  WEFT_HD void operator()(int) const {}
};

double sum_of_squares(Stream& stream, int n, double scale) {
  return reduce(
      space::cuda{}, stream, n, 0.0, [scale] WEFT_HD(int i) { return scale * i * i; },
      [] WEFT_HD(double a, double b) { return a + b; });
}

class CudaLoopTest : public test::BackendTest {};
INSTANTIATE_TEST_SUITE_P(Backends, CudaLoopTest, ::testing::Values(Backend::cuda, Backend::cuda_managed, Backend::cuda_mapped),
                         test::backend_name);

TEST_P(CudaLoopTest, writes_every_element_once) {
  Stream stream;
  for (const int n : {0, 1, 255, 256, 257, 70'000}) {
    HostDeviceVector<int> x(static_cast<std::size_t>(n), GetParam(), "x");
    x.to_device(stream);
    const auto side = x.read_write(Side::device);
    parallel_for(space::cuda{}, stream, n, AddIndex{side.data()});
    parallel_for(space::cuda{}, stream, static_cast<std::int64_t>(n), Double{side.data()});
    if (n > 0) {
      EXPECT_THROW((void)std::as_const(x).data(), DeviceError);
    }
    x.to_host(stream);
    for (int i = 0; i < n; ++i) ASSERT_EQ(std::as_const(x)[static_cast<std::size_t>(i)], 2 * (i + 1));
  }
}

/// A kernel parameter of 20 kB.
struct Table {
  double* to;
  double entry[2500];
  WEFT_HD void operator()(int i) const { to[i] = entry[i]; }
};

TEST(CudaLoops, accept_functions_of_twenty_kilobytes) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const DeviceVector<double> buffer(stream, 2500);
  Table table{.to = buffer.data(), .entry = {}};
  for (int i = 0; i < 2500; ++i) table.entry[i] = 1.0 / (1 + i);
  parallel_for(space::cuda{}, stream, 2500, table);
  std::vector<double> result(2500);
  copy_bytes(stream, result.data(), buffer.data(), 2500 * sizeof(double));
  stream.wait();
  EXPECT_TRUE(std::equal(result.begin(), result.end(), table.entry));
}

TEST(CudaReduce, matches_the_digits_of_the_host) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const std::int64_t n :
       {0,    1,    2,       31,      32,      33,        1023,      1024,       1025,       2047,      2049,
        3100, 5000, 100'001, 524'288, 524'289, 1'200'000, 4'000'003, 16'777'215, 16'777'216, 16'900'001}) {
    const double expected = reduce(space::host{}, n, 0.0, Uneven{}, Sum{});
    EXPECT_EQ(reduce(space::cuda{}, stream, n, 0.0, Uneven{}, Sum{}), expected) << n;
  }
}

TEST(CudaReduce, matches_the_digits_of_the_host_for_every_number_of_blocks) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (int blocks = 1; blocks < 140; ++blocks) {
    const int n = 1024 * blocks - 17;
    ASSERT_EQ(reduce(space::cuda{}, stream, n, 0.0, Uneven{}, Sum{}), reduce(space::host{}, n, 0.0, Uneven{}, Sum{})) << n;
  }
}

TEST(CudaReduce, combines_structures) {
  WEFT_NEEDS_GPU();
  Stream stream;
  for (const int n : {1, 1000, 40'000}) {
    const Five expected = reduce(space::host{}, n, Five{}, MakeFive{}, AddFives{});
    const Five found = reduce(space::cuda{}, stream, n, Five{}, MakeFive{}, AddFives{});
    for (int k = 0; k < 5; ++k) EXPECT_EQ(found.v[k], expected.v[k]) << n;
    const Bytes bytes = reduce(space::host{}, n, Bytes{}, MakeBytes{}, AddBytes{});
    const Bytes bytes_found = reduce(space::cuda{}, stream, n, Bytes{}, MakeBytes{}, AddBytes{});
    EXPECT_TRUE(std::equal(std::begin(bytes.sum), std::end(bytes.sum), std::begin(bytes_found.sum))) << n;
    const Largest largest = reduce(space::host{}, n, Largest{}, MakeLargest{}, AddLargest{});
    const Largest largest_found = reduce(space::cuda{}, stream, n, Largest{}, MakeLargest{}, AddLargest{});
    EXPECT_TRUE(std::equal(std::begin(largest.v), std::end(largest.v), std::begin(largest_found.v))) << n;
    const SmallestAt none{std::numeric_limits<double>::infinity(), -1};
    const SmallestAt smallest = reduce(space::cuda{}, stream, n, none, UnevenAt{}, Smaller{});
    EXPECT_EQ(smallest.at, reduce(space::host{}, n, none, UnevenAt{}, Smaller{}).at);
  }
}

TEST(CudaGraph, launches_loops_and_reductions_repeatedly) {
  WEFT_NEEDS_GPU();
  constexpr int kN = 50'000;
  Stream stream;
  HostDeviceVector<double> x(kN, Backend::cuda, "x"), total(1, Backend::cuda, "total");
  x.to_device(stream);
  double* const at = x.read_write(Side::device).data();
  double* const sum = total.write(Side::device).data();
  stream.wait();
  Graph graph = Graph::capture(stream, [&](Stream& s) {
    parallel_for(space::cuda{}, s, kN, Increment{at});
    reduce_into(space::cuda{}, s, kN, 0.0, Load{at}, Sum{}, sum);
  });
  for (int step = 0; step < 10; ++step) graph.launch(stream);
  total.to_host(stream);
  EXPECT_EQ(std::as_const(total)[0], 10.0 * kN);
}

TEST(CudaGraph, a_loop_reads_the_writes_of_the_preceding_loop) {
  WEFT_NEEDS_GPU();
  constexpr int kValues = 1'000'001, kPairs = 100;  // more blocks than are resident on a GPU at a time
  Stream stream;
  const DeviceVector<int> a(stream, kValues), b(stream, kValues);
  const auto reverse_repeatedly = [&](Stream& s) {
    for (int i = 0; i < kPairs; ++i) {
      parallel_for(space::cuda{}, s, kValues, ReverseAndIncrement{a.data(), b.data(), kValues});
      parallel_for(space::cuda{}, s, kValues, ReverseAndIncrement{b.data(), a.data(), kValues});
    }
  };
  set_bytes(stream, a.data(), 0, kValues * sizeof(int));
  reverse_repeatedly(stream);
  Graph graph = Graph::capture(stream, reverse_repeatedly);
  graph.launch(stream);
  graph.launch(stream);
  std::vector<int> values(kValues);
  copy_bytes(stream, values.data(), a.data(), kValues * sizeof(int));
  stream.wait();
  for (int i = 0; i < kValues; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], 3 * 2 * kPairs) << i;
}

TEST(CudaGraph, loops_of_two_streams_wait_for_each_other) {
  WEFT_NEEDS_GPU();
  constexpr int kValues = 1'000'001, kRepeats = 14;
  Stream stream, side;
  const DeviceVector<int> a(stream, kValues), b(stream, kValues), c(stream, kValues);
  const auto fork_and_join = [&](Stream& s) {
    for (int i = 0; i < kRepeats; ++i) {
      parallel_for(space::cuda{}, s, kValues, ReverseAndIncrement{a.data(), b.data(), kValues});
      side.wait_for(after(s));
      parallel_for(space::cuda{}, side, kValues, ReverseAndIncrement{b.data(), c.data(), kValues});
      parallel_for(space::cuda{}, s, kValues, ReverseAndIncrement{b.data(), a.data(), kValues});
      s.wait_for(after(side));
      parallel_for(space::cuda{}, s, kValues, AddReversed{c.data(), a.data(), kValues});
    }
  };
  set_bytes(stream, a.data(), 0, kValues * sizeof(int));
  fork_and_join(stream);
  Graph::capture(stream, fork_and_join).launch(stream);
  std::vector<int> values(kValues);
  copy_bytes(stream, values.data(), a.data(), kValues * sizeof(int));
  stream.wait();
  int expected = 0;
  for (int i = 0; i < 2 * kRepeats; ++i) expected = 2 * (expected + 2);  // two arrays of a + 2 are added
  for (int i = 0; i < kValues; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], expected) << i;
}

TEST(CudaGraph, kernels_for_older_gpus_run_in_stream_order) {
  WEFT_NEEDS_GPU();
  constexpr int kValues = 1'000'001, kPairs = 100;
  Stream stream;
  const DeviceVector<int> a(stream, kValues), b(stream, kValues);
  const auto reverse_repeatedly = [&](Stream& s) {
    for (int i = 0; i < kPairs; ++i) {
      parallel_for(space::cuda{}, s, kValues, ReverseAndIncrement{a.data(), b.data(), kValues});
      test::reverse_and_increment_for_older_gpus(s, b.data(), a.data(), kValues);
    }
  };
  set_bytes(stream, a.data(), 0, kValues * sizeof(int));
  reverse_repeatedly(stream);
  Graph::capture(stream, reverse_repeatedly).launch(stream);
  std::vector<int> values(kValues);
  copy_bytes(stream, values.data(), a.data(), kValues * sizeof(int));
  stream.wait();
  for (int i = 0; i < kValues; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], 2 * 2 * kPairs) << i;
}

TEST(CudaGraph, rejects_blocking_calls_and_leaves_the_stream_usable) {
  WEFT_NEEDS_GPU();
  Stream stream;
  EXPECT_THROW((void)Graph::capture(stream, [](Stream& s) { s.wait(); }), DeviceError);
  EXPECT_FALSE(stream.capturing());
  EXPECT_EQ(sum_of_squares(stream, 1000, 2.0), 2.0 * 332'833'500);
}

TEST(CudaCheck, an_error_code_throws_without_a_gpu) {
  EXPECT_NO_THROW(check_cuda(cudaSuccess, "cudaMalloc"));
  try {
    check_cuda(cudaErrorInvalidValue, "cudaMalloc");
    ADD_FAILURE() << "no exception was thrown";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    for (const char* part : {"cudaMalloc", "cudaErrorInvalidValue", "invalid argument", "kernels_test.cu"}) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
}

TEST(CudaCheck, a_failing_call_throws_in_every_build) {
  WEFT_NEEDS_GPU();
  try {
    check_cuda(cudaMemcpy(nullptr, nullptr, 8, cudaMemcpyDeviceToHost), "cudaMemcpy");
    ADD_FAILURE() << "no exception was thrown";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("cudaMemcpy"), std::string::npos) << text;
    EXPECT_NE(text.find("cudaErrorInvalidValue"), std::string::npos) << text;
    EXPECT_NE(text.find("invalid argument"), std::string::npos) << text;
    EXPECT_NE(text.find("kernels_test.cu"), std::string::npos) << text;
  }
  EXPECT_NO_THROW(check_cuda(cudaGetLastError(), "nothing"));  // the failure is not reported twice
}

TEST(CudaCheck, a_rejected_launch_throws) {
  WEFT_NEEDS_GPU();
  Stream stream;
  const KernelShape too_wide{.blocks = 1, .threads = 4096};
  try {
    launch(stream, "loop", too_wide, detail::loop_kernel<int, Nothing>, 1, Nothing{});
    ADD_FAILURE() << "no exception was thrown";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("loop"), std::string::npos) << text;
    EXPECT_NE(text.find("kernels_test.cu"), std::string::npos) << text;
  }
  EXPECT_NO_THROW(check_cuda(cudaGetLastError(), "nothing"));
}

TEST(CudaCheck, exhausted_memory_throws_with_a_remedy) {
  WEFT_NEEDS_GPU();
  try {
    (void)DeviceStorage::make(Backend::cuda, std::size_t{1} << 50);
    ADD_FAILURE() << "no exception was thrown";
  } catch (const DeviceError& error) {
    EXPECT_NE(error.problem().find("cudaErrorMemoryAllocation"), std::string::npos);
    EXPECT_FALSE(error.suggestion().empty());
  }
  Stream stream;
  EXPECT_THROW((void)DeviceVector<char>(stream, std::size_t{1} << 50), DeviceError);
}

TEST(CudaCheck, loops_in_a_stream_of_another_space_violate_the_contract) {
  EXPECT_BREACH(parallel_for(space::cuda{}, host_stream(), 1, Nothing{}));
  WEFT_NEEDS_GPU();
  Stream stream;
  EXPECT_BREACH(parallel_for(space::host{}, stream, 1, [](int) {}));
}

}  // namespace
}  // namespace weft::kernels_test
