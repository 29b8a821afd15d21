#pragma once
/// The numerical choices of a run: how gradients, limiters, fluxes and time steps are made.
#include <string_view>

#include "weft/flow/flux.hpp"
#include "weft/flow/limiter.hpp"

namespace weft::flow {

enum class GradientKind { none, green_gauss, least_squares };

struct Numerics {
  FluxKind flux = FluxKind::hllc;
  double cutoff_mach = 1;                               ///< of AusmPlusUpFlux
  GradientKind gradient = GradientKind::least_squares;  ///< none: first order in space
  LimiterKind limiter = LimiterKind::barth_jespersen;
  /// Venkatakrishnan's K: differences below (K h / reference_length)^1.5 of the reference state are not limited.
  double venkatakrishnan_k = 5.0;
  double reference_length = 1.0;  ///< m
  int rk_stages = 3;              ///< strong-stability-preserving Runge-Kutta of this order: 1, 2 or 3
  double cfl = 0.8;
  bool local_time_step = false;  ///< each cell with its own step: steady flows only
};

}  // namespace weft::flow
