#pragma once
/// The residual of the Euler equations on the host: the net flux into each cell, from the values of the cells.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/base/team.hpp"
#include "weft/flow/host/gradient_geometry.hpp"
#include "weft/flow/host/loops.hpp"
#include "weft/flow/host/share.hpp"
#include "weft/flow/host/stage.hpp"
#include "weft/flow/physics/cell_gradient.hpp"
#include "weft/flow/scheme/operation_counts.hpp"
#include "weft/flow/scheme/scheme.hpp"
#include "weft/task/graph.hpp"

namespace weft::flow {

/// Cell-centred finite volumes of second order (Barth & Jespersen, AIAA 89-0366): limited linear reconstruction of primitive
/// values, a Riemann flux per face.
///
/// Holds the values of all rows (owned, ghost, boundary), gradients and the residual, and records the tasks that compute them in
/// the graphs of a HostStepper, which inserts the exchanges of ghosts. The gradients of most inner cells are computed and used
/// block by block and not stored. Bodies divide their work among the threads of team() and run one after the other.
class Residual {
 public:
  static constexpr int kVars = IdealGas::kVars;

  /// @param scheme  outlives this object; its options define the number of threads, on which results do not depend, to the last
  ///   bit.
  /// @throws MeshError on every rank for stencils without a gradient; LimitError where threads cannot be started.  @collective
  explicit Residual(const Scheme& scheme);
  Residual(const Residual&) = delete;
  Residual& operator=(const Residual&) = delete;

  /// Returns the primitive values: density, velocity, pressure of every row; the caller writes owned rows only.
  [[nodiscard]] ArrayPair<double, kVars>& values() { return values_; }
  [[nodiscard]] const ArrayPair<double, kVars>& values() const { return values_; }
  /// Returns volume times d(conserved)/dt in the owned rows.
  [[nodiscard]] ArrayPair<double, kVars>& residual() { return residual_; }
  /// Returns the index space of arrays of owned cells, without ghosts.
  [[nodiscard]] const GhostPlan& owned_space() const { return residual_.plan(); }

  /// Adds its arrays to a graph.
  void add_data(task::Graph& graph, detail::StageData& data);
  /// Records an evaluation: sets boundary rows from the owned values at the time of `stage`, computes gradients, and adds the
  /// fluxes to residual(), which earlier tasks have set to zero (or to sources).
  /// @param stage  must live as long as the plans of the graph.
  void record_evaluation(task::Graph& graph, const detail::StageData& data, const detail::Stage& stage);
  /// Records an evaluation except for the fluxes: after it, face_state() and boundary_flux() are those of the present values.
  void record_refresh(task::Graph& graph, const detail::StageData& data, const detail::Stage& stage);

  void set_parameters(const SchemeParameters& parameters) { parameters_ = parameters; }
  /// Sets the circulation of the vortex that disturbs the far field of a zone, m^2/s.
  void set_circulation(mesh::BoundaryZoneId zone, double circulation) { boundary_params_[zone].vortex.circulation = circulation; }
  /// Sets FirstOrderFallback::flags(), which are read until the next call; empty: second order everywhere.
  void set_fallback(std::span<const std::int32_t> flags) { fallback_ = flags; }
  [[nodiscard]] std::span<const std::int32_t> fallback() const { return fallback_; }

  /// Returns the mass flux of each face, kg/s, out of its left cell, minus that of a stationary state: of an evaluation, and of a
  /// refresh at the boundary. Empty without scalars.
  [[nodiscard]] std::span<const double> mass_fluxes() const { return mass_fluxes_.storage(); }
  /// Sets the mass fluxes of a stationary state, as mass_fluxes(), that the tasks subtract; empty: none.
  void set_stationary_mass_fluxes(std::vector<double> fluxes) { stationary_mass_fluxes_ = std::move(fluxes); }
  /// Returns the view of the kernels, also for those of the scalars; const members only read through it.
  [[nodiscard]] detail::ResidualView view() const;

  /// Returns the flux through a boundary face per unit area, out of the domain. @pre evaluated or refreshed since values changed.
  [[nodiscard]] Conserved boundary_flux(mesh::BoundaryZoneId zone, mesh::LocalFaceId face) const;
  /// Returns the interior state at the centroid of a face (reconstructed in its left cell).
  [[nodiscard]] Primitive face_state(mesh::LocalFaceId face) const;
  /// Returns the state at the point x, linear within the owned cell. @pre refreshed since values changed.
  [[nodiscard]] Primitive cell_state(mesh::LocalCellId cell, Vec3 x) const;
  /// Returns the limited gradients of the owned cells; 0 without gradients. @pre refreshed since values changed.
  [[nodiscard]] std::vector<CellGradient> gradients() const;

  [[nodiscard]] const Scheme& scheme() const { return scheme_; }
  /// Returns the threads of the host, for loops over owned cells.
  [[nodiscard]] Team& team() { return team_; }
  [[nodiscard]] int threads() const { return team_.size(); }
  /// Moves rows of owned cells next to the threads that compute them, if the threads are bound to several NUMA nodes.
  void place_rows(std::span<double> array, std::size_t width);

 private:
  // The operations of tasks (operation_counts.hpp).
  /// Returns the size of a task. @param cells  whose gradients are computed.  @param faces  whose fluxes are.
  [[nodiscard]] detail::KernelSize size_of(const detail::Indices& cells, double faces) const;
  /// The tasks that set boundary rows and store gradients: those of the inner cells that other shares need, of all inner
  /// cells, and of border cells.
  enum class GradientTask { shared, inner, border };
  [[nodiscard]] task::OperationCount count_of_gradients(GradientTask task) const;
  /// Returns the count of a half of the blocks of all shares.
  [[nodiscard]] task::OperationCount count_of_blocks(bool second_half) const;
  [[nodiscard]] task::OperationCount count_of_remaining_fluxes() const;
  [[nodiscard]] task::OperationCount count_of_interfaces() const;
  [[nodiscard]] detail::HostCounts counts() const;

  // Record the tasks that evaluations and refreshes have in common.
  void record_prescription(task::Graph& graph, const detail::StageData& data, const detail::Stage& stage);
  void record_border_gradients(task::Graph& graph, const detail::StageData& data);
  void record_stationary(task::Graph& graph, const detail::StageData& data, std::int32_t first);
  [[nodiscard]] bool has_border() const { return mesh_.inner_cells < mesh_.owned_cells; }
  /// Runs work(share) on every thread with its share.
  template <class Work>
  void share_out(const Work& work);
  /// Moves arrays that are indexed by cells and faces next to the threads that use them, as place_rows().
  void place_arrays();
  /// Sets the boundary ghost cells whose states functions prescribe.
  void prescribe(double time);
  /// Sets the other boundary ghost cells at the faces of some cells of a share. Those of border cells need the values of ghosts.
  void set_boundary_ghosts(const detail::Share::Cells& cells);
  void gradients(const detail::Indices& cells);
  /// Sets the gradients of these cells to zero in the first-order fallback: both sides of every face of its cells are cell means.
  void clear_fallback_gradients(const detail::Indices& cells);
  /// Computes the states on the sides of the faces of some blocks of a share, and the fluxes through them, block by block.
  void blocks(detail::Share& share, std::size_t first, std::size_t last);
  /// Computes the fluxes through other faces between two cells, from stored gradients.
  void fluxes(detail::Share& share, const detail::Indices& faces);
  void boundary_fluxes(const detail::Share& share);
  /// Subtracts the mass fluxes of the stationary state, if there is one, from those of the faces first <= f < last.
  void subtract_stationary(std::int32_t first, std::int32_t last);
  /// Returns the faces of the cells first <= c < last among those of a zone or of ghosts.
  [[nodiscard]] mesh::FaceRange faces_of(const detail::Share::Cells& cells, mesh::FaceRange faces) const;
  /// Calls work(zone, faces) with the faces of these cells in each zone.
  template <class Work>
  void each_boundary(const detail::Share::Cells& cells, const Work& work) const;

  const Scheme& scheme_;
  const mesh::Mesh& mesh_;
  const Discretization& discretization_;
  SchemeParameters parameters_;
  IdVector<mesh::BoundaryZoneId, BoundaryParams> boundary_params_;
  Team team_;
  std::vector<detail::Share> shares_;  ///< one per thread
  std::size_t parts_ = 1;              ///< tasks of each half of the blocks, the same on all ranks
  IdVector<mesh::BoundaryZoneId, std::vector<Primitive>>
      prescribed_;                        ///< states of the faces of a zone, in order; empty where nothing is prescribed
  ArrayPair<double, kVars> values_;       ///< with boundary rows
  ArrayPair<double, Dynamic> gradients_;  ///< dim x kVars
  ArrayPair<double> sensors_;             ///< ShockSensor of owned and ghost cells; without rows where the flux takes none
  ArrayPair<double, kVars> residual_;
  detail::GradientGeometry geometry_;
  std::vector<std::int32_t> state_slots_;  ///< as in detail::ResidualView
  ArrayPair<double> mass_fluxes_;
  std::vector<double> stationary_mass_fluxes_;
  detail::LimiterChoice limiter_;
  detail::FluxChoice flux_;
  std::span<const std::int32_t> fallback_;  ///< flags of owned and ghost cells; empty: none
};

template <class Work>
void Residual::each_boundary(const detail::Share::Cells& cells, const Work& work) const {
  for (const mesh::BoundaryZoneId z : boundary_params_.ids()) work(z, faces_of(cells, mesh_.boundary[z].faces));
}

}  // namespace weft::flow
