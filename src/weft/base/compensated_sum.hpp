#pragma once
/// Compensated summation of many floating-point numbers.
#include "weft/base/macros.hpp"

namespace weft {

/// A sum that accumulates the rounding errors of its additions (Neumaier, Z. Angew. Math. Mech. 54, 1974): its own error does
/// not grow with the number of terms, whereas that of a plain sum grows at least with the square root. Each rounding error is
/// computed without a branch (two-sum: Knuth, The Art of Computer Programming 2, section 4.2.2), which suits GPUs.
class CompensatedSum {
 public:
  CompensatedSum() = default;
  WEFT_HD explicit constexpr CompensatedSum(double first) : sum_(first) {}

  WEFT_HD constexpr CompensatedSum& operator+=(double term) {
    const double next = sum_ + term, added = next - sum_;
    correction_ += (sum_ - (next - added)) + (term - added);
    sum_ = next;
    return *this;
  }
  /// Adds another sum together with its accumulated rounding error.
  WEFT_HD constexpr CompensatedSum& operator+=(const CompensatedSum& other) {
    *this += other.sum_;
    correction_ += other.correction_;
    return *this;
  }
  [[nodiscard]] WEFT_HD constexpr double value() const { return sum_ + correction_; }

 private:
  double sum_ = 0, correction_ = 0;
};

}  // namespace weft
