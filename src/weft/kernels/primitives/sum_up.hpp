#pragma once
/// Offsets of rows, computed in place from their lengths.
#include <span>
#include <vector>

#include "weft/kernels/primitives/scan.hpp"

namespace weft::kernels {

/// Replaces the lengths of rows, in offset[1], offset[2], ..., by the offsets of rows that begin at 0, and the end of the last.
/// Example: {0, 2, 0, 1} becomes {0, 2, 2, 3}. @pre offset[0] == 0; the sum fits into Integer. @cost one pass over the lengths.
template <class Integer>
void sum_up(std::vector<Integer>& offset, Team& team = calling_thread()) {
  const std::span<Integer> lengths = std::span(offset).subspan(1);
  inclusive_scan(std::span<const Integer>(lengths), lengths, team);
}

}  // namespace weft::kernels
