#pragma once
/// Strong-stability-preserving Runge-Kutta of order 1 to 3 (Gottlieb, Shu & Tadmor, SIAM Review 43, 2001).

namespace weft::flow::detail {

/// u_new = keep * u_start + (1 - keep) * (u + dt L(u)), and the time of u within the step.
struct RungeKuttaStage {
  double keep, time;
};

/// @pre 0 <= stage < order <= 3
[[nodiscard]] inline RungeKuttaStage runge_kutta_stage(int order, int stage) {
  static constexpr RungeKuttaStage kStages[3][3] = {{{0, 0}}, {{0, 0}, {1.0 / 2, 1}}, {{0, 0}, {3.0 / 4, 1}, {1.0 / 3, 0.5}}};
  return kStages[order - 1][stage];
}

}  // namespace weft::flow::detail
