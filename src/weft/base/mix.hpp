#pragma once
/// Hashes of integers and texts, for checksums, hash tables and reproducible noise. They are equal on all machines.
#include <cstdint>
#include <string_view>

#include "weft/base/macros.hpp"

namespace weft {

/// The odd integer closest to 2^64 divided by the golden ratio: its multiples are far from each other modulo 2^64.
inline constexpr std::uint64_t kGoldenRatioBits = 0x9e3779b97f4a7c15U;

/// Returns the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a bijection in which every input bit affects all
/// 64 output bits.
[[nodiscard]] WEFT_HD constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// Returns the hash of a sequence from the hash of the values before the last one (0 if there are none) and that value.
[[nodiscard]] WEFT_HD constexpr std::uint64_t hash_with(std::uint64_t hash, std::uint64_t value) {
  return mix_bits(hash + kGoldenRatioBits + value);
}

/// Returns the hash of a text, from the hash of what comes before it.
[[nodiscard]] constexpr std::uint64_t hash_text(std::string_view text, std::uint64_t hash = 0) {
  for (const char c : text) hash = mix_bits(hash + static_cast<unsigned char>(c) + 1);
  return hash;
}

}  // namespace weft
