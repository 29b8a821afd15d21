#pragma once
/// Placement of arrays in the memory of the NUMA nodes whose threads use them.
#include <cstddef>
#include <span>

namespace weft {

/// Moves an array, which keeps its contents, to memory next to the core of the calling thread: the system allocates a page where
/// the thread executes that touches it first, and the pages that lie entirely within the array are released and written anew.
/// Locked memory stays where it is. Never fails.
/// @pre no other thread accesses the array meanwhile.  @cost  two copies of the array.
void touch_anew(std::span<std::byte> memory) noexcept;

/// Calls touch_anew() for the elements first <= i < last of an array, in each of which `width` consecutive entries belong
/// together. The array may be constant for its user, but its memory must be writable.
template <class Array>
void touch_rows_anew(const Array& array, std::size_t first, std::size_t last, std::size_t width = 1) noexcept {
  const std::span entries(array.data(), array.size());
  if (entries.size() < last * width) return;
  const auto bytes = std::as_bytes(entries.subspan(first * width, (last - first) * width));
  touch_anew({const_cast<std::byte*>(bytes.data()), bytes.size()});
}

}  // namespace weft
