// Replaces sched_yield() in the test executables. Open MPI and the library call it while they wait for other ranks. Where there
// are more ranks than cores, a rank that only yields keeps its share of the cores, and the ranks that compute get the rest. Here
// a thread that has yielded many times in a row sleeps.
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {

/// Number of yields in a row before a thread sleeps, and the time in ns between two yields above which they are not in a row.
constexpr int kYields = 100;
constexpr long kInARow = 20'000;
/// Time of a sleep, to which Linux adds about 50 us.
constexpr timespec kSleep{0, 20'000};

long nanoseconds_between(const timespec& begin, const timespec& end) {
  return (end.tv_sec - begin.tv_sec) * 1'000'000'000 + (end.tv_nsec - begin.tv_nsec);
}

}  // namespace

extern "C" int sched_yield() noexcept {
  thread_local int yields = 0;
  thread_local timespec last{};
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (nanoseconds_between(last, now) > kInARow) yields = 0;
  if (yields < kYields) {
    ++yields;
    syscall(SYS_sched_yield);
  } else {
    syscall(SYS_nanosleep, &kSleep, nullptr);  // not nanosleep(), whose calls are counted (sleeps.hpp)
  }
  clock_gettime(CLOCK_MONOTONIC, &last);
  return 0;
}
