#include "weft/base/kept_memory.hpp"

#if defined(__linux__)
#include <malloc.h>
#endif

namespace weft {
namespace {

int alive = 0;

}  // namespace

KeepFreedMemory::KeepFreedMemory() noexcept {
  if (++alive > 1) return;
#if defined(__GLIBC__)
  (void)mallopt(M_MMAP_MAX, 0);         // no array in pages of its own, which go back with it
  (void)mallopt(M_TRIM_THRESHOLD, -1);  // never
#endif
}

KeepFreedMemory::~KeepFreedMemory() {
  if (--alive > 0) return;
#if defined(__GLIBC__)
  // What glibc itself comes to after it has freed a few large arrays.
  (void)mallopt(M_MMAP_MAX, 65536);
  (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
  (void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
  (void)malloc_trim(0);
#endif
}

}  // namespace weft
