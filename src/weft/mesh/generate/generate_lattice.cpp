#include "weft/mesh/generate/generate_lattice.hpp"

#include <algorithm>

#include "weft/array/row_offsets.hpp"
#include "weft/base/contracts.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/kernels/primitives/sum_up.hpp"
#include "weft/mesh/generate/generate_numbering.hpp"
#include "weft/mesh/generate/generate_pattern.hpp"

namespace weft::mesh::detail {
namespace {

/// Returns the sides of lattice cell (i, j, k) on the boundary by direction (i_min ... k_max): the side, or -1 inside.
std::array<int, 6> boundary_sides(const Lattice& lattice, Index i, Index j, Index k) {
  std::array<int, 6> side{-1, -1, -1, -1, -1, -1};
  const auto [ni, nj, nk] = lattice.cells;
  if (!lattice.ring && i == 0) side[i_min] = i_min;
  if (!lattice.ring && i == ni - 1) side[i_max] = i_max;
  if (j < lattice.step_j && i == lattice.step_i - 1) side[i_max] = step_front;
  if (j == 0) side[j_min] = j_min;
  if (j > 0 && j == lattice.step_j && i >= lattice.step_i) side[j_min] = step_top;
  if (j == nj - 1) side[j_max] = j_max;
  if (nk > 0 && k == 0) side[k_min] = k_min;
  if (nk > 0 && k == nk - 1) side[k_max] = k_max;
  return side;
}

/// Returns the direction (i_min ... k_max) in which all these corners are on the surface of their lattice cell.
bool on_rim(std::uint8_t corner, int direction) {
  if (corner == kCentre) return false;
  return kCornerOffset[corner][direction / 2] == direction % 2;
}

/// Consecutive nodes and cells: [first, last) of each.
struct Section {
  Index first_node = 0, last_node = 0, first_cell = 0, last_cell = 0;

  /// Returns part `part` of `parts` even ones.
  [[nodiscard]] Section part(int part, int parts) const {
    const auto start = [parts](Index first, Index last, int p) { return first + even_start(last - first, p, parts); };
    return {start(first_node, last_node, part), start(first_node, last_node, part + 1), start(first_cell, last_cell, part),
            start(first_cell, last_cell, part + 1)};
  }
};

class Builder {
 public:
  /// Allocates the memory of nodes and cells.
  Builder(const Section& section, const Lattice& lattice, const Numbering& number)
      : section_(section), lattice_(lattice), number_(number) {
    for (int side = 0; side < kSides; ++side) add_zone(side);
    block_.dim = number_.dim();
    block_.source = lattice_.source;
    block_.coords.reserve(section_.last_node - section_.first_node);
    const Index cells = section_.last_cell - section_.first_cell;
    if (cells == 0) return;
    const auto [i, j, k] = number_.cell_position(section_.first_cell).first;
    block_.cells.reserve(cells, shape(number_.pieces_of(i, j, k).front().type).nodes);
  }

  MeshBlock build() {
    add_nodes();
    add_cells();
    return std::move(block_);
  }

 private:
  void add_zone(int side) {
    if (number_.dim() == 2 && (side == k_min || side == k_max)) return;
    if (lattice_.ring && (side == i_min || side == i_max)) return;
    if (lattice_.step_j == 0 && (side == step_front || side == step_top)) return;
    const Zone zone{std::string(lattice_.side_zone[side]), number_.dim() - 1};
    const auto at = std::find(block_.zones.begin(), block_.zones.end(), zone);
    zone_of_side_[side] = at == block_.zones.end() ? block_.zones.push_back(zone) : ZoneId(at - block_.zones.begin());
  }

  [[nodiscard]] Vec3 place(Index i, Index j, Index k) const {
    if (lattice_.ring && i == lattice_.cells[0]) i = 0;
    return lattice_.place(i, j, k, number_.node(i, j, k));
  }

  void add_nodes() {
    const Index first = section_.first_node, last = section_.last_node;
    block_.first_node = GlobalNodeId(first);
    for (Index id = first; id < last; ++id) {
      if (number_.is_centre(id)) {
        const auto [i, j, k] = number_.centre_position(id);
        Vec3 sum;
        for (const auto& offset : kCornerOffset) sum += place(i + offset[0], j + offset[1], k + offset[2]);
        block_.coords.push_back(sum / 8.0);
      } else {
        const auto [i, j, k] = number_.node_position(id);
        block_.coords.push_back(place(i, j, k));
      }
    }
  }

  void add_cells() {
    const Index first = section_.first_cell, last = section_.last_cell;
    block_.first_cell = GlobalCellId(first);
    if (first == last) return;
    auto [at, first_piece] = number_.cell_position(first);
    auto& [i, j, k] = at;
    Index id = first_piece;
    while (id < last) {
      find_corners(i, j, k);
      for (const Piece& piece : number_.pieces_of(i, j, k)) {
        if (id >= first && id < last) add_cell(piece, id);
        ++id;
      }
      if (++i == number_.row_cells(j)) i = 0, ++j;
      if (j == lattice_.cells[1]) j = 0, ++k;
    }
  }

  void find_corners(Index i, Index j, Index k) {
    const int corners = number_.dim() == 3 ? 8 : 4;
    for (int c = 0; c < corners; ++c) {
      corner_[c] = GlobalNodeId(number_.node(i + kCornerOffset[c][0], j + kCornerOffset[c][1], k + kCornerOffset[c][2]));
    }
    if (has_centre(number_.split(k))) corner_[kCentre] = GlobalNodeId(number_.centre(i, j, k));
    sides_ = boundary_sides(lattice_, i, j, k);
    at_boundary_ = std::any_of(sides_.begin(), sides_.end(), [](int side) { return side >= 0; });
  }

  void add_cell(const Piece& piece, Index id) {
    const CellShape& form = shape(piece.type);
    std::array<GlobalNodeId, kMaxCellNodes> nodes;
    for (int n = 0; n < form.nodes; ++n) nodes[n] = corner_[piece.corner[n]];
    block_.cells.add(piece.type, std::span(nodes).first(form.nodes), ZoneId::invalid(), id);
    if (!at_boundary_) return;
    for (int f = 0; f < form.faces; ++f) add_boundary(piece, form.face[f], id * kMaxCellFaces + f);
  }

  void add_boundary(const Piece& piece, const CellFace& face, Index file_id) {
    for (int direction = i_min; direction <= k_max; ++direction) {
      const int side = sides_[direction];
      if (side < 0) continue;
      std::array<GlobalNodeId, kMaxFaceNodes> nodes;
      bool here = true;
      for (int n = 0; n < face.size; ++n) {
        const std::uint8_t corner = piece.corner[face.node[n]];
        here = here && on_rim(corner, direction);
        nodes[n] = corner_[corner];
      }
      if (!here) continue;
      const CellType type = face.size == 2 ? CellType::line : (face.size == 3 ? CellType::triangle : CellType::quad);
      block_.boundary.add(type, std::span(nodes).first(face.size), zone_of_side_[side], file_id);
      return;
    }
  }

  Section section_;
  const Lattice& lattice_;
  const Numbering& number_;
  MeshBlock block_;
  std::array<ZoneId, kSides> zone_of_side_{};
  // Current lattice cell:
  std::array<GlobalNodeId, 9> corner_;
  std::array<int, 6> sides_{};
  bool at_boundary_ = false;
};

/// Calls job(number, block) for each block, one on each thread. @pre at most as many blocks as threads.
template <class Job>
void for_blocks(Team& team, std::vector<MeshBlock>& blocks, const Job& job) {
  for_shares(team, std::ssize(blocks) * kLeastShare, [&](LoopShare one) { job(one.number, blocks[one.number]); });
}

/// Appends lists of several blocks, each at its offset, and frees them.
template <class T, class Member>
void join(Team& team, TeamVector<T>& whole, std::vector<MeshBlock>& blocks, const Member& member) {
  std::vector<std::size_t> first;
  for (MeshBlock& block : blocks) first.push_back(member(block).size());
  resize_by_team(team, whole, offsets_from_counts(first));
  for_blocks(team, blocks, [&](int number, MeshBlock& block) {
    const TeamVector<T>& list = member(block);
    std::copy(list.begin(), list.end(), whole.begin() + static_cast<std::ptrdiff_t>(first[number]));
  });
  for (MeshBlock& block : blocks) TeamVector<T>().swap(member(block));
}

void join(Team& team, Elements& whole, std::vector<MeshBlock>& blocks, Elements MeshBlock::*elements) {
  join(team, whole.type, blocks, [&](MeshBlock& block) -> auto& { return (block.*elements).type; });
  join(team, whole.node, blocks, [&](MeshBlock& block) -> auto& { return (block.*elements).node; });
  join(team, whole.zone, blocks, [&](MeshBlock& block) -> auto& { return (block.*elements).zone; });
  join(team, whole.file_id, blocks, [&](MeshBlock& block) -> auto& { return (block.*elements).file_id; });
  resize_by_team(team, whole.offset, whole.type.size() + 1);
  for_indices(team, whole.size(), [&](Index i) { whole.offset[i + 1] = shape(whole.type[i]).nodes; });
  kernels::sum_up(whole.offset, team);
}

}  // namespace

MeshBlock make_share(Share share, const Lattice& lattice, Team& team) {
  WEFT_EXPECTS(share.size >= 1 && IdRange(Rank(0), Rank(share.size)).contains(share.rank));
  const Numbering number(lattice);
  const Section section = Section{0, number.nodes(), 0, number.cells()}.part(share.rank.value(), share.size);
  const int parts = shares_of(team, section.last_cell - section.first_cell);
  if (parts == 1) return Builder(section, lattice, number).build();
  std::vector<Builder> builders;  // one for each thread, for an even part of the section
  for (int p = 0; p < parts; ++p) builders.emplace_back(section.part(p, parts), lattice, number);
  std::vector<MeshBlock> blocks(parts);
  for_blocks(team, blocks, [&](int part, MeshBlock& block) { block = builders[part].build(); });
  MeshBlock whole;
  whole.dim = blocks.front().dim;
  whole.source = blocks.front().source;
  whole.zones = blocks.front().zones;
  whole.first_node = blocks.front().first_node;
  whole.first_cell = blocks.front().first_cell;
  join(team, whole.coords, blocks, [](MeshBlock& block) -> auto& { return block.coords; });
  join(team, whole.cells, blocks, &MeshBlock::cells);
  join(team, whole.boundary, blocks, &MeshBlock::boundary);
  return whole;
}

}  // namespace weft::mesh::detail
