#pragma once
/// The spatial discretization and the physical model of a solver.
#include <optional>
#include <vector>

#include "weft/flow/physics/jump_damping.hpp"
#include "weft/flow/physics/state_limits.hpp"
#include "weft/flow/scheme/discretization.hpp"
#include "weft/flow/scheme/solver_options.hpp"

namespace weft::flow {

/// Parameters of the scheme that depend on the initial state or on the number of the step.
struct SchemeParameters {
  Primitive scale{1, {1, 1, 1}, 1};  ///< magnitude of each variable, to which Venkatakrishnan's parameter is relative
  StateLimits limits{};              ///< a state outside these has diverged
  double order = 1;                  ///< upper bound of each cell's limiter, 0 to 1; 0 is first order
};

/// The model that steppers evaluate: mesh, gas, boundary conditions, numerics, discretization, sources and scalars. Immutable, so
/// that the solver and its stepper share one object.
class Scheme {
 public:
  static constexpr int kVars = IdealGas::kVars;

  /// @param mesh  outlives this object.
  /// @pre options.numerics.well_balanced excludes options.numerics.order_ramp.
  /// @throws MeshError on every rank for stencils without a gradient; InputError for more than kMostScalars scalars, two of one
  ///   name, values of more scalars at a boundary than there are, or a velocity about the axis of an axisymmetric mesh.
  /// @collective
  Scheme(const mesh::Mesh& mesh, SolverOptions options);
  Scheme(const Scheme&) = delete;
  Scheme& operator=(const Scheme&) = delete;

  [[nodiscard]] const mesh::Mesh& mesh() const { return mesh_; }
  [[nodiscard]] const SolverOptions& options() const { return options_; }
  [[nodiscard]] const IdealGas& gas() const { return options_.gas; }
  [[nodiscard]] const BoundaryConditions& boundary() const { return options_.boundary; }
  [[nodiscard]] const Numerics& numerics() const { return options_.numerics; }
  [[nodiscard]] const SourceTerm& source() const { return options_.source; }
  /// Returns an error of a user function on this rank since the last call: see SolverOptions::take_error.
  [[nodiscard]] std::optional<InputError> take_error() const {
    return options_.take_error ? options_.take_error() : std::nullopt;
  }
  [[nodiscard]] const std::vector<Scalar>& scalars() const { return options_.scalars; }
  [[nodiscard]] const Discretization& discretization() const { return discretization_; }
  /// Returns the length to which Venkatakrishnan's parameter relates the sizes of cells, m; 1 for other limiters.
  [[nodiscard]] double reference_length() const { return reference_length_; }
  /// Computes the matrices of least_squares_matrices(); none for other gradients. Steppers store what they derive from them.
  /// @throws MeshError on every rank where the neighbours of a cell do not determine a gradient.  @collective
  [[nodiscard]] TeamVector<double> least_squares() const;
  /// Returns the factor of damp_jump() at faces between two cells, proportional to the order; 0: jumps are not damped.
  [[nodiscard]] double jump_damping(const SchemeParameters& parameters) const {
    return discretization_.stabilized ? parameters.order * kJumpDamping : 0;
  }
  /// Returns the threshold of ShockSensor::of_velocity().
  [[nodiscard]] double shock_threshold() const { return numerics().well_balanced ? ShockSensor::kThresholdAtRest : 0; }

 private:
  const mesh::Mesh& mesh_;
  SolverOptions options_;
  Discretization discretization_;
  double reference_length_ = 1;
};

/// Returns the error for a velocity along z in an axisymmetric flow. @param where  the state that has it.
[[nodiscard]] InputError velocity_about_axis(const std::string& where);

}  // namespace weft::flow
