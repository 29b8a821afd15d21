#pragma once
/// Passive scalars on the host, transported by the mass fluxes that a Residual has computed.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/flow/host/residual.hpp"
#include "weft/flow/scheme/boundary_scalars.hpp"
#include "weft/flow/scheme/scalar_kernels.hpp"

namespace weft::flow {

/// The arguments of a Runge-Kutta stage of the flow.
struct ScalarStage {
  double time;             ///< s, of the stage
  bool first;              ///< first stage of its step
  double start_weight;     ///< SSP coefficient, as in detail::RungeKuttaStage
  double dt;               ///< s
  double local_cfl;        ///< the step of a cell is at most local_cfl * local_dt
  const double* local_dt;  ///< s, of owned cells at CFL 1; null: the step of all cells is dt
};

/// Finite volumes of second order for rho phi: the scalar at a face is that of the upwind cell, linear with the case's gradients
/// and order, limited as visit_scalar_limiter() says; the stages are those of the flow.
///
/// A stage: values phi = (rho phi) / rho -> boundary ghost cells -> start pull of values -> slopes of inner cells -> wait ->
/// slopes of border cells -> start pull of slopes -> update of inner cells -> wait -> update of border cells. Without scalars
/// nothing is done.
class ScalarTransport {
 public:
  /// @param residual  of the flow, and @param inflow  of its scheme: outlive this object.  @collective
  ScalarTransport(Residual& residual, BoundaryScalars& inflow);
  ScalarTransport(const ScalarTransport&) = delete;
  ScalarTransport& operator=(const ScalarTransport&) = delete;

  [[nodiscard]] int count() const { return inflow_.count(); }

  /// Returns rho phi of owned cells, owned x count.
  [[nodiscard]] std::span<double> amounts() { return amounts_.storage(); }
  [[nodiscard]] std::span<const double> amounts() const { return amounts_.storage(); }

  /// Computes one stage. @pre residual.evaluate() of the same stage, whose densities have not changed since.  @collective
  void advance(const ScalarStage& stage);
  /// Sets amounts() to those at the start of the step.
  void undo();
  /// Computes ghosts, slopes and boundary values of the present state. @pre residual.refresh()  @collective
  void refresh(double time);
  /// Returns scalar k at the point x, linear within the owned cell. @pre refresh()
  [[nodiscard]] double at(int k, std::int32_t cell, Vec3 x) const;

  /// Ends the exchanges of ghosts, see Solver::close(). @collective
  void close();

  /// Returns what this rank has sent to others.
  [[nodiscard]] Traffic sent() const;

 private:
  void values_and_slopes(double time);
  /// Sets the boundary ghost cells of the cells first <= c < last; those of border cells need the values of ghosts.
  void set_boundary_ghosts(std::int32_t first, std::int32_t last);
  void slopes(std::int32_t first, std::int32_t last);
  [[nodiscard]] detail::ScalarView view() const;

  Residual& residual_;
  BoundaryScalars& inflow_;
  Array<double, Dynamic> amounts_, start_;  ///< owned x count: now; at the start of the step
  ArrayPair<double, Dynamic> values_;       ///< count, with boundary rows
  ArrayPair<double, Dynamic> slopes_;       ///< count x dim
  std::optional<Exchange> pull_values_, pull_slopes_;
};

}  // namespace weft::flow
