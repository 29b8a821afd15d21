// The gradient weights of the rows of kGradients.
#include <vector>

#include "weft/base/team_loops.hpp"
#include "weft/base/team_memory.hpp"
#include "weft/base/traced_region.hpp"
#include "weft/flow/scheme/kernels.hpp"
#include "weft/flow/scheme/scheme.hpp"

namespace weft::flow::detail {
namespace {

/// Returns weight(c, s) of all entries s of the stencils of all owned cells c, `dim` components each.
template <class Weight>
std::vector<double> by_stencil(const Scheme& scheme, Weight&& weight) {
  const mesh::Mesh& mesh = scheme.mesh();
  const Discretization& d = scheme.discretization();
  Team team(scheme.options().threads);
  std::vector<double> all;
  resize_by_team(team, all, d.stencil_row.size() * mesh.dim);
  for_indices(team, mesh.owned_cells, [&](std::int64_t cell) {
    const auto c = static_cast<std::int32_t>(cell);
    for (auto s = d.stencil_offset[c]; s < d.stencil_offset[c + 1]; ++s) {
      const Vec3 w = weight(c, s);
      for (int axis = 0; axis < mesh.dim; ++axis) all[std::int64_t{s} * mesh.dim + axis] = w[axis];
    }
  });
  return all;
}

template <int Dim>
std::vector<double> least_squares_weights_in(const Scheme& scheme) {
  const Discretization& d = scheme.discretization();
  const TeamVector<double> matrices = scheme.least_squares();
  return by_stencil(scheme, [&](std::int32_t c, auto s) {
    const Vec3 unscaled =
        unscaled_gradient_weight<Dim>(d.centroid[LocalRow(d.stencil_row[s])] - d.centroid[LocalRow(c)], d.stabilized);
    double whole[Dim];
    for (int axis = 0; axis < Dim; ++axis) whole[axis] = unscaled[axis];
    multiply(&matrices[std::int64_t{c} * (Dim * (Dim + 1) / 2)], whole);
    return Vec3{whole[0], whole[1], Dim == 3 ? whole[Dim - 1] : 0};
  });
}

}  // namespace

std::vector<double> least_squares_weights(const Scheme& scheme) {
  const TracedRegion region("gradient weights");
  return scheme.mesh().dim == 2 ? least_squares_weights_in<2>(scheme) : least_squares_weights_in<3>(scheme);
}

std::vector<double> green_gauss_weights(const Scheme& scheme) {
  const TracedRegion region("gradient weights");
  const mesh::Mesh& mesh = scheme.mesh();
  const Discretization& d = scheme.discretization();
  return by_stencil(scheme, [&](std::int32_t c, auto s) {
    const mesh::LocalFaceId f = d.cell_face[s];
    const double sign = d.face_left[f] == c ? 1 : -1;
    const Vec3 to_face = mesh.face_centroid[f] - d.centroid[LocalRow(c)];
    const Vec3 from_opposite = mesh.face_centroid[f] - d.centroid[LocalRow(d.cell_face_row[s])];
    return face_interpolation_weight(to_face, from_opposite) *
           (sign * d.face_area[f] * d.inverse_volume[mesh::LocalCellId(c)] * d.face_normal[f]);
  });
}

}  // namespace weft::flow::detail
