#include "weft/base/team_memory.hpp"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace weft {

void touch_pages([[maybe_unused]] Team& team, [[maybe_unused]] std::span<const std::byte> memory) noexcept {
#if defined(__linux__)
#if defined(MADV_POPULATE_WRITE)
  constexpr int kPopulate = MADV_POPULATE_WRITE;
#else
  constexpr int kPopulate = 23;  // MADV_POPULATE_WRITE since Linux 5.14; older kernels return EINVAL
#endif
  constexpr std::uintptr_t kSmallest = std::uintptr_t{4} << 20, kPage = 4096, kPiece = std::uintptr_t{2} << 20;
  if (team.size() == 1 || memory.size() < kSmallest) return;
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t first = (address + kPage - 1) / kPage * kPage, last = (address + memory.size()) / kPage * kPage;
  const auto begin = [&](int thread) {
    return first +
           (last - first) / kPiece * static_cast<std::uintptr_t>(thread) / static_cast<std::uintptr_t>(team.size()) * kPiece;
  };
  team.run([&](int thread) noexcept {
    const std::uintptr_t from = begin(thread), to = thread + 1 == team.size() ? last : begin(thread + 1);
    if (from >= to) return;
    std::byte* const pages = const_cast<std::byte*>(memory.data() + (from - address));  // madvise() changes no byte of it
    (void)madvise(pages, to - from, kPopulate);
  });
#endif
}

}  // namespace weft
