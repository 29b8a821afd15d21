#include "weft/flow/app/case_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "weft/base/error.hpp"
#include "weft/flow/app/inflow_checks.hpp"
#include "weft/flow/app/zone_conditions.hpp"
#include "weft/flow/app/zone_shapes.hpp"

namespace weft::flow {
namespace {

/// Below the factors between metres and millimetres, inches (39) or centimetres, and above those of usual reference values: the
/// span of a wing over its chord, half of a symmetric body.
constexpr double kFactor = 30;

enum class Size { length, area };

/// The box around some zones.
class Box {
 public:
  Box(const std::vector<ZoneShape>& zones, const mesh::Mesh& mesh) : is_plane_(mesh.dim == 2 && !mesh.axisymmetric) {
    std::tie(low_, high_) = detail::box_of(zones);
    if (mesh.axisymmetric) {
      low_ = {low_.x, -high_.y, -high_.y};
      high_.z = high_.y;
    }
    const Vec3 size = high_ - low_;
    sides_ = is_plane_ ? std::vector{size.x, size.y} : std::vector{size.x, size.y, size.z};
  }

  /// Returns whether areas are lengths times unit depth.
  [[nodiscard]] bool is_plane() const { return is_plane_; }
  [[nodiscard]] double longest() const { return *std::max_element(sides_.begin(), sides_.end()); }
  [[nodiscard]] double least(Size kind) const {
    return kind == Size::area && !is_plane_ ? sorted()[0] * sorted()[1] : sorted()[0];
  }
  [[nodiscard]] double most(Size kind) const {
    return kind == Size::area && !is_plane_ ? sorted()[1] * sorted()[2] : sorted().back();
  }
  /// Returns the distance of a point from the box.
  [[nodiscard]] double distance(Vec3 x) const {
    Vec3 away;
    for (int k = 0; k < 3; ++k) away[k] = std::max({low_[k] - x[k], x[k] - high_[k], 0.0});
    return norm(away);
  }
  /// Returns the sides for users: "1 x 0.12 m".
  [[nodiscard]] std::string text(bool si) const {
    std::vector<std::string> sides;
    for (const double side : sides_) sides.push_back(fmt::format("{:.4g}", side));
    return fmt::format("{}{}", fmt::join(sides, " x "), si ? " m" : "");
  }

 private:
  /// Returns the sides in ascending order; a flat or thin box counts as a tenth as thick as long.
  [[nodiscard]] std::vector<double> sorted() const {
    std::vector<double> sides = sides_;
    for (double& side : sides) side = std::max(side, 0.1 * longest());
    std::sort(sides.begin(), sides.end());
    return sides;
  }

  bool is_plane_;
  Vec3 low_, high_;
  std::vector<double> sides_;
};

/// Returns what to do about a value that does not fit. @param scaled  the value multiplied by mesh.scale, which may fit.
std::string advice(const Case& c, bool fits_scaled, const std::string& scaled) {
  if (fits_scaled) return fmt::format("it looks like a value in the unit of the mesh file: give it after scaling, {}", scaled);
  if (c.mesh.scale == 1) return "set mesh.scale (0.001 where the mesh is in millimetres), or correct this value";
  return "give it in metres, as the mesh is after scaling, or correct mesh.scale";
}

/// Returns the description of the walls for users.
std::string walls_text(const Case& c, const Box& box) {
  return fmt::format("the walls, whose box is {}{}", box.text(is_in_si_units(c.gas)),
                     c.mesh.scale == 1 ? "" : fmt::format(" after mesh.scale = {:g}", c.mesh.scale));
}

/// Adds the warning of a reference length or area, if there is one.
/// @param own, all  the boxes around the zones of the force, and around these and the walls.
void check_size(const Case& c, Size kind, double value, const Where& where, const Box& own, const Box& all,
                std::vector<std::string>& warnings) {
  const double least = own.least(kind), most = all.most(kind);
  const auto fits = [&](double x) { return x >= least / kFactor && x <= kFactor * most; };
  if (fits(value)) return;
  const bool is_area = kind == Size::area, is_large = value > most;
  const double scaled = value * std::pow(c.mesh.scale, is_area && !own.is_plane() ? 2 : 1);
  const std::string unit = !is_in_si_units(c.gas) ? "" : is_area ? " m^2" : " m";
  warnings.emplace_back(InputError(fmt::format("the reference {} of {:.6g}{} is {:.4g} times the {} extent of {}",
                                               is_area ? "area" : "length", value, unit, value / (is_large ? most : least),
                                               is_large ? "largest" : "smallest", walls_text(c, is_large ? all : own)),
                                   advice(c, c.mesh.scale != 1 && fits(scaled), fmt::format("{:.6g}{}", scaled, unit)), where)
                            .what());
}

bool is_solid_wall(const Case& c, const std::string& zone) {
  const ZoneCondition* const condition = find_condition(c, zone);
  return condition != nullptr && !condition->prescribed && is_solid(condition->params.kind);
}

/// Adds the warnings of the reference values of a force. @param shapes  of all zones.
void check_force(const mesh::Mesh& mesh, const Case& c, const ForceSpec& force, const std::vector<ZoneShape>& shapes,
                 std::vector<std::string>& warnings) {
  std::vector<ZoneShape> own, all;
  for (const ZoneShape& shape : shapes) {
    const bool acts = lists_zone(force.zones, shape.name);
    if (acts) own.push_back(shape);
    if (acts || is_solid_wall(c, shape.name)) all.push_back(shape);
  }
  if (own.empty()) return;  // an error that check_outputs() reports
  const Box around_own(own, mesh), around_all(all, mesh);
  const double longest = around_all.longest();
  if (!(around_own.longest() > 0)) return;
  if (force.where_area) check_size(c, Size::area, force.area, *force.where_area, around_own, around_all, warnings);
  if (force.where_length) check_size(c, Size::length, force.length, *force.where_length, around_own, around_all, warnings);
  const double away = around_all.distance(force.moment_centre) / longest;
  if (!force.where_moment_centre || away <= kFactor) return;
  const Vec3 scaled = c.mesh.scale * force.moment_centre;
  const bool fits = c.mesh.scale != 1 && around_all.distance(scaled) <= kFactor * longest;
  warnings.emplace_back(
      InputError(
          fmt::format("the moment centre is {:.4g} times their longest side away from {}", away, walls_text(c, around_all)),
          advice(c, fits, fmt::format("[{:.6g}, {:.6g}, {:.6g}]", scaled.x, scaled.y, scaled.z)), *force.where_moment_centre)
          .what());
}

void check_reference_values(const mesh::Mesh& mesh, const Case& c, std::vector<std::string>& warnings) {
  const bool written = c.where_reference_length || std::any_of(c.forces.begin(), c.forces.end(), [](const ForceSpec& force) {
                         return force.where_area || force.where_length || force.where_moment_centre;
                       });
  if (!written) return;
  const std::vector<ZoneShape> shapes = detail::measure_zones(mesh);
  for (const ForceSpec& force : c.forces) check_force(mesh, c, force, shapes, warnings);
  std::vector<ZoneShape> walls;
  for (const ZoneShape& shape : shapes) {
    if (is_solid_wall(c, shape.name)) walls.push_back(shape);
  }
  if (!c.where_reference_length || walls.empty()) return;
  const Box box(walls, mesh);
  if (box.longest() > 0) check_size(c, Size::length, *c.numerics.reference_length, *c.where_reference_length, box, box, warnings);
}

/// Warns of velocities along z in a plane flow. Those of an axisymmetric flow are errors of the case.
void check_velocities(const mesh::Mesh& mesh, const Case& c, std::vector<std::string>& warnings) {
  if (mesh.dim == 3) return;
  for (const VelocityAlongZ& velocity : c.along_z) {
    warnings.emplace_back(
        InputError(fmt::format("the velocity {} has a component along z, out of the plane of this 2-D mesh", velocity.text),
                   "make it 0, or take a 3-D mesh: here the flow in the plane only carries it along, and it counts "
                   "in Mach numbers, total pressures and the directions of forces",
                   velocity.where)
            .what());
  }
}

}  // namespace

std::vector<std::string> warnings_on_mesh(const mesh::Mesh& mesh, const Case& flow_case) {
  std::vector<std::string> warnings = check_inflows(mesh, flow_case);
  check_reference_values(mesh, flow_case, warnings);
  check_velocities(mesh, flow_case, warnings);
  return warnings;
}

}  // namespace weft::flow
