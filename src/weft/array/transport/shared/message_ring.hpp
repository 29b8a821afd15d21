#pragma once
/// Messages from one rank to another through memory that both have mapped.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::detail {

// A lane is one direction between two ranks, for messages of one length, each cut into the same chunks.
//
//     writer's memory:  flags[slots]   slot 0 | slot 1 | ...            reader's memory:  taken
//
// Chunk k (counted over all messages) goes into any free slot s. Then flags[k mod slots] = (k + 1, s), released. The reader,
// which has taken k chunks, waits for that flag, acquires it, uses the slot, and releases taken = k + 1: the slot is free again.
//
// There are slots for two messages, so that a writer never waits while it writes, provided that the message before the last has
// been taken. It has, where the reader answers each message with one that the writer waits for; else the writer waits for it once
// it has written (RingWriter::caught_up). The slot that came free last is used first: while both ranks are at it together, a few
// chunks go to and fro between their caches however long the message is; and slots that were never used cost no memory.

/// Of one lane, what the writer puts into its memory. Bytes are multiples of kRingAlignment.
struct RingLayout {
  std::uint32_t chunks = 0;    ///< of a message
  std::size_t slot_bytes = 0;  ///< of the longest chunk, rounded up
  [[nodiscard]] std::uint32_t slots() const { return 2 * chunks; }
  [[nodiscard]] std::size_t flag_bytes() const;
  [[nodiscard]] std::size_t bytes() const { return flag_bytes() + slots() * slot_bytes; }
};
/// Two cache lines: they are fetched in pairs.
inline constexpr std::size_t kRingAlignment = 128;
[[nodiscard]] constexpr std::size_t ring_aligned(std::size_t bytes) {
  return (bytes + kRingAlignment - 1) / kRingAlignment * kRingAlignment;
}

using RingCounter = std::atomic<std::uint64_t>;
static_assert(RingCounter::is_always_lock_free && sizeof(RingCounter) == sizeof(std::uint64_t));

class RingWriter {
 public:
  RingWriter() = default;
  /// @param memory  shape.bytes() of them, all zero.  @param taken  of the reader.
  RingWriter(RingLayout shape, std::byte* memory, const RingCounter* taken);

  [[nodiscard]] std::uint32_t chunks() const { return shape_.chunks; }
  /// Begins a message. @pre the message before the last has been taken.
  void begin();
  /// Where to write the next chunk.
  [[nodiscard]] std::byte* slot();
  /// The chunk is there.
  void raise();
  /// Whether all messages but the last that was begun have been taken.
  [[nodiscard]] bool caught_up() const;

 private:
  void free_until(std::uint64_t taken);

  RingLayout shape_;
  RingCounter* flags_ = nullptr;
  std::byte* slots_ = nullptr;
  const RingCounter* taken_ = nullptr;
  std::uint64_t written_ = 0, freed_ = 0;  ///< chunks
  std::vector<std::uint32_t> slot_of_;     ///< of chunk k, at k mod slots
  std::vector<std::uint32_t> free_;        ///< last in, first out
};

class RingReader {
 public:
  RingReader() = default;
  /// @param memory  the writer's.  @param taken  in memory of this rank, zero.
  RingReader(RingLayout shape, const std::byte* memory, RingCounter* taken);

  [[nodiscard]] std::uint32_t chunks() const { return shape_.chunks; }
  /// The next chunk, or null while it is not there.
  [[nodiscard]] const std::byte* next() const;
  /// It may be overwritten.
  void take();

 private:
  RingLayout shape_;
  const RingCounter* flags_ = nullptr;
  const std::byte* slots_ = nullptr;
  RingCounter* taken_ = nullptr;
  std::uint64_t read_ = 0;
};

}  // namespace weft::detail
