#pragma once
/// Arrays in large pages.
#include <cstddef>
#include <span>

namespace weft {

/// Asks the system to hold an array that is filled in pages of 2 MB instead of 4 KB from now on: a core then knows where all of
/// it is, instead of having to look up the page of almost every row that it reads out of order. The array takes no more memory,
/// for only what lies wholly within it is moved. Linux has this at once from 6.1 on, even where it is set never to make
/// such pages by itself, and later before that; elsewhere nothing is done. Never fails.
/// @cost  a copy of the array, once; nothing for less than 2 MB.
void use_large_pages(std::span<const std::byte> memory) noexcept;

/// The same for arrays: vectors and their like.
template <class... Arrays>
void use_large_pages_for(const Arrays&... arrays) noexcept {
  (use_large_pages(std::as_bytes(std::span(arrays))), ...);
}

}  // namespace weft
