#pragma once
/// Time integration of the Euler equations on one mesh.
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/flow/scheme/first_order_fallback.hpp"
#include "weft/flow/scheme/limits_with_sources.hpp"
#include "weft/flow/scheme/scheme.hpp"
#include "weft/flow/scheme/stepper.hpp"

namespace weft::flow {

/// The result of one step; equal on every rank.
struct StepReport {
  std::int64_t step = 0;  ///< steps done since the start of the run
  double time = 0;        ///< s, after the step
  double dt = 0;          ///< s; with local time steps the smallest
  int retries = 0;        ///< number of repetitions because a state became unphysical
  /// This rank's sum over its cells of volume * rate^2 of the first stage, per variable: see Solver::residual_norms.
  std::array<double, IdealGas::kVars> rate_squared{};
};

/// Consecutive steps.
struct StepsAhead {
  int count = 1;                    ///< at most this many steps
  double until = 0;                 ///< s: time at which the last step ends, with fewer steps if it is reached earlier
  std::int64_t rates_interval = 1;  ///< rate_squared is computed for steps with a multiple of this number, and for the last
};

/// Cells of the first-order fallback, where a state became unphysical.
struct FallbackCells {
  std::vector<mesh::LocalCellId> cells;  ///< owned
  std::int64_t until = 0;                ///< step from which on the scheme is of second order everywhere; 0 on every rank: now
};

/// Explicit strong-stability-preserving Runge-Kutta of order 1 to 3 (Gottlieb, Shu & Tadmor, SIAM Review 43, 2001). The solver
/// holds the clock, chooses the lengths of steps, repeats those that fail and reports; a Stepper computes them.
class Solver {
 public:
  static constexpr int kVars = IdealGas::kVars;
  static constexpr int kMostAhead = Stepper::kMostAhead;

  /// @param mesh  outlives the solver.
  /// @throws as Scheme and Stepper::make().  @collective
  Solver(const mesh::Mesh& mesh, SolverOptions options);
  /// Waits for no other rank, also without close(): the destructor may run because of an exception on this rank alone.
  ~Solver();
  /// Ends the solver on every rank: afterwards no rank has memory of this one's GPU mapped, and NCCL is released. Called once,
  /// after the last step, where the program continues. Then nothing but the destructor may be called.  @pre no steps are under
  /// way.
  /// @collective  @throws CommError.  @cost a reduction for each exchange of ghosts, of which there are 3 to 8.
  void close();

  /// Sets the state to which Venkatakrishnan's parameter is relative; by default the mean of the start.
  /// @pre positive density and pressure; before initialise() or restore().
  void set_reference(const Primitive& reference);
  /// Sets the state that Numerics::well_balanced preserves; by default the start. @pre Numerics::well_balanced; before
  /// initialise(), refer_to() or restore().
  void set_stationary(std::function<Primitive(Vec3)> state);
  /// Sets the circulation of the vortex that disturbs the far field of a boundary zone, m^2/s, for the following steps and
  /// refresh(): see circulation_of(). @pre no steps are pending; equal on every rank.  @cost on a GPU a copy of the exterior
  /// states of all boundary faces.
  void set_circulation(mesh::BoundaryZoneId zone, double circulation);
  /// Computes from a start at `time`, s, and from the boundary conditions the references of states: that of the limiter, unless
  /// it is set, and the limits outside which a state has diverged (reference.hpp). With Numerics::well_balanced, also the rates
  /// that are subtracted from then on: those of the start, or of set_stationary(), with boundary conditions and sources at
  /// `time`. initialise() calls it with its states; before restore() it makes the next steps those of the run that began with
  /// this start.
  /// @pre restore() follows.  @throws the exceptions of `start`, on every rank; PhysicsError on every rank where the state to
  /// preserve is not physical or far from stationary, naming the cell.
  /// @collective  @cost a few reductions; with Numerics::well_balanced one evaluation of the scheme.
  void refer_to(const std::function<Primitive(Vec3)>& start, double time = 0);
  /// Sets every owned cell to state(centroid), scalars to their initial values there, and the clock.  @collective
  /// @throws PhysicsError on every rank if a state is not physical, naming the cell; InputError if a scalar is not finite. After
  /// these the state is undefined.
  void initialise(const std::function<Primitive(Vec3)>& state, double time = 0, std::int64_t step = 0);
  /// Does the same with SolverOptions::threads, each of which evaluates a function of its own: the states and the first error are
  /// those of one thread. With scalars, whose functions the threads share, one thread evaluates all.
  /// @param make_state  called once for each of these functions, by the calling thread.
  void initialise_by_threads(const std::function<std::function<Primitive(Vec3)>()>& make_state, double time = 0,
                             std::int64_t step = 0);
  /// Sets the conserved values of the owned cells (kVars each, local order), the clock, the cells of the first-order fallback and
  /// scalar_amounts(): the next steps are bitwise those of the solver from which these were taken, if refer_to() was called with
  /// its start, and set_circulation() with its circulations; without refer_to() the restored states are the reference.
  /// @collective  @throws on every rank PhysicsError if a state is not physical, naming the cell, and InputError for a wrong
  /// number of values: the solver then has the state that it had. PhysicsError, too, if a state is outside the limits of the
  /// start: the solver then has this state. If refer_to() was not called, it throws the errors of
  /// refer_to(), too.
  void restore(std::span<const double> conserved, double time, std::int64_t step, const FallbackCells& fallback = {},
               std::span<const double> scalar_amounts = {});

  /// Computes one time step of at most `dt_limit` seconds.  @collective A step in which a state becomes unphysical (negative
  /// density or pressure) is undone and repeated, first order in the failed cells and next to them (also for the next 50 steps),
  /// from the third attempt on with half the length each time.
  /// One in which a physical state is outside parameters().limits is undone and repeated with higher limits if sources or
  /// time-dependent boundary states may be the reason: see LimitsWithSources.
  /// @throws PhysicsError on every rank if a state still becomes unphysical, or if a physical state is outside the limits, with
  /// the cell, its position, its state, its neighbours and its zone; conserved() then returns the
  ///   result of the failed step.
  /// @cost two exchanges per stage, one reduction per step.
  StepReport step(double dt_limit);

  /// Restores the state before a step that threw PhysicsError.  @pre nothing was called since.  @collective
  void undo_failed_step();

  /// Starts steps, which finish_steps() reports: those of step() with the remaining time as the limit, halved where a very short
  /// step would remain. If works_ahead(), the stepper computes them without the host; otherwise finish_steps() does. Until then
  /// time(), steps() and the state are the present ones.
  /// @pre time() has not reached ahead.until; no steps are pending.  @collective
  void start_steps(const StepsAhead& ahead);
  /// Returns the reports of the steps, at least one: fewer than requested if one had to be repeated.
  /// @throws as step().  @collective
  std::vector<StepReport> finish_steps();
  /// Returns the upper bound of the Courant number of steps, whatever Numerics::cfl is: most_damped_cfl() if
  /// Numerics::stabilize_simplices damps jumps on this mesh, otherwise infinity.
  [[nodiscard]] double most_cfl() const;
  /// Returns whether a sequence of steps costs less than single ones.
  [[nodiscard]] bool works_ahead() const;
  /// Starts copying the state to the host, so that conserved() and primitive() may be called while steps are pending.
  void keep_state() const;

  /// Returns the root mean square over all cells (volume weighted) of d(conserved)/dt of the first stage of a step, per variable.
  /// This is the true rate of change, also with local time steps: zero when steady. Added in a fixed order.
  /// @collective  @cost one reduction.
  [[nodiscard]] std::vector<std::array<double, kVars>> residual_norms(std::span<const StepReport> steps) const;
  /// Returns the norms of the last step.
  [[nodiscard]] std::array<double, kVars> residual_norms() const;
  /// Computes ghosts, gradients and boundary values of the present state, for monitors and output.  @collective
  void refresh();
  /// Returns the flux through a boundary face per unit area, out of the domain. @pre refresh() since the last step.
  [[nodiscard]] Conserved boundary_flux(mesh::BoundaryZoneId zone, mesh::LocalFaceId face) const;
  /// Returns the interior state at the centroid of each of this rank's faces of a zone, in their order, as the scheme
  /// reconstructs it. @pre refresh() since the last step.
  [[nodiscard]] std::vector<Primitive> face_states(mesh::BoundaryZoneId zone) const;
  /// Returns the sum of force_on_face() over this rank's faces of a zone, with moments about `centre`. @pre refresh() since the
  /// last step.
  [[nodiscard]] ForceAndMoment force_on(mesh::BoundaryZoneId zone, double pressure, Vec3 centre) const;
  /// Returns the integral of each conserved variable over the owned cells, in compensated sums whose order depends on the number
  /// of cells alone: the same digits on the host and on a GPU, without a copy of the state to the host. @pre no steps are
  /// pending.
  [[nodiscard]] std::array<double, kVars> integrals() const;
  /// Returns the integral of rho phi of each scalar, with the same properties.
  [[nodiscard]] std::vector<double> scalar_integrals() const;
  /// Returns the state at the point x, linear within the owned cell. @pre refresh() since the last step.
  [[nodiscard]] Primitive cell_state(mesh::LocalCellId cell, Vec3 x) const;
  /// Returns the limited gradients of the reconstruction in the owned cells; 0 in first order. They are copied from a GPU.
  /// @pre refresh() since the last step.  @cost 120 bytes per owned cell.
  [[nodiscard]] std::vector<CellGradient> gradients() const;

  [[nodiscard]] std::span<const double> conserved() const;  ///< owned rows x kVars
  /// Returns the primitive values of the owned cells on the host, see Stepper::primitives().
  [[nodiscard]] std::span<const double> primitives() const { return stepper_->primitives(); }
  [[nodiscard]] Primitive primitive(mesh::LocalCellId cell) const;  ///< owned cell
  [[nodiscard]] const std::vector<Scalar>& scalars() const;
  /// Returns rho phi: owned rows x scalars().size().
  [[nodiscard]] std::span<const double> scalar_amounts() const;
  [[nodiscard]] double scalar(int k, mesh::LocalCellId cell) const;  ///< value in an owned cell
  /// Returns scalar k at the point x, linear within the owned cell. @pre refresh() since the last step.
  [[nodiscard]] double scalar_at(int k, mesh::LocalCellId cell, Vec3 x) const;
  [[nodiscard]] FallbackCells fallback_cells() const;
  [[nodiscard]] bool on_gpu() const { return stepper_->on_gpu(); }
  [[nodiscard]] int threads() const { return stepper_->threads(); }  ///< threads per rank
  /// Returns the SIMD width in doubles on this machine. Results do not depend on it.
  [[nodiscard]] static int simd_width();
  /// Returns the name of the transport of ghost values; empty where no rank has ghosts.
  [[nodiscard]] std::string transport() const { return stepper_->transport(); }
  /// Returns what this rank has sent to others in exchanges of ghosts on the host.
  [[nodiscard]] Traffic sent() const;
  [[nodiscard]] const Scheme& scheme() const { return scheme_; }
  [[nodiscard]] const mesh::Mesh& mesh() const { return scheme_.mesh(); }
  [[nodiscard]] Stepper& stepper() { return *stepper_; }
  /// Returns the state in the memory of the GPU, see Stepper::on_device(). @pre no steps are pending.
  [[nodiscard]] DeviceRows on_device() const { return stepper_->on_device(); }
  [[nodiscard]] const SchemeParameters& parameters() const { return parameters_; }
  /// Returns the circulation of the vortex that disturbs the far field of a boundary zone, m^2/s.
  [[nodiscard]] double circulation(mesh::BoundaryZoneId zone) const { return circulations_[zone]; }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] std::int64_t steps() const { return step_; }
  /// Returns the number of residual evaluations since construction (stages, not steps).
  [[nodiscard]] std::int64_t evaluations() const { return evaluations_; }
  /// Returns the largest stable dt for the present state at CFL number 1, over all cells of all ranks.
  [[nodiscard]] double stable_dt() const { return stable_dt_; }

 private:
  void start_from(std::span<const std::function<Primitive(Vec3)>> states, Team& team, double time, std::int64_t step);
  void refer_to_cells(const std::function<Conserved(mesh::LocalCellId)>& start, double time, Team& team);
  [[nodiscard]] Conserved conserved_of_start(const std::function<Primitive(Vec3)>& start, mesh::LocalCellId cell) const;
  void keep_stationary(const std::function<Conserved(mesh::LocalCellId)>& state, double time);
  void begin(double time, std::int64_t step);
  void set_order(double order);
  void set_order_of_step();
  void add_fallback(std::span<const mesh::LocalCellId> cells);
  void clear_fallback();
  [[nodiscard]] double cfl() const;
  StepReport make_step(double dt_limit);
  void try_step(double dt, double fraction);
  StepReport settle_step(double dt_limit);
  [[nodiscard]] bool raise_limits(double dt, double fraction);
  [[nodiscard]] std::optional<StepResult> reduce_status();
  template <class Call>
  void guarded(const Call& call);
  [[noreturn]] void throw_failure() const;

  Scheme scheme_;
  SchemeParameters parameters_;
  IdVector<mesh::BoundaryZoneId, double> circulations_;
  LimitsWithSources with_sources_;
  FirstOrderFallback fallback_;
  std::unique_ptr<Stepper> stepper_;
  std::exception_ptr error_;                   ///< the exception of the stepper in the present step, on this rank
  std::optional<StepsAhead> ahead_;            ///< pending steps
  std::function<Primitive(Vec3)> stationary_;  ///< set_stationary(); empty: the start
  bool reference_is_set_ = false;              ///< set_reference() was called
  bool referred_ = false;                      ///< refer_to() or initialise() was called
  std::int64_t fallback_until_ = 0;            ///< step from which on the scheme is of second order everywhere
  std::array<double, kVars> rate_squared_{};   ///< this rank's sum of volume * rate^2 in the last step
  double time_ = 0, stable_dt_ = 0, volume_ = 0;
  std::int64_t step_ = 0, evaluations_ = 0;
};

}  // namespace weft::flow
