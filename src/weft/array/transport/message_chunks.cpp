#include "weft/array/transport/message_chunks.hpp"

#include <algorithm>

namespace weft::detail {

MessageChunks::MessageChunks(const std::vector<Field>& fields, const RowSet& rows, std::size_t limit) {
  std::size_t filled = 0;
  const auto end_chunk = [&] {
    if (filled == 0) return;
    ends_.push_back(pieces_.size());
    longest_ = std::max(longest_, filled);
    bytes_ += filled;
    filled = 0;
  };
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Field& field = fields[f];
    if (!field.csr() && field.row_bytes == 0) continue;
    for (std::size_t first = 0; first < rows.count;) {
      std::size_t count = 0, bytes = 0;
      if (field.csr()) {
        for (; first + count < rows.count; ++count) {
          const std::size_t row = field.bytes_of(rows[first + count]);
          if (filled + bytes + row > limit && filled + bytes > 0) break;
          bytes += row;
        }
      } else {
        const std::size_t space = filled < limit ? (limit - filled) / field.row_bytes : 0;
        count = std::min(rows.count - first, filled == 0 ? std::max<std::size_t>(space, 1) : space);
        bytes = count * field.row_bytes;
      }
      if (count == 0) {
        end_chunk();
        continue;
      }
      if (bytes > 0) pieces_.push_back({f, rows.part(first, count)});
      filled += bytes;
      first += count;
    }
  }
  end_chunk();
}

}  // namespace weft::detail
