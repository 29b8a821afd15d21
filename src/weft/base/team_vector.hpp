#pragma once
/// Lists whose elements are initialised by several threads.
#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

/// An allocator that default-constructs nothing: vector(n) and resize(n) leave new elements uninitialised, so that threads can
/// write them first, each near its core. vector(n, value) and resize(n, value) initialise as usual.
template <class T>
struct UninitialisedAllocator : std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T>);

  UninitialisedAllocator() = default;
  template <class U>
  explicit UninitialisedAllocator(const UninitialisedAllocator<U>& /*other*/) noexcept {}

  template <class U>
  void construct(U* /*element*/) noexcept {}
  template <class U, class... Arguments>
  void construct(U* element, Arguments&&... arguments) {
    std::construct_at(element, std::forward<Arguments>(arguments)...);
  }
};

/// A list that resize_by_team() and list_of_size() (team_memory.hpp) resize, whose new elements the threads of a team initialise.
/// Neither resize(n) nor TeamVector(n) initialises: pass a value.
template <class T>
using TeamVector = std::vector<T, UninitialisedAllocator<T>>;

/// Returns whether both have the same elements.
template <class T>
[[nodiscard]] bool operator==(const TeamVector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b);
}

}  // namespace weft
