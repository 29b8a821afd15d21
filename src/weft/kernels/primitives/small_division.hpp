#pragma once
/// Division of small numbers by a divisor that is constant during a kernel.
#include <bit>
#include <cstdint>

#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"

namespace weft::kernels::detail {

/// Divides numbers below 2^16 by a multiplication and a shift, in place of the 20 or so instructions of a division on a GPU.
///
/// The reciprocal 2^shift / divisor is rounded up, by less than 1, so that the product of n is too large by less than n. With
/// shift = 16 + ceil(log2(divisor)) that is less than 2^shift / divisor: the quotient does not reach the next integer.
class SmallDivision {
 public:
  static constexpr std::int64_t kLimit = 1 << 16;  ///< above every number that is divided

  /// @pre 0 < divisor <= kLimit.
  explicit constexpr SmallDivision(std::int64_t divisor) : divisor_(static_cast<std::uint32_t>(divisor)) {
    WEFT_EXPECTS(divisor > 0 && divisor <= kLimit);
    shift_ = 16 + static_cast<std::uint32_t>(std::bit_width(divisor_ - 1));
    reciprocal_ = static_cast<std::uint32_t>(((std::uint64_t{1} << shift_) + divisor_ - 1) / divisor_);
  }

  [[nodiscard]] WEFT_HD constexpr int divisor() const { return static_cast<int>(divisor_); }
  /// Returns n / divisor, rounded down. @pre 0 <= n < kLimit.
  [[nodiscard]] WEFT_HD constexpr int operator()(int n) const {
    return static_cast<int>((static_cast<std::uint64_t>(static_cast<std::uint32_t>(n)) * reciprocal_) >> shift_);
  }

 private:
  std::uint32_t divisor_, reciprocal_ = 0, shift_ = 0;
};

}  // namespace weft::kernels::detail
