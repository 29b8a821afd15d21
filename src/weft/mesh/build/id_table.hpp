#pragma once
/// A hash table from 64-bit ids to 32-bit positions for ids that are locally consecutive.
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/mix.hpp"

namespace weft::mesh::detail {

/// Open addressing, linear probing, at most half full. Ids that are equal except for their last four bits share a block of
/// slots, so that lookups of neighbours in a mesh hit the cache. If ids are known to be dense in a range, a plain list is
/// used instead. Ids must not be negative; ids cannot be removed.
class IdTable {
 public:
  static constexpr std::int32_t kAbsent = -1;

  explicit IdTable(std::size_t expected = 0) { rehash(expected); }
  /// Creates a table for ids from `low` to `high`. @pre 0 <= low
  IdTable(std::int64_t low, std::int64_t high, std::size_t expected) : low_(low) {
    const std::size_t range = high < low ? 0 : high - low + 1;
    if (range * sizeof(std::int32_t) <= 2 * expected * sizeof(Slot)) {
      list_.assign(range, kAbsent);
    } else {
      rehash(expected);
    }
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  /// Returns the position of each id from the lowest on, or kAbsent, for the caller to enter; empty if the table hashes.
  [[nodiscard]] std::span<std::int32_t> list() { return list_; }

  /// Returns the position of `id`, or kAbsent.
  [[nodiscard]] std::int32_t find(std::int64_t id) const {
    if (!slots_.empty()) return slots_[slot_of(id)].position;
    const std::size_t i = id - low_;  // large for smaller ids
    return i < list_.size() ? list_[i] : kAbsent;
  }

  /// Returns the position of `id`; stores `position` if there was none.
  std::int32_t find_or_insert(std::int64_t id, std::int32_t position) {
    if (slots_.empty()) {
      std::int32_t& known = list_[id - low_];
      if (known != kAbsent) return known;
      ++size_;
      return known = position;
    }
    if (2 * (size_ + 1) > slots_.size()) rehash(2 * size_ + 1);
    Slot& slot = slots_[slot_of(id)];
    if (slot.position == kAbsent) {
      slot = {id, position};
      ++size_;
    }
    return slot.position;
  }

 private:
#pragma pack(push, 4)
  struct Slot {
    std::int64_t id = -1;
    std::int32_t position = kAbsent;
  };
#pragma pack(pop)

  [[nodiscard]] std::size_t slot_of(std::int64_t id) const {
    const auto key = static_cast<std::uint64_t>(id);
    const std::uint64_t block = mix_bits(key >> 4);  // ids of one block of 16 stay together
    std::size_t i = (((block >> 32) << 4) | (key & 15U)) & mask_;
    while (slots_[i].position != kAbsent && slots_[i].id != id) i = (i + 1) & mask_;
    return i;
  }

  void rehash(std::size_t expected) {
    std::vector<Slot> old(std::bit_ceil(2 * expected + 16));
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.position != kAbsent) slots_[slot_of(slot.id)] = slot;
    }
  }

  std::vector<Slot> slots_;         // or
  std::vector<std::int32_t> list_;  // position of each id from low_ on
  std::int64_t low_ = 0;
  std::size_t mask_ = 0, size_ = 0;
};

}  // namespace weft::mesh::detail
