#include "weft/kernels/primitives/gather.hpp"

#include <fmt/format.h>

#include "weft/base/error.hpp"

namespace weft::kernels {

std::vector<std::int32_t> inverse_permutation(std::span<const std::int32_t> permutation) {
  const std::int32_t n = checked_local(static_cast<std::int64_t>(permutation.size()), "size of a permutation");
  std::vector<std::int32_t> inverse(permutation.size(), -1);
  for (std::int32_t i = 0; i < n; ++i) {
    const std::int32_t to = permutation[to_index(i)];
    if (to < 0 || to >= n || inverse[to_index(to)] >= 0) {
      throw ContractError(fmt::format("the argument is not a permutation of {} numbers ({} at position {} is {})", n, to, i,
                                      to < 0 || to >= n ? "out of range" : "a repetition"),
                          "pass each number from 0 to the size - 1 once");
    }
    inverse[to_index(to)] = i;
  }
  return inverse;
}

}  // namespace weft::kernels
