// Replaces sched_yield() in the test executables. Open MPI and the library call it while they wait for other ranks. Where there
// are more ranks than cores, a rank that only yields keeps its share of the cores, and the ranks that compute get the rest. Here
// a thread that has yielded many times in a row sleeps, and longer if it has done so for tenths of a second: then it waits for a
// file or another program, not for the next message of a step.
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {

/// Number of yields in a row before a thread sleeps, and the time in ns between two yields above which they are not in a row.
/// With 100 yields ranks on idle cores sleep in every exchange, which takes twice as long (docs/notes/2026-11-test-time.md).
constexpr int kYields = 1000;
constexpr long kInARow = 20'000;
/// Time of a sleep, to which Linux adds about 50 us.
constexpr timespec kSleep{0, 20'000};
/// Number of sleeps in a row before they become longer, and their time then.
constexpr int kSleeps = 4000;
constexpr timespec kLongSleep{0, 1'000'000};

long nanoseconds_between(const timespec& begin, const timespec& end) {
  return (end.tv_sec - begin.tv_sec) * 1'000'000'000 + (end.tv_nsec - begin.tv_nsec);
}

}  // namespace

extern "C" int sched_yield() noexcept {
  thread_local int yields = 0, sleeps = 0;
  thread_local timespec last{};
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (nanoseconds_between(last, now) > kInARow) yields = sleeps = 0;
  if (yields < kYields) {
    ++yields;
    syscall(SYS_sched_yield);
  } else {
    if (sleeps < kSleeps) ++sleeps;
    syscall(SYS_nanosleep, sleeps < kSleeps ? &kSleep : &kLongSleep, nullptr);  // nanosleep() is counted (sleeps.hpp)
  }
  clock_gettime(CLOCK_MONOTONIC, &last);
  return 0;
}
