#pragma once
/// The residual of the Euler equations: what flows into each cell per second, from the cells' values.
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/base/team.hpp"
#include "weft/flow/host/loops.hpp"
#include "weft/flow/host/share.hpp"
#include "weft/flow/physics/boundary.hpp"
#include "weft/flow/physics/cell_gradient.hpp"
#include "weft/flow/physics/gas.hpp"
#include "weft/flow/physics/jump_damping.hpp"
#include "weft/flow/physics/scalar.hpp"
#include "weft/flow/physics/source.hpp"
#include "weft/flow/physics/state_limits.hpp"
#include "weft/flow/scheme/discretization.hpp"
#include "weft/flow/scheme/numerics.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// A boundary zone's condition, in the order of mesh.boundary.
struct BoundaryCondition {
  BoundaryParams params;
  /// Where given, the state outside a face as a function of its centroid and time, whatever params.kind says: it meets the inside
  /// state in the numerical flux. Called on the thread that makes a step or, where it does not change with time, the solver.
  std::function<Primitive(Vec3, double)> prescribed{};
  std::vector<ScalarInflow> scalars{};  ///< what comes in with the gas, in the order of the scalars; 0 of those that are not here
  bool of_time = true;                  ///< whether `prescribed` changes with time: else it is asked at the start only
};

/// Cell-centred finite volumes of second order (Barth & Jespersen, AIAA 89-0366): limited linear reconstruction of primitive
/// values, a Riemann flux per face, ghosts refreshed while inner cells are computed.
///
/// Holds the values of all rows (owned, ghost, boundary), gradients and the residual. One evaluation, in which the gradients of
/// most inner cells are made and used block by block and not stored:
///   start pull of values -> boundary rows and gradients of inner cells -> wait -> the same of border cells
///   -> start pull of gradients -> fluxes of inner and boundary faces -> wait -> fluxes of ghost-touching faces.
class Residual {
 public:
  static constexpr int kVars = IdealGas::kVars;

  /// @param mesh  outlives this object.  @param stencil  neighbours that cell_cells of the mesh lists.
  /// @param backend  where the arrays are: Backend::host, or a GPU's, and then they are a DeviceStepper's: this is the scheme
  /// alone.
  /// @param transport  how ghosts travel, on the host.
  /// @param threads  that compute on the host, with the same bits whatever their number; equal on every rank.
  /// @throws MeshError on every rank for stencils without a gradient; LimitError where threads cannot be started.  @collective
  Residual(const mesh::Mesh& mesh, IdealGas gas, std::vector<BoundaryCondition> boundary, Numerics numerics,
           mesh::Neighbours stencil, Backend backend = Backend::host, Transport transport = Transport::automatic,
           int threads = 1);
  Residual(const Residual&) = delete;
  Residual& operator=(const Residual&) = delete;

  /// Primitive values: density, velocity, pressure of every row; the caller writes owned rows only.
  [[nodiscard]] std::span<double> values() { return values_; }
  [[nodiscard]] std::span<const double> values() const { return values_; }
  /// Owned rows: volume times d(conserved)/dt.
  [[nodiscard]] std::span<double> residual() { return residual_; }

  /// From the owned values at time `time`, s: refreshes ghost and boundary rows, computes gradients, and adds the fluxes to
  /// residual(), which the caller has set to zero (or to its sources).  @collective
  void evaluate(double time);

  /// As evaluate() but without fluxes: after it, face_state() and boundary_flux() are those of the present values.  @collective
  void refresh(double time);

  /// As Solver::close(). @collective
  void close();

  /// Makes the scheme first order in these owned cells and in the cells next to them, until restore_order(): where the
  /// second-order scheme drains a cell of its energy (a strong expansion around a corner), the first-order one does not.
  /// @collective
  void lower_order(std::span<const std::int32_t> cells);
  void restore_order();
  /// The most that a cell's limiter may be from now on, 0 to 1: 0 is first order.
  void set_order(double order) { order_ = order; }
  [[nodiscard]] double order() const { return order_; }
  [[nodiscard]] std::span<const std::int32_t> lowered() const { return lowered_; }  ///< owned and ghost cells: 1 where lowered
  [[nodiscard]] bool order_lowered() const { return order_lowered_; }               ///< of any cell; equal on every rank
  [[nodiscard]] bool order_lowered(std::int32_t cell) const { return lowered_[static_cast<std::size_t>(cell)] != 0; }  ///< owned

  /// From now on evaluate() writes down the mass that flows through each face, and refresh() that of the boundary's.
  void keep_mass_fluxes() { mass_fluxes_.resize(static_cast<std::size_t>(mesh_.faces())); }
  /// kg/s, by face, out of its left cell, less those of a stationary state; empty where they are not kept.
  [[nodiscard]] std::span<const double> mass_fluxes() const { return mass_fluxes_; }
  /// Sets the mass fluxes of a stationary state, as mass_fluxes(), that evaluate() and refresh() subtract; empty: none.
  void set_stationary_mass_fluxes(std::vector<double> fluxes) { stationary_mass_fluxes_ = std::move(fluxes); }
  /// What the kernels see, for those of other quantities that the flow carries; const members only read through it.
  [[nodiscard]] detail::ResidualView view() const;

  /// Flux through a boundary face per unit area, out of the domain. @pre evaluate() or refresh() since values changed.
  [[nodiscard]] Conserved boundary_flux(std::size_t zone, std::int32_t face) const;
  /// State inside at the centroid of a face (reconstructed in its left cell).
  [[nodiscard]] Primitive face_state(std::int32_t face) const;
  /// State at the point x, linear within the owned cell. @pre refresh() since values changed.
  [[nodiscard]] Primitive cell_state(std::int32_t cell, Vec3 x) const;
  /// Returns the limited gradients of the owned cells; 0 where the scheme makes none. @pre refresh() since values changed.
  [[nodiscard]] std::vector<CellGradient> gradients() const;

  [[nodiscard]] const Discretization& discretization() const { return discretization_; }
  [[nodiscard]] const mesh::Mesh& mesh() const { return mesh_; }
  /// How ghosts travel on the host; empty where there are none.
  [[nodiscard]] const std::string& transport() const { return transport_; }
  /// What this rank has sent to others in all exchanges of ghosts on the host.
  [[nodiscard]] Traffic sent() const;
  [[nodiscard]] const IdealGas& gas() const { return gas_; }
  [[nodiscard]] const Numerics& numerics() const { return numerics_; }
  /// The factor of damp_jump() at faces between two cells, which grows with the order; 0: jumps are not damped.
  [[nodiscard]] double jump_damping() const { return discretization_.stabilized ? order_ * kJumpDamping : 0; }
  /// Of ShockSensor::of_velocity().
  [[nodiscard]] double shock_threshold() const { return numerics_.well_balanced ? ShockSensor::kThresholdAtRest : 0; }
  /// By which the variables vary: Venkatakrishnan's parameter is relative to it.
  [[nodiscard]] const Primitive& scale() const { return scale_; }
  /// Length to which Venkatakrishnan's parameter relates the sizes of cells, m; with another limiter 1.
  [[nodiscard]] double reference_length() const { return reference_length_; }
  /// Limits outside which a state counts as diverged.
  [[nodiscard]] const StateLimits& limits() const { return limits_; }
  [[nodiscard]] const std::vector<BoundaryCondition>& boundary() const { return boundary_; }
  /// The threads that compute on the host: for loops over owned cells.
  [[nodiscard]] Team& team() { return team_; }
  [[nodiscard]] int threads() const { return team_.size(); }
  /// Sets the reference state that scales Venkatakrishnan's parameter. @pre positive density and pressure; no step was made yet
  /// (a GPU keeps steps as graphs).
  void set_reference(const Primitive& reference);
  /// Sets the circulation of the vortex that disturbs the far field of a zone, m^2/s. Does not reach a GPU: see Solver.
  void set_circulation(std::size_t zone, double circulation) { boundary_[zone].params.vortex.circulation = circulation; }
  /// Sets limits(). @pre no step was made yet, as above.
  void set_limits(const StateLimits& limits) { limits_ = limits; }

 private:
  /// Fills pulls_ and face_arms_, as far as the scheme reads them.
  template <int Dim>
  void precompute();
  /// Has every thread compute work(share) of its share.
  template <class Work>
  void share_out(const Work& work);
  [[nodiscard]] double* row_behind(mesh::LocalFaceId face);
  /// The states that functions prescribe behind boundary faces.
  void prescribe(double time);
  /// The others, behind the faces of some cells of a share, of which those of the border need the values of ghosts.
  void boundary_rows(const detail::Share::Cells& cells);
  void gradients(const detail::Numbers& cells);
  void flatten_lowered(const detail::Numbers& cells);
  /// States on the sides of the faces of some blocks of a share, and the fluxes through them, block by block.
  void blocks(detail::Share& share, std::size_t first, std::size_t last);
  /// Fluxes through any other faces between two cells, from stored gradients.
  void fluxes(detail::Share& share, const detail::Numbers& faces);
  void boundary_fluxes(const detail::Share& share);
  /// Subtracts the mass fluxes of the stationary state, if there is one, from those of the faces first <= f < last.
  void subtract_stationary(std::int32_t first, std::int32_t last);
  /// Of a zone, or of ghosts: the faces of the cells first <= c < last.
  [[nodiscard]] mesh::FaceRange faces_of(const detail::Share::Cells& cells, mesh::FaceRange faces) const;
  /// Calls work(zone, faces) with the faces of these cells in each zone.
  template <class Work>
  void each_boundary(const detail::Share::Cells& cells, const Work& work) const;

  const mesh::Mesh& mesh_;
  IdealGas gas_;
  std::vector<BoundaryCondition> boundary_;
  Numerics numerics_;
  Discretization discretization_;
  Team team_;
  std::vector<detail::Share> shares_;               ///< of each thread
  std::vector<std::vector<Primitive>> prescribed_;  ///< by zone, of its faces in order; empty where nothing is prescribed
  std::vector<double> values_, gradients_;
  std::vector<double> sensors_;  ///< ShockSensor of owned and ghost cells; empty where the flux takes none
  std::vector<double> residual_;
  std::vector<double> pulls_, face_arms_;   ///< of stencils and of cells' faces, as in detail::ResidualView
  std::vector<std::int32_t> state_places_;  ///< as there
  std::vector<double> mass_fluxes_, stationary_mass_fluxes_;
  detail::LimiterChoice limiter_;
  detail::FluxChoice flux_;
  std::vector<std::int32_t> lowered_;  ///< of owned and ghost cells: 1 where the order is lowered
  bool order_lowered_ = false;         ///< equal on every rank
  double order_ = 1;
  Primitive scale_{1, {1, 1, 1}, 1};
  double reference_length_ = 1;
  StateLimits limits_{};
  Exchange pull_lowered_;
  std::optional<Exchange> pull_values_, pull_gradients_;
  std::string transport_;
};

}  // namespace weft::flow
