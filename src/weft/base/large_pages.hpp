#pragma once
/// Huge pages for large arrays.
#include <cstddef>
#include <span>

namespace weft {

/// Requests huge pages (2 MB) for an array that has been filled, which avoids most TLB misses of indirect accesses to it. Only
/// pages that lie entirely within the array are affected, so it occupies no additional memory.
///
/// Linux 6.1 and later collapse the pages during the call, even where transparent huge pages are set to "never"; older kernels do
/// so later, and other systems not at all. Never fails.
/// @cost  one copy of the array; none below 2 MB.
void use_large_pages(std::span<const std::byte> memory) noexcept;

/// Calls use_large_pages() for every array: std::vector or another contiguous range.
template <class... Arrays>
void use_large_pages_for(const Arrays&... arrays) noexcept {
  (use_large_pages(std::as_bytes(std::span(arrays))), ...);
}

}  // namespace weft
