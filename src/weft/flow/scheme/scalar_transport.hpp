#pragma once
/// Passive scalars on one mesh, carried by the mass fluxes that a Residual has computed.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/flow/physics/scalar.hpp"
#include "weft/flow/scheme/residual.hpp"
#include "weft/flow/scheme/scalar_kernels.hpp"

namespace weft::flow {

/// What a Runge-Kutta stage of the flow was made with.
struct ScalarStage {
  double time;             ///< s, of the stage
  bool first;              ///< of its step
  double keep;             ///< as in detail::RungeKuttaStage
  double dt;               ///< s
  double local_cfl;        ///< a cell steps local_cfl * local_dt at most
  const double* local_dt;  ///< s, of owned cells at CFL 1; null: all cells step dt
};

/// Finite volumes of second order for rho phi: the scalar at a face is that of the cell which the mass flux leaves, linear with
/// the case's gradients and orders, limited as visit_scalar_limiter() says; the stages are those of the flow.
///
/// A stage: values phi = (rho phi) / rho -> boundary rows -> start pull of values -> slopes of inner cells -> wait -> slopes of
/// border cells -> start pull of slopes -> update of inner cells -> wait -> update of border cells.
class ScalarTransport {
 public:
  /// @param residual  of the flow: outlives this object, and keeps its mass fluxes from now on.
  /// @param backend  where the arrays are: Backend::host, or a GPU's, and then they are a DeviceStepper's.
  /// @throws InputError for more than kMostScalars scalars, or two of one name.  @collective
  ScalarTransport(Residual& residual, std::vector<Scalar> scalars, Backend backend, Transport transport);
  ScalarTransport(const ScalarTransport&) = delete;
  ScalarTransport& operator=(const ScalarTransport&) = delete;

  [[nodiscard]] int count() const { return static_cast<int>(scalars_.size()); }
  [[nodiscard]] const std::vector<Scalar>& scalars() const { return scalars_; }

  /// rho phi of owned cells, owned x count; on a GPU empty.
  [[nodiscard]] std::span<double> amounts() { return amounts_; }

  /// One stage. @pre residual.evaluate() of the same stage, whose densities have not changed since.  @collective
  void advance(const ScalarStage& stage);
  /// amounts() as the step began.
  void undo();
  /// Makes ghosts, slopes and boundary values those of the present state. @pre residual.refresh()  @collective
  void refresh(double time);
  /// Scalar k at the point x, linear within the owned cell. @pre refresh()
  [[nodiscard]] double at(int k, std::int32_t cell, Vec3 x) const;

  /// Whether the gas that comes in through a zone brings scalars of its own, and whether any changes with time.
  [[nodiscard]] bool brings(std::size_t zone) const;
  [[nodiscard]] bool inflow_varies() const;
  /// What each boundary face's zone brings: boundary faces x count, 0 where it brings nothing.
  [[nodiscard]] const std::vector<double>& inflow() const { return inflow_; }
  /// Makes inflow() that of `time`, where it varies.
  void prescribe(double time);
  struct BadInflow {
    std::string problem;
    Where where;
  };
  /// A value of inflow() that is not finite, if prescribe() has met one on this rank since the last call.
  [[nodiscard]] std::optional<BadInflow> take_bad_inflow() { return std::exchange(bad_inflow_, std::nullopt); }

  /// As Solver::close(). @collective
  void close();

  /// What this rank has sent to others.
  [[nodiscard]] Traffic sent() const;

 private:
  void values_and_slopes(double time);
  /// Of the cells first <= c < last, which for border cells needs the values of ghosts.
  void boundary_rows(std::int32_t first, std::int32_t last);
  void slopes(std::int32_t first, std::int32_t last);
  [[nodiscard]] detail::ScalarView view() const;

  Residual& residual_;
  std::vector<Scalar> scalars_;
  std::vector<double> amounts_, start_;  ///< now; at the start of the step
  std::vector<double> values_, slopes_;  ///< rows x count; (owned + ghost) x count x dim
  std::vector<double> inflow_;
  std::optional<BadInflow> bad_inflow_;
  bool prescribed_ = false;  ///< what does not vary stands in inflow_
  std::optional<Exchange> pull_values_, pull_slopes_;
};

}  // namespace weft::flow
