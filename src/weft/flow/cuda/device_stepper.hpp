#pragma once
/// The class that make_device_stepper() creates, and its arrays.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/cuda/device_boundary.hpp"
#include "weft/flow/cuda/device_reconstruction.hpp"
#include "weft/flow/cuda/device_scalars.hpp"
#include "weft/flow/cuda/device_source.hpp"
#include "weft/flow/cuda/device_state.hpp"
#include "weft/flow/cuda/device_tiles.hpp"
#include "weft/flow/cuda/step_control.hpp"
#include "weft/flow/cuda/step_data.hpp"
#include "weft/flow/scheme/stepper.hpp"
#include "weft/task/graph.hpp"

namespace weft::flow::detail {

/// The stepper of a GPU for one combination of scalar types.
///
/// A step is an iteration of a task graph with the tasks of all stages, from whose accesses exchanges of ghosts, streams and
/// events follow. It is recorded for each combination of the buffers and the sums that it computes, so that it is one launch
/// where no host takes part; iterations follow each other in the order of a stream, in which everything else is enqueued as well.
/// @tparam Real  of values, gradients, geometry and fluxes.  @tparam State  of the conserved variables and their update.
template <class Real, class State>
class DeviceStepper final : public Stepper {
 public:
  /// Creates a stepper without allocating GPU memory.
  explicit DeviceStepper(const Scheme& scheme);
  /// Returns the bytes that allocate() takes, and at most the exchanges of all plans. @param matrices  Scheme::least_squares().
  [[nodiscard]] std::size_t bytes(const Tiles& on_host, const TeamVector<double>& matrices);
  /// Called before the functions below. @throws DeviceError where there is not enough memory.
  void allocate(const Tiles& on_host, const TeamVector<double>& matrices, Team& team);
  /// Compiles the plan of a step. @collective  @throws as task::Graph::compile().
  void connect();
  ~DeviceStepper() override {
    try {
      stream_.wait();               // pending work uses the memory
    } catch (const DeviceError&) {  // reported where the stream is waited for
    }
  }
  /// Returns the plan of a step. @pre connect()
  [[nodiscard]] const task::Plan& step_plan() const { return *step_plan_; }

  [[nodiscard]] bool on_gpu() const override { return true; }
  [[nodiscard]] int threads() const override { return scheme_.options().threads; }
  [[nodiscard]] std::string transport() const override { return transport_; }
  [[nodiscard]] Traffic sent() const override { return {}; }
  void close() override;

  void set_parameters(const SchemeParameters& parameters) override;
  void set_circulation(mesh::BoundaryZoneId zone, double circulation) override {
    boundary_.set_circulation(stream_, zone, circulation);
  }
  void set_fallback(std::span<const std::int32_t> flags) override;
  [[nodiscard]] std::vector<double> keep_stationary(std::span<const double> conserved, double time) override;

  [[nodiscard]] StateRows state() override;
  void load() override;
  void start_fetch() const override;
  [[nodiscard]] ConstStateRows fetch() const override;
  [[nodiscard]] DeviceRows on_device() override {
    return {.conserved = state_.buffer(at_.now),
            .primitive = reconstruction_.values(),
            .conserved_in_single = std::is_same_v<State, float>,
            .primitive_in_single = std::is_same_v<Real, float>,
            .stream = &stream_};
  }
  [[nodiscard]] Primitive primitive(mesh::LocalCellId cell) const override;
  [[nodiscard]] std::array<double, kVars> integrals() const override {
    return state_.integrals(stream_, at_.now, tiles_.arrays.inverse_volume);
  }
  [[nodiscard]] std::vector<double> scalar_integrals() const override { return scalars_.integrals(stream_, at_.now); }

  void step(const StepCommand& command) override;
  [[nodiscard]] StepResult result() override;
  [[nodiscard]] const StepFailures& failures() const override { return failures_; }
  void accept() override { at_.start = at_.now; }
  void undo() override;
  [[nodiscard]] bool runs_sequences() const override { return chooses_steps_; }
  void start(const StepSequence& sequence) override;
  [[nodiscard]] std::vector<StepResult> finish() override;

  void refresh(double time) override;
  [[nodiscard]] Conserved boundary_flux(mesh::BoundaryZoneId /*zone*/, mesh::LocalFaceId face) const override {
    return boundary_.flux(face);
  }
  [[nodiscard]] std::vector<Primitive> face_states(mesh::BoundaryZoneId zone) const override {
    return reconstruction_.face_states(stream_, scheme_.mesh().boundary[zone].faces);
  }
  [[nodiscard]] ForceAndMoment force_on(mesh::BoundaryZoneId zone, double pressure, Vec3 centre) const override {
    return boundary_.force_on(stream_, scheme_.mesh().boundary[zone].faces, pressure, centre);
  }
  [[nodiscard]] Primitive cell_state(mesh::LocalCellId cell, Vec3 x) const override {
    return reconstruction_.cell_state(stream_, cell, x);
  }
  [[nodiscard]] std::vector<CellGradient> gradients() const override { return reconstruction_.cell_gradients(stream_); }
  [[nodiscard]] double scalar_at(int k, mesh::LocalCellId cell, Vec3 x) const override {
    return scalars_.at(stream_, k, cell, x);
  }

 private:
  /// The buffers of the state at the start of the step, and of the state after the last stage.
  struct Buffers {
    int start = 0, now = 0;
  };

  /// Computes values and the stable step of the present conserved state.
  void recompute_primitives();
  [[nodiscard]] FluxArgs<Real, State> flux_args();
  /// Returns the arguments of stage `number` of the present step.
  [[nodiscard]] FluxArgs<Real, State> stage_args(int number);
  [[nodiscard]] DeviceScalars::Stage scalar_stage(int number);
  /// Returns the buffer of the state before stage `number` of the present step, whose result is in the other one than the start.
  [[nodiscard]] int before(int number) const { return number == 0 ? at_.start : 1 - at_.start; }
  [[nodiscard]] double time_of(int number) const;

  /// Compiles a graph of the data of a step, whose tasks record(graph, data) records.  @collective
  template <class Record>
  [[nodiscard]] task::Plan compile(const Record& record);
  [[nodiscard]] task::Plan compile_step();
  [[nodiscard]] task::Plan compile_evaluation();  ///< runs the first stage alone
  [[nodiscard]] task::Plan compile_refresh();
  void record_exterior(task::Graph& graph, const StepData& data, int stage);
  void record_stage(task::Graph& graph, const StepData& data, int stage);
  void record_fluxes(task::Graph& graph, const StepData& data, int stage);
  void record_refresh(task::Graph& graph, const StepData& data);
  /// Returns whether the host takes part in the stages of a step. Equal on every rank.
  [[nodiscard]] bool needs_host() const { return boundary_.varies() || source_.needs_host() || scalars_.varies(); }
  void launch_step(bool rates);

  const Scheme& scheme_;
  SchemeParameters parameters_;
  mutable Stream stream_;
  FluxChoice flux_;

  DeviceState<State> state_;
  DeviceVector<double> local_dt_;
  Buffers at_;
  /// Status of the host's copy of the state: out of date, pending, up to date.
  mutable enum class Copy { old, pending, here } copy_ = Copy::here;
  StepFailures failures_;

  StepControl control_;
  DeviceTiles<Real> tiles_;
  DeviceSource<Real> source_;
  DeviceBoundary boundary_;
  DeviceReconstruction<Real> reconstruction_;
  DeviceScalars scalars_;

  struct Started {
    Buffers end;
    bool rates;
  };
  std::vector<Started> started_;  ///< steps of a pending sequence
  bool pending_ = false;          ///< between start() and finish()

  bool has_border_ = false;     ///< some rank has border tiles
  bool chooses_steps_ = false;  ///< the length of a step can be chosen on the GPU
  std::string transport_;
  double time_ = 0, advance_ = 0;  ///< s; bodies read those of the present step if the host takes part in it
  bool rates_ = false;             ///< the sums of rates of the present step are wanted
  std::optional<task::Plan> step_plan_;
  std::optional<task::Plan> evaluation_plan_, refresh_plan_;  ///< compiled when they are run first
};

}  // namespace weft::flow::detail
