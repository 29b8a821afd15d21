#pragma once
/// A message of rows, cut into chunks.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/array/row_packing.hpp"

namespace weft::detail {

/// A message is: field after field, row after row. Cut between rows, so that ranks that know the rows' lengths cut alike.
class MessageChunks {
 public:
  /// Rows of one field.
  struct Piece {
    std::size_t field;
    RowSet rows;
  };

  MessageChunks() = default;
  /// Chunks of at most `limit` bytes, but for rows that are longer. A message without bytes has no chunks.
  MessageChunks(const std::vector<Field>& fields, const RowSet& rows, std::size_t limit);

  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::span<const Piece> operator[](std::size_t chunk) const {
    const std::size_t first = chunk == 0 ? 0 : ends_[chunk - 1];
    return std::span(pieces_).subspan(first, ends_[chunk] - first);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Of the longest chunk.
  [[nodiscard]] std::size_t longest() const { return longest_; }

 private:
  std::vector<Piece> pieces_;
  std::vector<std::size_t> ends_;  ///< of each chunk, in pieces_
  std::size_t bytes_ = 0, longest_ = 0;
};

}  // namespace weft::detail
