#include "weft/flow/host/gradient_geometry.hpp"

#include "weft/flow/scheme/kernels.hpp"

namespace weft::flow::detail {
namespace {

void append(std::vector<double>& to, Vec3 v, int dim) {
  for (int axis = 0; axis < dim; ++axis) to.push_back(v[axis]);
}

template <int Dim>
Vec3 least_squares_weight(const Discretization& d, const std::vector<double>& matrices, std::size_t c, std::size_t s) {
  const Vec3 unscaled =
      unscaled_gradient_weight<Dim>(d.centroid[static_cast<std::size_t>(d.stencil_row[s])] - d.centroid[c], d.stabilized);
  double whole[Dim];
  for (int axis = 0; axis < Dim; ++axis) whole[axis] = unscaled[axis];
  multiply(&matrices[c * (Dim * (Dim + 1) / 2)], whole);
  return Vec3{whole[0], whole[1], Dim == 3 ? whole[Dim - 1] : 0};
}

Vec3 to_face(const mesh::Mesh& mesh, const Discretization& d, std::size_t row, std::size_t s) {
  return mesh.face_centroid[static_cast<std::size_t>(d.cell_face[s])] - d.centroid[row];
}

Vec3 half_way(const Discretization& d, std::size_t c, std::size_t s) {
  return 0.5 * (d.centroid[static_cast<std::size_t>(d.cell_face_row[s])] - d.centroid[c]);
}

Vec3 green_gauss_weight(const mesh::Mesh& mesh, const Discretization& d, std::size_t c, std::size_t s) {
  const auto f = static_cast<std::size_t>(d.cell_face[s]), opposite = static_cast<std::size_t>(d.cell_face_row[s]);
  const double sign = static_cast<std::size_t>(d.face_left[f]) == c ? 1 : -1;
  return face_interpolation_weight(to_face(mesh, d, c, s), to_face(mesh, d, opposite, s)) *
         (sign * mesh.face_area[f] * d.inverse_volume[c] * mesh.face_normal[f]);
}

}  // namespace

GradientGeometry gradient_geometry(const Scheme& scheme) {
  const std::vector<double> matrices = scheme.least_squares();
  GradientGeometry geometry;
  const GradientKind kind = scheme.numerics().gradient;
  if (kind == GradientKind::none) return geometry;
  const mesh::Mesh& mesh = scheme.mesh();
  const Discretization& d = scheme.discretization();
  const auto weight = [&](std::size_t c, std::size_t s) {
    if (kind == GradientKind::green_gauss) return green_gauss_weight(mesh, d, c, s);
    return mesh.dim == 2 ? least_squares_weight<2>(d, matrices, c, s) : least_squares_weight<3>(d, matrices, c, s);
  };
  geometry.weights.reserve(d.stencil_row.size() * static_cast<std::size_t>(mesh.dim));
  geometry.to_faces.reserve(d.cell_face.size() * static_cast<std::size_t>(mesh.dim));
  const bool moves_points = d.stabilized && visit_limiter(scheme.numerics().limiter, scheme.numerics().venkatakrishnan_k,
                                                          [](auto limiter) { return decltype(limiter)::kMovesPoints; });
  geometry.half_ways.reserve(moves_points ? d.cell_face.size() * static_cast<std::size_t>(mesh.dim) : 0);
  for (std::size_t c = 0; c < static_cast<std::size_t>(mesh.owned_cells); ++c) {
    for (auto s = static_cast<std::size_t>(d.stencil_offset[c]); s < static_cast<std::size_t>(d.stencil_offset[c + 1]); ++s) {
      append(geometry.weights, weight(c, s), mesh.dim);
    }
    for (auto s = static_cast<std::size_t>(d.cell_face_offset[c]); s < static_cast<std::size_t>(d.cell_face_offset[c + 1]); ++s) {
      append(geometry.to_faces, to_face(mesh, d, c, s), mesh.dim);
      if (moves_points) append(geometry.half_ways, half_way(d, c, s), mesh.dim);
    }
  }
  return geometry;
}

}  // namespace weft::flow::detail
