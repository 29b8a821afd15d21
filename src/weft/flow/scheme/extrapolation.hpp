#pragma once
/// Linear extrapolation of cell values to boundary rows.
///
/// A boundary row that holds the value extrapolated with the gradient g0, the least squares over the other rows of its cell's
/// stencil, has the residual 0 at g0: the gradient is the same as without the row. Quantities that a boundary condition does not
/// prescribe are therefore not assumed constant along the normal, which would be of first order.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/array/layout.hpp"
#include "weft/base/id_vector.hpp"
#include "weft/base/macros.hpp"
#include "weft/base/vec3.hpp"
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/math.hpp"

namespace weft::flow {

/// A slip wall on the way of an extrapolation. Its gas has no normal velocity, so that the momentum normal to it determines the
/// gradient of pressure (A. Dadone, B. Grossman, AIAA J. 32 (1994) 285-293):
///
///     |dp/dn| = density |curvature u^2 - force| <= density (|curvature| u^2 + |force|)
struct WallMomentum {
  Vec3 normal{};         ///< unit vector out of the domain; zero: no wall
  double curvature = 0;  ///< 1/m, estimate of its magnitude
  double force = 0;      ///< magnitude of the normal component of the body force per mass, m/s^2
};

/// Largest magnitude of the increment of pressure normal to a wall, over density: turning u^2 + force.
struct PressureBound {
  double turning = 0;  ///< curvature times distance
  double force = 0;    ///< m^2/s^2
};

/// Rows and weights of the extrapolations to a list of points, each from a cell: in a cell c with the value w_c, the value at
/// point i is w_c + sum of weight[s] (w_row[s] - w_c) over offset[i] <= s < offset[i + 1].
struct Extrapolations {
  std::vector<std::int32_t> offset{0}, row;
  std::vector<double> weight;
  std::vector<double> normal_weight;  ///< the part of `weight` for the distance normal to a wall; 0 without a wall
  std::vector<PressureBound> bound;   ///< one per point; unused without a wall

  /// Appends the extrapolation to a point. The gradient is the weighted least squares over `rows`, with weights 1 / |r|^2; in
  /// directions that these rows do not determine (with one neighbour at the end of a duct, for example), it is zero.
  /// @param from  the cell's centroid, m.  @param to  the point, m.  @param rows  of other cells.
  /// @param centroid  of every row, m.  @param wall  the wall that bounds the increment of pressure.
  /// @throws LimitError for more than 2^31 entries.
  void append(const Vec3& from, const Vec3& to, std::span<const std::int32_t> rows, const IdVector<LocalRow, Vec3>& centroid,
              const WallMomentum& wall = {});
  /// Appends other extrapolations. @throws LimitError for more than 2^31 entries.
  void append(const Extrapolations& others);
};

namespace detail {

/// Extrapolations as pointers for the kernels.
struct ExtrapolationView {
  const std::int32_t *offset, *row;
  const double* weight;
  const double* normal_weight = nullptr;  ///< this and the bounds are read for pressures, not for scalars
  const PressureBound* bound = nullptr;
};

[[nodiscard]] inline ExtrapolationView view_of(const Extrapolations& e) {
  return {.offset = e.offset.data(),
          .row = e.row.data(),
          .weight = e.weight.data(),
          .normal_weight = e.normal_weight.data(),
          .bound = e.bound.data()};
}

/// Returns inside + increment if the increment is small relative to the state. A large one means a shock or a strong expansion,
/// where a linear extrapolation is not valid: it is scaled down, in the limit to zero. Density and pressure stay positive. Smooth
/// flows on fine grids are not affected.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> damped_sum(const BasicIdealGas<Real>& gas, const BasicPrimitive<Real>& inside,
                                                             const BasicPrimitive<Real>& increment) {
  // Largest unscaled change of density, pressure or velocity (relative to |u| and c). With 0.5 the oscillations downstream of a
  // shock at a ramp, which Barth's limiter causes, were twice as large as without extrapolation.
  constexpr double kLargest = 0.1;
  const Real of_density = increment.density / inside.density, of_pressure = increment.pressure / inside.pressure;
  const Real speeds = gas.gamma * inside.pressure / inside.density + dot(inside.velocity, inside.velocity);  // sum of squares
  const Real squared = of_density * of_density + of_pressure * of_pressure + dot(increment.velocity, increment.velocity) / speeds;
  const Real factor = squared <= kLargest * kLargest ? Real(1) : kLargest * kLargest / squared;
  BasicPrimitive<Real> sum = inside;
  for (int k = 0; k < IdealGas::kVars; ++k) sum[k] += factor * increment[k];
  return sum;
}

/// The sums of an extrapolation.
template <class Real>
struct Increments {
  BasicPrimitive<Real> state{};
  Real pressure_along_normal = 0;  ///< the part of the pressure's increment that is due to its gradient normal to a wall
};

/// Returns the sums of the extrapolation to point i over every `stride`-th row of its list from the row `first`.
/// @param inside  state of the cell.  @param values  rows x kVars.
template <class Real, class Stored>
[[nodiscard]] WEFT_HD inline Increments<Real> increments(const ExtrapolationView& extrapolations, std::int32_t i,
                                                         const BasicPrimitive<Real>& inside, const Stored* values, int first = 0,
                                                         int stride = 1) {
  Increments<Real> sums;
  for (std::int32_t s = extrapolations.offset[i] + first; s < extrapolations.offset[i + 1]; s += stride) {
    const double weight = extrapolations.weight[s];
    const Stored* const other = values + static_cast<std::int64_t>(extrapolations.row[s]) * IdealGas::kVars;
    for (int k = 0; k < IdealGas::kVars; ++k) sums.state[k] += weight * (static_cast<Real>(other[k]) - inside[k]);
    sums.pressure_along_normal +=
        extrapolations.normal_weight[s] * (static_cast<Real>(other[IdealGas::kVars - 1]) - inside.pressure);
  }
  return sums;
}

/// Returns the state at point i, extrapolated from its cell, whose state is `inside`, with the sums over all rows of the list.
/// Behind a wall the momentum normal to it bounds the part of the pressure's increment that is due to its gradient along the
/// normal. On a plane wall that gradient is zero, and the extrapolated one would keep waves along the wall alive.
template <class Real>
[[nodiscard]] WEFT_HD inline BasicPrimitive<Real> extrapolated(const ExtrapolationView& extrapolations, std::int32_t i,
                                                               const BasicIdealGas<Real>& gas, const BasicPrimitive<Real>& inside,
                                                               const Increments<Real>& sums) {
  BasicPrimitive<Real> increment = sums.state;
  const Real normal = sums.pressure_along_normal;
  const PressureBound bound = extrapolations.bound[i];
  const Real most = inside.density * (bound.turning * dot(inside.velocity, inside.velocity) + bound.force);
  increment.pressure += lesser(greater(normal, -most), most) - normal;
  return damped_sum(gas, inside, increment);
}

/// Returns a scalar at point i, extrapolated from its cell, whose value is `inside`, and clipped to the range of the cells from
/// which it is extrapolated. @param values  of this scalar, rows `stride` apart.
[[nodiscard]] WEFT_HD inline double extrapolated_scalar(const ExtrapolationView& extrapolations, std::int32_t i, double inside,
                                                        const double* values, int stride) {
  double sum = inside, low = inside, high = inside;
  for (std::int32_t s = extrapolations.offset[i]; s < extrapolations.offset[i + 1]; ++s) {
    const double other = values[static_cast<std::int64_t>(extrapolations.row[s]) * stride];
    sum += extrapolations.weight[s] * (other - inside);
    low = lesser(low, other);
    high = greater(high, other);
  }
  return lesser(greater(sum, low), high);
}

}  // namespace detail

}  // namespace weft::flow
