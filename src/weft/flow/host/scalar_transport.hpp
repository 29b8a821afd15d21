#pragma once
/// Passive scalars on the host, transported by the mass fluxes that a Residual has computed.
#include <cstdint>
#include <span>

#include "weft/array/array_pair.hpp"
#include "weft/flow/host/residual.hpp"
#include "weft/flow/host/stage.hpp"
#include "weft/flow/scheme/boundary_scalars.hpp"
#include "weft/flow/scheme/scalar_kernels.hpp"

namespace weft::flow {

/// Finite volumes of second order for rho phi: the scalar at a face is that of the upwind cell, linear with the case's gradients
/// and order, limited as visit_scalar_limiter() says; the stages are those of the flow.
///
/// Records its tasks in the graphs of a HostStepper; without scalars none. The values phi = (rho phi) / rho are computed before
/// the flow is, so that their ghosts arrive with those of the flow, all else after its fluxes.
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

  /// Adds its arrays to a graph.
  void add_data(task::Graph& graph, detail::StageData& data);
  /// Records a task that computes the values of owned cells.
  void record_values(task::Graph& graph, const detail::StageData& data);
  /// Records tasks that compute boundary values and slopes, after those of the mass fluxes at the boundary.
  /// @param stage  must live as long as the plans of the graph.
  void record_slopes(task::Graph& graph, const detail::StageData& data, const detail::Stage& stage);
  /// Records tasks that advance amounts() by a stage, after those of slopes and mass fluxes.
  /// @param local_dt  s, of owned cells at CFL 1; null: the step of all cells is Stage::dt.
  void record_update(task::Graph& graph, const detail::StageData& data, const detail::Stage& stage, const double* local_dt);
  /// Sets amounts() to those at the start of the step.
  void undo();
  /// Returns scalar k at the point x, linear within the owned cell. @pre slopes of the present values.
  [[nodiscard]] double at(int k, mesh::LocalCellId cell, Vec3 x) const;

 private:
  void set_values();
  void update(const detail::Stage& stage, const double* local_dt, std::int32_t first, std::int32_t last);
  /// Sets the boundary ghost cells of the cells first <= c < last; those of border cells need the values of ghosts.
  void set_boundary_ghosts(std::int32_t first, std::int32_t last);
  void slopes(std::int32_t first, std::int32_t last);
  [[nodiscard]] detail::ScalarView view() const;

  Residual& residual_;
  BoundaryScalars& inflow_;
  ArrayPair<double, Dynamic> amounts_, start_;  ///< owned x count: now; at the start of the step
  ArrayPair<double, Dynamic> values_;           ///< count, with boundary rows
  ArrayPair<double, Dynamic> slopes_;           ///< count x dim
};

}  // namespace weft::flow
