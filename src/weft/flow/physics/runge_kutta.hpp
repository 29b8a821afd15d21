#pragma once
/// Strong-stability-preserving Runge-Kutta of order 1 to 3 (Gottlieb, Shu & Tadmor, SIAM Review 43, 2001).
#include "weft/base/macros.hpp"

namespace weft::flow::detail {

/// A stage in the form of Shu and Osher: u_new = start_weight * u_start + (1 - start_weight) * (u + dt L(u)), where start_weight
/// is the SSP coefficient of the initial state, and the time of u as a fraction of the step.
struct RungeKuttaStage {
  double start_weight, time;
};

/// Returns u_new from u_start and u + dt L(u). Two separate weights would not add up to 1 after rounding, and every integral
/// would grow by a relative 2^-54 in each step (in float, shrink by 2^-25).
template <class Number>
[[nodiscard]] WEFT_HD WEFT_FORCE_INLINE Number runge_kutta_value(Number start_weight, Number start, Number ahead) {
  return ahead + start_weight * (start - ahead);
}

/// Returns a stage of the scheme. @pre 0 <= stage < order <= 3
[[nodiscard]] inline RungeKuttaStage runge_kutta_stage(int order, int stage) {
  static constexpr RungeKuttaStage kStages[3][3] = {{{0, 0}}, {{0, 0}, {1.0 / 2, 1}}, {{0, 0}, {3.0 / 4, 1}, {1.0 / 3, 0.5}}};
  return kStages[order - 1][stage];
}

}  // namespace weft::flow::detail
