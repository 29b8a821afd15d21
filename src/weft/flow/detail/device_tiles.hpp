#pragma once
/// The tiles of a rank, and what kernels need of its mesh, in the memory of the current GPU.
#include "weft/flow/detail/choose_tiles.hpp"
#include "weft/flow/detail/device_array.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow::detail {

/// @tparam Real  in which the kernels compute.
template <class Real>
class DeviceTiles {
 public:
  /// @throws DeviceError as choose_tiles, and where there is no room.
  DeviceTiles(const mesh::Mesh& mesh, const Discretization& d, const Tiles& tiles)
      : tile_(copy_of(tiles.tile)),
        halo_row_(copy_of(tiles.halo_row)),
        stencil_offset_(tiles.stencil_row.empty() ? DeviceArray<std::int32_t>() : copy_of(d.stencil_offset)),
        stencil_row_(tiles.stencil_row.empty() ? DeviceArray<std::uint16_t>() : copy_of(tiles.stencil_row)),
        topology_(copy_of(tiles.topology)),
        across_(copy_of(tiles.across)),
        centroids_(tiles.centroids.empty() ? DeviceArray<Real>() : copy_as<Real>(tiles.centroids)),
        arms_(copy_as<Real>(tiles.arms)),
        areas_(copy_as<Real>(tiles.areas)),
        matrices_(copy_as<Real>(d.least_squares)),
        inverse_volume_(copy_of(d.inverse_volume)),
        projected_area_(copy_of(d.projected_area)),
        radius_(mesh.axisymmetric ? copy_of(radii(mesh)) : DeviceArray<double>()),
        arrays{.tile = tile_.data(),
               .halo_row = halo_row_.data(),
               .topology = topology_.data(),
               .across = across_.data(),
               .centroids = centroids_.data(),
               .arms = arms_.data(),
               .areas = areas_.data(),
               .stencil_offset = stencil_offset_.data(),
               .stencil_row = stencil_row_.data(),
               .matrices = matrices_.data(),
               .inverse_volume = inverse_volume_.data(),
               .projected_area = projected_area_.data(),
               .radius = radius_.data(),
               .cells = mesh.cells()},
        ghost_sides(copy_of(tiles.ghost_sides)),
        inner(range_of(0, tiles.inner, tiles.of_inner)),
        border(range_of(tiles.inner, tiles.size(), tiles.of_border)) {}

  /// Bytes that they would take.
  [[nodiscard]] static std::size_t bytes(const mesh::Mesh& mesh, const Discretization& d, const Tiles& tiles) {
    return (tiles.centroids.size() + tiles.arms.size() + tiles.areas.size() + d.least_squares.size()) * sizeof(Real) +
           (tiles.halo_row.size() + tiles.across.size()) * sizeof(std::int32_t) + tiles.ghost_sides.size() * sizeof(GhostSide) +
           (tiles.topology.size() + tiles.stencil_row.size()) * sizeof(std::uint16_t) + tiles.tile.size() * sizeof(Tile) +
           d.inverse_volume.size() * (sizeof(double) * (mesh.axisymmetric ? 2 : 1) + sizeof(Vec3) + sizeof(std::int32_t));
  }

 private:
  DeviceArray<Tile> tile_;
  DeviceArray<std::int32_t> halo_row_, stencil_offset_;
  DeviceArray<std::uint16_t> stencil_row_, topology_;
  DeviceArray<std::int32_t> across_;
  DeviceArray<Real> centroids_, arms_, areas_, matrices_;
  DeviceArray<double> inverse_volume_;
  DeviceArray<Vec3> projected_area_;
  DeviceArray<double> radius_;

  static std::vector<double> radii(const mesh::Mesh& mesh) {
    std::vector<double> list;
    for (std::int32_t c = 0; c < mesh.owned_cells; ++c) list.push_back(mesh.cell_centroid[static_cast<std::size_t>(c)].y);
    return list;
  }

 public:
  TileArrays<Real> arrays;
  DeviceArray<GhostSide> ghost_sides;
  TileRange inner, border;
};

}  // namespace weft::flow::detail
