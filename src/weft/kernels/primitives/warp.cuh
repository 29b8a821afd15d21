#pragma once
/// Exchange of values among the lanes of a warp, and groups of entries that a lane loads and stores together, for .cu files.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "weft/base/macros.hpp"

namespace weft::kernels::detail {

inline constexpr unsigned kAllLanes = 0xffffffffU;

/// Returns the mask of the first n lanes of a warp, 0 <= n <= 32. A shift by 32 needs 64 bits.
[[nodiscard]] WEFT_HD constexpr unsigned first_lanes(int n) { return static_cast<unsigned>((1ULL << n) - 1); }

/// The alignment of a group of entries: its size up to 16 bytes, or that of T if it is not a power of two.
template <class T, int kCount>
inline constexpr std::size_t kGroupAlignment =
    std::has_single_bit(kCount * sizeof(T)) ? (kCount * sizeof(T) < 16 ? kCount * sizeof(T) : 16) : alignof(T);

/// Adjacent entries that a lane loads and stores together, by up to 16 bytes at a time.
template <class T, int kCount>
struct alignas(kGroupAlignment<T, kCount>) EntryGroup {
  T value[kCount];
};

/// Exchanges a trivially copyable value among the lanes of a warp, word by word, by one of the shuffle instructions.
template <class T, class Shuffle>
__device__ T shuffle_words(const T& value, const Shuffle& shuffle) {
  std::uint32_t words[(sizeof(T) + 3) / 4] = {};
  memcpy(words, &value, sizeof(T));
#pragma unroll
  for (std::uint32_t& word : words) word = shuffle(word);
  T result = value;
  memcpy(&result, words, sizeof(T));
  return result;
}
/// Returns the value of the lane `apart` lanes before.
template <class T>
__device__ T shuffle_up(const T& value, int apart) {
  return shuffle_words(value, [=](std::uint32_t word) { return __shfl_up_sync(kAllLanes, word, static_cast<unsigned>(apart)); });
}
/// Returns the value of lane `lane`.
template <class T>
__device__ T shuffle_from(const T& value, int lane) {
  return shuffle_words(value, [=](std::uint32_t word) { return __shfl_sync(kAllLanes, word, lane); });
}

/// Memory for a trivially copyable value in shared memory, whose variables have no constructors.
template <class T>
class SharedValue {
 public:
  __device__ void store(const T& value) { memcpy(bytes_, &value, sizeof(T)); }
  [[nodiscard]] __device__ T load() const { return *reinterpret_cast<const T*>(bytes_); }

 private:
  alignas(T) unsigned char bytes_[sizeof(T)];
};

}  // namespace weft::kernels::detail
