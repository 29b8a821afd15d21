#pragma once
/// Memory of long lists that the threads of a team fill.
#include <cstddef>
#include <span>
#include <vector>

#include "weft/base/team.hpp"

namespace weft {

/// Makes the threads of the team touch the pages of `memory`, one contiguous share each, so that the system provides them in
/// parallel and near the cores that fill them. The bytes are unchanged, and need not have been written before. No effect with one
/// thread, and on systems other than Linux 5.14 and later. Never fails.
/// @cost  none below 4 MB.
void touch_pages(Team& team, std::span<const std::byte> memory) noexcept;

/// Resizes a std::vector or IdVector; the threads touch new memory first. New elements are `value`.
template <class Vector>
void resize_by_team(Team& team, Vector& list, std::size_t size, const typename Vector::value_type& value = {}) {
  using T = typename Vector::value_type;
  list.reserve(size);
  if (size > list.size()) {
    touch_pages(team, {reinterpret_cast<const std::byte*>(list.data() + list.size()), (size - list.size()) * sizeof(T)});
  }
  list.resize(size, value);
}

/// Returns `size` value-initialised elements in memory that the threads touched first.
template <class T>
[[nodiscard]] std::vector<T> list_of_size(Team& team, std::size_t size) {
  std::vector<T> list;
  resize_by_team(team, list, size);
  return list;
}

}  // namespace weft
