#include "weft/flow/host/gradient_geometry.hpp"

namespace weft::flow::detail {
namespace {

void append(std::vector<double>& to, Vec3 v, int dim) {
  for (int axis = 0; axis < dim; ++axis) to.push_back(v[axis]);
}

Vec3 to_face(const mesh::Mesh& mesh, const Discretization& d, std::int32_t row, std::int32_t s) {
  return mesh.face_centroid[d.cell_face[s]] - d.centroid[LocalRow(row)];
}

Vec3 half_way(const Discretization& d, std::int32_t c, std::int32_t s) {
  return 0.5 * (d.centroid[LocalRow(d.cell_face_row[s])] - d.centroid[LocalRow(c)]);
}

}  // namespace

GradientGeometry gradient_geometry(const Scheme& scheme) {
  const GradientRow& gradient = row_of(scheme.numerics().gradient);
  GradientGeometry geometry;
  if (gradient.weights == nullptr) return geometry;
  const mesh::Mesh& mesh = scheme.mesh();
  const Discretization& d = scheme.discretization();
  geometry.weights = gradient.weights(scheme);
  geometry.to_faces.reserve(d.cell_face.size() * mesh.dim);
  const bool moves_points = d.stabilized && visit_limiter(scheme.numerics().limiter, scheme.numerics().venkatakrishnan_k,
                                                          [](auto limiter) { return decltype(limiter)::kMovesPoints; });
  geometry.half_ways.reserve(moves_points ? d.cell_face.size() * mesh.dim : 0);
  for (std::int32_t c = 0; c < mesh.owned_cells; ++c) {
    for (std::int32_t s = d.cell_face_offset[c]; s < d.cell_face_offset[c + 1]; ++s) {
      append(geometry.to_faces, to_face(mesh, d, c, s), mesh.dim);
      if (moves_points) append(geometry.half_ways, half_way(d, c, s), mesh.dim);
    }
  }
  return geometry;
}

}  // namespace weft::flow::detail
