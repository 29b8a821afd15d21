#pragma once
/// Memory of long lists that the threads of a team fill.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "weft/base/team.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_vector.hpp"

namespace weft {

/// Makes the threads of the team touch the pages of `memory`, one contiguous share each, so that the system provides them in
/// parallel and near the cores that fill them. The bytes are unchanged, and need not have been written before. No effect with one
/// thread, and on systems other than Linux 5.14 and later. Never fails.
/// @cost  none below 4 MB.
void touch_pages(Team& team, std::span<const std::byte> memory) noexcept;

namespace detail {
/// Resizes a list without initialising its new elements. Not defined for lists that cannot, such as std::vector.
template <class T>
void resize_uninitialised(TeamVector<T>& list, std::size_t size) {
  list.resize(size);
}
template <class Vector>
  requires requires(Vector& list) { list.resize_uninitialised(std::size_t{0}); }
void resize_uninitialised(Vector& list, std::size_t size) {
  list.resize_uninitialised(size);
}
}  // namespace detail

/// Resizes a TeamVector, IdVector or std::vector; the threads touch new memory first. New elements are `value`. The threads enter
/// them, and copy the elements that move to new memory, except in a std::vector, whose elements only one thread can initialise.
template <class Vector>
void resize_by_team(Team& team, Vector& list, std::size_t size, const typename Vector::value_type& value = {}) {
  using T = typename Vector::value_type;
  const std::size_t before = list.size();
  if constexpr (requires { detail::resize_uninitialised(list, size); }) {
    if (size > list.capacity() && before > 0) {
      Vector longer;
      longer.reserve(size);
      touch_pages(team, std::as_bytes(std::span(longer.data(), size)));
      detail::resize_uninitialised(longer, before);
      for_shares(team, static_cast<std::int64_t>(before), [&](LoopShare share) {
        std::copy(list.begin() + share.begin, list.begin() + share.end, longer.begin() + share.begin);
      });
      list = std::move(longer);
    } else if (size > before) {
      list.reserve(size);
      touch_pages(team, std::as_bytes(std::span(list.data() + before, size - before)));
    }
    detail::resize_uninitialised(list, size);
    if (size <= before) return;
    T* const added = list.data() + before;
    for_shares(team, static_cast<std::int64_t>(size - before),
               [&](LoopShare share) { std::uninitialized_fill(added + share.begin, added + share.end, value); });
  } else {
    list.reserve(size);
    if (size > before) touch_pages(team, {reinterpret_cast<const std::byte*>(list.data() + before), (size - before) * sizeof(T)});
    list.resize(size, value);
  }
}

/// Lengthens a list that grows step by step, in amortised constant time; the threads touch new memory first and copy. New
/// elements are uninitialised, for the caller to enter. @pre size >= list.size()
template <class T>
void grow_by_team(Team& team, TeamVector<T>& list, std::size_t size) {
  if (size > list.capacity()) {
    TeamVector<T> longer;
    longer.reserve(std::max(size, 2 * list.capacity()));
    touch_pages(team, std::as_bytes(std::span(longer.data(), size)));
    longer.resize(list.size());
    for_shares(team, std::ssize(list), [&](LoopShare share) {
      std::copy(list.begin() + share.begin, list.begin() + share.end, longer.begin() + share.begin);
    });
    list = std::move(longer);
  } else {
    touch_pages(team, std::as_bytes(std::span(list.data() + list.size(), size - list.size())));
  }
  list.resize(size);
}

/// Returns `size` value-initialised elements in memory that the threads touched first.
template <class T>
[[nodiscard]] TeamVector<T> list_of_size(Team& team, std::size_t size) {
  TeamVector<T> list;
  resize_by_team(team, list, size);
  return list;
}

}  // namespace weft
