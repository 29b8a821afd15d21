#pragma once
/// Kernels of passive scalars that complement those of the flow (kernels.hpp), one cell at a time, for CPU loops and GPU threads.
///
/// The mass flux of a face is that of the flow, and the scalar on the face is reconstructed in the upwind cell: therefore a
/// uniform scalar stays uniform in any flow.
#include <cstdint>

#include "weft/base/macros.hpp"
#include "weft/flow/physics/runge_kutta.hpp"
#include "weft/flow/physics/scalar.hpp"
#include "weft/flow/scheme/extrapolation.hpp"
#include "weft/flow/scheme/residual_view.hpp"
#include "weft/mesh/ids.hpp"

namespace weft::flow::detail {

/// The View of kernels.hpp for one scalar, `which`, in rows of `count`.
struct ScalarView : ResidualView {
  static constexpr int kGroups = 1;
  static constexpr bool kFlow = false;

  const mesh::LocalFaceId* cell_faces;  ///< faces of each cell
  const std::int32_t* cell_face_rows;   ///< rows on the other sides of cell_faces
  const double* scalars;                ///< rows x count
  double* slopes;                       ///< (owned + ghost) x count x Dim, limited
  const std::int32_t* fallback;         ///< owned + ghost: 1 in cells of the first-order fallback; null: nowhere
  std::int32_t cells;                   ///< owned and ghost: the rows with slopes
  int count, which = 0;

  explicit ScalarView(const ResidualView& flow) : ResidualView(flow) {}

  /// Returns the mass flow out of cell c through its face at s, kg/s.
  [[nodiscard]] WEFT_HD double outflow(std::int32_t c, std::int32_t s) const {
    const std::int32_t f = cell_faces[s].value();
    return left(f) == c ? mass_fluxes[f] : -mass_fluxes[f];
  }
  [[nodiscard]] WEFT_HD double scalar(std::int32_t row, int k) const {
    return scalars[static_cast<std::int64_t>(row) * count + k];
  }
  template <int Dim>
  [[nodiscard]] WEFT_HD double* slopes_of(std::int32_t row, int k) const {
    return slopes + (static_cast<std::int64_t>(row) * count + k) * Dim;
  }
  [[nodiscard]] WEFT_HD double value(std::int32_t row, int /*k*/) const { return scalar(row, which); }
  template <int Dim>
  WEFT_HD void set_gradient(std::int32_t c, int /*k*/, int d, double slope) const {
    slopes_of<Dim>(c, which)[d] = slope;
  }
  [[nodiscard]] WEFT_HD double scale_of(int /*k*/) const { return 1; }  // scalars have no scale
};

/// Calls f with the limiter of scalars: none if the flow has none, otherwise that of Barth and Jespersen, whatever the flow's is.
/// A scalar such as a mass fraction must stay between its extrema, which Venkatakrishnan's limiter does not guarantee.
template <class F>
decltype(auto) visit_scalar_limiter(LimiterKind of_flow, F&& f) {
  return of_flow == LimiterKind::none ? f(NoLimiter{}) : f(BarthJespersen{});
}

/// Returns a scalar in the boundary ghost cell of face i: the value of the entering gas, or the interior value, extrapolated to
/// the position of the ghost cell. At a zone without entering values the sign of the mass flow is ignored: along it, as at a
/// wall, the sign is that of rounding errors.
/// @param brings  the zone has values of its own for the gas that enters.  @param values  of this scalar, rows `stride` apart.
[[nodiscard]] WEFT_HD inline double boundary_ghost_scalar(const ExtrapolationView& extrapolations, std::int32_t i, bool brings,
                                                          double outflow, double inside, double outside, const double* values,
                                                          int stride) {
  if (brings && outflow < 0) return outside;
  return extrapolated_scalar(extrapolations, i, inside, values, stride);
}

/// Computes the limited slopes of the scalars of cell c; zero in and next to the first-order fallback, as in the flow. May
/// change v.which.
template <int Dim, class Limiter, class View>
WEFT_HD inline void scalar_slopes_of_cell(View& v, std::int32_t c, const Limiter& limiter) {
  bool flat = v.fallback != nullptr && v.fallback[c] != 0;
  for (std::int32_t s = v.face_begin(c); s < v.face_end(c) && v.fallback != nullptr && !flat; ++s) {
    flat = v.cell_face_rows[s] < v.cells && v.fallback[v.cell_face_rows[s]] != 0;
  }
  if (flat) {
    for (int i = 0; i < v.count * Dim; ++i) v.template slopes_of<Dim>(c, 0)[i] = 0;
    return;
  }
  for (v.which = 0; v.which < v.count; ++v.which) gradient_of_cell<Dim>(v, c, limiter);
}

/// Returns scalar k of a row at r from its centroid.
template <int Dim, class View>
[[nodiscard]] WEFT_HD inline double scalar_at(const View& v, std::int32_t row, int k, const Vec3& r) {
  return v.scalar(row, k) + along<Dim>(v.template slopes_of<Dim>(row, k), r);
}

/// A Runge-Kutta stage of rho phi. Arrays are owned cells x count.
struct ScalarUpdate {
  const double *start, *now;  ///< at the start of the step; present
  double* result;             ///< may be `now`
  const double* local_dt;     ///< s, at CFL 1; null: all cells have the same step
  double start_weight;        ///< as in RungeKuttaStage
  double dt, local_cfl;       ///< the step of a cell is dt, but at most local_cfl * local_dt
};

/// Computes the stage of cell c.
template <int Dim, class View>
WEFT_HD inline void update_scalars_of_cell(const View& v, std::int32_t c, const ScalarUpdate& u) {
  double rate[kMostScalars] = {};
  for (std::int32_t s = v.face_begin(c); s < v.face_end(c); ++s) {
    const double out = v.outflow(c, s);
    const std::int32_t row = out > 0 ? c : v.cell_face_rows[s];
    const bool reconstructs = row < v.cells;  // a boundary row lies on the face
    const Vec3 r = v.face_centroid(v.cell_faces[s].value()) - v.centroid(row);
    for (int k = 0; k < v.count; ++k) rate[k] -= out * (reconstructs ? scalar_at<Dim>(v, row, k, r) : v.scalar(row, k));
  }
  const double dt = u.local_dt == nullptr ? u.dt : lesser(u.local_cfl * u.local_dt[c], u.dt);
  for (int k = 0; k < v.count; ++k) {
    const std::int64_t i = static_cast<std::int64_t>(c) * v.count + k;
    u.result[i] = runge_kutta_value(u.start_weight, u.start[i], u.now[i] + dt * (rate[k] * v.inverse_volume(c)));
  }
}

}  // namespace weft::flow::detail
