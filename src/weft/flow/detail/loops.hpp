#pragma once
/// CPU loops over the kernels.
#include <cstdint>
#include <variant>

#include "weft/flow/detail/kernels.hpp"
#include "weft/flow/flux.hpp"
#include "weft/flow/limiter.hpp"
#include "weft/flow/numerics.hpp"

namespace weft::flow::detail {

using LimiterChoice = std::variant<NoLimiter, BarthJespersen, Venkatakrishnan>;
using FluxChoice = std::variant<HllcFlux, RoeFlux, RusanovFlux, HlleFlux, AusmPlusUpFlux>;

/// What a Runge-Kutta stage reads and writes: owned rows x kVars, AoS, and owned cells.
struct UpdateView {
  double *conserved, *start;  ///< now; at the start of the step
  double* rates;              ///< of whole cells; zero afterwards
  double* values;             ///< primitive
  double* local_dt;           ///< s, at CFL 1; null: all cells step alike
  const double* inverse_volumes;
  const Vec3* projected_areas;
  IdealGas gas;
  double keep;           ///< as in RungeKuttaStage
  double dt, local_cfl;  ///< a cell steps dt, but local_cfl * local_dt at most
  bool first, last;  ///< stage of its step: the first writes start, and sums of rates; the last looks for the next stable step
};

struct UpdateReport {
  bool physical = true;             ///< every cell
  double stable_dt = 0;             ///< s, of the least stable cell, after the last stage of physical cells
  double rate_squared[kVars] = {};  ///< sums of volume * rate^2, of the first stage: in an order of their own
};

/// u = keep * start + (1 - keep) * (u + dt * rate) for the cells 0 <= c < cells, and their primitive values.
[[nodiscard]] UpdateReport update_loop(const UpdateView& v, std::int32_t cells);

/// How many doubles the loops compute with at once on this machine: 8 where it has AVX-512, else 4. Results are the same.
[[nodiscard]] int lanes();
/// Uses no more than `most`, 4 or 8, from now on: for tests and measurements.
void limit_lanes(int most);

/// Limited gradients of the cells first <= c < last.
template <int Dim>
void gradient_loop(const ResidualView& v, const LimiterChoice& limiter, std::int32_t first, std::int32_t last);

/// Fluxes of the faces first <= f < last between two owned cells, added to both residuals in face order.
template <int Dim>
void inner_face_loop(const ResidualView& v, const FluxChoice& flux, std::int32_t first, std::int32_t last);

/// Fluxes of the faces first <= f < last to ghost cells, added to the left residual only.
template <int Dim>
void ghost_face_loop(const ResidualView& v, const FluxChoice& flux, std::int32_t first, std::int32_t last);

/// Fluxes of the faces first <= f < last of a boundary zone. @param prescribed  outside states by face - first, or null.
template <int Dim>
void boundary_face_loop(const ResidualView& v, const FluxChoice& flux, const BoundaryParams& params, const Primitive* prescribed,
                        std::int32_t first, std::int32_t last);

}  // namespace weft::flow::detail
