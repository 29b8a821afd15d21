#pragma once
/// Device code that copies the chunks of a CopyTable, one thread block per chunk.
#include "weft/array/transport/copies.hpp"
#include "weft/device/cuda.cuh"

namespace weft::detail {

inline constexpr int kCopyThreads = 256;
/// Number of blocks at which every multiprocessor of a large GPU has its maximum number of threads.
inline constexpr std::uint32_t kCopyBlocks = 132 * 8;

/// Returns the part that contains a chunk.
__device__ inline const CopyPart& part_of(const CopyPart* parts, std::int32_t count, std::uint32_t chunk) {
  std::int32_t low = 0, high = count;  // invariant: first_chunk of low <= chunk < first_chunk of high
  while (high - low > 1) {
    const std::int32_t middle = (low + high) / 2;
    (parts[middle].first_chunk <= chunk ? low : high) = middle;
  }
  return parts[low];
}

/// Copies the share of one thread of a chunk: all loads are issued before the first value is used.
template <class Word>
class ThreadCopy {
 public:
  __device__ ThreadCopy(const CopyPart& part, std::uint32_t chunk) : first_((chunk - part.first_chunk) * kChunkWords) {
#pragma unroll
    for (std::uint32_t k = 0; k < kEach; ++k) {
      const std::uint32_t word = first_ + threadIdx.x + k * kCopyThreads;
      to_[k] = nullptr;
      if (word < part.words) {
        const CopiedWord<Word> copied(part, word);
        words_[k] = *copied.from;
        to_[k] = copied.to;
      }
    }
  }
  __device__ void store() const {
#pragma unroll
    for (std::uint32_t k = 0; k < kEach; ++k) {
      if (to_[k] != nullptr) *to_[k] = words_[k];
    }
  }

 private:
  static constexpr std::uint32_t kEach = kChunkWords / kCopyThreads;
  std::uint32_t first_;
  Word words_[kEach];
  Word* to_[kEach];
};

/// Stores pairs of contiguous 8-byte words as 16 bytes, which halves the number of packets to another GPU.
template <>
class ThreadCopy<std::uint64_t> {
 public:
  __device__ ThreadCopy(const CopyPart& part, std::uint32_t chunk) {
    const std::uint32_t first = (chunk - part.first_chunk) * kChunkWords;
    // Pairs start at multiples of 16 bytes; the odd word before the first pair is stored with the last thread's last pair,
    // whose second word belongs to the next chunk.
    const std::uint32_t odd = part.dense ? static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(part.to) / 8 % 2) : 0;
    dense_ = part.dense;
#pragma unroll
    for (std::uint32_t k = 0; k < kPairs; ++k) {
      const std::uint32_t pair = threadIdx.x + k * kCopyThreads;
      load(part, first, odd + 2 * pair, words_[2 * k], to_[2 * k]);
      load(part, first, (odd + 2 * pair + 1) % kChunkWords, words_[2 * k + 1], to_[2 * k + 1]);
    }
  }
  __device__ void store() const {
#pragma unroll
    for (std::uint32_t k = 0; k < kPairs; ++k) {
      std::uint64_t *const low = to_[2 * k], *const high = to_[2 * k + 1];
      if (dense_ && low != nullptr && high == low + 1) {
        *reinterpret_cast<ulonglong2*>(low) = {words_[2 * k], words_[2 * k + 1]};
        continue;
      }
      if (low != nullptr) *low = words_[2 * k];
      if (high != nullptr) *high = words_[2 * k + 1];
    }
  }

 private:
  __device__ static void load(const CopyPart& part, std::uint32_t first, std::uint32_t at, std::uint64_t& word,
                              std::uint64_t*& to) {
    to = nullptr;
    if (first + at >= part.words) return;
    const CopiedWord<std::uint64_t> copied(part, first + at);
    word = *copied.from;
    to = copied.to;
  }
  static constexpr std::uint32_t kPairs = kChunkWords / kCopyThreads / 2;
  std::uint64_t words_[2 * kPairs];
  std::uint64_t* to_[2 * kPairs];
  bool dense_;
};

/// Calls f with a value of the word type of the table.
template <class F>
void with_words(const CopyTable& table, const F& f) {
  switch (table.word_bytes) {
    case 16:
      return f(Word16{});
    case 8:
      return f(std::uint64_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint8_t{});
  }
}

}  // namespace weft::detail
