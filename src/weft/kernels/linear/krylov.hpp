#pragma once
/// The outcome of iterative solvers.
#include <cstdint>

namespace weft::kernels {

/// The state of an iterative solver.
enum class KrylovState : std::int32_t {
  running,    ///< more iterations may be computed
  converged,  ///< the residual is at most the tolerance times the right-hand side
  broken,     ///< a number by which the method divides is 0 or not finite; x is that of the last complete iteration or cycle
};

/// The outcome of an iterative solver, in the memory of the machine that computes.
struct KrylovStatus {
  KrylovState state = KrylovState::running;
  std::int32_t iterations = 0;  ///< complete iterations
  double residual = 0;          ///< 2-norm of the residual that the recurrence updates
  double right_side = 0;        ///< 2-norm of the right-hand side

  friend bool operator==(const KrylovStatus&, const KrylovStatus&) = default;
};

}  // namespace weft::kernels
