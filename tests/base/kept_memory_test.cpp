// Memory that is kept is there at once; without, every page is asked for anew.
#include "weft/base/kept_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstddef>
#include <vector>

namespace weft {
namespace {

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// Page faults of making and freeing an array of 64 MB.
long faults_of_an_array() {
  const long before = page_faults();
  std::vector<char> array(std::size_t{64} << 20, 1);
  EXPECT_EQ(array.back(), 1);
  return page_faults() - before;
}

TEST(KeepFreedMemory, KeepsItForTheNextArray) {
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "another library hands out memory";
#endif
  const long fresh = faults_of_an_array();
  if (fresh < 1000) GTEST_SKIP() << "this system hands out large pages";
  {
    const KeepFreedMemory outer;
    {
      const KeepFreedMemory inner;
      (void)faults_of_an_array();
    }
    EXPECT_LT(faults_of_an_array(), fresh / 10) << "the outer one still keeps it";
  }
  EXPECT_GT(faults_of_an_array(), fresh / 2) << "given back";
}

}  // namespace
}  // namespace weft
