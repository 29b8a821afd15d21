#pragma once
/// The tiles of a rank, and the mesh data that kernels need, in the memory of the current GPU.
#include "weft/flow/cuda/array_list.hpp"
#include "weft/flow/cuda/choose_tiles.hpp"
#include "weft/flow/scheme/operation_counts.hpp"
#include "weft/flow/scheme/scheme.hpp"

namespace weft::flow::detail {

/// Returns the counts of the kernels for a scheme, which must outlive them.
[[nodiscard]] inline DeviceCounts device_counts(const Scheme& scheme) {
  return {scheme.numerics(), scheme.mesh().dim, scheme.discretization().stabilized, !scheme.scalars().empty()};
}

/// @tparam Real  precision of the kernels.
template <class Real>
class DeviceTiles {
 public:
  /// Returns the bytes that allocate() takes. @param matrices  Scheme::least_squares().
  [[nodiscard]] std::size_t bytes(const Scheme& scheme, const Tiles& tiles, const TeamVector<double>& matrices) {
    CountBytes count;
    each_array(scheme, tiles, matrices, count);
    return count.bytes;
  }

  /// Copies the tiles to the GPU; empty before. @throws DeviceError where there is not enough memory.
  void allocate(const Scheme& scheme, const Tiles& tiles, const TeamVector<double>& matrices, Team& team) {
    TeamUpload upload(team);
    each_array(scheme, tiles, matrices, AllocateByTeam{upload});
    upload.finish();
    arrays = {.tile = tile_.data(),
              .halo_row = halo_row_.data(),
              .topology = topology_.data(),
              .opposite_slot = opposite_slot_.data(),
              .centroids = centroids_.data(),
              .cell_to_face = cell_to_face_.data(),
              .areas = areas_.data(),
              .stencil_offset = stencil_offset_.data(),
              .stencil_row = stencil_row_.data(),
              .matrices = matrices_.data(),
              .inverse_volume = inverse_volume_.data(),
              .projected_area = projected_area_.data(),
              .radius = radius_.data(),
              .cells = scheme.mesh().cells()};
    inner = range_of(0, tiles.inner, tiles.largest_inner);
    border = range_of(tiles.inner, tiles.size(), tiles.largest_border);
    inner_size = size_of(scheme, tiles, 0, tiles.inner);
    border_size = size_of(scheme, tiles, tiles.inner, tiles.size());
    first_border_cell = tiles.inner < tiles.size() ? tiles.tile[tiles.inner].first_cell : scheme.mesh().owned_cells;
  }

  TileArrays<Real> arrays{};
  DeviceVector<GhostSide> ghost_sides;
  TileRange inner{}, border{};
  KernelSize inner_size{}, border_size{};  ///< faces: slots
  std::int32_t first_border_cell = 0;      ///< border tiles contain all cells from here on

 private:
  DeviceVector<Tile> tile_;
  DeviceVector<std::int32_t> halo_row_, stencil_offset_;
  DeviceVector<std::uint16_t> stencil_row_, topology_;
  DeviceVector<std::int32_t> opposite_slot_;
  DeviceVector<Real> centroids_, cell_to_face_, areas_, matrices_;
  DeviceVector<double> inverse_volume_;
  DeviceVector<Vec3> projected_area_;
  DeviceVector<double> radius_;

  template <class Visit>
  void each_array(const Scheme& scheme, const Tiles& tiles, const TeamVector<double>& matrices, Visit&& visit) {
    const mesh::Mesh& mesh = scheme.mesh();
    const Discretization& d = scheme.discretization();
    visit(tile_, tiles.tile);
    visit(halo_row_, tiles.halo_row);
    if (!tiles.stencil_row.empty()) {
      visit(stencil_offset_, d.stencil_offset);
      visit(stencil_row_, tiles.stencil_row);
      visit(centroids_, tiles.centroids);
    }
    visit(topology_, tiles.topology);
    visit(opposite_slot_, tiles.opposite_slot);
    visit(cell_to_face_, tiles.cell_to_face);
    visit(areas_, tiles.areas);
    visit(matrices_, matrices);
    visit(inverse_volume_, d.inverse_volume);
    visit(projected_area_, d.projected_area);
    if (mesh.axisymmetric) visit(radius_, radii(mesh));
    visit(ghost_sides, tiles.ghost_sides);
  }

  /// Returns what kernels over the tiles first ... last - 1 work on.
  [[nodiscard]] static KernelSize size_of(const Scheme& scheme, const Tiles& tiles, std::int32_t first, std::int32_t last) {
    KernelSize size;
    const TeamVector<std::int32_t>& stencils = scheme.discretization().stencil_offset;
    for (std::int32_t t = first; t < last; ++t) {
      const Tile& tile = tiles.tile[t];
      const double stencil = stencils[tile.first_cell + tile.cells] - stencils[tile.first_cell];
      size = size + KernelSize{.cells = static_cast<double>(tile.cells),
                               .stencil = stencil,
                               .sides = static_cast<double>(tile.entries),
                               .faces = static_cast<double>(tile.faces)};
    }
    return size;
  }

  static std::vector<double> radii(const mesh::Mesh& mesh) {
    std::vector<double> list;
    for (const mesh::LocalCellId c : mesh.owned()) list.push_back(mesh.cell_centroid[c].y);
    return list;
  }
};

}  // namespace weft::flow::detail
