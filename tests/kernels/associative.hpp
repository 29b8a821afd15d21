#pragma once
/// Operators and entries for tests of scans.
#include <cmath>
#include <cstdint>
#include <vector>

#include "weft/base/macros.hpp"
#include "weft/base/mix.hpp"

namespace weft::kernels::test {

/// An affine function x -> slope x + shift in integers modulo 2^32; a composition is associative and not commutative.
struct Affine {
  std::uint32_t slope = 1, shift = 0;
  bool operator==(const Affine&) const = default;
};
struct Compose {
  /// Returns the function that applies a, then b.
  WEFT_HD Affine operator()(const Affine& a, const Affine& b) const { return {a.slope * b.slope, a.shift * b.slope + b.shift}; }
};

inline std::vector<Affine> affine_functions(std::size_t n) {
  std::vector<Affine> functions(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = mix_bits(i + 5);
    functions[i] = {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  }
  return functions;
}

/// Returns n numbers of very different magnitudes and both signs, with some -0, whose sums depend on the order of addition.
template <class T>
std::vector<T> cancelling_numbers(std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = mix_bits(i + 1);
    values[i] = bits % 17 == 0 ? T{-0.0}
                               : static_cast<T>(std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)),
                                                           static_cast<int>(mix_bits(bits) % 32) - 79));
  }
  return values;
}

/// An affine function x -> slope x + shift of floating-point numbers and further sums, kNumbers in all. A composition is not
/// commutative, and associative up to rounding.
template <class T, int kNumbers>
struct Rounding {
  T number[kNumbers] = {1};  ///< slope 1 or -1, shift, sums
  bool operator==(const Rounding&) const = default;
};
struct ComposeRounding {
  template <class T, int kNumbers>
  WEFT_HD Rounding<T, kNumbers> operator()(const Rounding<T, kNumbers>& a, const Rounding<T, kNumbers>& b) const {
    Rounding<T, kNumbers> both;
    both.number[0] = a.number[0] * b.number[0];
    both.number[1] = a.number[1] * b.number[0] + b.number[1];
    for (int k = 2; k < kNumbers; ++k) both.number[k] = a.number[k] + b.number[k];
    return both;
  }
};
template <class T, int kNumbers>
std::vector<Rounding<T, kNumbers>> rounding_functions(std::size_t n) {
  const std::vector<T> numbers = cancelling_numbers<T>(n * kNumbers);
  std::vector<Rounding<T, kNumbers>> functions(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (int k = 1; k < kNumbers; ++k) functions[i].number[k] = numbers[i * kNumbers + static_cast<std::size_t>(k)];
    functions[i].number[0] = mix_bits(i + 3) % 2 == 0 ? T{1} : T{-1};
  }
  return functions;
}

/// Returns n flags, of which about one in `every` begins a segment.
inline std::vector<std::uint8_t> segment_heads(std::size_t n, std::uint64_t every) {
  std::vector<std::uint8_t> heads(n);
  for (std::size_t i = 0; i < n; ++i) heads[i] = mix_bits(i + 9) % every == 0 ? 1 : 0;
  return heads;
}

/// Returns the offsets of the segments that begin with the marked entries of segment_heads(n, every), and of an empty segment
/// before the first, after every third and after the last one. No entries are one empty segment.
inline std::vector<std::int64_t> segment_offsets(std::size_t n, std::uint64_t every) {
  const std::vector<std::uint8_t> heads = segment_heads(n, every);
  std::vector<std::int64_t> offsets{0, 0};
  for (std::size_t i = 1; i < n; ++i) {
    if (heads[i] == 0) continue;
    offsets.push_back(static_cast<std::int64_t>(i));
    if (offsets.size() % 4 == 0) offsets.push_back(static_cast<std::int64_t>(i));
  }
  if (n > 0) offsets.insert(offsets.end(), 2, static_cast<std::int64_t>(n));
  return offsets;
}

}  // namespace weft::kernels::test
