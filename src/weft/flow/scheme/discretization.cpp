#include "weft/flow/scheme/discretization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/flow/scheme/numerics.hpp"
#include "weft/kernels/primitives/sum_up.hpp"

namespace weft::flow {
namespace {

using mesh::LocalCellId;
using mesh::LocalFaceId;
using mesh::Mesh;

void add_boundary_rows(const Mesh& mesh, const BoundaryKinds& kinds, Discretization& d) {
  for (const mesh::BoundaryZoneId z : mesh.boundary.ids()) {
    const bool mirrored = mirrors(kinds[z]);
    for (const LocalFaceId f : mesh.boundary[z].faces) {
      const Vec3 inside = mesh.cell_centroid[mesh.face_left[f]];
      const Vec3 to_face = mesh.face_centroid[f] - inside;
      d.centroid.push_back(mirrored ? inside + 2.0 * dot(to_face, d.face_normal[f]) * d.face_normal[f] : mesh.face_centroid[f]);
    }
  }
}

void connect(const Mesh& mesh, mesh::Neighbours stencil, Team& team, Discretization& d) {
  const std::size_t faces = mesh.faces();
  resize_by_team(team, d.face_left, faces);
  resize_by_team(team, d.face_right, faces);
  for_indices(team, mesh.faces(), [&](std::int64_t i) {
    const LocalFaceId f(i);
    d.face_left[f] = mesh.face_left[f].value();
    d.face_right[f] = mesh.face_right[f].valid() ? mesh.face_right[f].value() : mesh.cells() + f.value() - d.first_boundary_face;
  });
  const bool by_node = stencil == mesh::Neighbours::node;
  const std::size_t cells = mesh.owned_cells, sides = mesh.cell_faces.entries().size();
  const std::size_t entries = by_node ? mesh.cell_cells.entries().size() + faces - d.first_boundary_face : sides;
  (void)checked_local(static_cast<std::int64_t>(entries), "entries of gradient stencils");
  (void)checked_local(static_cast<std::int64_t>(sides), "faces of cells");
  resize_by_team(team, d.stencil_offset, cells + 1);
  resize_by_team(team, d.cell_face_offset, cells + 1);
  const auto is_boundary = [&](LocalFaceId face) { return face.value() >= d.first_boundary_face; };
  for_indices(team, mesh.owned_cells, [&](std::int64_t c) {
    const auto around = mesh.cell_faces.row(c);
    d.cell_face_offset[c + 1] = static_cast<std::int32_t>(around.size());
    d.stencil_offset[c + 1] =
        !by_node
            ? d.cell_face_offset[c + 1]
            : static_cast<std::int32_t>(mesh.cell_cells.row(c).size() + std::count_if(around.begin(), around.end(), is_boundary));
  });
  kernels::sum_up(d.cell_face_offset, team);
  kernels::sum_up(d.stencil_offset, team);
  resize_by_team(team, d.cell_face, sides);
  resize_by_team(team, d.cell_face_row, sides);
  resize_by_team(team, d.stencil_row, entries);
  for_indices(team, mesh.owned_cells, [&](std::int64_t c) {
    std::int32_t side = d.cell_face_offset[c], entry = d.stencil_offset[c];
    if (by_node) {
      for (const LocalCellId other : mesh.cell_cells.row(c)) d.stencil_row[entry++] = other.value();
    }
    for (const LocalFaceId face : mesh.cell_faces.row(c)) {
      const std::int32_t opposite = d.face_left[face] == c ? d.face_right[face] : d.face_left[face];
      d.cell_face[side] = face;
      d.cell_face_row[side++] = opposite;
      if (!by_node || opposite >= mesh.cells()) d.stencil_row[entry++] = opposite;
    }
  });
}

/// Returns whether a quad or hexahedron has a neighbour on the side opposite to its boundary face, in that direction.
bool has_neighbour_opposite(const Mesh& mesh, const Discretization& d, LocalCellId cell, const Vec3& outward) {
  constexpr double kOpposite = 0.8;  // cosine; the product of both cosines is at most 0.5 in a right triangle of any aspect ratio
  for (std::int32_t s = d.cell_face_offset[cell.index()]; s < d.cell_face_offset[cell.index() + 1]; ++s) {
    const LocalFaceId face = d.cell_face[s];
    if (d.cell_face_row[s] >= mesh.cells()) continue;
    const Vec3 normal = (d.face_left[face] == cell.value() ? 1.0 : -1.0) * d.face_normal[face];
    const Vec3 r = d.centroid[LocalRow(d.cell_face_row[s])] - d.centroid[LocalRow(cell.value())];
    if (-dot(normal, outward) >= kOpposite && -dot(r, outward) >= kOpposite * norm(r)) return true;
  }
  return false;
}

bool is_simplex(const Mesh& mesh, LocalCellId cell) {
  return mesh.cell_faces.row(cell).size() == static_cast<std::size_t>(mesh.dim) + 1;
}

/// Returns the number of faces of each cell on symmetry planes; in 2-D on any wall.
IdVector<LocalCellId, char> count_planes(const Mesh& mesh, const BoundaryKinds& kinds) {
  IdVector<LocalCellId, char> planes(mesh.cells());
  for (const mesh::BoundaryZoneId z : mesh.boundary.ids()) {
    if (!(mesh.dim == 2 ? is_wall(kinds[z]) : is_symmetry_plane(kinds[z]))) continue;
    for (const LocalFaceId face : mesh.boundary[z].faces) ++planes[mesh.face_left[face]];
  }
  return planes;
}

/// Returns whether the boundary row of a face holds an extrapolated state. At symmetry planes and the axis the mirror image of
/// the cell is exact, so that half a model computes the flow of the whole. But in an edge between planes half of the rows of a
/// tetrahedron would be its own images, which do not determine the gradient along the edge. At an edge between a symmetry plane
/// and a slip wall the extrapolated row of the wall determines the gradient along the edge. With the row of the plane
/// extrapolated as well, the gradient would reproduce the difference between the cells at the edge and the adjacent ones; the
/// reconstructed states would have no jump, and that difference would hardly be damped. A quad or hexahedron needs a neighbour on
/// the opposite side, except at supersonic outflow; other cells have neighbours by node.
/// @param planes  count_planes() of the cell.
bool extrapolates(const Mesh& mesh, const Discretization& d, BoundaryKind kind, LocalCellId cell, LocalFaceId face, int planes) {
  const double height = mesh.cell_centroid[cell].y;
  const bool on_axis = mesh.axisymmetric && mesh.face_centroid[face].y <= 1e-9 * height;  // to rounding of the nodes
  if (on_axis) return false;
  if (is_symmetry_plane(kind)) return is_simplex(mesh, cell) && planes > 1;
  const bool leaves_freely = mirrors(kind) && !is_wall(kind);  // as at supersonic outflow
  return leaves_freely || !mesh::is_quad_or_hexahedron(mesh.cell_type[cell]) ||
         has_neighbour_opposite(mesh, d, cell, d.face_normal[face]);
}

/// Appends the cells from which a boundary cell extrapolates: those of its stencil; for cells other than quads and hexahedra all
/// that share a node. A gradient interpolates the remaining face neighbours of a triangle or tetrahedron exactly, including
/// their noise, and a uniform stream along a wall did not stay uniform.
void append_neighbours(const Mesh& mesh, const Discretization& d, LocalCellId cell, std::vector<std::int32_t>& neighbours) {
  if (mesh::is_quad_or_hexahedron(mesh.cell_type[cell])) {
    for (std::int32_t s = d.stencil_offset[cell.index()]; s < d.stencil_offset[cell.index() + 1]; ++s) {
      if (d.stencil_row[s] < mesh.cells()) neighbours.push_back(d.stencil_row[s]);
    }
  } else {
    for (const LocalCellId other : mesh.cell_cells.row(cell)) neighbours.push_back(other.value());
  }
}

/// Extrapolates to the boundary rows of faces first ... last - 1, which are in zones of the given kinds.
class BoundaryExtrapolation {
 public:
  BoundaryExtrapolation(const Mesh& mesh, const BoundaryKinds& kinds, const std::optional<WallForces>& forces,
                        const IdVector<LocalCellId, char>& planes, Discretization& d)
      : mesh_(mesh), kinds_(kinds), forces_(forces), planes_(planes), d_(d) {}

  Extrapolations all;  ///< in the order of the faces

  void add(std::int32_t first, std::int32_t last) {
    for (const mesh::BoundaryZoneId z : mesh_.boundary.ids()) {
      const mesh::FaceRange faces = mesh_.boundary[z].faces;
      for (std::int32_t f = std::max(first, faces.first().value()); f < std::min(last, faces.last().value()); ++f) {
        add(kinds_[z], LocalFaceId(f));
      }
    }
  }

 private:
  void add(BoundaryKind kind, LocalFaceId face) {
    const LocalCellId c = mesh_.face_left[face];
    const Vec3 from = mesh_.cell_centroid[c];
    Vec3& to = d_.centroid[LocalRow(d_.face_right[face])];
    WallMomentum wall;
    neighbours_.clear();
    if (extrapolates(mesh_, d_, kind, c, face, planes_[c])) {
      append_neighbours(mesh_, d_, c, neighbours_);
      // The normal velocity at a wall vanishes at the centroid of the face. For skewed cells, such as triangles, the foot of
      // the perpendicular lies elsewhere, and on a curved wall the velocity there has a normal component of first order.
      if (is_wall(kind)) {
        to = 2.0 * mesh_.face_centroid[face] - from;
        if (forces_) {
          const Vec3 n = d_.face_normal[face];
          wall = {.normal = n,
                  .curvature = forces_->curvature[face.index() - d_.first_boundary_face],
                  .force = std::abs(dot(forces_->acceleration, n))};
        }
      }
    }
    all.append(from, to, neighbours_, d_.centroid, wall);
  }

  const Mesh& mesh_;
  const BoundaryKinds& kinds_;
  const std::optional<WallForces>& forces_;
  const IdVector<LocalCellId, char>& planes_;
  Discretization& d_;
  std::vector<std::int32_t> neighbours_;
};

void extrapolate_to_boundary(const Mesh& mesh, const BoundaryKinds& kinds, const std::optional<WallForces>& forces, Team& team,
                             Discretization& d) {
  const IdVector<LocalCellId, char> planes = count_planes(mesh, kinds);
  const std::int32_t faces = mesh.faces() - d.first_boundary_face;
  std::vector<BoundaryExtrapolation> shares(static_cast<std::size_t>(shares_of(team, faces)),
                                            BoundaryExtrapolation(mesh, kinds, forces, planes, d));
  for_shares(team, faces, [&](LoopShare share) {
    shares[share.number].add(static_cast<std::int32_t>(d.first_boundary_face + share.begin),
                             static_cast<std::int32_t>(d.first_boundary_face + share.end));
  });
  for (const BoundaryExtrapolation& share : shares) d.boundary_extrapolation.append(share.all);
}

/// A symmetric matrix: xx xy yy xz yz zz, of which a plane has the first three.
using Symmetric = std::array<double, 6>;

/// Adds weight r r^T to m.
void add_square(Symmetric& m, double weight, Vec3 r) {
  m[0] += weight * r.x * r.x;
  m[1] += weight * r.x * r.y;
  m[2] += weight * r.y * r.y;
  m[3] += weight * r.x * r.z;
  m[4] += weight * r.y * r.z;
  m[5] += weight * r.z * r.z;
}

/// Returns sum(w d d^T) over the stencil of cell c.
Symmetric normal_matrix(const Discretization& d, std::int32_t c) {
  Symmetric m{};
  for (std::int32_t s = d.stencil_offset[c]; s < d.stencil_offset[c + 1]; ++s) {
    const Vec3 r = d.centroid[LocalRow(d.stencil_row[s])] - d.centroid[LocalRow(c)];
    add_square(m, d.stabilized ? 1.0 : 1.0 / dot(r, r), r);
  }
  return m;
}

/// Returns sum(r r^T) over the faces of cell c, r from its centroid; a quarter of it where the boundary row lies on the face
/// itself, at half the distance of a neighbour or a mirror image.
Symmetric matrix_of_faces(const Mesh& mesh, const Discretization& d, std::int32_t c) {
  Symmetric m{};
  for (std::int32_t s = d.cell_face_offset[c]; s < d.cell_face_offset[c + 1]; ++s) {
    const Vec3 at = mesh.face_centroid[d.cell_face[s]];
    add_square(m, d.centroid[LocalRow(d.cell_face_row[s])] == at ? 0.25 : 1.0, at - d.centroid[LocalRow(c)]);
  }
  return m;
}

double determinant(const Symmetric& m, int dim) {
  const double plane = m[0] * m[2] - m[1] * m[1];
  return dim == 2 ? plane : m[5] * plane - (m[0] * m[4] * m[4] - 2 * m[1] * m[3] * m[4] + m[2] * m[3] * m[3]);
}

bool positive_definite(const Symmetric& m, int dim) { return m[0] > 0 && determinant(m, 2) > 0 && determinant(m, dim) > 0; }

/// Adds to a normal matrix the multiple of `of_faces` that least_squares_matrices() describes.
void bound(Symmetric& m, const Symmetric& of_faces, int dim) {
  const auto with = [&](double multiple) {
    Symmetric sum = m;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += multiple * of_faces[i];
    return sum;
  };
  if (positive_definite(with(-1), dim)) return;
  double too_little = 0, enough = 1;
  constexpr int kHalvings = 30;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (too_little + enough) / 2;
    (positive_definite(with(middle - 1), dim) ? enough : too_little) = middle;
  }
  m = with(enough);
}

/// Computes the inverse. Returns false if the determinant is less than `singular`.
bool invert(const Symmetric& m, int dim, double singular, Symmetric& inverse) {
  if (dim == 2) {
    const double det = m[0] * m[2] - m[1] * m[1];
    inverse = {m[2] / det, -m[1] / det, m[0] / det};
    return det > singular;
  }
  const double xx = m[2] * m[5] - m[4] * m[4];
  const double xy = m[3] * m[4] - m[1] * m[5];
  const double xz = m[1] * m[4] - m[2] * m[3];
  const double det = m[0] * xx + m[1] * xy + m[3] * xz;
  inverse = {xx / det,
             xy / det,
             (m[0] * m[5] - m[3] * m[3]) / det,
             xz / det,
             (m[1] * m[3] - m[0] * m[4]) / det,
             (m[0] * m[2] - m[1] * m[1]) / det};
  return det > singular;
}

/// Returns the smallest determinant of a normal matrix of cell c that is not considered singular.
double least_determinant(const Mesh& mesh, const Discretization& d, std::int32_t c, const Symmetric& of_faces) {
  constexpr double kSingular = 1e-10;
  if (d.stabilized) return kSingular * determinant(of_faces, mesh.dim);
  const double trace = d.stencil_offset[c + 1] - d.stencil_offset[c];
  return kSingular * trace * trace * (mesh.dim == 2 ? 1 : trace);
}

/// Returns whether a stencil is not the rows on the other sides of the faces.
bool differs_from_faces(const Discretization& d, Team& team) {
  if (d.stencil_row.size() != d.cell_face_row.size()) return true;
  std::atomic<bool> differs = false;
  for_shares(team, std::ssize(d.stencil_row), [&](LoopShare share) {
    if (!std::equal(d.stencil_row.begin() + share.begin, d.stencil_row.begin() + share.end,
                    d.cell_face_row.begin() + share.begin))
      differs = true;
  });
  return differs;
}

/// Enters the matrix of a cell.
void enter_matrix(const Mesh& mesh, const Discretization& d, LocalCellId cell, TeamVector<double>& matrices) {
  const std::int32_t c = cell.value();
  const Symmetric of_faces = d.stabilized ? matrix_of_faces(mesh, d, c) : Symmetric{};
  Symmetric normal = normal_matrix(d, c), matrix{};
  if (d.stabilized && is_simplex(mesh, cell)) bound(normal, of_faces, mesh.dim);
  if (!invert(normal, mesh.dim, least_determinant(mesh, d, c, of_faces), matrix)) {
    const Vec3 at = mesh.cell_centroid[cell];
    throw MeshError(
        fmt::format("the neighbours of the cell at ({:.6g}, {:.6g}, {:.6g}) lie on one line or plane, so its gradient "
                    "is not determined",
                    at.x, at.y, at.z),
        fmt::format("use gradient = \"{}\" or stencil = \"{}\", or re-mesh this place", name_of(GradientKind::green_gauss),
                    name_of(mesh::Neighbours::node)),
        {.file = mesh.source, .element = mesh.cell_file_id[cell]});
  }
  const std::int64_t size = mesh.dim == 2 ? 3 : 6;
  std::copy(matrix.begin(), matrix.begin() + size, matrices.begin() + c * size);
}

}  // namespace

Discretization::Discretization(const Mesh& mesh, const BoundaryKinds& kinds, mesh::Neighbours stencil, bool stabilize,
                               const std::optional<WallForces>& forces, FaceAreas areas, Team& team)
    : stabilized(stabilize && stencil == mesh::Neighbours::face),
      curved(std::move(areas)),
      face_normal(curved.normal.empty() ? mesh.face_normal.span() : std::as_const(curved.normal).span()),
      face_area(curved.area.empty() ? mesh.face_area.span() : std::as_const(curved.area).span()) {
  first_boundary_face = mesh.interface_faces.last().value();
  rows = mesh.cells() + (mesh.faces() - first_boundary_face);
  centroid.reserve(rows);
  resize_by_team(team, centroid, mesh.cells());
  for_indices(team, mesh.cells(), [&](std::int64_t c) { centroid[LocalRow(c)] = mesh.cell_centroid[LocalCellId(c)]; });
  add_boundary_rows(mesh, kinds, *this);
  connect(mesh, stencil, team, *this);
  stencils_by_node = differs_from_faces(*this, team);
  extrapolate_to_boundary(mesh, kinds, forces, team, *this);

  const std::size_t cells = mesh.owned_cells;
  resize_by_team(team, inverse_volume, cells);
  resize_by_team(team, projected_area, cells);
  for_indices(team, mesh.owned_cells, [&](std::int64_t i) {
    const LocalCellId c(i);
    inverse_volume[c] = 1.0 / mesh.cell_volume[c];
    Vec3 projected;
    for (const LocalFaceId face : mesh.cell_faces.row(c)) {
      const Vec3 n = face_normal[face];
      projected += 0.5 * face_area[face] * Vec3{std::abs(n.x), std::abs(n.y), std::abs(n.z)};
    }
    projected_area[c] = projected;
  });
}

TeamVector<double> least_squares_matrices(const Mesh& mesh, const Discretization& d, Team& team) {
  auto matrices = list_of_size<double>(team, static_cast<std::size_t>(mesh.owned_cells) * (mesh.dim == 2 ? 3 : 6));
  for_indices(team, mesh.owned_cells, [&](std::int64_t c) { enter_matrix(mesh, d, LocalCellId(c), matrices); });
  return matrices;
}

}  // namespace weft::flow
