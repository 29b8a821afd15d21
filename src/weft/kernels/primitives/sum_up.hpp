#pragma once
/// Offsets of rows, computed in place from their lengths.
#include <span>

#include "weft/kernels/primitives/scan.hpp"

namespace weft::kernels {

/// Replaces the lengths of rows, in offset[1], offset[2], ..., by the offsets of rows that begin at 0, and the end of the last.
/// Example: {0, 2, 0, 1} becomes {0, 2, 2, 3}. @pre offset[0] == 0; the sum fits into Integer. @cost one pass over the lengths.
/// @tparam List  std::vector, TeamVector or std::span of integers.
template <class List>
void sum_up(List& offset, Team& team = calling_thread()) {
  using Integer = typename List::value_type;
  const std::span<Integer> lengths = std::span(offset).subspan(1);
  inclusive_scan(std::span<const Integer>(lengths), lengths, team);
}

}  // namespace weft::kernels
