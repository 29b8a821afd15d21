#pragma once
/// Ring buffer of message chunks from one rank to another in memory that both map.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::detail {

// A ring serves one direction between two ranks, for messages of one length that are divided into the same chunks.
//
//     writer's memory:  flags[slots]   slot 0 | slot 1 | ...            reader's memory:  taken
//
// Chunk k (counted over all messages) is written to any free slot s; then flags[k mod slots] = (k + 1, s) is stored with
// release order. The reader, which has taken k chunks, loads that flag with acquire order until it is set, uses the slot, and
// stores taken = k + 1 with release order, which frees the slot.
//
// Example with messages of 2 chunks, 4 slots: message 0 uses slots 0 and 1, flags (1, 0) (2, 1) - -. If the reader takes both
// before message 1 is written, that message reuses the slot freed last: chunk 2 in slot 1, flags (1, 0) (2, 1) (3, 1) -.
//
// There are slots for two messages, so that a writer never waits while it writes, provided that the message before the last
// has been taken. This holds if the reader answers each message with one that the writer waits for; otherwise the writer
// waits for it after writing (RingWriter::caught_up). The slot freed last is used first: while both ranks work concurrently,
// a few slots move between their caches for a message of any length, and slots that were never used need no memory.

/// Layout of a ring in the writer's memory. Sizes in bytes are multiples of kRingAlignment.
struct RingLayout {
  std::uint32_t chunks = 0;    ///< chunks of a message
  std::size_t slot_bytes = 0;  ///< longest chunk, rounded up
  [[nodiscard]] std::uint32_t slots() const { return 2 * chunks; }
  [[nodiscard]] std::size_t flag_bytes() const;
  [[nodiscard]] std::size_t bytes() const { return flag_bytes() + slots() * slot_bytes; }
};
/// Two cache lines, because processors prefetch lines in pairs.
inline constexpr std::size_t kRingAlignment = 128;
[[nodiscard]] constexpr std::size_t ring_aligned(std::size_t bytes) {
  return (bytes + kRingAlignment - 1) / kRingAlignment * kRingAlignment;
}

using RingCounter = std::atomic<std::uint64_t>;
static_assert(RingCounter::is_always_lock_free && sizeof(RingCounter) == sizeof(std::uint64_t));

class RingWriter {
 public:
  RingWriter() = default;
  /// @param memory  shape.bytes() zeroed bytes.  @param taken  counter in the reader's memory.
  RingWriter(RingLayout shape, std::byte* memory, const RingCounter* taken);

  [[nodiscard]] std::uint32_t chunks() const { return shape_.chunks; }
  /// Begins a message. @pre the message before the last has been taken.
  void begin();
  /// Returns the address for the next chunk.
  [[nodiscard]] std::byte* slot();
  /// Publishes the chunk in slot().
  void publish();
  /// Returns true if all messages except the last begun one have been taken.
  [[nodiscard]] bool caught_up() const;

 private:
  void free_until(std::uint64_t taken);

  RingLayout shape_;
  RingCounter* flags_ = nullptr;
  std::byte* slots_ = nullptr;
  const RingCounter* taken_ = nullptr;
  std::uint64_t written_ = 0, freed_ = 0;  ///< chunks
  std::vector<std::uint32_t> slot_of_;     ///< slot of chunk k, at k mod slots
  std::vector<std::uint32_t> free_;        ///< free slots, last in, first out
};

class RingReader {
 public:
  RingReader() = default;
  /// @param memory  the writer's memory.  @param taken  zeroed counter in the memory of this rank.
  RingReader(RingLayout shape, const std::byte* memory, RingCounter* taken);

  [[nodiscard]] std::uint32_t chunks() const { return shape_.chunks; }
  /// Returns the next chunk, or null if it has not been published.
  [[nodiscard]] const std::byte* next() const;
  /// Releases the slot of the chunk.
  void take();

 private:
  RingLayout shape_;
  const RingCounter* flags_ = nullptr;
  const std::byte* slots_ = nullptr;
  RingCounter* taken_ = nullptr;
  std::uint64_t read_ = 0;
};

}  // namespace weft::detail
