#pragma once
/// The numbers of the nodes and cells of a lattice.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/mix.hpp"
#include "weft/mesh/generate/generate_lattice.hpp"
#include "weft/mesh/generate/generate_pattern.hpp"

namespace weft::mesh::detail {

using Index = std::int64_t;
using Ijk = std::array<Index, 3>;

inline constexpr Index kPatches = 4;  ///< quads and triangles form a checkerboard of 4 x 4 patches

/// Layers with one pattern, and the first numbers of their cells and centre nodes.
struct Layer {
  Split split = Split::none;
  Index first_cell = 0, first_centre = 0;
};

/// Returns the pattern of layer k of `layers` in the 3-D mix: bands of hexahedra, tetrahedra, prisms and pyramids, with a
/// layer of pyramids and tetrahedra where quads adjoin triangles. The first and last layers have quads outside, so that zmin
/// matches zmax.
inline Split mixed_layer(Index k, Index layers) {
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

  /// Checks the number of cells, and that the mesh can have these elements. @throws LimitError, InputError.
  void check_size(Index layers) const;

  const Lattice& lattice_;
  int dim_;
  Diagonal diagonal_ = Diagonal::same;
  Index column_nodes_ = 0, plane_nodes_ = 0, lattice_nodes_ = 0;
  std::vector<Index> split_rows_;  ///< number of split cells below each row of a patched layer
  std::vector<Layer> layers_;      ///< layers, and one past the last
};

}  // namespace weft::mesh::detail
