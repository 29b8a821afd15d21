#pragma once
/// Linear extrapolation of cell values to the rows behind boundary faces.
///
/// A boundary row that holds the value extrapolated with the gradient g0 of the least squares over the other rows of its cell's
/// stencil has the residual 0 at g0: it leaves the gradient as if it were absent. So what a boundary condition leaves open is
/// neither said to be constant along the normal (which is of first order) nor anything else.
#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/macros.hpp"
#include "weft/base/vec3.hpp"
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/math.hpp"

namespace weft::flow {

/// Rows and weights of the extrapolations to a list of points, each from a cell: in a cell c with the value w_c, the value at
/// point i is w_c + sum of weight[s] (w_row[s] - w_c) over offset[i] <= s < offset[i + 1].
struct Extrapolations {
  std::vector<std::int32_t> offset{0}, row;
  std::vector<double> weight;

  /// Appends the extrapolation to a point. The gradient is the weighted least squares over `rows`, with weights 1 / |r|^2; in
  /// directions that these rows do not determine (one neighbour at the end of a duct, say), it is zero.
  /// @param from  the cell's centroid, m.  @param to  the point, m.  @param rows  of other cells.
  /// @param centroid  of every row, m.  @throws LimitError for more than 2^31 entries.
  void append(const Vec3& from, const Vec3& to, std::span<const std::int32_t> rows, const std::vector<Vec3>& centroid);
};

namespace detail {

/// Extrapolations as the kernels read them.
struct ExtrapolationView {
  const std::int32_t *offset, *row;
  const double* weight;
};

[[nodiscard]] inline ExtrapolationView view_of(const Extrapolations& e) {
  return {.offset = e.offset.data(), .row = e.row.data(), .weight = e.weight.data()};
}

/// inside + increment, where the increment is small beside the state; where it is not, there is a shock or a strong expansion, of
/// which a linear extrapolation knows nothing, and the increment is scaled down, to nothing in the limit. Density and pressure
/// stay positive. Smooth flows on fine grids are not touched.
[[nodiscard]] WEFT_HD inline Primitive damped_sum(const IdealGas& gas, const Primitive& inside, const Primitive& increment) {
  // Change of density, pressure or velocity (relative to |u| and c) that passes. With 0.5 the cells behind a shock at a ramp,
  // which Barth's limiter leaves oscillating, oscillated twice as much as without extrapolation.
  constexpr double kLargest = 0.1;
  const double of_density = increment.density / inside.density, of_pressure = increment.pressure / inside.pressure;
  const double speeds = gas.gamma * inside.pressure / inside.density + dot(inside.velocity, inside.velocity);  // squared, added
  const double squared =
      of_density * of_density + of_pressure * of_pressure + dot(increment.velocity, increment.velocity) / speeds;
  const double factor = squared <= kLargest * kLargest ? 1 : kLargest * kLargest / squared;
  Primitive sum = inside;
  for (int k = 0; k < IdealGas::kVars; ++k) sum[k] += factor * increment[k];
  return sum;
}

/// The state at point i, extrapolated from its cell, where it is `inside`. @param values  rows x kVars.
template <class Stored>
[[nodiscard]] WEFT_HD inline Primitive extrapolated(const ExtrapolationView& extrapolations, std::int32_t i, const IdealGas& gas,
                                                    const Primitive& inside, const Stored* values) {
  Primitive increment;
  for (std::int32_t s = extrapolations.offset[i]; s < extrapolations.offset[i + 1]; ++s) {
    const double weight = extrapolations.weight[s];
    const Stored* const other = values + static_cast<std::int64_t>(extrapolations.row[s]) * IdealGas::kVars;
    for (int k = 0; k < IdealGas::kVars; ++k) increment[k] += weight * (static_cast<double>(other[k]) - inside[k]);
  }
  return damped_sum(gas, inside, increment);
}

/// Returns a scalar at point i, extrapolated from its cell, where it is `inside`, and kept within the range of the cells that it
/// is extrapolated from. @param values  of this scalar, rows `stride` apart.
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
