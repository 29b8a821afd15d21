#pragma once
/// Keys for tests of sorts.
#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <vector>

#include "weft/base/mix.hpp"
#include "weft/kernels/primitives/key_order.hpp"

namespace weft::kernels::test {

enum class Distribution { random, few, equal, ascending, descending };
inline constexpr Distribution kDistributions[] = {Distribution::random, Distribution::few, Distribution::equal,
                                                  Distribution::ascending, Distribution::descending};

/// Returns n keys. Random ones have arbitrary bits: floating-point keys among them are NaN and denormal numbers of both signs,
/// and every 16th is -0, +0, an infinity, or the least or the greatest number. `few` has 17 distinct keys.
template <class Key>
std::vector<Key> keys(std::size_t n, Distribution distribution) {
  using Limits = std::numeric_limits<Key>;
  std::vector<Key> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = mix_bits(i + 1);
    switch (distribution) {
      case Distribution::random:
        result[i] = std::bit_cast<Key>(static_cast<detail::KeyBits<Key>>(bits >> 8));
        if (bits % 16 == 0) {
          const Key special[] = {
              static_cast<Key>(-Key{0}), Key{0},        Limits::infinity(),  static_cast<Key>(-Limits::infinity()),
              Limits::lowest(),          Limits::max(), Limits::quiet_NaN(), static_cast<Key>(-Limits::quiet_NaN()),
              Limits::denorm_min()};
          result[i] = special[bits / 16 % std::size(special)];
        }
        break;
      case Distribution::few:
        result[i] = static_cast<Key>(bits % 17);
        break;
      case Distribution::equal:
        result[i] = Key{5};
        break;
      case Distribution::ascending:
        result[i] = static_cast<Key>(i);
        break;
      case Distribution::descending:
        result[i] = static_cast<Key>(n - i);
        break;
    }
  }
  return result;
}

/// Returns true if the bits of the keys are equal.
template <class Key>
bool same_keys(const std::vector<Key>& a, const std::vector<Key>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Key& x, const Key& y) {
    return std::bit_cast<detail::KeyBits<Key>>(x) == std::bit_cast<detail::KeyBits<Key>>(y);
  });
}

}  // namespace weft::kernels::test
