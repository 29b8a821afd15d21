#include "weft/mesh/build/face_match.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/kernels/primitives/bucket_sort.hpp"
#include "weft/kernels/primitives/sum_up.hpp"

namespace weft::mesh::detail {
namespace {

/// A face of a local cell; sorting makes equal faces adjacent.
struct LocalFace {
  std::uint64_t order;  ///< lowest node first (preserves locality), then a hash of the others
  std::uint32_t code;   ///< cell * kMaxCellFaces + face
};

struct FaceRecord {
  FaceKey key;
  GlobalCellId cell;
  std::int64_t face;  ///< index in the cell
};

struct BoundaryRecord {
  FaceKey key;
  std::int64_t file_id;
  ZoneId zone;
};

std::uint64_t hash(std::span<const GlobalNodeId> nodes) {
  std::uint64_t h = 0;
  for (const GlobalNodeId node : nodes) h = hash_with(h, static_cast<std::uint64_t>(node.value()));
  return h;
}

std::uint64_t order_of(const FaceKey& key) {
  const std::uint64_t h = hash(std::span(key).subspan(1));
  return (static_cast<std::uint64_t>(key[0].value()) << 24) | (h >> 40);
}

Rank meeting_rank(const FaceKey& key, const Communicator& comm) {
  return Rank(hash(key) % static_cast<std::uint64_t>(comm.size()));
}

FaceKey key_of(const Elements& cells, std::int64_t cell, int face) {
  return face_key(cells.nodes(cell), shape(cells.type[cell]).face[face]);
}

TeamVector<LocalFace> sorted_faces(const Elements& cells, const FaceLinks& links, Team& team) {
  auto sorted = list_of_size<LocalFace>(team, links.target.size());
  for_indices(team, cells.size(), [&](std::int64_t c) {
    const CellShape& s = shape(cells.type[c]);
    const auto nodes = cells.nodes(c);
    for (int f = 0; f < s.faces; ++f) {
      sorted[links.slot(c, f)] = {order_of(face_key(nodes, s.face[f])), static_cast<std::uint32_t>(c * kMaxCellFaces + f)};
    }
  });
  kernels::bucket_sort(
      sorted, [](const LocalFace& f) { return f.order; },
      [](const LocalFace& a, const LocalFace& b) { return a.order != b.order ? a.order < b.order : a.code < b.code; }, team);
  return sorted;
}

/// Matches faces with both cells on this rank. The others, and errors, are listed in the order of the faces.
class MatcherAtHome {
 public:
  MatcherAtHome(const Elements& elements, const RowOffsets& cells, FaceLinks& links)
      : elements_(elements), first_cell_(cells.first().value()), links_(links) {}

  std::vector<FaceRecord> others;
  std::vector<FaceProblem> problems;

  /// Matches the faces first ... last - 1 of the sorted list, which contain all faces of each key that is among them.
  void match(std::span<const LocalFace> faces) {
    for (std::size_t i = 0, j = 0; i < faces.size(); i = j) {
      for (j = i + 1; j < faces.size() && faces[j].order == faces[i].order;) ++j;
      group_.clear();
      for (std::size_t k = i; k < j; ++k) group_.emplace_back(key_of(elements_, cell_of(faces[k]), face_of(faces[k])), faces[k]);
      if (group_.size() > 2) {  // different faces may have the same hash
        std::stable_sort(group_.begin(), group_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      }
      match_group();
    }
  }

 private:
  static std::int64_t cell_of(const LocalFace& f) { return static_cast<std::int64_t>(f.code / kMaxCellFaces); }
  static int face_of(const LocalFace& f) { return static_cast<int>(f.code % kMaxCellFaces); }

  void match_group() {
    for (std::size_t a = 0, b = 0; a < group_.size(); a = b) {
      for (b = a + 1; b < group_.size() && group_[b].first == group_[a].first;) ++b;
      const auto& [key, face] = group_[a];
      if (b - a == 1) {
        others.push_back({key, GlobalCellId(first_cell_ + cell_of(face)), face_of(face)});
      } else if (b - a == 2) {
        pair(face, group_[a + 1].second);
      } else {
        problems.push_back({key, first_cell_ + cell_of(face), ZoneId::invalid(), FaceFault::shared_by_three});
      }
    }
  }
  void pair(const LocalFace& a, const LocalFace& b) {
    const std::size_t slot_a = links_.slot(cell_of(a), face_of(a));
    const std::size_t slot_b = links_.slot(cell_of(b), face_of(b));
    links_.target[slot_a] = first_cell_ + cell_of(b);
    links_.target[slot_b] = first_cell_ + cell_of(a);
    links_.partner[slot_a] = static_cast<std::uint8_t>(face_of(b));
    links_.partner[slot_b] = static_cast<std::uint8_t>(face_of(a));
  }

  const Elements& elements_;
  std::int64_t first_cell_;
  FaceLinks& links_;
  std::vector<std::pair<FaceKey, LocalFace>> group_;
};

/// Matches faces with both cells on this rank; adds all others to `to`.
void match_at_home(const Communicator& comm, const Elements& elements, const RowOffsets& cells, FaceLinks& links, Team& team,
                   RankLists<FaceRecord>& to, std::vector<FaceProblem>& problems) {
  const TeamVector<LocalFace> faces = sorted_faces(elements, links, team);
  const auto n = static_cast<std::int64_t>(faces.size());
  std::vector<MatcherAtHome> matchers(static_cast<std::size_t>(shares_of(team, n)), MatcherAtHome(elements, cells, links));
  // The first face at or after `i` that differs in its order from the one before it: there a share begins.
  const auto group_start = [&](std::int64_t i) {
    auto start = static_cast<std::size_t>(i);
    while (start > 0 && start < faces.size() && faces[start].order == faces[start - 1].order) ++start;
    return start;
  };
  for_shares(team, n, [&](LoopShare share) {
    const std::size_t first = group_start(share.begin), last = group_start(share.end);
    matchers[share.number].match(std::span(faces).subspan(first, last - first));
  });
  for (const MatcherAtHome& matcher : matchers) {
    for (const FaceRecord& face : matcher.others) to[meeting_rank(face.key, comm)].push_back(face);
    problems.insert(problems.end(), matcher.problems.begin(), matcher.problems.end());
  }
}

/// Matches the received faces: of cells of different chunks, and of boundary elements.
void match_here(std::vector<FaceRecord> faces, std::vector<BoundaryRecord> boundary, const IdVector<ZoneId, char>& keep,
                std::vector<LinkReply>& replies, std::vector<ZoneFace>& kept, std::vector<FaceProblem>& problems, Team& team) {
  const auto lowest_node = [](const auto& record) { return static_cast<std::uint64_t>(record.key[0].value()); };
  kernels::bucket_sort(
      faces, lowest_node,
      [](const FaceRecord& a, const FaceRecord& b) {
        return a.key != b.key ? a.key < b.key : std::pair(a.cell, a.face) < std::pair(b.cell, b.face);
      },
      team);
  kernels::bucket_sort(
      boundary, lowest_node,
      [](const BoundaryRecord& a, const BoundaryRecord& b) {
        return a.key != b.key ? a.key < b.key : std::pair(a.file_id, a.zone) < std::pair(b.file_id, b.zone);
      },
      team);
  const auto byte = [](std::int64_t face) { return static_cast<std::uint8_t>(face); };
  std::size_t i = 0, k = 0;
  while (i < faces.size() || k < boundary.size()) {
    const FaceKey key =
        k == boundary.size() || (i < faces.size() && faces[i].key <= boundary[k].key) ? faces[i].key : boundary[k].key;
    const std::size_t i0 = i, k0 = k;
    while (i < faces.size() && faces[i].key == key) ++i;
    while (k < boundary.size() && boundary[k].key == key) ++k;
    const std::size_t sides = i - i0, elements = k - k0;
    const auto element_fault = [&](FaceFault fault, std::size_t at) {
      problems.push_back({key, boundary[at].file_id, boundary[at].zone, fault});
    };
    if (sides > 2) {
      problems.push_back({key, faces[i0].cell.value(), ZoneId::invalid(), FaceFault::shared_by_three});
    } else if (elements > 1) {
      element_fault(FaceFault::duplicate, k0 + 1);
    } else if (sides == 2 && elements == 1) {
      element_fault(FaceFault::inside, k0);
    } else if (sides == 0) {
      element_fault(FaceFault::no_cell, k0);
    } else if (sides == 2) {
      const FaceRecord &a = faces[i0], &b = faces[i0 + 1];
      replies.push_back({a.cell, b.cell.value(), 0, byte(a.face), byte(b.face)});
      replies.push_back({b.cell, a.cell.value(), 0, byte(b.face), byte(a.face)});
    } else if (elements == 1) {
      const ZoneId zone = boundary[k0].zone;
      replies.push_back({faces[i0].cell, FaceLinks::boundary(zone), 0, byte(faces[i0].face), 0});
      if (keep[zone]) {
        kept.push_back({key, faces[i0].cell, static_cast<std::int32_t>(faces[i0].face), zone});
      }
    } else {
      problems.push_back({key, faces[i0].cell.value(), ZoneId::invalid(), FaceFault::open});
    }
  }
}

}  // namespace

FaceKey face_key(std::span<const GlobalNodeId> cell_nodes, const CellFace& face) {
  FaceKey key{};
  for (int i = 0; i < face.size; ++i) {  // insertion sort of at most four
    const GlobalNodeId node = cell_nodes[face.node[i]];
    int j = i;
    for (; j > 0 && key[j - 1] > node; --j) {
      key[j] = key[j - 1];
    }
    key[j] = node;
  }
  return key;
}

void enter_links(const Communicator& comm, const RowOffsets& cells, const std::vector<LinkReply>& replies, FaceLinks& links) {
  RankLists<LinkReply> to;
  for (const LinkReply& reply : replies) to[cells.owner(global_row(reply.cell))].push_back(reply);
  for (const LinkReply& reply : all_to_all(comm, std::move(to))) {
    const std::size_t slot = links.slot(cells.local(global_row(reply.cell)).index(), reply.face);
    links.target[slot] = reply.target;
    links.partner[slot] = reply.partner;
    if (reply.image != 0) links.image[slot] = reply.image;
  }
}

FaceLinks match_faces(const Communicator& comm, const MeshBlock& block, const RowOffsets& cells, const RowOffsets& nodes,
                      const IdVector<ZoneId, char>& keep, std::vector<ZoneFace>& kept, Team& team) {
  FaceLinks links;
  resize_by_team(team, links.offset, block.cells.type.size() + 1);
  for_indices(team, block.cells.size(), [&](std::int64_t c) { links.offset[c + 1] = shape(block.cells.type[c]).faces; });
  kernels::sum_up(links.offset, team);
  const auto slots = static_cast<std::size_t>(links.offset.back());
  resize_by_team(team, links.target, slots, FaceLinks::kUnknown);
  resize_by_team(team, links.partner, slots);

  std::vector<FaceProblem> problems;
  std::vector<LinkReply> replies;
  {
    RankLists<FaceRecord> to;
    match_at_home(comm, block.cells, cells, links, team, to, problems);
    RankLists<BoundaryRecord> boundary_to;
    for (std::int64_t i = 0; i < block.boundary.size(); ++i) {
      const CellFace whole{shape(block.boundary.type[i]).nodes, {0, 1, 2, 3}};
      const FaceKey key = face_key(block.boundary.nodes(i), whole);
      boundary_to[meeting_rank(key, comm)].push_back({key, block.boundary.file_id[i], block.boundary.zone[i]});
    }
    auto faces = all_to_all(comm, std::move(to));
    auto boundary = all_to_all(comm, std::move(boundary_to));
    match_here(std::move(faces), std::move(boundary), keep, replies, kept, problems, team);
  }
  if (comm.any(!problems.empty())) report_faces(comm, block, cells, nodes, problems);
  enter_links(comm, cells, replies, links);
  return links;
}

}  // namespace weft::mesh::detail
