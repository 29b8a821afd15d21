#pragma once
/// Monitored quantities of a run: forces and averages on zones, values at points, integrals over the domain, errors relative to
/// an exact solution.
///
/// Every sum runs over this rank's cells or faces in an order that depends on their number alone, then over ranks in order: the
/// same digits in every run on the same number of ranks. If the flow is on a GPU, so are integrals and forces.
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/registry.hpp"
#include "weft/flow/scheme/solver.hpp"

namespace weft::flow {

/// Forces are relative to the pressure of the reference state, so that a part of a body also has a coefficient. They are made
/// dimensionless with q = rho u^2 / 2 of the reference state, the area and the length; if that state is at rest they have no
/// coefficients.
struct ForceSpec {
  std::string name;
  std::vector<std::string> zones;  ///< names, or patterns of names (zone_conditions.hpp)
  Primitive reference;             ///< the free stream; forces are relative to its pressure
  double area = 1;                 ///< m^2; in 2-D the chord times unit depth
  double length = 1;               ///< m, for moments
  Vec3 moment_centre{};            ///< m
  Vec3 drag_direction{1, 0, 0};    ///< unit
  Vec3 lift_direction{0, 1, 0};    ///< unit
  Where where_zones{};             ///< place in a case, for messages
  std::optional<Where> where_area{}, where_length{}, where_moment_centre{};  ///< places of those that are written in the case

  [[nodiscard]] bool has_coefficients() const { return norm(reference.velocity) > 0; }
};

/// Description of the sign of Forces::pitch for users.
inline constexpr const char* kPitchSign = "nose up positive";

/// Forces and moments on zones. Coefficients are 0 if the spec has none.
struct Forces {
  Vec3 force;   ///< N, of the gas on the zones
  Vec3 moment;  ///< N m: sum of (x - moment centre) x force; z positive: from x towards y, so a nose at small x moves down
  double drag = 0, lift = 0;  ///< coefficients
  Vec3 moment_coefficient;
  /// Pitching moment coefficient, positive nose up: about lift direction x drag direction, which is -z with x downstream and y
  /// up, and y with x downstream and z up.
  double pitch = 0;
};

/// Integrates the momentum flux through the zones' faces, which on walls is the pressure, relative to the reference pressure.
/// @pre solver.refresh() since the last step.  @throws InputError naming an unknown zone and the closest known one.  @collective
[[nodiscard]] Forces forces(const Solver& solver, const ForceSpec& spec);

/// Quantities of a monitor of boundary zones.
enum class ZoneQuantity : int { mass_flow, pressure, density, temperature, mach, total_pressure, total_temperature };

inline constexpr Registry kZoneQuantities{
    "quantity", std::array{Row{ZoneQuantity::mass_flow, "mass_flow", "kg/s, positive out of the domain"},
                           Row{ZoneQuantity::pressure, "pressure", "Pa"}, Row{ZoneQuantity::density, "density", "kg/m^3"},
                           Row{ZoneQuantity::temperature, "temperature", "K"}, Row{ZoneQuantity::mach, "mach", "Mach number"},
                           Row{ZoneQuantity::total_pressure, "total_pressure", "Pa"},
                           Row{ZoneQuantity::total_temperature, "total_temperature", "K"}}};
[[nodiscard]] constexpr const auto& registry_of(ZoneQuantity /*tag*/) { return kZoneQuantities; }
static_assert(is_complete<ZoneQuantity>());

/// Mass flow through boundary zones, and averages over them.
struct MonitorSpec {
  std::string name;
  std::vector<std::string> zones;  ///< names, or patterns of names (zone_conditions.hpp)
  std::vector<ZoneQuantity> quantities;
  bool mass_weighted = false;  ///< averages are weighted by the mass flow through each face, otherwise by its area
  bool in_progress = false;    ///< shown in the progress of a run
  Where where_zones{};         ///< place in a case, for messages
};

/// Returns the values of spec.quantities, in its order: the mass flow out of the domain, kg/s, and averages of the interior
/// states at the faces. The weight of a face is the absolute mass flow through it; if there is no flow through any of them, its
/// area.
/// @pre solver.refresh() since the last step.  @throws InputError as forces().  @collective
[[nodiscard]] std::vector<double> monitor(const Solver& solver, const MonitorSpec& spec);

/// Checks names and patterns of zones.
/// @param where  of the list in a case; the error names the key `key` if it is empty.
/// @throws InputError naming the first of `zones` that is neither the name of a boundary zone of the mesh nor a pattern that
///   matches one. No communication: zones are equal on every rank.
void check_zones(const mesh::Mesh& mesh, const std::vector<std::string>& zones, const std::string& key, const Where& where);

/// A point of the domain and the cell around it; on a face between cells, that with the lowest id in the file.
class Probe {
 public:
  /// @throws InputError on every rank: outside the mesh by more than a tenth of the size of the cell next to it (faces of a wall
  ///   are plane, so a point on a curved wall may lie slightly outside).  @collective  @cost one pass over the faces of every
  ///   cell
  /// @param where  in a case, for messages.
  Probe(const mesh::Mesh& mesh, Vec3 at, const std::string& name = "probe", Where where = {});
  /// Returns the state at the point, linear with the cell's limited gradient. @pre solver.refresh() since the last step.
  /// @collective
  [[nodiscard]] Primitive read(const Solver& solver) const;
  /// Returns each scalar at the point, with the same conditions. @collective
  [[nodiscard]] std::vector<double> read_scalars(const Solver& solver) const;

 private:
  Vec3 at_;
  Rank owner_;
  mesh::LocalCellId cell_;
};

/// Returns the integral of each conserved variable over the domain, whose error does not grow with the number of cells.
/// @pre no steps are pending.  @collective
[[nodiscard]] std::array<double, Solver::kVars> totals(const Solver& solver);

/// Returns the integral of rho phi over the domain, of each scalar. @pre no steps are pending.  @collective
[[nodiscard]] std::vector<double> scalar_totals(const Solver& solver);

/// Norms of the error of one variable.
struct ErrorNorms {
  double l1 = 0, l2 = 0, linf = 0;  ///< volume-weighted mean, root mean square, maximum
};

/// Returns the error of every primitive variable relative to exact(x) at the cell centroids.  @collective
[[nodiscard]] std::array<ErrorNorms, Solver::kVars> errors(const Solver& solver, const std::function<Primitive(Vec3)>& exact);

}  // namespace weft::flow
