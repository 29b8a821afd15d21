#pragma once
/// What a run watches: forces on zones, values at points, integrals over the domain, errors against an exact solution.
///
/// Every sum runs over this rank's cells or faces in an order that depends on their number alone, then over ranks in order: the
/// same digits in every run on the same number of ranks. Where the flow is on a GPU, so are integrals and forces.
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "weft/flow/solver.hpp"

namespace weft::flow {

/// Forces count pressure from that of the reference state, so that part of a body has a coefficient too. They are made
/// dimensionless with q = rho u^2 / 2 of the reference state, the area and the length.
struct ForceSpec {
  std::string name;
  std::vector<std::string> zones;  ///< names, or patterns of names (zone_conditions.hpp)
  Primitive reference;             ///< of the free stream
  double area = 1;                 ///< m^2; in 2-D the chord times unit depth
  double length = 1;               ///< m, for moments
  Vec3 moment_centre{};            ///< m
  Vec3 drag_direction{1, 0, 0};    ///< unit
  Vec3 lift_direction{0, 1, 0};    ///< unit
  Where where_zones{};             ///< in a case, for messages
};

struct Forces {
  Vec3 force;   ///< N, of the gas on the zones
  Vec3 moment;  ///< N m: sum of (x - moment centre) x force; z positive: x towards y, so a nose at small x goes down
  double drag = 0, lift = 0;  ///< coefficients
  Vec3 moment_coefficient;
};

/// Integrates the momentum flux through the zones' faces, on walls the pressure, less the reference pressure.
/// @pre solver.refresh() since the last step.  @throws InputError naming an unknown zone and the closest known one.  @collective
[[nodiscard]] Forces forces(const Solver& solver, const ForceSpec& spec);

/// @throws InputError, with spec.where_zones, naming the first of spec.zones that no boundary zone of the mesh has as its name
/// and none matches as a pattern. No communication: zones are equal on every rank.
void check_zones(const mesh::Mesh& mesh, const ForceSpec& spec);

/// A point of the domain and the cell around it; on a face between cells, that with the lowest id in the file.
class Probe {
 public:
  /// @throws InputError on every rank: outside the mesh by more than a tenth of the size of the cell next to it (a wall's faces
  /// are
  ///   flat, so a point on a curved wall may lie a little outside).  @collective  @cost one pass over the faces of every cell
  /// @param where  in a case, for messages.
  Probe(const mesh::Mesh& mesh, Vec3 at, const std::string& name = "probe", Where where = {});
  /// The cell's value moved to the point with the cell's limited gradient. @pre solver.refresh() since the last step. @collective
  [[nodiscard]] Primitive read(const Solver& solver) const;
  /// Of each scalar likewise. @pre as read()  @collective
  [[nodiscard]] std::vector<double> read_scalars(const Solver& solver) const;

 private:
  Vec3 at_;
  Rank owner_;
  std::int32_t cell_ = -1;
};

/// Integral of each conserved variable over the domain, whose error does not grow with the number of cells.
/// @pre no steps are under way.  @collective
[[nodiscard]] std::array<double, Solver::kVars> totals(const Solver& solver);

/// Integral of rho phi over the domain, of each scalar. @pre no steps are under way.  @collective
[[nodiscard]] std::vector<double> scalar_totals(const Solver& solver);

/// Norms of the error of one variable.
struct ErrorNorms {
  double l1 = 0, l2 = 0, linf = 0;  ///< volume-weighted mean, root mean square, maximum
};

/// Error of every primitive variable against exact(x) at the cell centroids.  @collective
[[nodiscard]] std::array<ErrorNorms, Solver::kVars> errors(const Solver& solver, const std::function<Primitive(Vec3)>& exact);

}  // namespace weft::flow
