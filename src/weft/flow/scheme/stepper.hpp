#pragma once
/// The interface of the component that computes the steps of a solver: on the host (HostStepper) or on a GPU (DeviceStepper).
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/flow/physics/cell_gradient.hpp"
#include "weft/flow/physics/face_force.hpp"
#include "weft/flow/scheme/scheme.hpp"
#include "weft/flow/scheme/step_failures.hpp"

namespace weft::flow {

/// Parameters of one step.
struct StepCommand {
  double time = 0;       ///< s, at the start of the step
  double dt = 0;         ///< s
  double advance = 0;    ///< s by which the time advances: dt, or less where local time steps make dt longer
  double local_cfl = 0;  ///< above 0: each cell steps min(dt, local_cfl * its own stable step)
};

/// A sequence of steps without the host.
struct StepSequence {
  int count = 1;               ///< at most kMostAhead; fewer if the time reaches `until`
  double time = 0, until = 0;  ///< s
  double cfl = 0;
  std::int64_t first_step = 0;      ///< number of the first step
  std::int64_t rates_interval = 1;  ///< rate_squared is computed for steps with a multiple of this number, and for the last
};

/// The result of a step for the owned cells of this rank.
struct StepResult {
  double dt = 0;             ///< s by which the time advanced; only in sequences
  double stable_before = 0;  ///< s, at CFL number 1, of all ranks at the start of the step; only in sequences
  double stable_dt = 0;      ///< s, at CFL number 1, at its end; infinite without cells
  /// Sum of volume * rate^2 over the cells in the first stage, in a fixed order; 0 if not requested.
  std::array<double, IdealGas::kVars> rate_squared{};
};

/// Conserved values (owned x kVars) and rho phi of the scalars (owned x scalars) on the host, in local order.
template <class Value>
struct BasicStateRows {
  std::span<Value> conserved, scalar_amounts;
};
using StateRows = BasicStateRows<double>;
using ConstStateRows = BasicStateRows<const double>;

/// The present state of the owned cells in the memory of a GPU: rows of kVars values in local order. `stream` computes it.
struct DeviceRows {
  const void* conserved = nullptr;                                ///< density, momentum (3), total energy
  const void* primitive = nullptr;                                ///< density, velocity (3), pressure
  bool conserved_in_single = false, primitive_in_single = false;  ///< float, otherwise double
  Stream* stream = nullptr;
};

/// Holds the state of the owned cells, computes the stages of steps and evaluates the scheme for monitors and output. Decisions
/// about steps (their lengths, repetition, acceptance) are the solver's. Functions that are marked collective are called by every
/// rank in the same order.
class Stepper {
 public:
  static constexpr int kVars = IdealGas::kVars;
  static constexpr int kMostAhead = 256;

  /// Creates the stepper for the backend in scheme.options().
  /// @param scheme  outlives the stepper.
  /// @throws on every rank DeviceError without a GPU, or where the arrays of the ranks that share a GPU do not fit into its
  ///   memory; MeshError for stencils without a gradient; on this rank LimitError where threads cannot be started.  @collective
  [[nodiscard]] static std::unique_ptr<Stepper> make(const Scheme& scheme);
  virtual ~Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  [[nodiscard]] virtual bool on_gpu() const = 0;
  [[nodiscard]] virtual int threads() const = 0;  ///< threads per rank, on the host
  /// Returns the name of the transport of ghost values; empty where no rank has ghosts.
  [[nodiscard]] virtual std::string transport() const = 0;
  /// Returns what this rank has sent to others in exchanges of ghosts on the host.
  [[nodiscard]] virtual Traffic sent() const = 0;
  /// Ends all exchanges, see Solver::close().  @collective
  virtual void close() = 0;

  // Sets the parameters of the steps that follow.
  virtual void set_parameters(const SchemeParameters& parameters) = 0;
  /// Sets the circulation of the vortex that disturbs the far field of a boundary zone, m^2/s.
  virtual void set_circulation(mesh::BoundaryZoneId zone, double circulation) = 0;
  /// Sets FirstOrderFallback::flags(), which the stepper may read until the next call; empty: second order everywhere.
  virtual void set_fallback(std::span<const std::int32_t> flags) = 0;
  /// Evaluates the scheme for conserved values (owned x kVars) at `time`, s, subtracts the result from all rates from now on, and
  /// returns it: volume * d(conserved)/dt, owned x kVars. The state is undefined until load().
  /// @pre Numerics::well_balanced.  @collective
  [[nodiscard]] virtual std::vector<double> keep_stationary(std::span<const double> conserved, double time) = 0;

  // The state.
  /// Returns the rows that load() reads, for the caller to write.
  [[nodiscard]] virtual StateRows state() = 0;
  /// Makes state() the state at the start of a step, and computes its primitive values and stable steps.  @collective
  virtual void load() = 0;
  /// Starts copying the present state to the host unless it is there or the copy is pending. @pre it is there, or no sequence is
  /// pending.
  virtual void start_fetch() const = 0;
  /// Returns the state that start_fetch() copies.
  [[nodiscard]] virtual ConstStateRows fetch() const = 0;
  /// Returns the present state on the GPU, whose memory the next step may reuse; without addresses on the host.
  /// @pre no sequence is pending.
  [[nodiscard]] virtual DeviceRows on_device() { return {}; }
  /// Returns the primitive values of the owned cells on the host, owned x kVars, which the next step overwrites; empty on a GPU.
  [[nodiscard]] virtual std::span<const double> primitives() const { return {}; }
  /// Returns the primitive state of an owned cell.
  [[nodiscard]] virtual Primitive primitive(mesh::LocalCellId cell) const = 0;
  /// Returns the integral of each conserved variable over the owned cells, in compensated sums whose order depends on the number
  /// of cells alone.
  [[nodiscard]] virtual std::array<double, kVars> integrals() const = 0;
  /// Returns the integral of rho phi of each scalar, with the same properties.
  [[nodiscard]] virtual std::vector<double> scalar_integrals() const = 0;

  // Steps.
  /// Computes all stages of a step.  @collective
  virtual void step(const StepCommand& command) = 0;
  /// Returns the result of the last step(), sequence, load() or undo(), and records its failures. Once after each.
  [[nodiscard]] virtual StepResult result() = 0;
  /// Returns the failures that result() has recorded.
  [[nodiscard]] virtual const StepFailures& failures() const = 0;
  /// Accepts the last step: its end is the start of the next one.
  virtual void accept() = 0;
  /// Returns to the state at the start of the step.
  virtual void undo() = 0;

  /// Returns whether steps can follow each other without the host, so that several cost less than one by one. Equal on every
  /// rank.
  [[nodiscard]] virtual bool runs_sequences() const { return false; }
  /// Starts a sequence of steps, all accepted but the last; none follows a step that fails.  @pre runs_sequences()  @collective
  virtual void start(const StepSequence& sequence);
  /// Waits for the sequence and returns the steps that were done, at least one and equally many on every rank.
  /// @pre start()
  [[nodiscard]] virtual std::vector<StepResult> finish();

  // Evaluation for monitors and output.
  /// Computes ghosts, gradients and boundary values of the present state at `time`, s; the functions below return those.
  /// @collective
  virtual void refresh(double time) = 0;
  /// Returns the flux through a face of a boundary zone per unit area, out of the domain.
  [[nodiscard]] virtual Conserved boundary_flux(mesh::BoundaryZoneId zone, mesh::LocalFaceId face) const = 0;
  /// Returns the interior states at the centroids of a zone's faces, in their order.
  [[nodiscard]] virtual std::vector<Primitive> face_states(mesh::BoundaryZoneId zone) const = 0;
  /// Returns the sum of force_on_face() over a zone's faces, with moments about `centre`.
  [[nodiscard]] virtual ForceAndMoment force_on(mesh::BoundaryZoneId zone, double pressure, Vec3 centre) const = 0;
  /// Returns the state at x, linear within the owned cell.
  [[nodiscard]] virtual Primitive cell_state(mesh::LocalCellId cell, Vec3 x) const = 0;
  /// Returns the limited gradients of the owned cells; 0 where the scheme computes none.
  [[nodiscard]] virtual std::vector<CellGradient> gradients() const = 0;
  /// Returns scalar k at x, linear within the owned cell.
  [[nodiscard]] virtual double scalar_at(int k, mesh::LocalCellId cell, Vec3 x) const = 0;

 protected:
  Stepper() = default;
};

}  // namespace weft::flow
