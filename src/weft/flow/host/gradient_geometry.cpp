#include "weft/flow/host/gradient_geometry.hpp"

#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"

namespace weft::flow::detail {
namespace {

void enter(std::vector<double>& to, std::int32_t s, Vec3 v, int dim) {
  for (int axis = 0; axis < dim; ++axis) to[std::int64_t{s} * dim + axis] = v[axis];
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
  Team team(scheme.options().threads);
  resize_by_team(team, geometry.to_faces, d.cell_face.size() * mesh.dim);
  const bool moves_points = d.stabilized && visit_limiter(scheme.numerics().limiter, scheme.numerics().venkatakrishnan_k,
                                                          [](auto limiter) { return decltype(limiter)::kMovesPoints; });
  resize_by_team(team, geometry.half_ways, moves_points ? d.cell_face.size() * mesh.dim : 0);
  for_indices(team, mesh.owned_cells, [&](std::int64_t cell) {
    const auto c = static_cast<std::int32_t>(cell);
    for (std::int32_t s = d.cell_face_offset[c]; s < d.cell_face_offset[c + 1]; ++s) {
      enter(geometry.to_faces, s, to_face(mesh, d, c, s), mesh.dim);
      if (moves_points) enter(geometry.half_ways, s, half_way(d, c, s), mesh.dim);
    }
  });
  return geometry;
}

}  // namespace weft::flow::detail
