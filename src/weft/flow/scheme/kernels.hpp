#pragma once
/// The kernels of a residual, one cell or face at a time: functions of trivially copyable views, for CPU loops and for GPU
/// threads. Values are primitive (density, velocity, pressure); stored gradients are limited.
///
/// A View determines the scalar types: geometry is of type View::Real; the variables of a row are View::kGroups groups of
/// adjacent ones, each a View::Group: a Real, or a SIMD vector of them (simd_vector.hpp). Views are ResidualView
/// (residual_view.hpp) on the host, and that of a GPU's tile (tile_view.cuh).
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "weft/base/macros.hpp"
#include "weft/base/vec3.hpp"
#include "weft/flow/physics/boundary.hpp"
#include "weft/flow/physics/cell_gradient.hpp"
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/hllc_hlle.hpp"
#include "weft/flow/physics/limiter.hpp"

namespace weft::flow::detail {

inline constexpr int kVars = IdealGas::kVars;

/// Returns the index of the slope of variable k along axis d in a row of gradients, where the variables of an axis are adjacent.
[[nodiscard]] WEFT_HD constexpr int gradient_index(int k, int d) { return d * kVars + k; }

/// Returns the least-squares weight of a difference of values over the distance r, before the multiplication with the cell's
/// matrix: r / |r|^2, or r on stabilized meshes.
template <int Dim, class Real>
[[nodiscard]] WEFT_HD inline BasicVec3<Real> unscaled_gradient_weight(const BasicVec3<Real>& r, bool stabilized) {
  if (stabilized) return r;
  const Real weight = reciprocal(Dim == 2 ? r.x * r.x + r.y * r.y : dot(r, r));
  return weight * r;
}

/// Returns the weight of the neighbour in the value on a face, by linear interpolation between the two centroids. The Green-Gauss
/// weight of a difference across a face is this times the area vector, out of the cell, divided by the cell's volume.
template <class Real>
[[nodiscard]] WEFT_HD inline Real face_interpolation_weight(const BasicVec3<Real>& to_face,
                                                            const BasicVec3<Real>& from_neighbour) {
  const Real near = norm(to_face), far = norm(from_neighbour);
  return near / (near + far);
}

/// Multiplies v with a symmetric matrix: xx xy yy (2-D), xx xy yy xz yz zz (3-D).
template <int Dim, class Real, class Group>
WEFT_HD inline void multiply(const Real* m, Group (&v)[Dim]) {
  if constexpr (Dim == 2) {
    const Group x = multiply_add(m[1], v[1], m[0] * v[0]);
    v[1] = multiply_add(m[2], v[1], m[1] * v[0]);
    v[0] = x;
  } else {
    const Group x = multiply_add(m[3], v[2], multiply_add(m[1], v[1], m[0] * v[0]));
    const Group y = multiply_add(m[4], v[2], multiply_add(m[2], v[1], m[1] * v[0]));
    v[2] = multiply_add(m[5], v[2], multiply_add(m[4], v[1], m[3] * v[0]));
    v[0] = x, v[1] = y;
  }
}

template <int Dim, class Real, class Group>
WEFT_HD inline Group along(const Group* gradient, const BasicVec3<Real>& r) {
  if constexpr (Dim == 2) {
    return multiply_add(gradient[1], r.y, gradient[0] * r.x);
  } else {
    return multiply_add(gradient[2], r.z, multiply_add(gradient[1], r.y, gradient[0] * r.x));
  }
}

/// Computes the gradient of cell c, not limited, as the sum of the differences of values to the rows of the stencil, times the
/// View's gradient weights, and the range of values. The gradient of a constant is exactly zero.
template <int Dim, class View, int kGroups = View::kGroups, class Group = typename View::Group>
WEFT_HD inline void gradient_in_stencil(const View& v, std::int32_t c, Group (&g)[kGroups][Dim], Group (&low)[kGroups],
                                        Group (&high)[kGroups]) {
  using Real = typename View::Real;
  Group own[kGroups];
  for (int k = 0; k < kGroups; ++k) {
    own[k] = low[k] = high[k] = v.value(c, k);
    for (int d = 0; d < Dim; ++d) g[k][d] = 0;
  }
  const std::int32_t end = v.stencil_end(c);
  for (std::int32_t s = v.stencil_begin(c); s < end; ++s) {
    const std::int32_t row = v.stencil_row(s);
    const BasicVec3<Real> weight = v.template gradient_weight<Dim>(c, s);
    for (int k = 0; k < kGroups; ++k) {
      const Group other = v.value(row, k);
      const Group difference = other - own[k];
      g[k][0] = multiply_add(weight.x, difference, g[k][0]);
      g[k][1] = multiply_add(weight.y, difference, g[k][1]);
      if constexpr (Dim == 3) g[k][2] = multiply_add(weight.z, difference, g[k][2]);
      low[k] = lesser(other, low[k]);
      high[k] = greater(other, high[k]);
    }
  }
  for (int k = 0; k < kGroups; ++k) v.template complete<Dim>(c, g[k]);
}

/// Returns the length of a cell: the root of its area in the plane (2-D) or volume (3-D).
template <int Dim, class View, class Real = typename View::Real>
WEFT_HD inline Real cell_length(const View& v, std::int32_t c) {
  using std::cbrt, std::sqrt;
  if constexpr (Dim == 3) {
    return cbrt(1 / v.inverse_volume(c));
  } else {
    const Real turn = v.axisymmetric ? Real(2 * std::numbers::pi) * v.radius(c) : Real(1);
    return sqrt(1 / (v.inverse_volume(c) * turn));
  }
}

/// Returns variable k of a row that is given by groups.
template <int k, class Group, int kGroups>
[[nodiscard]] WEFT_HD inline auto variable(const Group (&row)[kGroups]) {
  if constexpr (std::is_floating_point_v<Group>) {
    return row[k];
  } else {
    constexpr int kWidth = sizeof(Group) / sizeof(double);
    return row[k / kWidth][k % kWidth];
  }
}

/// Returns the ShockSensor of cell c, from its unlimited gradient and the range of values in its stencil. In first order, without
/// gradients, it is the pressure factor alone.
template <int Dim, class View, int kGroups = View::kGroups, class Group = typename View::Group, class Real = typename View::Real>
[[nodiscard]] WEFT_HD inline Real shock_sensor(const View& v, std::int32_t c, const Group (&g)[kGroups][Dim],
                                               const Group (&low)[kGroups], const Group (&high)[kGroups]) {
  constexpr int kPressure = kVars - 1;
  const Real of_pressure = ShockSensor::of_ratio<Real>(variable<kPressure>(low), variable<kPressure>(high));
  if (!(of_pressure > 0 && v.order > 0)) return of_pressure;
  Real divergence = 0, velocity_square = 0, pressure_square = 0;
  for (int d = 0; d < Dim; ++d) {
    Group slopes[kGroups];
    for (int k = 0; k < kGroups; ++k) slopes[k] = g[k][d];
    const Real of_velocity[3] = {variable<1>(slopes), variable<2>(slopes), variable<3>(slopes)};
    divergence += of_velocity[d];
    for (int e = 0; e < Dim; ++e) velocity_square += of_velocity[e] * of_velocity[e];
    pressure_square += square(Real(variable<kPressure>(slopes)));
  }
  Group own[kGroups];
  for (int k = 0; k < kGroups; ++k) own[k] = v.value(c, k);
  return of_pressure * ShockSensor::of_velocity<Real>(divergence, velocity_square, pressure_square, variable<0>(own),
                                                      variable<kPressure>(own), v.shock_threshold);
}

/// Returns the pressure factor alone, for cells without gradients in first order.
template <class View, class Real = typename View::Real>
[[nodiscard]] WEFT_HD inline Real pressure_sensor_of_cell(const View& v, std::int32_t c) {
  constexpr int kPressure = kVars - 1;
  Real low = v.value(c, kPressure), high = low;
  for (std::int32_t s = v.stencil_begin(c); s < v.stencil_end(c); ++s) {
    const Real other = v.value(v.stencil_row(s), kPressure);
    low = lesser(other, low);
    high = greater(other, high);
  }
  return ShockSensor::of_ratio(low, high);
}

/// Returns where the points of a limiter lie that moves them (Venkatakrishnan::kMovesPoints), from the range of values in the
/// stencil: 0 half-way to the neighbours, 1 at the centroids of the faces.
template <class View, int kGroups = View::kGroups, class Group = typename View::Group, class Real = typename View::Real>
[[nodiscard]] WEFT_HD inline Real place_of_points(const Group (&low)[kGroups], const Group (&high)[kGroups]) {
  constexpr int kPressure = kVars - 1;
  return greater(ShockSensor::of_ratio<Real>(variable<kPressure>(low), variable<kPressure>(high)),
                 ShockSensor::of_ratio<Real>(variable<0>(low), variable<0>(high)));
}

/// Computes the gradient of cell c, limited so that values at its face centroids, or nearer to its neighbours, respect Limiter.
/// @returns the ShockSensor of the cell; 0 where the flux takes none.
template <int Dim, class Limiter, class View, int kGroups = View::kGroups, class Group = typename View::Group>
WEFT_HD inline typename View::Real limited_gradient(const View& v, std::int32_t c, const Limiter& limiter,
                                                    Group (&g)[kGroups][Dim]) {
  using Real = typename View::Real;
  Group low[kGroups], high[kGroups];
  gradient_in_stencil<Dim>(v, c, g, low, high);
  Real sensor = 0;
  if constexpr (View::kFlow) {
    if (v.takes_sensors()) sensor = shock_sensor<Dim>(v, c, g, low, high);
  }
  Group phi[kGroups];
  for (Group& factor : phi) factor = v.order;
  if constexpr (Limiter::kActive) {
    // Where a limiter is below 1 it decreases with the increment, so only the largest increase and decrease matter.
    Group rise[kGroups] = {}, fall[kGroups] = {};
    const auto look = [&](const auto& point) {
      const std::int32_t end = v.face_end(c);
      for (std::int32_t s = v.face_begin(c); s < end; ++s) {
        const BasicVec3<Real> r = point(s);
        for (int k = 0; k < kGroups; ++k) {
          const Group step = along<Dim>(g[k], r);
          rise[k] = greater(step, rise[k]);
          fall[k] = lesser(step, fall[k]);
        }
      }
    };
    const auto at_face = [&](std::int32_t s) -> BasicVec3<Real> { return v.template to_face<Dim>(c, s); };
    if constexpr (Limiter::kMovesPoints && View::kFlow) {
      const Real place = v.moves_points() ? place_of_points<View>(low, high) : Real(1);
      if (place < 1) {
        look([&](std::int32_t s) -> BasicVec3<Real> {
          const BasicVec3<Real> half = v.template half_way<Dim>(c, s);
          return place > 0 ? half + place * (at_face(s) - half) : half;
        });
      } else {
        look(at_face);
      }
    } else {
      look(at_face);
    }
    const Real length = cell_length<Dim>(v, c) / v.reference_length;
    for (int k = 0; k < kGroups; ++k) {
      const Group eps2 = limiter.eps2(length, v.scale_of(k));
      const Group own = v.value(c, k);
      const Group up = limiter(high[k] - own, low[k] - own, rise[k], eps2);
      const Group down = limiter(high[k] - own, low[k] - own, fall[k], eps2);
      phi[k] = lesser(lesser(up, down), v.order);
    }
  }
  for (int k = 0; k < kGroups; ++k) {
    for (int d = 0; d < Dim; ++d) g[k][d] = phi[k] * g[k][d];
  }
  return sensor;
}

template <int Dim, class View, int kGroups = View::kGroups, class Group = typename View::Group>
WEFT_HD inline void set_gradient(const View& v, std::int32_t c, const Group (&g)[kGroups][Dim]) {
  for (int k = 0; k < kGroups; ++k) {
    for (int d = 0; d < Dim; ++d) v.template set_gradient<Dim>(c, k, d, g[k][d]);
  }
}

/// Computes and stores the limited gradient of cell c, and its ShockSensor if the flux takes it.
template <int Dim, class Limiter, class View>
WEFT_HD inline void gradient_of_cell(const View& v, std::int32_t c, const Limiter& limiter) {
  typename View::Group g[View::kGroups][Dim];
  const auto sensor = limited_gradient<Dim>(v, c, limiter, g);
  set_gradient<Dim>(v, c, g);
  if constexpr (View::kFlow) {
    if (v.takes_sensors()) v.sensors[c] = sensor;
  }
}

template <class Real>
WEFT_HD inline BasicPrimitive<Real> load(const Real* value) {
  BasicPrimitive<Real> w;
  for (int k = 0; k < kVars; ++k) w[k] = value[k];
  return w;
}
template <class Real>
WEFT_HD inline void store(Real* value, const BasicPrimitive<Real>& w) {
  for (int k = 0; k < kVars; ++k) value[k] = w[k];
}

/// Returns the state at r from the centroid of a cell: linear with its limited gradient, or the cell mean if the linear state is
/// unphysical (positivity).
template <int Dim, class Real>
WEFT_HD inline BasicPrimitive<Real> reconstruct(const BasicPrimitive<Real>& mean, const Real (&g)[kVars][Dim],
                                                const BasicVec3<Real>& r) {
  BasicPrimitive<Real> increment;
  for (int k = 0; k < kVars; ++k) increment[k] = along<Dim>(g[k], r);
  return flow::reconstruct(mean, increment);
}

/// Returns the reconstructed state in cell c of a view. @pre groups of one.
template <int Dim, class View, class Real = typename View::Real>
WEFT_HD inline BasicPrimitive<Real> reconstruct(const View& v, std::int32_t c, const BasicVec3<Real>& r) {
  BasicPrimitive<Real> mean;
  Real g[kVars][Dim];
  for (int k = 0; k < kVars; ++k) {
    mean[k] = v.value(c, k);
    for (int d = 0; d < Dim; ++d) g[k][d] = v.template gradient<Dim>(c, k, d);
  }
  return reconstruct<Dim>(mean, g, r);
}

/// Rows of values and gradients for reconstruct() in the same or another precision.
template <class Stored, class Number>
struct RowView {
  using Real = Number;
  const Stored *values, *gradients;
  [[nodiscard]] WEFT_HD Real value(std::int32_t row, int k) const { return values[static_cast<std::int64_t>(row) * kVars + k]; }
  template <int Dim>
  [[nodiscard]] WEFT_HD Real gradient(std::int32_t row, int k, int d) const {
    return gradients[static_cast<std::int64_t>(row) * (kVars * Dim) + gradient_index(k, d)];
  }
};

/// Returns the stored gradient of cell c of a view. @pre groups of one.
template <int Dim, class View>
[[nodiscard]] CellGradient stored_gradient(const View& v, std::int32_t c) {
  CellGradient gradient;
  for (int k = 0; k < kVars; ++k) {
    for (int d = 0; d < Dim; ++d) gradient.of[k][d] = v.template gradient<Dim>(c, k, d);
  }
  return gradient;
}

/// Returns the largest stable time step of a cell at CFL number 1, s. `projected_area` as in Discretization.
template <class Real, class T = Real>
[[nodiscard]] WEFT_HD inline T stable_dt_of_cell(const BasicIdealGas<Real>& gas, const BasicPrimitive<T>& w,
                                                 const BasicVec3<T>& projected_area,
                                                 const std::type_identity_t<T>& inverse_volume) {
  const T a = gas.sound_speed(w);
  return reciprocal(inverse_volume *
                    ((absolute(w.velocity.x) + a) * projected_area.x + (absolute(w.velocity.y) + a) * projected_area.y +
                     (absolute(w.velocity.z) + a) * projected_area.z));
}

/// Adds sign * flux to residual[row].
template <class Real>
WEFT_HD inline void accumulate(Real* residual, const BasicConserved<Real>& flux, std::type_identity_t<Real> sign) {
  for (int k = 0; k < kVars; ++k) residual[k] += sign * flux[k];
}

}  // namespace weft::flow::detail
