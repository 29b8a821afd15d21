#include "weft/base/malloc_retention.hpp"

#if defined(__linux__)
#include <malloc.h>
#endif

namespace weft {
namespace {

int instances = 0;

}  // namespace

RetainFreedMemory::RetainFreedMemory() noexcept {
  if (++instances > 1) return;
#if defined(__GLIBC__)
  (void)mallopt(M_MMAP_MAX, 0);         // large arrays come from the heap; memory from mmap is unmapped by free()
  (void)mallopt(M_TRIM_THRESHOLD, -1);  // the heap is never trimmed
#endif
}

RetainFreedMemory::~RetainFreedMemory() {
  if (--instances > 0) return;
#if defined(__GLIBC__)
  // The values at which the dynamic thresholds of glibc arrive after a few large arrays were freed.
  (void)mallopt(M_MMAP_MAX, 65536);
  (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
  (void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
  (void)malloc_trim(0);
#endif
}

}  // namespace weft
