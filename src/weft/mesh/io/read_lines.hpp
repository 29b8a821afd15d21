#pragma once
/// Divides the lines of a text among the threads of a team.
#include <cstdint>
#include <string_view>
#include <vector>

#include "weft/base/team.hpp"

namespace weft::mesh::detail {

/// For divide_lines(): the text has no comments.
inline constexpr char kNoComments = '\n';

/// Consecutive pieces of whole lines, one for each thread of a team.
struct LinePieces {
  std::vector<std::int64_t> begin;   ///< first byte of each piece, and the end of the last; [threads + 1]
  std::vector<std::int64_t> record;  ///< number of records before each piece, and of all; [threads + 1]
};

/// Divides the beginning of `text` into pieces of at most about 1 MiB and counts their records, on all threads. A record is a
/// line that is neither blank nor begins with `comment`; blanks are those of MeshCursor.
/// @param records  number of records that the caller expects, at least 1. The pieces together have about as many of them, or
///   fewer; they have none where the first pieces contain only blank lines and comments.
[[nodiscard]] LinePieces divide_lines(std::string_view text, std::int64_t records, char comment, Team& team);

}  // namespace weft::mesh::detail
