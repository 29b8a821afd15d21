// Memory that plans allocate while they run: none, except in reductions over ranks.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include "weft/task/graph.hpp"

#include "task/ring.hpp"

namespace {
thread_local long g_allocations = 0;
}  // namespace

// These replace the operators of the test program; those for arrays call them. AddressSanitizer has a nothrow operator of its
// own, which std::stable_sort calls.
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  ++g_allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(std::size_t bytes) {
  if (void* const memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
// Not inlined, because the compiler would compare free() with new, not with malloc().
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

namespace {

using namespace weft::task;
using test::Ring;

TEST(Allocations, APlanOfTheHostMakesNoneWhileItRuns) {
  for (const int threads : {1, 2}) {
    Ring ring;
    Graph g(ring.comm);
    const DataId u = g.add_array("u", ring.u, 1), v = g.add_array("v", ring.v, 1);
    g.add_task("smooth", {reads(u), writes(v)}, [](Rows) {});
    g.add_task("copy", {reads(v), reads_writes(u)}, [] {});
    Plan plan = g.compile(threads);
    plan.run(3);
    const long before = g_allocations;
    plan.run(5, nullptr, Errors::on_this_rank);
    const long after = g_allocations;
    EXPECT_EQ(after, before) << threads << " threads";
    std::vector<int> list;
    list.reserve(100);
    EXPECT_EQ(g_allocations, after + 1) << "allocations are counted";
  }
}

}  // namespace
