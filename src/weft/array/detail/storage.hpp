#pragma once
/// The memory behind an array's entries.
#include <cstddef>
#include <new>
#include <vector>

namespace weft {

namespace space {
struct host {};
}  // namespace space

namespace detail {

/// Allocates on cache-line boundaries, so that aligned rows start where they should.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlign{64};
  AlignedAllocator() = default;
  template <class U>
  constexpr AlignedAllocator(const AlignedAllocator<U>&) {}
  [[nodiscard]] T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlign)); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, kAlign); }
  friend bool operator==(AlignedAllocator, AlignedAllocator) { return true; }
};

template <class T>
using Storage = std::vector<T, AlignedAllocator<T>>;

}  // namespace detail
}  // namespace weft
