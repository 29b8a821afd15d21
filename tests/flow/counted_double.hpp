#pragma once
/// A double that counts the floating-point operations that are executed with it.
#include <cmath>

namespace weft::flow::test {

/// Counts additions, subtractions, multiplications, divisions, square roots and cube roots; not comparisons, selections, absolute
/// values and changes of sign. Operations between plain doubles, such as gamma - 1, are not counted: they are the same for all
/// cells.
struct CountedDouble {
  double value = 0;
  inline static long operations = 0;

  constexpr CountedDouble() = default;
  constexpr CountedDouble(double number) : value(number) {}  // NOLINT(google-explicit-constructor): as a double is
  /// Element of a vector of one, for kernels that take SIMD vectors.
  constexpr CountedDouble operator[](int /*element*/) const { return *this; }

  friend CountedDouble operator+(CountedDouble a, CountedDouble b) { return counted(a.value + b.value); }
  friend CountedDouble operator-(CountedDouble a, CountedDouble b) { return counted(a.value - b.value); }
  friend CountedDouble operator*(CountedDouble a, CountedDouble b) { return counted(a.value * b.value); }
  friend CountedDouble operator/(CountedDouble a, CountedDouble b) { return counted(a.value / b.value); }
  friend CountedDouble operator-(CountedDouble a) { return -a.value; }
  CountedDouble& operator+=(CountedDouble b) { return *this = *this + b; }
  CountedDouble& operator-=(CountedDouble b) { return *this = *this - b; }
  CountedDouble& operator*=(CountedDouble b) { return *this = *this * b; }
  friend CountedDouble pow(CountedDouble a, CountedDouble b) { return counted(std::pow(a.value, b.value)); }
  friend CountedDouble sqrt(CountedDouble a) { return counted(std::sqrt(a.value)); }
  friend CountedDouble cbrt(CountedDouble a) { return counted(std::cbrt(a.value)); }
  friend bool operator<(CountedDouble a, CountedDouble b) { return a.value < b.value; }
  friend bool operator>(CountedDouble a, CountedDouble b) { return a.value > b.value; }
  friend bool operator<=(CountedDouble a, CountedDouble b) { return a.value <= b.value; }
  friend bool operator>=(CountedDouble a, CountedDouble b) { return a.value >= b.value; }
  friend bool operator==(CountedDouble a, CountedDouble b) { return a.value == b.value; }
  friend bool operator!=(CountedDouble a, CountedDouble b) { return a.value != b.value; }

 private:
  static CountedDouble counted(double result) {
    ++operations;
    return result;
  }
};

/// Returns the number of operations of a call.
template <class Work>
long operations_of(const Work& work) {
  const long before = CountedDouble::operations;
  work();
  return CountedDouble::operations - before;
}

}  // namespace weft::flow::test
