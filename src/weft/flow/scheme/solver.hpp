#pragma once
/// Time integration of the Euler equations on one mesh: the object that a run steps forward.
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/physics/face_force.hpp"
#include "weft/flow/physics/scalar.hpp"
#include "weft/flow/scheme/residual.hpp"

namespace weft::flow {

namespace detail {
class DeviceStepper;
}
class ScalarTransport;

/// What one step did; equal on every rank.
struct StepReport {
  std::int64_t step = 0;  ///< steps done since the start of the run
  double time = 0;        ///< s, after the step
  double dt = 0;          ///< s; with local time steps the smallest
  int retries = 0;        ///< how often the step was undone because it left the range of the gas
  /// This rank's sum over its cells of volume * rate^2 of the first stage, per variable: see Solver::residual_norms.
  std::array<double, IdealGas::kVars> rate_squared{};
};

/// Steps that follow each other.
struct StepsAhead {
  int count = 1;                    ///< at most
  double until = 0;                 ///< s: fewer, where the time comes to this before; the last one ends there
  std::int64_t rates_interval = 1;  ///< rate_squared is wanted of steps with a multiple of this number, and of the last
};

/// Where the scheme is of first order for some steps, because it left the range of the gas there.
struct LoweredOrder {
  std::vector<std::int32_t> cells;  ///< owned
  std::int64_t until = 0;           ///< step from which on the scheme is of second order everywhere; 0 on every rank: it is now
};

/// Explicit strong-stability-preserving Runge-Kutta of order 1 to 3 (Gottlieb, Shu & Tadmor, SIAM Review 43, 2001).
class Solver {
 public:
  static constexpr int kVars = IdealGas::kVars;

  /// @param mesh  outlives the solver.
  /// @pre numerics.well_balanced goes without numerics.order_ramp.
  /// @param source  its acceleration costs a GPU one more pass over the owned cells in every stage. Its function is called on the
  ///   host: that takes a copy of the owned values there and one of the sources back, too, for which the GPU waits.
  /// @param backend  Backend::host, or Backend::cuda: every stage is computed on the current GPU, and conserved() and primitive()
  ///   fetch the state from there when it has changed.
  /// @param transport  how ghosts travel.
  /// @param scalars  what the flow carries. Mass that a source adds holds none of it.
  /// @param threads  of each rank, on the host: results are the same to the last bit. Functions of a user are called on this one.
  /// @throws DeviceError without a GPU; InputError for more than kMostScalars scalars, or two of one name; LimitError where
  /// threads cannot be started.  @collective
  Solver(const mesh::Mesh& mesh, IdealGas gas, std::vector<BoundaryCondition> boundary, Numerics numerics,
         mesh::Neighbours stencil = mesh::Neighbours::face, SourceTerm source = {}, Backend backend = Backend::host,
         Transport transport = Transport::automatic, std::vector<Scalar> scalars = {}, int threads = 1);
  /// Waits for no other rank, also where close() was not called: an exception may be passing on this rank alone.
  ~Solver();
  /// Ends the solver on every rank: afterwards no rank has memory of this one's GPU mapped, and NCCL is let go of. For who goes
  /// on after the last step, once. Then nothing but the destructor may be called.  @pre no steps are under way.
  /// @collective  @throws CommError.  @cost a reduction for each exchange of ghosts, of which there are 3 to 8.
  void close();

  /// Sets the state that Venkatakrishnan's parameter is relative to, which is otherwise the mean of the start.
  /// @pre positive density and pressure; before initialise() or restore().
  void set_reference(const Primitive& reference);
  /// Sets the state that Numerics::well_balanced keeps, which is otherwise the start. @pre Numerics::well_balanced; before
  /// initialise(), refer_to() or restore().
  void set_stationary(std::function<Primitive(Vec3)> state);
  /// Sets the circulation of the vortex that disturbs the far field of a boundary zone, m^2/s: see circulation_of(). Steps from
  /// now on, and refresh(), have it. @pre no steps are under way; equal on every rank.  @cost on a GPU a copy of the
  /// states outside all boundary faces.
  void set_circulation(std::size_t zone, double circulation);
  /// Derives from a start at `time`, s, and from the boundary conditions what states are judged by: the reference of the limiter,
  /// unless it is set, and the limits outside which a state has diverged (reference.hpp). With Numerics::well_balanced, also the
  /// rates that are subtracted from now on: those of the start, or of set_stationary(), with boundary conditions and sources at
  /// `time`. initialise() does this with its states; before restore() it makes the next steps those of the run that began with
  /// this start. @pre restore() follows.  @throws what `start` throws, on every rank; PhysicsError on every rank where the state
  /// that is to be kept is not physical or far from stationary, naming the cell.
  /// @collective  @cost a few reductions; with Numerics::well_balanced one evaluation of the scheme.
  void refer_to(const std::function<Primitive(Vec3)>& start, double time = 0);
  /// Sets every owned cell to state(centroid), scalars to their start there, and the clock.  @collective
  /// @throws PhysicsError on every rank if a state is not physical, naming the cell; InputError if a scalar is not finite.
  void initialise(const std::function<Primitive(Vec3)>& state, double time = 0, std::int64_t step = 0);
  /// Sets the conserved values of the owned cells (kVars each, local order), the clock, the cells of lowered order and
  /// scalar_amounts(): the next steps are bit by bit those of the solver that these were taken from, where refer_to() was called
  /// with its start, and set_circulation() with its circulations; without refer_to() the states that are restored are the
  /// reference.  @collective
  void restore(std::span<const double> conserved, double time, std::int64_t step, const LoweredOrder& lowered = {},
               std::span<const double> scalar_amounts = {});

  /// One time step of at most `dt_limit` seconds.  @collective
  /// A step that leaves the range of the gas (negative density or pressure) is undone and tried again, first order in the cells
  /// where it did and around them (for the next 50 steps too), from the third try on with half the length each time.
  /// @throws PhysicsError on every rank if it still does, or if a physical state is outside residual().limits(), with the cell,
  /// its
  ///   place, its state, its neighbours and its zone;
  ///   conserved() then holds what the failed step made of it.
  /// @cost two exchanges per stage, one reduction per step.
  StepReport step(double dt_limit);

  /// Starts steps, of which finish_steps() reports: those of step() with the time that is left as the limit, halved where a
  /// sliver would be left. A flow on a GPU computes them while the host does other things, and where works_ahead(), without a
  /// look of the host in between; others are done in finish_steps(). Until then time(), steps() and the state are those of now.
  /// @pre time() has not come to ahead.until; no steps are under way.  @collective
  void start_steps(const StepsAhead& ahead);
  /// The steps that were done, at least one: fewer than asked for where one had to be tried again.
  /// @throws as step().  @collective
  std::vector<StepReport> finish_steps();
  static constexpr int kMostAhead = 256;
  /// Returns the largest Courant number that steps have, whatever Numerics::cfl is: most_damped_cfl() where
  /// Numerics::stabilize_simplices damps jumps on this mesh, else infinity.
  [[nodiscard]] double most_cfl() const;
  /// Whether several steps at a time cost less than one by one.
  [[nodiscard]] bool works_ahead() const;
  /// Starts bringing the state from the GPU, so that conserved() and primitive() may be called while steps are under way.
  void keep_state() const;

  /// Root mean square over all cells (volume weighted) of d(conserved)/dt of the first stage of a step, per variable. With local
  /// time steps too, this is the true rate of change: zero when steady. Added in a fixed order. @collective  @cost one reduction.
  [[nodiscard]] std::vector<std::array<double, kVars>> residual_norms(std::span<const StepReport> steps) const;
  /// Of the last step.
  [[nodiscard]] std::array<double, kVars> residual_norms() const;
  /// Makes ghosts, gradients and boundary values those of the present state, for monitors and output.  @collective
  void refresh();
  /// Flux through a boundary face per unit area, out of the domain. @pre refresh() since the last step.
  [[nodiscard]] Conserved boundary_flux(std::size_t zone, std::int32_t face) const;
  /// Returns the state inside at the centroid of each of this rank's faces of a zone, in their order, as the scheme reconstructs
  /// it there. @pre refresh() since the last step.
  [[nodiscard]] std::vector<Primitive> face_states(std::size_t zone) const;
  /// Sum of force_on_face() over this rank's faces of a zone, with arms from `centre`. @pre refresh() since the last step.
  [[nodiscard]] ForceAndMoment force_on(std::size_t zone, double pressure, Vec3 centre) const;
  /// Integral of each conserved variable over the owned cells, in compensated sums, whose order depends on their number alone:
  /// the same digits on the host and on a GPU, which does not bring the state here for it. @pre no steps are under way.
  [[nodiscard]] std::array<double, kVars> integrals() const;
  /// Of rho phi of each scalar likewise.
  [[nodiscard]] std::vector<double> scalar_integrals() const;
  /// State at the point x, linear within the owned cell. @pre refresh() since the last step.
  [[nodiscard]] Primitive cell_state(std::int32_t cell, Vec3 x) const;
  /// Returns the gradients of the owned cells with which the scheme reconstructs, limited; 0 in first order. From a GPU they are
  /// brought here. @pre refresh() since the last step.  @cost 120 bytes per owned cell.
  [[nodiscard]] std::vector<CellGradient> gradients() const;

  [[nodiscard]] std::span<const double> conserved() const;     ///< owned rows x kVars
  [[nodiscard]] Primitive primitive(std::int32_t cell) const;  ///< owned cell
  [[nodiscard]] const std::vector<Scalar>& scalars() const;
  /// rho phi: owned rows x scalars().size()
  [[nodiscard]] std::span<const double> scalar_amounts() const;
  [[nodiscard]] double scalar(int k, std::int32_t cell) const;  ///< of an owned cell
  /// Scalar k at the point x, linear within the owned cell. @pre refresh() since the last step.
  [[nodiscard]] double scalar_at(int k, std::int32_t cell, Vec3 x) const;
  [[nodiscard]] LoweredOrder lowered_order() const;
  [[nodiscard]] bool on_gpu() const { return device_ != nullptr; }
  [[nodiscard]] int threads() const { return residual_.threads(); }  ///< of each rank
  /// Numbers that a core of this machine computes with at once. Results do not depend on it.
  [[nodiscard]] static int lanes() { return detail::lanes(); }
  /// How ghosts travel; empty where there are none.
  [[nodiscard]] std::string transport() const;
  /// What this rank has sent to others in exchanges of ghosts on the host.
  [[nodiscard]] Traffic sent() const;
  [[nodiscard]] const Residual& residual() const { return residual_; }
  [[nodiscard]] Residual& residual() { return residual_; }
  [[nodiscard]] const mesh::Mesh& mesh() const { return residual_.mesh(); }
  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] std::int64_t steps() const { return step_; }
  /// Residual evaluations since construction (stages, not steps).
  [[nodiscard]] std::int64_t evaluations() const { return evaluations_; }
  /// Largest stable dt for the present state at CFL number 1, over all cells of all ranks.
  [[nodiscard]] double stable_dt() const { return stable_dt_; }

 private:
  /// The first cell seen to leave the range of the gas on this rank, described where and when it happened.
  struct BadState {
    double order = -1;  ///< of detection: diverged ones first, then earlier stages, then lower global cell ids; -1: none
    std::string problem;
    Where where;
    std::string hint;
  };

  void refer_to_cells(const std::function<Conserved(std::int32_t)>& start, double time);
  [[nodiscard]] Conserved conserved_of_start(const std::function<Primitive(Vec3)>& start, std::int32_t cell) const;
  void keep_stationary(const std::function<Conserved(std::int32_t)>& state, double time);
  [[nodiscard]] std::vector<double> stationary_rates(const std::function<Conserved(std::int32_t)>& state, double time);
  void restore_order();
  void begin(double time, std::int64_t step);
  void lower_order(std::span<const std::int32_t> cells);
  void lower_order_of_bad_cells();
  void add_sources(double time);
  void set_scalar(std::size_t k, std::size_t cell);
  [[nodiscard]] double cfl() const;
  void set_order_of_step();
  void try_step(double dt, double fraction);
  StepReport settle_step(double dt_limit);
  void update(int stage, double dt, double fraction);
  void note_bad_cell(int stage, std::int32_t cell, bool diverged);
  bool survey();
  double survey_host();
  double survey_device();
  [[noreturn]] void throw_bad_state() const;
  [[nodiscard]] double cell_dt(std::int32_t cell) const;

  Residual residual_;
  SourceTerm source_;
  std::unique_ptr<ScalarTransport> scalars_;       ///< null: there are none
  std::unique_ptr<detail::DeviceStepper> device_;  ///< null on the host
  std::vector<double> memory_;                     ///< of the host
  std::span<double> conserved_;                    ///< there, or as last brought from the GPU
  std::span<double> amounts_;                      ///< of scalars; likewise
  mutable enum class Copy { old, coming, here } copy_ = Copy::here;
  std::optional<StepsAhead> ahead_;            ///< under way
  std::vector<double> start_of_step_;          ///< of the host
  std::vector<double> stationary_rates_;       ///< of the host: volume times d(conserved)/dt of the start; empty: none
  std::vector<double> local_dt_;               ///< s, at CFL 1 for the state at the start of the step; only with local time steps
  std::optional<double> updated_dt_;           ///< s: what the last stage of a step found on the host, until survey() takes it
  std::vector<detail::UpdateReport> updates_;  ///< of runs of cells, in order
  BadState bad_;
  /// Owned cells that left the range of the gas in this try, and the stage that each did in; a cell may repeat.
  std::vector<std::pair<int, std::int32_t>> bad_cells_;
  std::function<Primitive(Vec3)> stationary_;  ///< set_stationary(); empty: the start
  bool reference_is_set_ = false;              ///< by set_reference()
  bool referred_ = false;                      ///< refer_to() or initialise() was called
  std::int64_t lowered_until_ = 0;             ///< step from which on the scheme is of second order everywhere
  std::array<double, kVars> rate_squared_{};   ///< this rank's sum of volume * rate^2
  double time_ = 0, stable_dt_ = 0, volume_ = 0;
  std::int64_t step_ = 0, evaluations_ = 0;
};

}  // namespace weft::flow
