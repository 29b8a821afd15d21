#pragma once
/// The kernels of one residual, one cell or face at a time: plain functions of trivially copyable views, for CPU loops and for
/// GPU threads alike. Values are primitive (density, velocity, pressure); gradients are limited when they are stored.
#include <cmath>
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/base/vec3.hpp"
#include "weft/flow/boundary.hpp"
#include "weft/flow/gas.hpp"
#include "weft/flow/limiter.hpp"

namespace weft::flow::detail {

inline constexpr int kVars = IdealGas::kVars;

/// Pointers to all that the kernels read and write; meanings as in Discretization and Residual.
struct ResidualView {
  const std::int32_t* stencil_offset;
  const std::int32_t* stencil_row;
  const std::int32_t* cell_face_offset;
  const std::int32_t* cell_face;
  const std::int32_t* cell_face_row;
  const std::int32_t* face_left;
  const std::int32_t* face_right;
  const Vec3* centroid;
  const Vec3* face_centroid;
  const Vec3* face_normal;
  const double* face_area;
  const double* inverse_volume;
  const double* least_squares;
  double* value;     ///< rows x kVars
  double* gradient;  ///< (owned + ghost) x kVars x Dim, limited
  double* residual;  ///< owned x kVars: minus the sum of the fluxes out of the cell
  IdealGas gas;
  Primitive scale;          ///< by which the variables vary: Venkatakrishnan's parameter is relative to it
  double reference_length;  ///< m
};

template <int Dim>
WEFT_HD inline double along(const double* gradient, Vec3 r) {
  if constexpr (Dim == 2) {
    return gradient[0] * r.x + gradient[1] * r.y;
  } else {
    return gradient[0] * r.x + gradient[1] * r.y + gradient[2] * r.z;
  }
}

/// Weighted least squares (weight 1/|d|^2) over the stencil of cell c, and the range of values in the stencil.
template <int Dim>
WEFT_HD inline void least_squares_gradient(const ResidualView& v, std::int32_t c, double (&g)[kVars][Dim], double (&low)[kVars],
                                           double (&high)[kVars]) {
  const double* own = v.value + static_cast<std::int64_t>(c) * kVars;
  const Vec3 at = v.centroid[c];
  double sum[kVars][Dim] = {};
  for (int k = 0; k < kVars; ++k) low[k] = high[k] = own[k];
  const std::int32_t end = v.stencil_offset[c + 1];
  for (std::int32_t s = v.stencil_offset[c]; s < end; ++s) {
    const std::int32_t row = v.stencil_row[s];
    const double* other = v.value + static_cast<std::int64_t>(row) * kVars;
    const Vec3 r = v.centroid[row] - at;
    const double weight = 1.0 / (Dim == 2 ? r.x * r.x + r.y * r.y : dot(r, r));
    const Vec3 d = weight * r;
    for (int k = 0; k < kVars; ++k) {
      const double difference = other[k] - own[k];
      sum[k][0] += d.x * difference;
      sum[k][1] += d.y * difference;
      if constexpr (Dim == 3) sum[k][2] += d.z * difference;
      low[k] = other[k] < low[k] ? other[k] : low[k];
      high[k] = other[k] > high[k] ? other[k] : high[k];
    }
  }
  const double* m = v.least_squares + static_cast<std::int64_t>(c) * (Dim * (Dim + 1) / 2);
  for (int k = 0; k < kVars; ++k) {
    if constexpr (Dim == 2) {
      g[k][0] = m[0] * sum[k][0] + m[1] * sum[k][1];
      g[k][1] = m[1] * sum[k][0] + m[2] * sum[k][1];
    } else {
      g[k][0] = m[0] * sum[k][0] + m[1] * sum[k][1] + m[3] * sum[k][2];
      g[k][1] = m[1] * sum[k][0] + m[2] * sum[k][1] + m[4] * sum[k][2];
      g[k][2] = m[3] * sum[k][0] + m[4] * sum[k][1] + m[5] * sum[k][2];
    }
  }
}

/// Green-Gauss over the faces of cell c, face values interpolated linearly between the two centroids; and the range of values.
template <int Dim>
WEFT_HD inline void green_gauss_gradient(const ResidualView& v, std::int32_t c, double (&g)[kVars][Dim], double (&low)[kVars],
                                         double (&high)[kVars]) {
  const double* own = v.value + static_cast<std::int64_t>(c) * kVars;
  double sum[kVars][Dim] = {};
  for (int k = 0; k < kVars; ++k) low[k] = high[k] = own[k];
  const std::int32_t end = v.cell_face_offset[c + 1];
  for (std::int32_t s = v.cell_face_offset[c]; s < end; ++s) {
    const std::int32_t f = v.cell_face[s];
    const std::int32_t row = v.cell_face_row[s];
    const double* other = v.value + static_cast<std::int64_t>(row) * kVars;
    const double area = (v.face_left[f] == c ? v.face_area[f] : -v.face_area[f]) * v.inverse_volume[c];
    const Vec3 n = area * v.face_normal[f];
    const double near = norm(v.face_centroid[f] - v.centroid[c]);
    const double far = norm(v.face_centroid[f] - v.centroid[row]);
    const double share = near / (near + far);
    for (int k = 0; k < kVars; ++k) {
      // The cell's own value drops out of the sum (closed cell), so that a constant has a gradient of exactly zero.
      const double difference = share * (other[k] - own[k]);
      sum[k][0] += n.x * difference;
      sum[k][1] += n.y * difference;
      if constexpr (Dim == 3) sum[k][2] += n.z * difference;
      low[k] = other[k] < low[k] ? other[k] : low[k];
      high[k] = other[k] > high[k] ? other[k] : high[k];
    }
  }
  for (int k = 0; k < kVars; ++k) {
    for (int d = 0; d < Dim; ++d) g[k][d] = sum[k][d];
  }
}

/// Length of a cell: the root of its area (2-D) or volume (3-D).
template <int Dim>
WEFT_HD inline double cell_length(double inverse_volume) {
  return Dim == 3 ? std::cbrt(1.0 / inverse_volume) : std::sqrt(1.0 / inverse_volume);
}

/// Gradient of cell c, limited so that values at its face centroids respect Limiter, stored.
template <int Dim, bool GreenGauss, class Limiter>
WEFT_HD inline void gradient_of_cell(const ResidualView& v, std::int32_t c, const Limiter& limiter) {
  double g[kVars][Dim], low[kVars], high[kVars];
  if constexpr (GreenGauss) {
    green_gauss_gradient<Dim>(v, c, g, low, high);
  } else {
    least_squares_gradient<Dim>(v, c, g, low, high);
  }
  double phi[kVars];
  for (double& factor : phi) factor = 1.0;
  if constexpr (Limiter::kActive) {
    // A limiter below 1 falls with the size of the step, so only the largest steps up and down count.
    double rise[kVars] = {}, fall[kVars] = {};
    const Vec3 at = v.centroid[c];
    const std::int32_t end = v.cell_face_offset[c + 1];
    for (std::int32_t s = v.cell_face_offset[c]; s < end; ++s) {
      const Vec3 r = v.face_centroid[v.cell_face[s]] - at;
      for (int k = 0; k < kVars; ++k) {
        const double step = along<Dim>(g[k], r);
        rise[k] = step > rise[k] ? step : rise[k];
        fall[k] = step < fall[k] ? step : fall[k];
      }
    }
    const double* own = v.value + static_cast<std::int64_t>(c) * kVars;
    const double length = cell_length<Dim>(v.inverse_volume[c]) / v.reference_length;
    for (int k = 0; k < kVars; ++k) {
      const double eps2 = limiter.eps2(length, v.scale[k]);
      const double up = limiter(high[k] - own[k], low[k] - own[k], rise[k], eps2);
      const double down = limiter(high[k] - own[k], low[k] - own[k], fall[k], eps2);
      const double least = up < down ? up : down;
      phi[k] = least < 1.0 ? least : 1.0;
    }
  }
  double* out = v.gradient + static_cast<std::int64_t>(c) * (kVars * Dim);
  for (int k = 0; k < kVars; ++k) {
    for (int d = 0; d < Dim; ++d) out[k * Dim + d] = phi[k] * g[k][d];
  }
}

WEFT_HD inline Primitive load(const double* value) {
  Primitive w;
  for (int k = 0; k < kVars; ++k) w[k] = value[k];
  return w;
}
WEFT_HD inline void store(double* value, const Primitive& w) {
  for (int k = 0; k < kVars; ++k) value[k] = w[k];
}

/// The state of cell c at the point x: linear with the limited gradient, or the cell's own value where that would leave the range
/// of the gas (positivity).
template <int Dim>
WEFT_HD inline Primitive reconstruct(const ResidualView& v, std::int32_t c, Vec3 x) {
  const double* own = v.value + static_cast<std::int64_t>(c) * kVars;
  const double* g = v.gradient + static_cast<std::int64_t>(c) * (kVars * Dim);
  const Vec3 r = x - v.centroid[c];
  Primitive increment;
  for (int k = 0; k < kVars; ++k) increment[k] = along<Dim>(g + k * Dim, r);
  return flow::reconstruct(load(own), increment);
}

/// Flux through face f between two cells, times the area, out of the left cell.
template <int Dim, class Flux>
WEFT_HD inline Conserved flux_of_face(const ResidualView& v, const Flux& flux, std::int32_t f) {
  const Vec3 x = v.face_centroid[f];
  const Primitive left = reconstruct<Dim>(v, v.face_left[f], x);
  const Primitive right = reconstruct<Dim>(v, v.face_right[f], x);
  return v.face_area[f] * flux(v.gas, left, right, v.face_normal[f]);
}

/// residual[row] += sign * flux.
WEFT_HD inline void accumulate(double* residual, const Conserved& flux, double sign) {
  for (int k = 0; k < kVars; ++k) residual[k] += sign * flux[k];
}

}  // namespace weft::flow::detail
