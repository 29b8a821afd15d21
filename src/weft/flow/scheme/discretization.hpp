#pragma once
/// Data of the kernels that the mesh does not hold: stencils that include the boundary, and least-squares matrices.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weft/array/layout.hpp"
#include "weft/base/id_vector.hpp"
#include "weft/base/team.hpp"
#include "weft/base/vec3.hpp"
#include "weft/flow/scheme/boundary_condition.hpp"
#include "weft/flow/scheme/curved_walls.hpp"
#include "weft/flow/scheme/extrapolation.hpp"
#include "weft/kernels/primitives/threads.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// The forces on the gas at slip walls, which bound the slope of its pressure there, see WallMomentum.
struct WallForces {
  std::vector<double> curvature;  ///< wall_curvature()
  Vec3 acceleration{};            ///< acceleration of the body force, m/s^2
};

/// Rows of values are numbered: owned cells, ghost cells, then one boundary row per boundary face, so that gradients include the
/// boundary condition without a branch: row cells() + (face - first boundary face) contains the exterior state of the face. Where
/// the boundary mirrors(), its position is the mirrored centroid of the cell, but at a wall to whose row the state is
/// extrapolated the point opposite to the cell's centroid, with the face's centroid in the middle; otherwise the face itself.
///
/// Example: two quads side by side on one rank, zones xmin, xmax, ymin, ymax, stencils by face. Face 0 is between the cells; the
/// boundary faces 1 ... 6 are xmin of cell 0, xmax of cell 1, ymin of cells 0 and 1, ymax of cells 0 and 1.
///     rows               8: cells 0 1, no ghost cells, boundary rows 2 ... 7 of the faces 1 ... 6
///     face_left          0 0 1 0 1 0 1        face_right       1 2 3 4 5 6 7
///     cell_face_offset   0 4 8                cell_face        3 0 5 1 | 4 2 6 0     (below, right, above, left)
///     stencil_offset     0 4 8                cell_face_row    4 1 6 2 | 5 3 7 0     = stencil_row
struct Discretization {
  /// @param kinds  of each zone of mesh.boundary.
  /// @param stencil  what cell_cells of the mesh lists (BuildOptions::stencil): the neighbours that make a gradient.
  /// @param stabilize  see least_squares_matrices(); without effect for neighbours by node.
  /// @param forces  on the gas at slip walls, if they are known: not where a user function is a source. No communication.
  /// @param areas  of areas_at_curved_walls().
  /// @param team  threads, on whose number nothing depends.  @throws LimitError for more than 2^31 stencil entries.
  Discretization(const mesh::Mesh& mesh, const BoundaryKinds& kinds, mesh::Neighbours stencil = mesh::Neighbours::face,
                 bool stabilize = false, const std::optional<WallForces>& forces = std::nullopt, FaceAreas areas = {},
                 Team& team = kernels::calling_thread());
  Discretization(const Discretization&) = delete;
  Discretization& operator=(const Discretization&) = delete;
  Discretization(Discretization&&) = default;
  Discretization& operator=(Discretization&&) = default;

  std::int32_t first_boundary_face = 0;
  std::int32_t rows = 0;  ///< owned + ghost + boundary faces
  bool stabilized = false;
  bool stencils_by_node = false;  ///< stencil_row is not cell_face_row

  /// Rows whose values make the gradient of owned cell c: stencil_row[stencil_offset[c]] ... The face neighbours or
  /// the node neighbours, then the boundary rows.
  TeamVector<std::int32_t> stencil_offset, stencil_row;
  /// Faces of owned cell c, and for each the row on its other side.
  TeamVector<std::int32_t> cell_face_offset, cell_face_row;
  TeamVector<mesh::LocalFaceId> cell_face;
  /// Rows; that on the right of a boundary face is its boundary row.
  IdVector<mesh::LocalFaceId, std::int32_t> face_left, face_right;
  IdVector<LocalRow, Vec3> centroid;                   ///< centroid of every row
  Extrapolations boundary_extrapolation;               ///< to each boundary row, from its cell and its stencil
  IdVector<mesh::LocalCellId, double> inverse_volume;  ///< 1 / volume of owned cells
  /// Half the sum of |n| A over the faces: the spectral radius of cell c is sum_k (|u_k| + a) projected_area[c][k]. Owned cells.
  IdVector<mesh::LocalCellId, Vec3> projected_area;
  FaceAreas curved;  ///< empty where they are those of the mesh
  IdSpan<mesh::LocalFaceId, const Vec3>
      face_normal;  ///< unit vectors out of the left cells of all faces, of `curved` or of the mesh
  IdSpan<mesh::LocalFaceId, const double> face_area;  ///< m^2
};

/// Returns the matrices of least-squares gradients: for each owned cell the inverse of sum(w d d^T) over the stencil, upper
/// triangle: xx xy yy in 2-D, xx xy yy xz yz zz in 3-D. The weight w is 1 / |d|^2. Where the discretization is stabilized it is
/// 1, and the matrix of a triangle or tetrahedron is M, that sum, plus the least multiple of B that makes M - B positive
/// semidefinite. B = sum(r r^T), r from the centroid to the faces (a quarter of it where the boundary row lies on the face): so
/// the increments at the faces have a sum of squares of at most that of the differences of values. The multiple is 0, and the
/// gradient exact for linear data, except for cells whose neighbours lie near a line or plane (slivers). Neither weight nor
/// multiple changes under affine maps. No communication.  @throws MeshError where the neighbours of a cell lie on a line or
/// plane.
[[nodiscard]] TeamVector<double> least_squares_matrices(const mesh::Mesh& mesh, const Discretization& d,
                                                        Team& team = kernels::calling_thread());

}  // namespace weft::flow
