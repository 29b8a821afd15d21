#pragma once
/// Permutations of indices by exclusive or, against bank conflicts.
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/kernels/layout/invalid.hpp"

namespace weft::kernels::layout {

/// The permutation i -> i ^ ((i & source) >> shift), where `source` has `bits` bits from bit base + shift on: bits base to base +
/// bits - 1 are combined with those that lie `shift` bits above. It permutes every 2^(base + bits + shift) consecutive indices,
/// is its own inverse, and is the identity with bits = 0. Example: {2, 1, 3} combines bits 1 and 2 with bits 4 and 5, so 16 ->
/// 18, 18 -> 16 and 50 -> 52. In the order of the numbers it is CuTe's Swizzle<bits, base, shift>.
struct Swizzle {
  int bits = 0, base = 0, shift = 0;

  constexpr Swizzle() = default;
  /// @throws InputError unless bits, base >= 0, shift >= bits and base + bits + shift <= 62.
  WEFT_HD constexpr Swizzle(int the_bits, int the_base, int the_shift) : bits(the_bits), base(the_base), shift(the_shift) {
    if (bits < 0 || base < 0) invalid("swizzle: bits ({0}) and base ({1}) are not negative; exchange the arguments", bits, base);
    if (shift < bits) invalid("swizzle: shift {0} is less than bits {1}; the two groups of bits may not overlap", shift, bits);
    if (base + bits + shift > 62) invalid("swizzle: bits, base and shift add up to {0}; at most 62", base + bits + shift);
  }

  template <class I>
  [[nodiscard]] WEFT_HD constexpr I operator()(I i) const {
    if (bits == 0) return i;
    const std::int64_t source = ((std::int64_t{1} << bits) - 1) << (base + shift);
    return static_cast<I>(i ^ static_cast<I>((static_cast<std::int64_t>(i) & source) >> shift));
  }
  [[nodiscard]] WEFT_HD constexpr bool is_identity() const { return bits == 0; }

  friend constexpr bool operator==(const Swizzle&, const Swizzle&) = default;
};

}  // namespace weft::kernels::layout
