// An array in retained memory causes almost no page faults, an array in fresh memory one per page.
#include "weft/base/malloc_retention.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstddef>
#include <vector>

namespace weft::malloc_retention_test {
namespace {

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// Returns the number of page faults of creating and freeing an array of 64 MB.
long faults_of_an_array() {
  const long before = page_faults();
  std::vector<char> array(std::size_t{64} << 20, 1);
  EXPECT_EQ(array.back(), 1);
  return page_faults() - before;
}

TEST(RetainFreedMemory, ReusesMemoryForTheNextArray) {
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "glibc's malloc is tested, and this program has another one (of another C library or a sanitizer)";
#endif
  const long fresh = faults_of_an_array();
  if (fresh < 1000) GTEST_SKIP() << "counts page faults of 4 kB pages, and this system uses huge pages by default";
  {
    const RetainFreedMemory outer;
    {
      const RetainFreedMemory inner;
      (void)faults_of_an_array();
    }
    EXPECT_LT(faults_of_an_array(), fresh / 10) << "the outer instance must still retain memory";
  }
  EXPECT_GT(faults_of_an_array(), fresh / 2) << "the last instance must return memory to the system";
}

}  // namespace
}  // namespace weft::malloc_retention_test
