// Accesses to data on a GPU that tasks do not state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/task/graph.hpp"

#include "support/gpu.hpp"
#include "task/device_bodies.hpp"
#include "task/ring.hpp"

namespace weft::task::test::device_access_cuda_test {
namespace {

class CudaAccess : public ::testing::Test {
 protected:
  void SetUp() override { WEFT_NEEDS_GPU(); }
};

TEST_F(CudaAccess, FindsAccessesThatATaskDoesNotState) {
  const auto error = [](std::vector<Mode> modes, auto kernel) {
    Ring ring(Backend::cuda);
    for (int i = 0; i < kRows; ++i) ring.u(i, 0) = 1;  // adding 0 would change nothing
    Graph g(ring.comm);
    const DataId u = g.add_array("u", ring.u), v = g.add_array("v", ring.v);
    g.add_task("touch", {reads(u), reads(v)}, on(device), [](Stream&) {});
    std::vector<Access> accesses{{v, modes.front(), Part::owned}};
    if (modes.size() > 1) accesses.push_back({u, modes.back(), Part::owned});
    g.add_task("kernel", accesses, on(device), [&](Stream& stream) {
      kernel(stream, ring.u.view<Aos, space::cuda>().data(), ring.v.view<Aos, space::cuda>().data());
    });
    Plan plan = g.compile(1, Check::accesses);
    const std::string text = error_of<ContractError>([&] { plan.run(3); });
    plan.close();
    return text;
  };
  const auto copy = [](Stream& stream, double* u, double* v) { parallel_for(space::cuda{}, stream, kRows, Copy{u, v}); };
  const auto add = [](Stream& stream, double* u, double* v) { parallel_for(space::cuda{}, stream, kRows, AddNumber{v, u}); };
  EXPECT_EQ(error({Mode::write, Mode::read}, copy), "");
  EXPECT_THAT(error({Mode::write}, copy), ::testing::HasSubstr("it reads the border rows of 'u' on the device"));
  EXPECT_THAT(error({Mode::read_write}, add), ::testing::HasSubstr("it reads the border rows of 'u' on the device"));
  EXPECT_THAT(error({Mode::read, Mode::read}, add),
              ::testing::HasSubstr("it writes the border rows of 'v' on the device (row 0), which it states to read only"));
}

TEST_F(CudaAccess, FindsAccessesToMemoryThatATaskDoesNotState) {
  const auto error = [](auto kernel) {
    Ring ring(Backend::cuda);
    for (int i = 0; i < kRows; ++i) ring.u(i, 0) = 1;
    const DeviceVector<double> sums(Backend::cuda, std::span<const double>(std::array{1.0}));
    Graph g(ring.comm);
    const DataId u = g.add_array("u", ring.u);
    g.add_memory("sums", sums.span());
    g.add_task("kernel", {reads_writes(u)}, on(device),
               [&](Stream& stream) { kernel(stream, ring.u.view<Aos, space::cuda>().data(), sums.data()); });
    Plan plan = g.compile(1, Check::accesses);
    const std::string text = error_of<ContractError>([&] { plan.run(3); });
    plan.close();
    return text;
  };
  EXPECT_EQ(error([](Stream& stream, double* u, double*) { parallel_for(space::cuda{}, stream, 1, AddOne{u}); }), "");
  EXPECT_THAT(error([](Stream& stream, double*, double* sum) { parallel_for(space::cuda{}, stream, 1, AddOne{sum}); }),
              ::testing::HasSubstr("it writes the memory 'sums', which it does not state"));
  EXPECT_THAT(error([](Stream& stream, double* u, double* sum) {
                parallel_for(space::cuda{}, stream, 1, Copy{sum, u});
              }),
              ::testing::HasSubstr("it reads the memory 'sums', which it does not state to read"));
}

}  // namespace
}  // namespace weft::task::test::device_access_cuda_test
