#include "array/dry_run/counted_memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::int64_t held_bytes = 0, peak_bytes = 0;  // within one thread

/// Returns null if there is not enough memory.
void* try_to_take(std::size_t bytes, std::size_t alignment) noexcept {
  void* const memory =
      alignment == 0 ? std::malloc(bytes) : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) return nullptr;
  held_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  peak_bytes = std::max(peak_bytes, held_bytes);
  return memory;
}

void* take(std::size_t bytes, std::size_t alignment) {
  void* const memory = try_to_take(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void give_back(void* memory) noexcept {
  if (memory != nullptr) held_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) { return take(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return take(bytes, static_cast<std::size_t>(alignment)); }
// std::stable_sort allocates its buffer with this one. AddressSanitizer has its own, which does not call the first.
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept { return try_to_take(bytes, 0); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }

namespace weft::counted_memory {

std::int64_t held() { return held_bytes; }
std::int64_t peak() { return peak_bytes; }
void watch() { peak_bytes = held_bytes; }

}  // namespace weft::counted_memory
