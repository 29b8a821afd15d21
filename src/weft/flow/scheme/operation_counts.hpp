#pragma once
/// Floating-point operations and bytes of the kernels of the flow solver, for the rates in summaries of traces.
///
/// Operations are additions, subtractions, multiplications, divisions and roots, as the templates of physics/ and kernels.hpp
/// execute them for each cell, face or boundary row; not comparisons, selections, absolute values, changes of sign, operations
/// between constants, or unused elements of SIMD vectors. Where their number depends on the flow it is that of a smooth one: no
/// limiter, sensor, entropy fix or first-order fallback acts. A test executes the templates with numbers that count.
///
/// Bytes are compulsory: each input of a task is read once and each result is written once, whatever caches hold.
#include <cstdint>

#include "weft/flow/physics/flux.hpp"
#include "weft/flow/physics/limiter.hpp"
#include "weft/flow/scheme/numerics.hpp"
#include "weft/task/operation_count.hpp"

namespace weft::flow::detail {

/// The amount of work of a task.
struct KernelSize {
  double cells = 0;
  double stencil = 0;  ///< entries of the stencils of these cells
  double sides = 0;    ///< faces of each cell, summed
  double faces = 0;    ///< faces between two cells whose fluxes are computed

  friend constexpr KernelSize operator+(const KernelSize& a, const KernelSize& b) {
    return {a.cells + b.cells, a.stencil + b.stencil, a.sides + b.sides, a.faces + b.faces};
  }
};

// Numbers of operations.

/// Returns the operations of a flux through a unit area.
[[nodiscard]] constexpr double flux_flops(FluxKind kind) {
  return kFluxes.visit<double>(kind, []<class Flux>(const FluxRow<Flux>& /*row*/) { return Flux::kFlops; });
}
inline constexpr double kJumpDampingFlops = 30;               ///< per face
inline constexpr double kExchangeFlops = 49;                  ///< per face in space, with adding it to the flux
inline constexpr double kScaleFluxFlops = IdealGas::kVars;    ///< times the area of the face
inline constexpr double kAddFluxFlops = 2 * IdealGas::kVars;  ///< per side: with the sign of the side
/// Returns the operations of the state on a side of a face.
[[nodiscard]] constexpr double state_flops(int dim) { return 2.0 * IdealGas::kVars * dim; }
/// Returns the operations of a cell's gradient per entry of its stencil, from given weights, without the least-squares matrix.
[[nodiscard]] constexpr double gradient_flops(int dim) { return IdealGas::kVars * (1.0 + 2.0 * dim); }
/// Returns the operations of the multiplication with a least-squares matrix, per cell.
[[nodiscard]] constexpr double matrix_flops(int dim) { return IdealGas::kVars * dim * (2.0 * dim - 1); }
/// Returns the operations of the weight of a face for least squares, without the matrix.
[[nodiscard]] constexpr double weight_flops(int dim, bool stabilized) { return 3 + (stabilized ? 0.0 : 2.0 * dim + 3); }
// The interpolation weight of a face for Green-Gauss, and the weight of a stencil entry that is computed from it.
inline constexpr double kInterpolationFlops = 14, kAreaWeightFlops = 3.5;
/// Returns the operations of a limiter, for a cell with this number of faces.
/// @param moves_points  as ResidualView::moves_points().
[[nodiscard]] constexpr double limiter_flops(LimiterKind kind, int dim, double faces, bool moves_points) {
  return kLimiters.visit<double>(kind, [&]<class Limiter>(const LimiterRow<Limiter>& /*row*/) {
    if (!Limiter::kActive) return 0.0;
    constexpr double kValues = IdealGas::kVars, kDifferences = 4;
    const double of_cell = (dim == 3 ? 2 : 3) + 1 + kValues * kDifferences;  // the cell's length, and the range of values
    const double of_faces = kValues * (2.0 * dim - 1) * faces;
    return of_faces + of_cell + kValues * Limiter::kFlops + (moves_points ? 4 : 0);
  });
}
/// Returns the operations of the product of gradient and limiter, per cell.
[[nodiscard]] constexpr double limit_flops(int dim) { return IdealGas::kVars * static_cast<double>(dim); }
inline constexpr double kSensorFlops = 2;  ///< per cell whose flux takes a sensor
// Per cell: the Runge-Kutta stage of rates; the sums of squared rates; primitive values and their limits; the stable step.
inline constexpr double kStageFlops = 3.0 * IdealGas::kVars, kBlendFlops = 3.0 * IdealGas::kVars,
                        kSquaredRateFlops = 2.0 * IdealGas::kVars, kPrimitiveFlops = 12 + 5, kStableStepFlops = 13;
// Boundary rows and fluxes at walls; other conditions differ by some operations and powers, at few faces.
inline constexpr double kExtrapolationFlops = 3.0 * IdealGas::kVars + 3, kWallRowFlops = 54, kWallFluxFlops = 23;

/// The counts of the tasks of a scheme, as means over the stages of a step.
class OperationCounts {
 public:
  /// @param stabilized  as Discretization's.  @param mass_fluxes  fluxes of mass are stored.
  constexpr OperationCounts(const Numerics& numerics, int dim, bool stabilized, bool mass_fluxes)
      : numerics_(numerics), dim_(dim), stabilized_(stabilized), mass_fluxes_(mass_fluxes) {}

 protected:
  using Count = task::OperationCount;
  static constexpr double kValues = IdealGas::kVars, kIndex = sizeof(std::int32_t), kDouble = sizeof(double);

  [[nodiscard]] double stages() const { return numerics().rk_stages; }
  [[nodiscard]] double damping() const { return stabilized() ? kJumpDampingFlops + (dim() == 3 ? kExchangeFlops : 0) : 0; }
  /// Returns the operations of the fluxes of faces, and of adding them to both cells.
  [[nodiscard]] double flux_and_sum_flops() const {
    return flux_flops(numerics().flux) + damping() + kScaleFluxFlops + 2 * kAddFluxFlops;
  }
  [[nodiscard]] bool moves_points() const {
    return stabilized() && kLimiters.visit<bool>(numerics().limiter, []<class Limiter>(const LimiterRow<Limiter>& /*row*/) {
      return Limiter::kMovesPoints;
    });
  }
  /// Returns the operations of the limited gradients of cells, from their weights.
  [[nodiscard]] double gradient_flops_of(const KernelSize& size) const {
    const double sensors = takes_sensor(numerics().flux) ? kSensorFlops * size.cells : 0;
    if (!numerics().second_order() || size.cells == 0) return sensors;
    const double faces = size.sides / size.cells;
    return gradient_flops(dim()) * size.stencil + sensors +
           (limiter_flops(numerics().limiter, dim(), faces, moves_points()) + limit_flops(dim())) * size.cells;
  }

  [[nodiscard]] constexpr const Numerics& numerics() const { return numerics_; }
  [[nodiscard]] constexpr int dim() const { return dim_; }
  [[nodiscard]] constexpr bool stabilized() const { return stabilized_; }
  [[nodiscard]] constexpr bool mass_fluxes() const { return mass_fluxes_; }

 private:
  const Numerics& numerics_;
  int dim_;
  bool stabilized_, mass_fluxes_;
};

/// The tasks of Residual and HostStepper: fp64, gradient weights and cell-to-face vectors from memory.
class HostCounts : public OperationCounts {
 public:
  using OperationCounts::OperationCounts;

  /// Returns the count of stored gradients, or of those that their block uses alone.
  [[nodiscard]] Count gradients(const KernelSize& size, bool stored) const {
    const double vector = kDouble * dim(), row = kDouble * kValues;
    const bool limits = kLimiters.visit<bool>(numerics().limiter,
                                              []<class Limiter>(const LimiterRow<Limiter>& /*row*/) { return Limiter::kActive; });
    const double limited = limits ? size.sides * vector * (moves_points() ? 2 : 1) : 0;
    if (!numerics().second_order()) return {gradient_flops_of(size), size.cells * row};
    return {gradient_flops_of(size),
            size.cells * (row + 2 * kIndex + (stored ? row * dim() : 0)) + size.stencil * (kIndex + vector) + limited};
  }
  /// Returns the count of the gradients of cells and of the fluxes of faces between them, whose states are not stored.
  [[nodiscard]] Count blocks(const KernelSize& size) const {
    const Count fluxes{
        size.faces * (2 * state_flops(dim()) + flux_and_sum_flops()),
        size.sides * kIndex + size.faces * kFaceBytes + size.cells * 2 * kDouble * kValues + mass_flux_bytes(size.faces)};
    return gradients(size, false) + fluxes;
  }
  /// Returns the count of the fluxes of faces from stored gradients.
  [[nodiscard]] Count fluxes(double faces) const {
    const double side = kDouble * (kValues * (1 + dim()) + 3 + 2 * kValues);  // values, gradient, centroid, residual
    return {faces * (2 * (state_flops(dim()) + 3) + flux_and_sum_flops()),
            faces * (kFaceBytes + 3 * kDouble + 2 * side) + mass_flux_bytes(faces)};
  }
  /// Returns the count of the states in boundary rows.
  /// @param entries  length of the lists of the extrapolations to these rows. The same few cells are in many lists, so that their
  ///   values are not counted.
  [[nodiscard]] static Count boundary_rows(double rows, double entries) {
    return {rows * kWallRowFlops + entries * kExtrapolationFlops,
            rows * (kDouble * (2 * kValues + 3 + 3 + 2) + 3 * kIndex) + entries * (kIndex + kDouble * 2)};
  }
  [[nodiscard]] Count boundary_fluxes(double faces) const {
    const double side = kDouble * (kValues * (1 + dim()) + 3 + 2 * kValues);
    return {faces * (state_flops(dim()) + 3 + kWallFluxFlops + kScaleFluxFlops + kAddFluxFlops),
            faces * (kFaceBytes + 3 * kDouble + side) + mass_flux_bytes(faces)};
  }
  [[nodiscard]] Count update(double cells) const {
    const double local = numerics().local_time_step ? 1 : 0;
    const double flops = kStageFlops + kBlendFlops + kPrimitiveFlops + local + (kSquaredRateFlops + kStableStepFlops) / stages();
    // Conserved variables and rates in and out, the start of the step in or out, primitive values out, 1 / volume; projected
    // areas in the last stage; local steps.
    const double numbers = kValues * (2 + 2 + 1 + 1) + 1 + 3 / stages() + local * (1 + 1 / stages());
    return {cells * flops, cells * kDouble * numbers};
  }

 private:
  static constexpr double kFaceBytes = 4 * kDouble + 2 * kIndex;  ///< normal, area, both cells
  [[nodiscard]] double mass_flux_bytes(double faces) const { return mass_fluxes() ? kDouble * faces : 0; }
};

/// The kernels over tiles of a GPU, which compute gradient weights from cell-to-face vectors, and pass on the states on the sides
/// of faces. KernelSize::faces are the slots of the tiles: faces between two tiles have two, boundary faces one.
class DeviceCounts : public OperationCounts {
 public:
  constexpr DeviceCounts(const Numerics& numerics, int dim, bool stabilized, bool mass_fluxes)
      : OperationCounts(numerics, dim, stabilized, mass_fluxes),
        real_(numerics.precision == Precision::fp64 ? sizeof(double) : sizeof(float)),
        state_(numerics.precision == Precision::fp32 ? sizeof(float) : sizeof(double)) {}

  /// Returns the count of the gradient kernel. @param stored  it stores gradients, too.
  [[nodiscard]] Count gradients(const KernelSize& size, bool stored) const {
    const bool green_gauss = numerics().gradient == GradientKind::green_gauss;
    double flops = gradient_flops_of(size) + size.sides * state_flops(dim());
    double numbers =
        size.cells * kValues + size.faces * 2 * dim() + size.sides * kValues + (stored ? size.cells * kValues * dim() : 0);
    if (numerics().second_order() && green_gauss) {
      flops += size.faces * kInterpolationFlops + size.stencil * kAreaWeightFlops + size.cells * kValues * dim();
      numbers += size.faces * dim();
    } else if (numerics().second_order()) {
      flops += size.faces * weight_flops(dim(), stabilized()) + size.cells * matrix_flops(dim());
      numbers += size.cells * dim() * (dim() + 1) / 2.0;
    }
    return {flops, real_ * numbers + topology_bytes(size)};
  }
  /// Returns the count of the flux kernel, which computes the stage as well.
  [[nodiscard]] Count fluxes(const KernelSize& size) const {
    const double blends = (stages() - 1) / stages();
    const double update = kStageFlops + blends * kBlendFlops + kSquaredRateFlops + kPrimitiveFlops + kStableStepFlops / stages();
    const double flops = size.faces * (flux_flops(numerics().flux) + damping() + kScaleFluxFlops + kNormalFlops) +
                         size.sides * kAddFluxFlops + size.cells * update;
    const double reals = size.sides * kValues + size.faces * dim() + size.cells * kValues;
    const double states = size.cells * kValues * (2 + blends);
    const double doubles = size.cells * (1 + 3 / stages()) + (mass_fluxes() ? size.sides : 0);
    return {flops, real_ * reals + state_ * states + kDouble * doubles + size.faces * kIndex + topology_bytes(size)};
  }
  [[nodiscard]] Count boundary_rows(double rows, double entries) const {
    return {rows * kWallRowFlops + entries * kExtrapolationFlops,
            rows * (real_ * 2 * kValues + kDouble * (3 + 2 + kValues) + 4 * kIndex) + entries * (kIndex + 2 * kDouble)};
  }
  /// Returns the count of the states on the sides of ghosts.
  [[nodiscard]] Count ghost_states(double sides) const {
    return {sides * state_flops(dim()), sides * (real_ * kValues * (2 + dim()) + 3 * kDouble + 3 * kIndex)};
  }

 private:
  static constexpr double kNormalFlops = 12;  ///< per face: unit normal and area of an area vector
  /// Returns the bytes of 16-bit numbers of faces and rows of each cell.
  [[nodiscard]] static double topology_bytes(const KernelSize& size) { return 2 * (size.cells + 2 * size.sides); }
  double real_, state_;
};

}  // namespace weft::flow::detail
