#pragma once
/// The stepper of the host.
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/flow/host/host_source.hpp"
#include "weft/flow/host/residual.hpp"
#include "weft/flow/host/scalar_transport.hpp"
#include "weft/flow/host/stage.hpp"
#include "weft/flow/scheme/boundary_scalars.hpp"
#include "weft/flow/scheme/stepper.hpp"
#include "weft/task/graph.hpp"

namespace weft::flow {

/// Computes steps on the host: in each stage sources and fluxes (Residual), then the scalars, then the update of the owned cells,
/// which also computes their primitive values and, in the last stage, the stable step.
///
/// A stage is an iteration of a task graph, from whose accesses exchanges of ghosts and their places follow. Its plan has one
/// thread, which communicates and calls user functions; bodies divide their work among the threads of the scheme.
class HostStepper final : public Stepper {
 public:
  /// Constructs as Stepper::make() does. @param check  of the plans of tasks, for tests.  @collective
  explicit HostStepper(const Scheme& scheme, task::Check check = task::Check::none);

  [[nodiscard]] Residual& residual() { return residual_; }
  /// Adds sources and fluxes of residual().values() at `time`, s, to residual().residual(), which the caller has set to zero.
  /// @throws on every rank what a user function throws.  @collective
  void evaluate(double time);
  /// Returns the plan of a stage.
  [[nodiscard]] const task::Plan& stage_plan() const { return stage_plan_; }
  /// Returns what a stage would be on one of any number of pretended ranks, see task::Graph::dry(). @param cells  of that rank.
  [[nodiscard]] task::DryPlan dry_stage(int ranks, const task::PretendedRows& cells) const;

  [[nodiscard]] bool on_gpu() const override { return false; }
  [[nodiscard]] int threads() const override { return residual_.threads(); }
  [[nodiscard]] std::string transport() const override;
  [[nodiscard]] Traffic sent() const override;
  void close() override;

  void set_parameters(const SchemeParameters& parameters) override;
  void set_circulation(mesh::BoundaryZoneId zone, double circulation) override { residual_.set_circulation(zone, circulation); }
  void set_fallback(std::span<const std::int32_t> flags) override { residual_.set_fallback(flags); }
  [[nodiscard]] std::vector<double> keep_stationary(std::span<const double> conserved, double time) override;

  [[nodiscard]] StateRows state() override { return {conserved_.storage(), scalars_.amounts()}; }
  void load() override;
  void start_fetch() const override {}
  [[nodiscard]] ConstStateRows fetch() const override { return {conserved_.storage(), scalars_.amounts()}; }
  [[nodiscard]] std::span<const double> primitives() const override;
  [[nodiscard]] Primitive primitive(mesh::LocalCellId cell) const override;
  [[nodiscard]] std::array<double, kVars> integrals() const override;
  [[nodiscard]] std::vector<double> scalar_integrals() const override;

  /// Computes as Stepper::step() does. @throws on this rank alone what a user function throws: the others complete the step.
  void step(const StepCommand& command) override;
  [[nodiscard]] StepResult result() override;
  [[nodiscard]] const StepFailures& failures() const override { return failures_; }
  void accept() override {}
  void undo() override;

  void refresh(double time) override;
  [[nodiscard]] Conserved boundary_flux(mesh::BoundaryZoneId zone, mesh::LocalFaceId face) const override {
    return residual_.boundary_flux(zone, face);
  }
  [[nodiscard]] std::vector<Primitive> face_states(mesh::BoundaryZoneId zone) const override;
  [[nodiscard]] ForceAndMoment force_on(mesh::BoundaryZoneId zone, double pressure, Vec3 centre) const override;
  [[nodiscard]] Primitive cell_state(mesh::LocalCellId cell, Vec3 x) const override { return residual_.cell_state(cell, x); }
  [[nodiscard]] std::vector<CellGradient> gradients() const override { return residual_.gradients(); }
  [[nodiscard]] double scalar_at(int k, mesh::LocalCellId cell, Vec3 x) const override { return scalars_.at(k, cell, x); }

 private:
  /// Returns a graph of the data of a stage, whose tasks record(graph, data) records.
  template <class Record>
  [[nodiscard]] task::Graph graph_of(const Record& record);
  [[nodiscard]] task::Graph graph_of_stage();
  /// Compiles a graph. @collective
  [[nodiscard]] task::Plan compile(const task::Graph& graph) const;
  void update();
  /// Computes primitive values, checks them against the limits, and returns the smallest stable step of the owned cells.
  double recompute_primitives();
  /// Adds a cell to the failures whose state is outside the limits.
  void note_failure(int stage, mesh::LocalCellId cell);

  const Scheme& scheme_;
  task::Check check_;
  SchemeParameters parameters_;
  StepCommand command_;
  detail::Stage stage_;
  Residual residual_;
  HostSource source_;
  BoundaryScalars boundary_scalars_;
  ScalarTransport scalars_;
  ArrayPair<double, kVars> conserved_, start_of_step_;
  ArrayPair<double> local_dt_;                 ///< s, at CFL 1 for the state at the start of the step; only with local time steps
  std::optional<double> stable_dt_;            ///< s, found by the last stage of a step; none: recompute_primitives() finds it
  std::vector<detail::UpdateReport> updates_;  ///< one per run of cells, in order
  std::array<double, kVars> rate_squared_{};
  StepFailures failures_;
  task::Graph stage_graph_;
  task::Plan stage_plan_;
  std::optional<task::Plan> evaluation_plan_, refresh_plan_;  ///< compiled when they are run first
};

}  // namespace weft::flow
