#pragma once
/// Offsets for tests of sorts by segments.
#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft::kernels::test {

/// The lengths of segments: as given, then up to the number of all entries.
struct Lengths {
  const char* name;
  std::vector<std::int64_t> repeated;
};

/// Returns lengths at the ends of a warp (32), of a tile of the GPU (2048) and of the merges of 2, 3 and 4 tiles, and empty ones.
inline std::vector<Lengths> segment_lengths() {
  return {{"empty and short", {0, 1, 2, 0, 0, 7, 31, 32, 0}},
          {"ends of a warp", {31, 32, 33, 64, 65}},
          {"ends of a tile", {2047, 2048, 2049, 0, 1}},
          {"merges", {4095, 4096, 4097, 6144, 8192, 8193, 20, 100}},
          {"one segment", {std::int64_t{1} << 40}}};
}

/// Returns offsets of such segments, an empty one first and last, that end with n.
inline std::vector<std::int64_t> offsets_to(std::int64_t n, const Lengths& lengths) {
  std::vector<std::int64_t> offsets{0, 0};
  for (std::size_t s = 0; offsets.back() < n; ++s) {
    offsets.push_back(std::min(n, offsets.back() + lengths.repeated[s % lengths.repeated.size()]));
  }
  offsets.push_back(n);
  return offsets;
}

}  // namespace weft::kernels::test
