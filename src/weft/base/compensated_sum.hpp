#pragma once
/// Sums of millions of numbers to the last digits.
#include "weft/base/macros.hpp"

namespace weft {

/// A sum that keeps what additions round off (Neumaier, Z. Angew. Math. Mech. 54, 1974): its error does not grow with the number
/// of terms, where that of a plain sum grows at least with its square root. What an addition rounds off is computed without a
/// branch (Knuth, The Art of Computer Programming 2, section 4.2.2), for GPUs.
class CompensatedSum {
 public:
  CompensatedSum() = default;
  WEFT_HD explicit constexpr CompensatedSum(double first) : sum_(first) {}

  WEFT_HD constexpr CompensatedSum& operator+=(double term) {
    const double next = sum_ + term, added = next - sum_;
    rest_ += (sum_ - (next - added)) + (term - added);
    sum_ = next;
    return *this;
  }
  /// What another sum has added up, with what that keeps.
  WEFT_HD constexpr CompensatedSum& operator+=(const CompensatedSum& other) {
    *this += other.sum_;
    rest_ += other.rest_;
    return *this;
  }
  [[nodiscard]] WEFT_HD constexpr double value() const { return sum_ + rest_; }

 private:
  double sum_ = 0, rest_ = 0;
};

}  // namespace weft
