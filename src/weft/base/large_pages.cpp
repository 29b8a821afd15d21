#include "weft/base/large_pages.hpp"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace weft {

void use_large_pages([[maybe_unused]] std::span<const std::byte> memory) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
#if defined(MADV_COLLAPSE)
  constexpr int kCollapse = MADV_COLLAPSE;
#else
  constexpr int kCollapse = 25;  // MADV_COLLAPSE since Linux 6.1; older kernels return EINVAL
#endif
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t first = (address + kPage - 1) / kPage * kPage, last = (address + memory.size()) / kPage * kPage;
  if (first >= last) return;
  void* const pages = const_cast<std::byte*>(memory.data() + (first - address));  // madvise() writes no byte of it
  // The first call covers pages that are touched later, the second those already present, which khugepaged would otherwise
  // collapse at some later time.
  if (madvise(pages, last - first, MADV_HUGEPAGE) == 0) (void)madvise(pages, last - first, kCollapse);
#endif
}

}  // namespace weft
