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

/// What the kernels read and write, as the CPU's loops hold it: every row in one array, AoS. Meanings as in Discretization and
/// Residual. The kernels take any View that answers the same questions; a GPU's tile is another (tile_view.cuh).
struct ResidualView {
  const std::int32_t* stencil_offset;
  const std::int32_t* stencil_rows;
  const std::int32_t* cell_face_offset;
  const std::int32_t* cell_faces;
  const std::int32_t* cell_face_rows;
  const std::int32_t* left_row;
  const std::int32_t* right_row;
  const Vec3* centroids;
  const Vec3* face_centroids;
  const Vec3* face_normals;
  const double* face_areas;
  const double* inverse_volumes;
  const double* matrices;
  double* values;     ///< rows x kVars
  double* gradients;  ///< (owned + ghost) x kVars x Dim, limited
  double* residual;   ///< owned x kVars: minus the sum of the fluxes out of the cell
  IdealGas gas;
  Primitive scale;          ///< by which the variables vary: Venkatakrishnan's parameter is relative to it
  double reference_length;  ///< m

  // Stencil and faces of cell c: positions in lists, and what stands there.
  [[nodiscard]] WEFT_HD std::int32_t stencil_begin(std::int32_t c) const { return stencil_offset[c]; }
  [[nodiscard]] WEFT_HD std::int32_t stencil_end(std::int32_t c) const { return stencil_offset[c + 1]; }
  [[nodiscard]] WEFT_HD std::int32_t stencil_row(std::int32_t s) const { return stencil_rows[s]; }
  [[nodiscard]] WEFT_HD std::int32_t face_begin(std::int32_t c) const { return cell_face_offset[c]; }
  [[nodiscard]] WEFT_HD std::int32_t face_end(std::int32_t c) const { return cell_face_offset[c + 1]; }
  [[nodiscard]] WEFT_HD std::int32_t cell_face(std::int32_t s) const { return cell_faces[s]; }
  [[nodiscard]] WEFT_HD std::int32_t row_behind(std::int32_t s) const { return cell_face_rows[s]; }

  [[nodiscard]] WEFT_HD std::int32_t left(std::int32_t f) const { return left_row[f]; }
  [[nodiscard]] WEFT_HD std::int32_t right(std::int32_t f) const { return right_row[f]; }
  [[nodiscard]] WEFT_HD Vec3 face_centroid(std::int32_t f) const { return face_centroids[f]; }
  [[nodiscard]] WEFT_HD Vec3 face_normal(std::int32_t f) const { return face_normals[f]; }
  [[nodiscard]] WEFT_HD double face_area(std::int32_t f) const { return face_areas[f]; }

  [[nodiscard]] WEFT_HD Vec3 centroid(std::int32_t row) const { return centroids[row]; }
  [[nodiscard]] WEFT_HD double inverse_volume(std::int32_t c) const { return inverse_volumes[c]; }
  [[nodiscard]] WEFT_HD double value(std::int32_t row, int k) const { return values[static_cast<std::int64_t>(row) * kVars + k]; }
  template <int Dim>
  [[nodiscard]] WEFT_HD double gradient(std::int32_t row, int k, int d) const {
    return gradients[static_cast<std::int64_t>(row) * (kVars * Dim) + k * Dim + d];
  }
  template <int Dim>
  WEFT_HD void set_gradient(std::int32_t c, int k, int d, double slope) const {
    gradients[static_cast<std::int64_t>(c) * (kVars * Dim) + k * Dim + d] = slope;
  }
  template <int Dim>
  [[nodiscard]] WEFT_HD double matrix(std::int32_t c, int i) const {
    return matrices[static_cast<std::int64_t>(c) * (Dim * (Dim + 1) / 2) + i];
  }
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
template <int Dim, class View>
WEFT_HD inline void least_squares_gradient(const View& v, std::int32_t c, double (&g)[kVars][Dim], double (&low)[kVars],
                                           double (&high)[kVars]) {
  double own[kVars];
  for (int k = 0; k < kVars; ++k) own[k] = v.value(c, k);
  const Vec3 at = v.centroid(c);
  double sum[kVars][Dim] = {};
  for (int k = 0; k < kVars; ++k) low[k] = high[k] = own[k];
  const std::int32_t end = v.stencil_end(c);
  for (std::int32_t s = v.stencil_begin(c); s < end; ++s) {
    const std::int32_t row = v.stencil_row(s);
    const Vec3 r = v.centroid(row) - at;
    const double weight = 1.0 / (Dim == 2 ? r.x * r.x + r.y * r.y : dot(r, r));
    const Vec3 d = weight * r;
    for (int k = 0; k < kVars; ++k) {
      const double other = v.value(row, k);
      const double difference = other - own[k];
      sum[k][0] += d.x * difference;
      sum[k][1] += d.y * difference;
      if constexpr (Dim == 3) sum[k][2] += d.z * difference;
      low[k] = other < low[k] ? other : low[k];
      high[k] = other > high[k] ? other : high[k];
    }
  }
  double m[Dim * (Dim + 1) / 2];
  for (int i = 0; i < Dim * (Dim + 1) / 2; ++i) m[i] = v.template matrix<Dim>(c, i);
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
template <int Dim, class View>
WEFT_HD inline void green_gauss_gradient(const View& v, std::int32_t c, double (&g)[kVars][Dim], double (&low)[kVars],
                                         double (&high)[kVars]) {
  double own[kVars];
  for (int k = 0; k < kVars; ++k) own[k] = v.value(c, k);
  double sum[kVars][Dim] = {};
  for (int k = 0; k < kVars; ++k) low[k] = high[k] = own[k];
  const std::int32_t end = v.face_end(c);
  for (std::int32_t s = v.face_begin(c); s < end; ++s) {
    const std::int32_t f = v.cell_face(s);
    const std::int32_t row = v.row_behind(s);
    const double area = (v.left(f) == c ? v.face_area(f) : -v.face_area(f)) * v.inverse_volume(c);
    const Vec3 n = area * v.face_normal(f);
    const double near = norm(v.face_centroid(f) - v.centroid(c));
    const double far = norm(v.face_centroid(f) - v.centroid(row));
    const double share = near / (near + far);
    for (int k = 0; k < kVars; ++k) {
      // The cell's own value drops out of the sum (closed cell), so that a constant has a gradient of exactly zero.
      const double other = v.value(row, k);
      const double difference = share * (other - own[k]);
      sum[k][0] += n.x * difference;
      sum[k][1] += n.y * difference;
      if constexpr (Dim == 3) sum[k][2] += n.z * difference;
      low[k] = other < low[k] ? other : low[k];
      high[k] = other > high[k] ? other : high[k];
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
template <int Dim, bool GreenGauss, class Limiter, class View>
WEFT_HD inline void gradient_of_cell(const View& v, std::int32_t c, const Limiter& limiter) {
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
    const Vec3 at = v.centroid(c);
    const std::int32_t end = v.face_end(c);
    for (std::int32_t s = v.face_begin(c); s < end; ++s) {
      const Vec3 r = v.face_centroid(v.cell_face(s)) - at;
      for (int k = 0; k < kVars; ++k) {
        const double step = along<Dim>(g[k], r);
        rise[k] = step > rise[k] ? step : rise[k];
        fall[k] = step < fall[k] ? step : fall[k];
      }
    }
    const double length = cell_length<Dim>(v.inverse_volume(c)) / v.reference_length;
    for (int k = 0; k < kVars; ++k) {
      const double eps2 = limiter.eps2(length, v.scale[k]);
      const double own = v.value(c, k);
      const double up = limiter(high[k] - own, low[k] - own, rise[k], eps2);
      const double down = limiter(high[k] - own, low[k] - own, fall[k], eps2);
      const double least = up < down ? up : down;
      phi[k] = least < 1.0 ? least : 1.0;
    }
  }
  for (int k = 0; k < kVars; ++k) {
    for (int d = 0; d < Dim; ++d) v.template set_gradient<Dim>(c, k, d, phi[k] * g[k][d]);
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
template <int Dim, class View>
WEFT_HD inline Primitive reconstruct(const View& v, std::int32_t c, Vec3 x) {
  const Vec3 r = x - v.centroid(c);
  Primitive mean, increment;
  for (int k = 0; k < kVars; ++k) {
    double g[Dim];
    for (int d = 0; d < Dim; ++d) g[d] = v.template gradient<Dim>(c, k, d);
    mean[k] = v.value(c, k);
    increment[k] = along<Dim>(g, r);
  }
  return flow::reconstruct(mean, increment);
}

/// Flux through face f between two cells, times the area, out of the left cell.
template <int Dim, class View, class Flux>
WEFT_HD inline Conserved flux_of_face(const View& v, const Flux& flux, std::int32_t f) {
  const Vec3 x = v.face_centroid(f);
  const Primitive left = reconstruct<Dim>(v, v.left(f), x);
  const Primitive right = reconstruct<Dim>(v, v.right(f), x);
  return v.face_area(f) * flux(v.gas, left, right, v.face_normal(f));
}

/// Largest stable time step of a cell at CFL number 1, s. `projected_area` as in Discretization.
[[nodiscard]] WEFT_HD inline double stable_dt_of_cell(const IdealGas& gas, const Primitive& w, Vec3 projected_area,
                                                      double inverse_volume) {
  const double a = gas.sound_speed(w);
  return 1.0 /
         (inverse_volume * ((absolute(w.velocity.x) + a) * projected_area.x + (absolute(w.velocity.y) + a) * projected_area.y +
                            (absolute(w.velocity.z) + a) * projected_area.z));
}

/// residual[row] += sign * flux.
WEFT_HD inline void accumulate(double* residual, const Conserved& flux, double sign) {
  for (int k = 0; k < kVars; ++k) residual[k] += sign * flux[k];
}

}  // namespace weft::flow::detail
