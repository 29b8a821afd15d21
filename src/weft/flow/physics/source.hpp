#pragma once
/// Sources in the cells.
#include <type_traits>
#include <utility>

#include "weft/flow/physics/field_function.hpp"
#include "weft/flow/physics/gas.hpp"

namespace weft::flow {

/// Sources without a user function, evaluated where the flow is computed, on the host or on a GPU.
struct VolumeSource {
  Vec3 acceleration{};        ///< m/s^2, of a uniform body force: gravity, or the inertial force in an accelerated frame
  bool axisymmetric = false;  ///< y is the distance from the axis: the pressure on the sides of a sector acts outwards

  [[nodiscard]] WEFT_HD constexpr bool any() const { return axisymmetric || !(acceleration == Vec3{}); }
  /// Returns d(conserved)/dt per unit volume. @param centroid  of the cell; of the plane cell if axisymmetric.
  [[nodiscard]] WEFT_HD constexpr Conserved operator()(Vec3 centroid, const Primitive& w) const {
    Conserved rate{0, w.density * acceleration, w.density * dot(acceleration, w.velocity)};
    if (axisymmetric) rate.momentum.y += w.pressure / centroid.y;
    return rate;
  }
};

/// A source that is added to d(conserved)/dt per unit volume of every cell.
struct SourceTerm {
  /// The sources in cells, of their centroids, the time and the states. Called on the host, in every stage, with all owned cells.
  using Function = FieldFunction<Conserved, Primitive>;

  SourceTerm() = default;
  /// Creates a source from a function alone.
  template <class F>
    requires std::is_invocable_r_v<Conserved, F, Vec3, double, const Primitive&>
  SourceTerm(F of) : function(std::move(of)) {}

  Function function{};
  Vec3 acceleration{};  ///< as in VolumeSource
};

}  // namespace weft::flow
