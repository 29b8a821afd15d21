#pragma once
/// Local numbers within a tile.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::flow::detail {

/// Local numbers of one kind of entity (rows, faces) in the tile that is being built, in the order of add().
class Numbering {
 public:
  /// @param count  number of entities of the rank.
  explicit Numbering(std::size_t count) : of_(count) {}
  /// Starts a tile without entities.
  void begin(std::int32_t tile) { tile_ = tile, next_ = 0; }
  /// Adds an entity. Returns whether it is new in this tile.
  bool add(std::int32_t entity) {
    Entry& entry = of_[entity];
    if (entry.tile == tile_) return false;
    entry = {tile_, next_++};
    return true;
  }
  [[nodiscard]] std::uint16_t operator[](std::int32_t entity) const { return static_cast<std::uint16_t>(of_[entity].number); }
  [[nodiscard]] int count() const { return next_; }

 private:
  struct Entry {
    std::int32_t tile = -1, number = 0;
  };
  std::vector<Entry> of_;
  std::int32_t tile_ = -1;
  int next_ = 0;
};

}  // namespace weft::flow::detail
