#pragma once
/// Sums of millions of numbers to the last digits.
#include <cmath>

namespace weft {

/// A sum that keeps what additions round off (Neumaier, Z. Angew. Math. Mech. 54, 1974): its error does not grow with the number
/// of terms, where that of a plain sum grows at least with its square root.
class CompensatedSum {
 public:
  CompensatedSum& operator+=(double term) {
    const double next = sum_ + term;
    rest_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
    return *this;
  }
  [[nodiscard]] double value() const { return sum_ + rest_; }

 private:
  double sum_ = 0, rest_ = 0;
};

}  // namespace weft
