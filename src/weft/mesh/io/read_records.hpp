#pragma once
/// Loops over the records of a mesh file, which the threads of a team parse.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "weft/base/team_loops.hpp"
#include "weft/mesh/io/raw_mesh.hpp"
#include "weft/mesh/io/read_cursor.hpp"
#include "weft/mesh/io/read_lines.hpp"

namespace weft::mesh::detail {

/// The threads are not woken for fewer records; a file may have many small blocks.
inline constexpr std::int64_t kLeastDivided = 4096;

/// Divides records that are lines of a text among the threads, a piece of the text each at a time, and returns how many have been
/// read: all but less than kLeastDivided of those that the text has. `in` is then as if one thread had read them.
/// @param share  share(cursor, piece, begin, end) reads the records begin ... end - 1; piece is the number of the thread.
/// @param join  join() is called on the calling thread after all shares of a round.
template <class Share, class Join>
std::int64_t divide_records(MeshCursor& in, Team& team, std::int64_t n, char comment, const Share& share, const Join& join) {
  std::int64_t done = 0;
  while (team.size() > 1 && n - done >= kLeastDivided && in.remaining() > 0) {
    const std::int64_t first = in.offset(), left = n - done;
    const LinePieces lines = divide_lines(in.rest(), left, comment, team);
    std::int64_t end = first + lines.begin.back();
    on_threads(team, team.size(), [&](int piece) {
      const std::int64_t from = std::min(lines.record[piece], left), to = std::min(lines.record[piece + 1], left);
      if (from == to) return;
      MeshCursor own = in;
      own.move_to(first + lines.begin[piece]);
      share(own, piece, done + from, done + to);
      if (to == left) end = own.offset();  // on one thread: that of the last record
    });
    join();
    done += std::min(lines.record.back(), left);
    in.move_to(end);
  }
  return done;
}

/// Calls record(cursor, i) for the records i = 0 ... n - 1 that follow the cursor, and moves it past them. The threads of the
/// team read contiguous shares, with cursors of their own; the error that is thrown is that of the first record in the file.
/// @param bytes  size of a record in binary mode. In text, record() reads one line, after blank ones and comments.
template <class Record>
void each_record(MeshCursor& in, Team& team, std::int64_t n, std::int64_t bytes, char comment, const Record& record) {
  std::int64_t done = 0;
  if (!in.binary()) {
    const auto share = [&](MeshCursor& cursor, int /*piece*/, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) record(cursor, i);
    };
    done = divide_records(in, team, n, comment, share, [] {});
  } else if (n >= kLeastDivided) {
    const std::int64_t first = in.offset();
    for_shares(team, n, [&](LoopShare share) {
      MeshCursor own = in;
      own.move_to(first + share.begin * bytes);
      for (std::int64_t i = share.begin; i < share.end; ++i) record(own, i);
    });
    in.move_to(first + n * bytes);
    return;
  }
  for (; done < n; ++done) record(in, done);
}

/// Calls record(cursor, i, mesh) for the lines i = 0 ... n - 1 of a text as each_record() does. record() adds at most one element
/// to the mesh, of any type: `raw`, or an empty one of the thread, whose elements are appended to `raw` in the order of the
/// lines.
template <class Record>
void each_element(MeshCursor& in, Team& team, std::int64_t n, char comment, RawMesh& raw, const Record& record) {
  std::vector<RawMesh> parts(team.size());
  const auto share = [&](MeshCursor& cursor, int piece, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) record(cursor, i, parts[piece]);
  };
  std::int64_t done = divide_records(in, team, n, comment, share, [&] { raw.take_elements(parts, team); });
  for (; done < n; ++done) record(in, done, raw);
}

}  // namespace weft::mesh::detail
