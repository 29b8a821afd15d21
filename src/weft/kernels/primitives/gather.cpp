#include "weft/kernels/primitives/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/team_loops.hpp"

namespace weft::kernels {

namespace {

/// Inverts a permutation on one thread. @throws ContractError for the first number that is out of range or a repetition.
void invert(std::span<const std::int32_t> permutation, std::span<std::int32_t> inverse) {
  const auto n = static_cast<std::int32_t>(permutation.size());
  std::fill(inverse.begin(), inverse.end(), -1);
  for (std::int32_t i = 0; i < n; ++i) {
    const std::int32_t to = permutation[to_index(i)];
    if (to < 0 || to >= n || inverse[to_index(to)] >= 0) {
      throw ContractError(fmt::format("the argument is not a permutation of {} numbers ({} at position {} is {})", n, to, i,
                                      to < 0 || to >= n ? "out of range" : "a repetition"),
                          "pass each number from 0 to the size - 1 once");
    }
    inverse[to_index(to)] = i;
  }
}

}  // namespace

std::vector<std::int32_t> inverse_permutation(std::span<const std::int32_t> permutation, Team& team) {
  const std::int32_t n = checked_local(static_cast<std::int64_t>(permutation.size()), "size of a permutation");
  std::vector<std::int32_t> inverse(permutation.size(), -1);
  std::vector<char> is_wrong(static_cast<std::size_t>(shares_of(team, n)), 1);
  if (is_wrong.size() > 1) {
    for_shares(team, n, [&](LoopShare share) {
      bool right = true;
      for (std::int64_t i = share.begin; i < share.end; ++i) {
        const std::int32_t to = permutation[to_index(i)];
        right = right && 0 <= to && to < n &&
                std::atomic_ref(inverse[to_index(to)]).exchange(static_cast<std::int32_t>(i), std::memory_order_relaxed) < 0;
      }
      is_wrong[static_cast<std::size_t>(share.number)] = right ? 0 : 1;
    });
  }
  if (std::ranges::find(is_wrong, 1) != is_wrong.end()) invert(permutation, inverse);  // reports the first wrong number
  return inverse;
}

}  // namespace weft::kernels
