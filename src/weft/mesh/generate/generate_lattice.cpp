#include "weft/mesh/generate/generate_lattice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "weft/array/row_offsets.hpp"
#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/kernels/primitives/sum_up.hpp"
#include "weft/mesh/generate/generate_pattern.hpp"

namespace weft::mesh::detail {
namespace {

using Index = std::int64_t;
using Ijk = std::array<Index, 3>;

constexpr Index kMostCells = 1'000'000'000'000;
constexpr Index kPatches = 4;  ///< quads and triangles form a checkerboard of 4 x 4 patches
constexpr Index kLeastMixedLayers = 6;

/// Layers with one pattern, and the first numbers of their cells and centre nodes.
struct Layer {
  Split split = Split::none;
  Index first_cell = 0, first_centre = 0;
};

/// Returns the pattern of layer k of `layers` in the 3-D mix: bands of hexahedra, tetrahedra, prisms and pyramids, with a
/// layer of pyramids and tetrahedra where quads adjoin triangles. The first and last layers have quads outside, so that zmin
/// matches zmax.
Split mixed_layer(Index k, Index layers) {
  const Index bands = layers - 2;
  const auto end_of_band = [bands](Index band) { return (band * bands + 3) / 4; };
  if (k < end_of_band(1)) return Split::none;
  if (k == end_of_band(1)) return Split::triangles_above;
  if (k < end_of_band(2) + 1) return Split::six_tetrahedra;
  if (k < end_of_band(3) + 1) return Split::diagonal;
  if (k == end_of_band(3) + 1) return Split::triangles_below;
  return Split::six_pyramids;
}

/// The numbering of a lattice's nodes and cells.
class Numbering {
 public:
  explicit Numbering(const Lattice& lattice) : lattice_(lattice), dim_(lattice.cells[2] > 0 ? 3 : 2) {
    const auto [ni, nj, nk] = lattice.cells;
    WEFT_EXPECTS(ni >= 1 && nj >= 1 && nk >= 0 && lattice.step_j < nj && lattice.step_i <= ni);
    const Index layers = std::max<Index>(nk, 1);
    check_size(layers);
    // The bands of the 3-D mix match for one diagonal only.
    diagonal_ = dim_ == 3 && lattice.elements == CellMix::mixed ? Diagonal::same : lattice.diagonal;
    column_nodes_ = lattice.ring ? ni : ni + 1;
    plane_nodes_ = node_row(nj + 1);
    lattice_nodes_ = plane_nodes_ * (dim_ == 3 ? nk + 1 : 1);

    split_rows_.resize(nj + 1, 0);
    for (Index j = 0; j < nj; ++j) {
      split_rows_[j + 1] = split_rows_[j] + split_before(row_cells(j), j);
    }
    layers_.resize(layers + 1);
    for (Index k = 0; k < layers; ++k) {
      Layer& layer = layers_[k];
      layer.split = split_of_layer(k, layers);
      Layer& next = layers_[k + 1];
      next.first_cell = layer.first_cell + cells_before_row(layer.split, nj);
      next.first_centre = layer.first_centre + (has_centre(layer.split) ? cell_row(nj) : 0);
    }
  }

  [[nodiscard]] int dim() const { return dim_; }
  [[nodiscard]] Index cells() const { return layers_.back().first_cell; }
  [[nodiscard]] Index nodes() const { return lattice_nodes_ + layers_.back().first_centre; }
  [[nodiscard]] Split split(Index k) const { return layers_[k].split; }
  [[nodiscard]] Index row_cells(Index j) const { return j < lattice_.step_j ? lattice_.step_i : lattice_.cells[0]; }

  /// Returns the global id of lattice node (i, j, k).
  [[nodiscard]] Index node(Index i, Index j, Index k) const {
    if (lattice_.ring && i == lattice_.cells[0]) i = 0;
    return k * plane_nodes_ + node_row(j) + i;
  }
  [[nodiscard]] Index centre(Index i, Index j, Index k) const {
    return lattice_nodes_ + layers_[k].first_centre + cell_row(j) + i;
  }
  [[nodiscard]] bool is_centre(Index id) const { return id >= lattice_nodes_; }

  /// Inverts node().
  [[nodiscard]] Ijk node_position(Index id) const {
    const Index k = id / plane_nodes_;
    return in_plane(id % plane_nodes_, lattice_.step_i + 1, column_nodes_, k);
  }
  /// Inverts centre().
  [[nodiscard]] Ijk centre_position(Index id) const {
    const Index n = id - lattice_nodes_;
    const auto above = std::upper_bound(layers_.begin(), layers_.end(), n,
                                        [](Index value, const Layer& layer) { return value < layer.first_centre; });
    const auto& layer = *(above - 1);
    return in_plane(n - layer.first_centre, lattice_.step_i, lattice_.cells[0], above - 1 - layers_.begin());
  }

  /// Returns true if a cell of a patched layer is split.
  [[nodiscard]] bool patch(Index i, Index j) const {
    return (kPatches * i / lattice_.cells[0] + kPatches * j / lattice_.cells[1]) % 2 == 1;
  }
  /// Returns true if column (i, j) is split along the diagonal that does not start at its lower left corner.
  [[nodiscard]] bool other_diagonal(Index i, Index j) const {
    if (diagonal_ == Diagonal::random) {
      const auto column = static_cast<std::uint64_t>(j * lattice_.cells[0] + i);
      return mix_bits(static_cast<std::uint64_t>(lattice_.seed) * kGoldenRatioBits + column) >> 63 != 0;
    }
    return diagonal_ == Diagonal::alternating && (i + j) % 2 == 1;
  }
  /// Returns the elements of lattice cell (i, j, k).
  [[nodiscard]] std::span<const Piece> pieces_of(Index i, Index j, Index k) const {
    Split how = split(k);
    if (how == Split::patches) how = patch(i, j) ? Split::diagonal : Split::none;
    const bool mirrored = how == Split::five_tetrahedra ? (i + j + k) % 2 == 1 : other_diagonal(i, j);
    return pieces(dim_, how, mirrored);
  }

  /// Returns the lattice cell that contains cell `id`, and the number of its first cell.
  [[nodiscard]] std::pair<Ijk, Index> cell_position(Index id) const {
    const auto above = std::upper_bound(layers_.begin(), layers_.end(), id,
                                        [](Index value, const Layer& layer) { return value < layer.first_cell; });
    const Layer& layer = *(above - 1);
    const Index k = above - 1 - layers_.begin();
    Index low = 0, high = lattice_.cells[1];  // the row is in [low, high)
    while (high - low > 1) {
      const Index middle = (low + high) / 2;
      (layer.first_cell + cells_before_row(layer.split, middle) <= id ? low : high) = middle;
    }
    Index first = layer.first_cell + cells_before_row(layer.split, low);
    Index i = 0;
    for (Index next = first; (next += static_cast<Index>(pieces_of(i, low, k).size())) <= id; ++i) first = next;
    return {{i, low, k}, first};
  }

 private:
  // Numbers of nodes, and of lattice cells, in the rows below row j of a plane.
  [[nodiscard]] Index node_row(Index j) const { return rows_before(j, lattice_.step_i + 1, column_nodes_); }
  [[nodiscard]] Index cell_row(Index j) const { return rows_before(j, lattice_.step_i, lattice_.cells[0]); }
  [[nodiscard]] Index rows_before(Index j, Index short_row, Index full_row) const {
    return std::min(j, lattice_.step_j) * short_row + std::max<Index>(j - lattice_.step_j, 0) * full_row;
  }
  [[nodiscard]] Ijk in_plane(Index n, Index short_row, Index full_row, Index k) const {
    const Index below_step = lattice_.step_j * short_row;
    if (n < below_step) return {n % short_row, n / short_row, k};
    n -= below_step;
    return {n % full_row, lattice_.step_j + n / full_row, k};
  }

  /// Returns the number of split cells among the first `count` cells of row j of a patched layer.
  [[nodiscard]] Index split_before(Index count, Index j) const {
    Index sum = 0;
    const auto start = [this](Index p) { return (p * lattice_.cells[0] + kPatches - 1) / kPatches; };
    for (Index p = 0; p < kPatches; ++p) {
      if (patch(start(p), j)) sum += std::clamp<Index>(count - start(p), 0, start(p + 1) - start(p));
    }
    return sum;
  }
  [[nodiscard]] Index cells_before_row(Split split, Index j) const {
    if (split == Split::patches) return cell_row(j) + split_rows_[j];
    return cell_row(j) * static_cast<Index>(pieces(dim_, split, false).size());
  }

  [[nodiscard]] Split split_of_layer(Index k, Index layers) const {
    switch (lattice_.elements) {
      case CellMix::quads:
      case CellMix::hexahedra:
        return Split::none;
      case CellMix::triangles:
      case CellMix::prisms:
        return Split::diagonal;
      case CellMix::hex_prism:
        return Split::patches;
      case CellMix::tetrahedra:
        return Split::six_tetrahedra;
      case CellMix::tetrahedra_5:
        return Split::five_tetrahedra;
      case CellMix::pyramids:
        return Split::six_pyramids;
      case CellMix::mixed:
        return dim_ == 2 ? Split::patches : mixed_layer(k, layers);
    }
    return Split::none;
  }

  void check_size(Index layers) const {
    const auto [ni, nj, nk] = lattice_.cells;
    if (static_cast<double>(ni) * static_cast<double>(nj) * static_cast<double>(layers) > static_cast<double>(kMostCells)) {
      throw LimitError(fmt::format("{}: {} x {} x {} cells are more than 10^12", lattice_.source, ni, nj, layers),
                       "choose fewer cells");
    }
    if (dim_ == 2 && !row_of(lattice_.elements).flat) {
      throw InputError("these elements are three-dimensional, the mesh is two-dimensional",
                       fmt::format("choose {}, or layers of cells in z", one_of(cell_mixes(true))), Where{.key = "elements"});
    }
    if (dim_ == 3 && lattice_.elements == CellMix::mixed && nk < kLeastMixedLayers) {
      throw InputError(fmt::format("mixed needs at least {} layers of cells in z, not {}", kLeastMixedLayers, nk),
                       "choose more layers, or hex_prism", Where{.key = "elements"});
    }
  }

  const Lattice& lattice_;
  int dim_;
  Diagonal diagonal_ = Diagonal::same;
  Index column_nodes_ = 0, plane_nodes_ = 0, lattice_nodes_ = 0;
  std::vector<Index> split_rows_;  ///< number of split cells below each row of a patched layer
  std::vector<Layer> layers_;      ///< layers, and one past the last
};

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
    zone_of_side_.fill(-1);
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
    auto at = std::find(block_.zones.begin(), block_.zones.end(), zone);
    if (at == block_.zones.end()) at = block_.zones.insert(at, zone);
    zone_of_side_[side] = static_cast<std::int32_t>(at - block_.zones.begin());
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
    block_.cells.add(piece.type, std::span(nodes).first(form.nodes), -1, id);
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
  std::array<std::int32_t, kSides> zone_of_side_{};
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
  WEFT_EXPECTS(share.size >= 1 && share.rank >= 0 && share.rank < share.size);
  const Numbering number(lattice);
  const Section section = Section{0, number.nodes(), 0, number.cells()}.part(share.rank, share.size);
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
