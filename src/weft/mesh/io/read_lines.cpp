#include "weft/mesh/io/read_lines.hpp"

#include <algorithm>
#include <cstring>

#include "weft/base/team_loops.hpp"

namespace weft::mesh::detail {
namespace {

/// Maximum bytes of a piece. Its text, and the elements that a thread reads from it, fit into the caches of a core.
constexpr std::int64_t kPieceBytes = 1 << 20;

/// Returns the first line that begins at `at` or after it, or the end of the text.
std::int64_t line_from(std::string_view text, std::int64_t at) {
  if (at == 0) return 0;
  const std::size_t newline = text.find('\n', at - 1);
  return newline == std::string_view::npos ? std::ssize(text) : static_cast<std::int64_t>(newline) + 1;
}

std::int64_t count_records(std::string_view lines, char comment) {
  std::int64_t records = 0;
  const char *p = lines.data(), *const end = p + lines.size();
  while (p < end) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
    if (p < end && *p != '\n' && *p != comment) ++records;
    const void* const newline = p < end ? std::memchr(p, '\n', end - p) : nullptr;
    p = newline ? static_cast<const char*>(newline) + 1 : end;
  }
  return records;
}

/// Returns the bytes of each of the pieces, estimated from the length of the first records.
std::int64_t piece_bytes(std::string_view text, std::int64_t records, char comment, std::int64_t pieces) {
  constexpr std::int64_t kSample = 4096;
  const std::string_view sample = text.substr(0, line_from(text, std::min<std::int64_t>(kSample, std::ssize(text))));
  const std::int64_t sampled = count_records(sample, comment);
  if (sampled == 0) return kPieceBytes;
  const double bytes = static_cast<double>(sample.size()) / static_cast<double>(sampled) * static_cast<double>(records);
  return 1 + static_cast<std::int64_t>(std::min<double>(kPieceBytes, bytes / static_cast<double>(pieces)));
}

}  // namespace

LinePieces divide_lines(std::string_view text, std::int64_t records, char comment, Team& team) {
  const int pieces = team.size();
  const std::int64_t bytes = piece_bytes(text, records, comment, pieces);
  LinePieces lines{.begin = std::vector<std::int64_t>(pieces + 1), .record = std::vector<std::int64_t>(pieces + 1)};
  const auto start = [&](std::int64_t piece) { return line_from(text, std::min(piece * bytes, std::ssize(text))); };
  lines.begin[pieces] = start(pieces);
  on_threads(team, pieces, [&](int piece) {
    lines.begin[piece] = start(piece);
    lines.record[piece] = count_records(text.substr(lines.begin[piece], start(piece + 1) - lines.begin[piece]), comment);
  });
  offsets_from_counts(lines.record);
  return lines;
}

}  // namespace weft::mesh::detail
