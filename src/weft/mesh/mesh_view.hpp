#pragma once
/// Views of a mesh for kernels: MeshView (topology), FvView (topology and geometry) and ZoneView (the faces of a boundary zone).
///
/// A view is trivially copyable and is passed to a kernel by value. The same types serve the host and GPUs, so that a functor
/// with a WEFT_HD operator() that holds a view runs on both; the object that made the view, a MeshParams or an FvParams,
/// determines which memory it points to. A view is valid as long as that object and its Mesh.
#include <cstddef>
#include <cstdint>
#include <span>

#include "weft/array/layout.hpp"
#include "weft/base/contracts.hpp"
#include "weft/base/macros.hpp"
#include "weft/base/vec3.hpp"
#include "weft/mesh/ids.hpp"

namespace weft::mesh {

/// The faces of one boundary zone on this rank, which may be none. On the host, Mesh::boundary holds the names of the zones.
struct ZoneView {
  std::int32_t first_face = 0;
  std::int32_t faces = 0;

  [[nodiscard]] WEFT_HD constexpr IdRange<LocalFaceId> range() const {
    return {LocalFaceId(first_face), LocalFaceId(first_face + faces)};
  }
  /// Returns face i of the zone, 0 <= i < faces.
  [[nodiscard]] WEFT_HD constexpr LocalFaceId face(std::int32_t i) const { return LocalFaceId(first_face + i); }
};

/// The topology of the subdomain of one rank, with the numbering of Mesh: cells are owned inner, owned border, then ghost cells;
/// faces are inner, partition-interface, then one range per boundary zone.
///
/// Example, two quads side by side on one rank, with the zones "floor" (2 faces) and "rest" (4 faces): cells 0 and 1; face 0
/// between them, faces 1 and 2 in zone 0, faces 3 to 6 in zone 1. left(0) = 0, right(0) = 1, right(1) is invalid;
/// other_cell(0, cell 1) = 0; zone(BoundaryZoneId(1)) is {first_face = 3, faces = 4}; zone_of(2) is BoundaryZoneId(0).
struct MeshView {
  std::int32_t dim = 3;
  std::int32_t inner_cells = 0, owned_cells = 0, ghost_cells = 0;
  std::int32_t inner_faces = 0, interface_faces = 0, all_faces = 0;
  std::int32_t zones = 0;

  const LocalCellId *left_cell = nullptr, *right_cell = nullptr;                ///< cells of each face
  const std::int64_t *cell_face_offset = nullptr, *cell_cell_offset = nullptr;  ///< owned_cells + 1 offsets each
  const LocalFaceId* cell_face = nullptr;  ///< cell_face_offset[c] ...: the faces of owned cell c
  const LocalCellId* cell_cell = nullptr;  ///< cell_cell_offset[c] ...: the neighbours of owned cell c, see BuildOptions::stencil
  const ZoneView* zone_view = nullptr;

  [[nodiscard]] WEFT_HD constexpr std::int32_t cells() const { return owned_cells + ghost_cells; }
  [[nodiscard]] WEFT_HD constexpr std::int32_t border_cells() const { return owned_cells - inner_cells; }
  /// Returns the number of faces between two cells, which come first.
  [[nodiscard]] WEFT_HD constexpr std::int32_t first_boundary_face() const { return inner_faces + interface_faces; }

  /// Returns the row of a boundary face in arrays on index_space_with_boundary(): cells() + its index among the boundary faces.
  [[nodiscard]] WEFT_HD LocalRow boundary_row(LocalFaceId f) const {
    WEFT_EXPECTS(f.value() >= first_boundary_face() && f.value() < all_faces);
    return LocalRow(cells() + f.value() - first_boundary_face());
  }

  /// Returns the cell on the left of a face, which is owned.
  [[nodiscard]] WEFT_HD LocalCellId left(LocalFaceId f) const {
    WEFT_EXPECTS(f.valid() && f.value() < all_faces);
    return left_cell[f.index()];
  }
  /// Returns the cell on the right of a face; an invalid id for a boundary face.
  [[nodiscard]] WEFT_HD LocalCellId right(LocalFaceId f) const {
    WEFT_EXPECTS(f.valid() && f.value() < all_faces);
    return right_cell[f.index()];
  }
  /// Returns the cell on the other side of a face of `cell`; an invalid id for a boundary face.
  [[nodiscard]] WEFT_HD LocalCellId other_cell(LocalFaceId f, LocalCellId cell) const {
    const LocalCellId own = left(f);
    return own == cell ? right(f) : own;
  }
  /// Returns the faces of an owned cell in the order of its shape.
  [[nodiscard]] WEFT_HD std::span<const LocalFaceId> faces(LocalCellId c) const {
    WEFT_EXPECTS(c.valid() && c.value() < owned_cells);
    const std::int64_t first = cell_face_offset[c.index()];
    return std::span(cell_face + first, cell_face_offset[c.index() + 1] - first);
  }
  /// Returns the neighbours of an owned cell, each once, in ascending order.
  [[nodiscard]] WEFT_HD std::span<const LocalCellId> neighbours(LocalCellId c) const {
    WEFT_EXPECTS(c.valid() && c.value() < owned_cells);
    const std::int64_t first = cell_cell_offset[c.index()];
    return std::span(cell_cell + first, cell_cell_offset[c.index() + 1] - first);
  }
  /// Returns a zone of Mesh::boundary.
  [[nodiscard]] WEFT_HD ZoneView zone(BoundaryZoneId z) const {
    WEFT_EXPECTS(z.valid() && z.value() < zones);
    return zone_view[z.index()];
  }
  [[nodiscard]] WEFT_HD constexpr IdRange<BoundaryZoneId> zone_ids() const { return {BoundaryZoneId(0), BoundaryZoneId(zones)}; }
  /// Returns the zone of a boundary face; an invalid id for any other face. @cost linear in the number of zones.
  [[nodiscard]] WEFT_HD BoundaryZoneId zone_of(LocalFaceId f) const {
    for (const BoundaryZoneId z : zone_ids()) {
      if (zone_view[z.index()].range().contains(f)) return z;
    }
    return BoundaryZoneId::invalid();
  }
};

/// A MeshView with the geometry that a finite-volume scheme needs. In 2-D, z = 0, volumes are areas times unit depth and face
/// areas are lengths times unit depth.
struct FvView : MeshView {
  const double* cell_volume = nullptr;  ///< m^3, of owned and ghost cells
  const Vec3* cell_centroid = nullptr;  ///< m, of owned and ghost cells; of periodic ghosts: shifted to this side
  const double* face_area = nullptr;    ///< m^2
  const Vec3* face_normal = nullptr;    ///< unit, out of the left cell
  const Vec3* face_centre = nullptr;    ///< m

  [[nodiscard]] WEFT_HD double volume(LocalCellId c) const {
    WEFT_EXPECTS(c.valid() && c.value() < cells());
    return cell_volume[c.index()];
  }
  [[nodiscard]] WEFT_HD Vec3 centroid(LocalCellId c) const {
    WEFT_EXPECTS(c.valid() && c.value() < cells());
    return cell_centroid[c.index()];
  }
  [[nodiscard]] WEFT_HD double area(LocalFaceId f) const {
    WEFT_EXPECTS(f.valid() && f.value() < all_faces);
    return face_area[f.index()];
  }
  /// Returns the unit normal of a face, which points out of its left cell.
  [[nodiscard]] WEFT_HD Vec3 normal(LocalFaceId f) const {
    WEFT_EXPECTS(f.valid() && f.value() < all_faces);
    return face_normal[f.index()];
  }
  /// Returns the unit normal of a face of `cell` that points out of that cell.
  [[nodiscard]] WEFT_HD Vec3 outward_normal(LocalFaceId f, LocalCellId cell) const {
    return left(f) == cell ? normal(f) : -normal(f);
  }
  [[nodiscard]] WEFT_HD Vec3 face_centroid(LocalFaceId f) const {
    WEFT_EXPECTS(f.valid() && f.value() < all_faces);
    return face_centre[f.index()];
  }
};

}  // namespace weft::mesh
