#pragma once
/// The class that make_device_stepper creates(), and its arrays.
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/device/graph.hpp"
#include "weft/flow/cuda/device_boundary.hpp"
#include "weft/flow/cuda/device_reconstruction.hpp"
#include "weft/flow/cuda/device_scalars.hpp"
#include "weft/flow/cuda/device_source.hpp"
#include "weft/flow/cuda/device_state.hpp"
#include "weft/flow/cuda/device_tiles.hpp"
#include "weft/flow/cuda/step_control.hpp"
#include "weft/flow/scheme/stepper.hpp"

namespace weft::flow::detail {

/// The stepper of a GPU for one combination of scalar types.
/// @tparam Real  of values, gradients, geometry and fluxes.  @tparam State  of the conserved variables and their update.
template <class Real, class State>
class DeviceStepper final : public Stepper {
 public:
  /// Creates a stepper without allocating GPU memory.
  explicit DeviceStepper(const Scheme& scheme);
  /// Returns the bytes that allocate() takes. @param matrices  Scheme::least_squares().
  [[nodiscard]] std::size_t bytes(const Tiles& on_host, const std::vector<double>& matrices);
  /// Called before the functions below. @throws DeviceError where there is not enough memory.
  void allocate(const Tiles& on_host, const std::vector<double>& matrices);
  /// Sets up the exchanges of ghosts. @collective  @throws as ArrayTransformer::pull.
  void connect();
  ~DeviceStepper() override {
    for (Stream* stream : {&stream_, &border_stream_, &sums_stream_}) {
      try {
        stream->wait();               // pending work uses the memory
      } catch (const DeviceError&) {  // reported where the stream is waited for
      }
    }
  }

  [[nodiscard]] bool on_gpu() const override { return true; }
  [[nodiscard]] int threads() const override { return scheme_.options().threads; }
  [[nodiscard]] std::string transport() const override { return reconstruction_.transport(); }
  [[nodiscard]] Traffic sent() const override { return {}; }
  void close() override;

  void set_parameters(const SchemeParameters& parameters) override;
  void set_circulation(std::size_t zone, double circulation) override { boundary_.set_circulation(stream_, zone, circulation); }
  void set_fallback(std::span<const std::int32_t> flags) override;
  [[nodiscard]] std::vector<double> keep_stationary(std::span<const double> conserved, double time) override;

  [[nodiscard]] StateRows state() override;
  void load() override;
  void start_fetch() const override;
  [[nodiscard]] ConstStateRows fetch() const override;
  [[nodiscard]] DeviceRows on_device() override {
    return {.conserved = state_.buffer(at_.now),
            .primitive = reconstruction_.values(at_.shown),
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
  [[nodiscard]] bool runs_sequences() const override { return can_be_graph() && control_.can_choose_steps(); }
  void start(const StepSequence& sequence) override;
  [[nodiscard]] std::vector<StepResult> finish() override;

  void refresh(double time) override;
  [[nodiscard]] Conserved boundary_flux(std::size_t /*zone*/, mesh::LocalFaceId face) const override {
    return boundary_.flux(face);
  }
  [[nodiscard]] std::vector<Primitive> face_states(std::size_t zone) const override {
    return reconstruction_.face_states(stream_, at_.shown, scheme_.mesh().boundary[zone].faces);
  }
  [[nodiscard]] ForceAndMoment force_on(std::size_t zone, double pressure, Vec3 centre) const override {
    return boundary_.force_on(stream_, scheme_.mesh().boundary[zone].faces, pressure, centre);
  }
  [[nodiscard]] Primitive cell_state(mesh::LocalCellId cell, Vec3 x) const override {
    return reconstruction_.cell_state(stream_, at_.shown, cell, x);
  }
  [[nodiscard]] std::vector<CellGradient> gradients() const override { return reconstruction_.cell_gradients(stream_); }
  [[nodiscard]] double scalar_at(int k, mesh::LocalCellId cell, Vec3 x) const override {
    return scalars_.at(stream_, k, cell, x);
  }

 private:
  /// The buffers of the state at the start of the step, the state after the last stage, and its primitive values.
  struct Buffers {
    int start = 0, now = 0, shown = 0;
    auto operator<=>(const Buffers&) const = default;
  };

  /// Computes values and the stable step of the present conserved state.
  void recompute_primitives();
  [[nodiscard]] FluxArgs<Real, State> flux_args();
  [[nodiscard]] FluxArgs<Real, State> stage_args(int number, int out);
  void stage(int number, double time);
  void all_stages(double time, double advance, bool rates);
  void launch_step(double time, double advance, bool rates);
  /// Returns whether a step is a sequence of kernels without the host.
  [[nodiscard]] bool can_be_graph() const;

  const Scheme& scheme_;
  SchemeParameters parameters_;
  mutable Stream stream_;
  Stream border_stream_{Priority::high};  ///< exchanges and border tiles, concurrent with the inner tiles; idle between stages
  Stream sums_stream_;                    ///< sums that only the end of a step waits for
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

  /// A captured step, and the buffers that it ends with; indexed by those that it begins with, and whether rates are computed.
  struct StepGraph {
    Graph graph;
    Buffers end;
  };
  std::map<std::pair<Buffers, bool>, StepGraph> graphs_;
  std::int64_t steps_done_ = 0;
};

}  // namespace weft::flow::detail
