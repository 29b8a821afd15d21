#pragma once
/// A mixing function for checksums, hashes and reproducible noise.
#include <cstdint>

namespace weft {

/// Returns the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a bijection in which every input bit affects all
/// 64 output bits.
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace weft
