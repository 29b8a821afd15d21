#include "weft/flow/scheme/scheme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/base/traced_region.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/scheme/reference.hpp"
#include "weft/flow/scheme/wall_curvature.hpp"

namespace weft::flow {
namespace {

/// Returns whether least squares is stabilized, see Numerics::stabilize_simplices. @collective
bool stabilizes(const mesh::Mesh& mesh, const Numerics& numerics) {
  const bool others = !std::all_of(mesh.cell_type.begin(), mesh.cell_type.end(), mesh::is_quad_or_hexahedron);
  return mesh.comm.max(numerics.stabilize_simplices && others ? 1 : 0) > 0;
}

Discretization discretize(const mesh::Mesh& mesh, const SolverOptions& options) {
  const TracedRegion region("discretization");
  const GradientRow& gradient = row_of(options.numerics.gradient);
  const bool stabilized = stabilizes(mesh, options.numerics) && gradient.with_matrices;
  const BoundaryKinds kinds = kinds_of(options.boundary);
  std::optional<WallForces> forces;
  Team team(options.threads);
  if (!options.source.function)
    forces = {.curvature = wall_curvature(mesh, kinds, team), .acceleration = options.source.acceleration};
  FaceAreas areas = areas_at_curved_walls(mesh, kinds, team);
  return agreed(mesh.comm, [&] {
    return Discretization(mesh, kinds, gradient.over_faces ? mesh::Neighbours::face : options.stencil, stabilized, forces,
                          std::move(areas), team);
  });
}

void check_scalars(const SolverOptions& options) {
  const std::vector<Scalar>& scalars = options.scalars;
  if (scalars.size() > kMostScalars) {
    throw InputError(fmt::format("{} scalars are more than the {} that a flow carries", scalars.size(), kMostScalars),
                     "leave out some of them");
  }
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (scalars[i].name == scalars[j].name) {
        throw InputError(fmt::format("two scalars are called \"{}\"", scalars[i].name), "give each a name of its own");
      }
    }
  }
  for (const BoundaryCondition& zone : options.boundary) {
    if (zone.scalars.size() > scalars.size()) {
      throw InputError(
          fmt::format("a boundary zone has values of {} scalars, of which there are {}", zone.scalars.size(), scalars.size()),
          "give a zone at most one value for each scalar");
    }
  }
}

void check_axis(const mesh::Mesh& mesh, const BoundaryConditions& boundary) {
  if (!mesh.axisymmetric) return;
  for (const mesh::BoundaryZoneId z : mesh.boundary.ids()) {
    const BoundaryParams& params = boundary[z].params;
    if (params.state.velocity.z != 0 || params.direction.z != 0) {
      throw velocity_about_axis("boundary zone " + mesh.boundary[z].name);
    }
  }
}

}  // namespace

BoundaryKinds kinds_of(const BoundaryConditions& boundary) {
  BoundaryKinds kinds;
  for (const BoundaryCondition& condition : boundary) {
    kinds.push_back(condition.prescribed ? BoundaryKind::supersonic_inflow : condition.params.kind);
  }
  return kinds;
}

InputError velocity_about_axis(const std::string& where) {
  return InputError(where + " has a velocity along z, about the axis, for which an axisymmetric flow has no equation",
                    "make it 0, or compute the flow in 3-D");
}

Scheme::Scheme(const mesh::Mesh& mesh, SolverOptions options)
    : mesh_(mesh), options_(std::move(options)), discretization_(discretize(mesh, options_)) {
  WEFT_EXPECTS(!numerics().well_balanced || numerics().order_ramp.steps == 0);
  check_scalars(options_);
  check_axis(mesh, boundary());
  if (kLimiters.visit<bool>(numerics().limiter,
                            []<class Limiter>(const LimiterRow<Limiter>& /*row*/) { return Limiter::kUsesLength; })) {
    reference_length_ =
        numerics().reference_length ? *numerics().reference_length : flow::reference_length(mesh, kinds_of(boundary()));
  }
}

TeamVector<double> Scheme::least_squares() const {
  if (!row_of(numerics().gradient).with_matrices) return {};
  const TracedRegion region("least-squares matrices");
  return agreed(mesh_.comm, [&] {
    Team team(options_.threads);
    return least_squares_matrices(mesh_, discretization_, team);
  });
}

}  // namespace weft::flow
