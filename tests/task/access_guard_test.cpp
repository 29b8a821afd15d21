// Check::accesses: accesses that a task does not state are errors with the names of task, array and part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/task/graph.hpp"

#include "task/ring.hpp"

namespace access_guard_test {
namespace {

using namespace weft::task;
using testing::HasSubstr;
using weft::GlobalRow;
using weft::LocalRow;
using weft::Reduce;
using weft::task::test::error_of;
using weft::task::test::Ring;

/// Arrays u and v with an inner row, and the numbers dt and sum.
struct Program {
  Ring ring;
  double dt = 1, sum = 0;
  Graph g{ring.comm};
  DataId u = g.add_array("u", ring.u, 1), v = g.add_array("v", ring.v, 1), n = g.add_number("dt", dt),
         s = g.add_number("sum", sum);

  Program() {
    for (int i = 0; i < ring.plan.rows(); ++i) ring.u(i, 0) = ring.v(i, 0) = 1;
  }
  [[nodiscard]] const Ring::Field& read_u() const { return ring.u; }
  [[nodiscard]] int behind() const { return ring.plan.find(GlobalRow(ring.behind())).value(); }
  /// Returns the error of one task with these accesses, which all ranks have.
  [[nodiscard]] std::string run(std::vector<Access> accesses, std::function<void()> body) {
    g.add_task("task", std::move(accesses), std::move(body));
    return error_of<weft::ContractError>([&] { g.compile(2, Check::accesses).run(2); });
  }
};

TEST(AccessGuard, FindsAReadOfGhostRows) {
  Program p;
  if (p.ring.comm.size() == 1) GTEST_SKIP() << "one rank has no ghost rows";
  const std::string message = p.run({reads(p.u, Part::owned), writes(p.v)}, [&] {
    for (int i = 0; i < Ring::kRows; ++i) p.ring.v(i, 0) = 2 * p.read_u()(p.behind(), 0);
  });
  EXPECT_THAT(message, HasSubstr("task 'task': it reads the ghost rows of 'u', which it does not state to read"));
}

TEST(AccessGuard, FindsAReadOfAnotherArrayOrNumber) {
  {
    Program p;
    const std::string message = p.run({reads_writes(p.v)}, [&] { p.ring.v(2, 0) += p.read_u()(0, 0); });
    EXPECT_THAT(message, HasSubstr("it reads the inner rows of 'u', which it does not state"));
  }
  Program p;
  EXPECT_THAT(p.run({reads_writes(p.v)}, [&] { p.ring.v(2, 0) *= p.dt; }),
              HasSubstr("it reads the number 'dt', which it does not state to read"));
  EXPECT_EQ(p.dt, 1);
}

TEST(AccessGuard, FindsAReadThatLeavesNoTrace) {
  Program p;
  const std::string message = p.run({reduces(p.s, Reduce::max)}, [&] { p.sum = std::max(p.sum, p.read_u()(3, 0) + 1); });
  EXPECT_THAT(message,
              HasSubstr("it computes with invalid operands: it reads one of the inner rows of 'u', the border rows of 'u'"));
}

TEST(AccessGuard, FindsWritesAndRestoresWhatWasWritten) {
  Program p;
  const std::string message = p.run({reads(p.u), writes(p.v)}, [&] {
    for (int i = 0; i < Ring::kRows; ++i) p.ring.v(i, 0) = 3;
    p.ring.u(2, 0) = 5;
  });
  EXPECT_THAT(message, HasSubstr("task 'task': it writes the border rows of 'u' (row 2), which it states to read only"));
  EXPECT_EQ(p.read_u()(2, 0), 1);
  Program q;
  EXPECT_THAT(q.run({reads_writes(q.v)}, [&] { q.dt = 2; }), HasSubstr("it writes the number 'dt', which it does not state"));
  EXPECT_EQ(q.dt, 1);
  Program r;
  EXPECT_THAT(r.run({reads(r.u, Part::owned)}, [&] { r.ring.v(0, 0) = 2; }),
              HasSubstr("it writes the inner rows of 'v' (row 0), which it does not state"));
}

TEST(AccessGuard, FindsRowsThatAreNotOverwritten) {
  Program p;
  EXPECT_THAT(p.run({writes(p.v)}, [&] { p.ring.v(0, 0) = p.ring.v(1, 0) = p.ring.v(2, 0) = 1; }),
              HasSubstr("it does not overwrite the border rows of 'v' (row 3), or reads before"));
  Program q;
  EXPECT_THAT(q.run({writes(q.v), reads_writes(q.u)},
                    [&] {
                      for (int i = 0; i < Ring::kRows; ++i) q.ring.v(i, 0) = 1;
                      q.ring.u(1, 0) = 1;
                    }),
              "");
}

TEST(AccessGuard, DividesTheRightsOfDivisibleTasks) {
  Program p;
  p.g.add_task("rate", {reads(p.u), writes(p.v)}, [&](Rows rows) {
    for (const LocalRow row : rows) p.ring.v(row, 0) = p.read_u()(p.ring.comm.size() > 1 ? p.behind() : 0, 0);
  });
  const std::string message = error_of<weft::ContractError>([&] { p.g.compile(1, Check::accesses).run(); });
  // One rank has no ghost rows; there the body is right.
  EXPECT_THAT(message, HasSubstr(p.ring.comm.size() > 1 ? "task 'rate (inner)': it reads the ghost rows of 'u'" : ""));
}

TEST(AccessGuard, FindsAccessesOutsideOfASubset) {
  const auto run = [](auto accesses_of, auto body) {
    Program p;
    const SubsetId some = p.g.add_subset(p.u, "some", std::vector{LocalRow(0), LocalRow(2)});
    const SubsetId more = p.g.add_subset(p.v, "more", std::vector{LocalRow(2), LocalRow(3)});
    return p.run(accesses_of(p, some, more), [&p, body] { body(p); });
  };
  using List = std::vector<Access>;
  const auto state = [](Program& p, SubsetId some, SubsetId more) { return List{reads(p.u, some), writes(p.v, more)}; };
  EXPECT_EQ(run(state, [](Program& p) { p.ring.v(2, 0) = p.ring.v(3, 0) = p.read_u()(0, 0) + p.read_u()(2, 0); }), "");
  EXPECT_THAT(run(state, [](Program& p) { p.ring.v(2, 0) = p.ring.v(3, 0) = p.read_u()(1, 0); }),
              HasSubstr("task 'task': it reads the border rows of 'u', which it does not state to read"));
  EXPECT_THAT(run(state, [](Program& p) { p.ring.v(1, 0) = p.ring.v(2, 0) = p.ring.v(3, 0) = 1; }),
              HasSubstr("it writes the border rows of 'v' (row 1), which it does not state"));
  EXPECT_THAT(run(state, [](Program& p) { p.ring.v(2, 0) = 1; }),
              HasSubstr("it does not overwrite the border rows of 'v' in 'more' (row 3), or reads before"));
  EXPECT_THAT(run(state,
                  [](Program& p) {
                    p.ring.v(2, 0) = p.ring.v(3, 0) = 1;
                    p.ring.u(2, 0) = 5;
                  }),
              HasSubstr("it writes the border rows of 'u' in 'some' (row 2), which it states to read only"));
  const auto rest = [](Program& p, SubsetId some, SubsetId /*more*/) {
    return List{reads_writes(p.u, without(Part::owned, some))};
  };
  EXPECT_EQ(run(rest, [](Program& p) { p.ring.u(1, 0) += p.read_u()(3, 0); }), "");
  EXPECT_THAT(run(rest, [](Program& p) { p.ring.u(1, 0) += p.read_u()(0, 0); }),
              HasSubstr("it reads the inner rows of 'u' in 'some', which it does not state to read"));
}

TEST(AccessGuard, AcceptsARightProgram) {
  const auto run = [](Check check) {
    Program p;
    for (int i = 0; i < Ring::kRows; ++i) p.ring.u(i, 0) = std::sin(static_cast<double>(p.ring.first()) + i);
    p.g.add_task("rate", {reads(p.u), writes(p.v)}, [&](Rows rows) {
      for (const LocalRow row : rows) {
        const LocalRow next = row.value() + 1 < Ring::kRows ? LocalRow(row.value() + 1) : LocalRow(p.behind());
        p.ring.v(row, 0) = p.read_u()(row.value() == 0 ? row : next, 0) - p.read_u()(row, 0);
      }
    });
    p.g.add_task("limit", {reads(p.v, Part::owned), reduces(p.s, Reduce::max)}, [&] {
      for (int i = 0; i < Ring::kRows; ++i) p.sum = std::max(p.sum, std::as_const(p.ring.v)(i, 0));
    });
    p.g.add_task("step", {reads(p.s), reads(p.v, Part::owned), reads_writes(p.u)}, [&](Rows rows) {
      for (const LocalRow row : rows) p.ring.u(row, 0) += 0.1 * p.sum * std::as_const(p.ring.v)(row, 0);
    });
    p.g.add_task("scatter", {reads(p.u, Part::owned), reduces(p.v, Reduce::add)},
                 [&] { p.ring.v(p.behind(), 0) = p.ring.v(p.behind(), 0) + p.read_u()(3, 0); });
    p.g.compile(2, check).run(5);
    std::vector<double> result{p.sum};
    for (int i = 0; i < Ring::kRows; ++i) result.insert(result.end(), {p.read_u()(i, 0), std::as_const(p.ring.v)(i, 0)});
    return result;
  };
  EXPECT_EQ(run(Check::accesses), run(Check::none));
}

TEST(AccessGuard, RestoresAfterAnException) {
  Program p;
  p.g.add_task("fails", {reads_writes(p.v)}, [] { throw std::runtime_error("no"); });
  EXPECT_THAT(error_of<weft::ContractError>([&] { p.g.compile(1, Check::accesses).run(); }), HasSubstr("task 'fails': no"));
  EXPECT_EQ(p.read_u()(0, 0), 1);
  EXPECT_EQ(p.dt, 1);
}

}  // namespace
}  // namespace access_guard_test
