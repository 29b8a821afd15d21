#pragma once
/// Division of a message of rows into chunks.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/array/row_packing.hpp"

namespace weft::detail {

/// A message contains field after field, row after row. It is divided between rows, so that sender and receiver, which both
/// know the lengths of rows, obtain the same chunks.
class MessageChunks {
 public:
  /// A range of rows of one field.
  struct Piece {
    std::size_t field;
    RowSet rows;
  };

  MessageChunks() = default;
  /// Creates chunks of at most `limit` bytes, except for longer single rows. A message without bytes has no chunks.
  MessageChunks(const std::vector<Field>& fields, const RowSet& rows, std::size_t limit);

  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::span<const Piece> operator[](std::size_t chunk) const {
    const std::size_t first = chunk == 0 ? 0 : ends_[chunk - 1];
    return std::span(pieces_).subspan(first, ends_[chunk] - first);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Returns the size of the longest chunk in bytes.
  [[nodiscard]] std::size_t longest() const { return longest_; }

 private:
  std::vector<Piece> pieces_;
  std::vector<std::size_t> ends_;  ///< end of each chunk in pieces_
  std::size_t bytes_ = 0, longest_ = 0;
};

}  // namespace weft::detail
