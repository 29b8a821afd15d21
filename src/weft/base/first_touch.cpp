#include "weft/base/first_touch.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace weft {

void touch_anew(std::span<std::byte> memory) noexcept {
  constexpr std::uintptr_t kPiece = std::uintptr_t{2} << 20U;  // released and written at once: a huge page stays one
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t first = (address + page - 1) / page * page, last = (address + memory.size()) / page * page;
  if (first >= last) return;
  const std::unique_ptr<std::byte[]> copy(new (std::nothrow) std::byte[kPiece]);
  if (copy == nullptr) return;
  for (std::uintptr_t begin = first, end = 0; begin < last; begin = end) {
    end = std::min(last, (begin / kPiece + 1) * kPiece);
    std::byte* const at = memory.data() + (begin - address);
    std::memcpy(copy.get(), at, end - begin);
    if (madvise(at, end - begin, MADV_DONTNEED) != 0) return;
    std::memcpy(at, copy.get(), end - begin);
  }
}

}  // namespace weft
