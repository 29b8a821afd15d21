#pragma once
/// Geometric factors of gradients on the host.
#include <vector>

#include "weft/flow/scheme/scheme.hpp"

namespace weft::flow::detail {

/// Vectors that are computed once, with mesh.dim components each; empty where the scheme computes no gradients.
struct GradientGeometry {
  std::vector<double> weights;   ///< gradient weights, see GradientRow::weights
  std::vector<double> to_faces;  ///< from the centroid of each cell to its faces, as Discretization::cell_face
  /// From the centroid of each cell half-way to those of its neighbours; empty where no limiter moves its points.
  std::vector<double> half_ways;
};

/// Computes them from the stencils and, for least squares, the matrices.
/// @throws MeshError on every rank where the neighbours of a cell do not determine a gradient.  @collective
[[nodiscard]] GradientGeometry gradient_geometry(const Scheme& scheme);

}  // namespace weft::flow::detail
