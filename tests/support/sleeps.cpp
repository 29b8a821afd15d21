// Replaces nanosleep() in the test executables by one that counts its calls.
#include "support/sleeps.hpp"

#include <sys/syscall.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): timespec and nanosleep() are of POSIX
#include <unistd.h>

namespace {
thread_local int g_sleeps = 0;
}

namespace weft::test {
int sleeps() { return g_sleeps; }
}  // namespace weft::test

extern "C" int nanosleep(const timespec* time, timespec* left) {
  ++g_sleeps;
  return static_cast<int>(syscall(SYS_nanosleep, time, left));
}
