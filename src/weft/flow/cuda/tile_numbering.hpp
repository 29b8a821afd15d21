#pragma once
/// Local numbers within a tile.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace weft::flow::detail {

/// Local numbers of one kind of entity (rows, faces) in the tile that is being built, in the order of add(). A hash table of the
/// size of a tile, so that it stays in the cache and each thread can have one.
class Numbering {
 public:
  Numbering() : slots_(kLeastSlots) {}
  /// Starts a tile without entities.
  void begin() { ++tile_, next_ = 0; }
  /// Adds an entity. Returns whether it is new in this tile.
  bool add(std::int32_t entity) {
    Slot& slot = slots_[slot_of(entity)];
    if (slot.tile == tile_) return false;
    slot = {tile_, entity, next_++};
    if (2 * static_cast<std::size_t>(next_) > slots_.size()) grow();
    return true;
  }
  /// @pre the tile has the entity.
  [[nodiscard]] std::uint16_t operator[](std::int32_t entity) const {
    return static_cast<std::uint16_t>(slots_[slot_of(entity)].number);
  }
  [[nodiscard]] int count() const { return next_; }

 private:
  struct Slot {
    std::int32_t tile = 0, entity = 0, number = 0;
  };
  static constexpr std::size_t kLeastSlots = 1024;

  /// Returns the slot of an entity, or the free one where it belongs.
  [[nodiscard]] std::size_t slot_of(std::int32_t entity) const {
    const std::size_t mask = slots_.size() - 1;
    // The prime closest to 2^32 divided by the golden ratio (Knuth, The Art of Computer Programming, volume 3, 6.4). Products
    // with it take less time here than hashes of base/mix.hpp. Numbers do not depend on slots.
    constexpr std::uint32_t kFactor = 0x9e3779b1U;
    std::size_t i = (static_cast<std::uint32_t>(entity) * kFactor >> 12U) & mask;
    while (slots_[i].tile == tile_ && slots_[i].entity != entity) i = (i + 1) & mask;
    return i;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.tile == tile_) slots_[slot_of(slot.entity)] = slot;
    }
  }

  std::vector<Slot> slots_;  ///< those of other tiles are free
  std::int32_t tile_ = 0;
  int next_ = 0;
};

}  // namespace weft::flow::detail
