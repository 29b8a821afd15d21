#pragma once
/// What acts on the gas inside the cells.
#include <functional>
#include <utility>

#include "weft/flow/physics/gas.hpp"

namespace weft::flow {

/// What needs no function of a user: computed where the flow is, on the host or on a GPU.
struct VolumeSource {
  Vec3 acceleration{};        ///< m/s^2, of a force on every part of the gas alike: gravity, or that of a frame that speeds up
  bool axisymmetric = false;  ///< y is the distance from the axis: the pressure on both sides of a sector pushes outwards

  [[nodiscard]] WEFT_HD constexpr bool any() const { return axisymmetric || !(acceleration == Vec3{}); }
  /// d(conserved)/dt per unit volume. @param centroid  of the cell; of the plane cell where axisymmetric.
  [[nodiscard]] WEFT_HD constexpr Conserved operator()(Vec3 centroid, const Primitive& w) const {
    Conserved rate{0, w.density * acceleration, w.density * dot(acceleration, w.velocity)};
    if (axisymmetric) rate.momentum.y += w.pressure / centroid.y;
    return rate;
  }
};

/// Adds to d(conserved)/dt per unit volume of every cell.
struct SourceTerm {
  /// Cell centroid, time and state in; source out. Called on the host, in every stage, for every owned cell.
  using Function = std::function<Conserved(Vec3, double, const Primitive&)>;

  SourceTerm() = default;
  /// Of a function alone.
  template <class F>
    requires std::is_invocable_r_v<Conserved, F, Vec3, double, const Primitive&>
  SourceTerm(F of) : function(std::move(of)) {}

  Function function{};
  Vec3 acceleration{};  ///< as in VolumeSource
};

}  // namespace weft::flow
