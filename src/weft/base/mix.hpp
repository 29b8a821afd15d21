#pragma once
/// A mixer of bits, for checksums, hashes and repeatable noise.
#include <cstdint>

namespace weft {

/// SplitMix64's finaliser (Steele, Lea, Flood 2014): spreads every bit over all 64, one to one.
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace weft
