// A rank that takes no further part in exchanges, without agreement: neighbours leave, later plans are not affected.
#include "weft/task/failure_notice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "weft/base/error.hpp"
#include "weft/task/graph.hpp"

#include "task/ring.hpp"

namespace failure_notice_test {
namespace {

using namespace weft::task;
using test::error_of, test::kRows, test::Ring, test::Field;
using testing::HasSubstr;

TEST(FailureNotice, ReachesNeighboursAndNoLaterPlan) {
  for (const Check check : {Check::none, Check::accesses, Check::none}) {
    Ring ring;
    if (ring.comm.size() == 1) GTEST_SKIP() << "needs ranks that wait for each other";
    const int rank = ring.comm.rank().value();
    const auto run_without = [&](int iterations, bool without) {
      Graph g(ring.comm);
      std::optional<Field> v_array(std::in_place, ring.plan);
      const DataId u = g.add_array("u", ring.u), v = g.add_array("v", *v_array);
      g.add_task("writes", {reads(u, Part::owned), writes(v)}, [&] {
        for (int i = 0; i < kRows; ++i) (*v_array)(i, 0) = 1;
      });
      g.add_task("reads", {reads(v), reads_writes(u)}, [] {});
      Plan plan = g.compile(1, check);
      ring.comm.barrier();
      if (without && rank == 1) v_array.reset();
      // The plan of rank 1 does not exist any longer when the notices of the others arrive.
      if (without && rank != 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return error_of<weft::Error>([&] { plan.run(iterations, nullptr, Errors::on_this_rank); });
    };
    const std::string problem = run_without(1, true);
    if (rank == 1) {
      EXPECT_THAT(problem, HasSubstr("destroyed"));
    } else if (rank == 0 || rank == 2) {
      EXPECT_THAT(problem, HasSubstr("a rank with which this one exchanges rows has failed"));
    }
    ring.comm.barrier();
    EXPECT_EQ(run_without(2000, false), "");
    ring.comm.barrier();
  }
}

}  // namespace
}  // namespace failure_notice_test
