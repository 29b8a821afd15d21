#pragma once
/// Values that blocks of a kernel publish for each other, for .cu files.
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace weft::kernels::detail {

/// The value that a tile or a group of tiles has published: none, its aggregate, or its inclusive prefix.
enum class TileState : std::uint32_t { none, aggregate, prefix };

/// A value in global memory that one block publishes and others wait for, initially bytes of zero (TileState::none). Each word
/// holds the state and 32 bits of the value, so that the words need no ordering, and no fence.
template <class T>
class Published {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Publishes a value. One thread calls it.
  __device__ void publish(TileState state, const T& value) {
    std::uint32_t part[kWords] = {};
    memcpy(part, &value, sizeof(T));
    const std::uint64_t tag = static_cast<std::uint64_t>(state) << 32;
    if constexpr (kWords == 1) {
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word_), "l"(tag | part[0]) : "memory");
    } else {
#pragma unroll
      for (int w = 0; w < kWords; w += 2) {
        asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(word_ + w), "l"(tag | part[w]), "l"(tag | part[w + 1])
                     : "memory");
      }
    }
  }
  /// Loads the published value. Returns TileState::none also while only some of the words are visible; then the value
  /// is not one that was published.
  [[nodiscard]] __device__ TileState load(T& value) const {
    std::uint64_t word[kWords];
    if constexpr (kWords == 1) {
      asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word[0]) : "l"(word_) : "memory");
    } else {
#pragma unroll
      for (int w = 0; w < kWords; w += 2) {
        asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(word[w]), "=l"(word[w + 1])
                     : "l"(word_ + w)
                     : "memory");
      }
    }
    std::uint32_t part[kWords];
    bool same = true;
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      part[w] = static_cast<std::uint32_t>(word[w]);
      same = same && word[w] >> 32 == word[0] >> 32;
    }
    memcpy(&value, part, sizeof(T));
    return same ? static_cast<TileState>(word[0] >> 32) : TileState::none;
  }
  /// Waits until a value is published, and returns it.
  [[nodiscard]] __device__ T wait() const {
    T value;
    while (load(value) == TileState::none) {
    }
    return value;
  }

 private:
  static constexpr int kWords = sizeof(T) <= 4 ? 1 : (static_cast<int>(sizeof(T)) + 7) / 8 * 2;
  alignas(kWords == 1 ? 8 : 16) std::uint64_t word_[kWords];
};

}  // namespace weft::kernels::detail
