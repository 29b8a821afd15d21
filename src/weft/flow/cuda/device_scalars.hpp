#pragma once
/// Passive scalars in the memory of the current GPU: ScalarTransport with the same kernels (scalar_kernels.hpp), one thread per
/// cell, always in double.
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/device/buffers.hpp"
#include "weft/flow/cuda/array_list.hpp"
#include "weft/flow/cuda/step_data.hpp"
#include "weft/flow/cuda/tile_launch.hpp"
#include "weft/flow/scheme/boundary_scalars.hpp"

namespace weft::flow::detail {

struct DeviceScalarView;

/// The scalars of a scheme. Without scalars it has no arrays, and its functions do nothing.
class DeviceScalars {
 public:
  /// @param parameters  current at each call. Both outlive this object.
  DeviceScalars(const Scheme& scheme, const SchemeParameters& parameters)
      : scheme_(scheme), parameters_(parameters), inflow_values_(scheme) {}
  /// Returns the bytes that allocate() takes. @param matrices  Scheme::least_squares().
  [[nodiscard]] std::size_t bytes(const TeamVector<double>& matrices);
  /// Returns a bound of the bytes that the exchanges of a plan take.
  [[nodiscard]] std::size_t exchange_bytes(const TeamVector<double>& matrices);
  /// Called before the functions below. @throws DeviceError where there is not enough memory.
  void allocate(const TeamVector<double>& matrices);

  /// Returns the mass flows out of each cell through its faces, kg/s, in the order of Discretization::cell_face, which the flux
  /// kernel writes. Null without scalars.
  [[nodiscard]] double* outflows() const { return outflows_.data(); }
  /// Returns Discretization::cell_face_offset.
  [[nodiscard]] const std::int32_t* cell_face_offset() const { return cell_face_offset_.data(); }
  /// Returns whether the host takes part in a stage, because boundary values vary. Equal on every rank.
  [[nodiscard]] bool varies() const { return inflow_values_.varies(); }
  [[nodiscard]] std::optional<BoundaryScalars::BadValue> take_bad() { return inflow_values_.take_bad(); }

  /// A stage of a step, or an evaluation. Bodies of tasks ask for it when they are called.
  struct Stage {
    double time = 0;                     ///< s
    int start = 0, now = 0, result = 0;  ///< buffers of the amounts: at the start of the step, present, result of the stage
    double start_weight = 0;             ///< as in RungeKuttaStage
    const double* local_dt = nullptr;    ///< in the first stage of a step with local time steps: those of the cells
    const StepClock* clock = nullptr;
    const std::int32_t* fallback = nullptr;
  };
  using StageOf = std::function<Stage()>;
  /// Adds its data to a graph. @param has_border  some rank has border cells; StepData::border is used by tasks of these only.
  void add_data(task::Graph& graph, StepData& data, bool has_border);
  /// Records a task that computes values of the owned cells from present amounts and conserved variables, before the flow changes
  /// these, and copies the stable steps of the cells.
  template <class State>
  void record_values(task::Graph& graph, const StepData& data, const StageOf& stage, std::function<const State*()> conserved);
  /// Records a task that computes the mass flows through the boundary where no stage has computed them.
  /// @param boundary_fluxes  of the flow, per unit area, by boundary face.
  void record_boundary_flows(task::Graph& graph, const StepData& data, const Conserved* boundary_fluxes);
  /// Records tasks that compute boundary values and slopes from mass flows at the boundary.
  void record_slopes(task::Graph& graph, const StepData& data, const StageOf& stage);
  /// Records tasks that compute the stage, after that of the flow: slopes and amounts, which do not change in a halted step.
  void record_stage(task::Graph& graph, const StepData& data, const StageOf& stage);
  /// Sets the mass flows of the stationary state, which tasks subtract, to the flows that the flux kernel has
  /// written last. @pre Numerics::well_balanced.
  void keep_stationary(Stream& stream);
  /// Sets the mass flows of the stationary state to zero. @pre Numerics::well_balanced.
  void clear_stationary(Stream& stream) { set_bytes(stream, stationary_.data(), 0, stationary_.size() * sizeof(double)); }
  /// Returns scalar k at the point x, linear within the owned cell. @pre the slopes are those of the present values
  [[nodiscard]] double at(Stream& stream, int k, mesh::LocalCellId cell, Vec3 x) const;

  /// Returns rho phi of the owned cells in page-locked memory: the input of upload(), and the result of the last start_fetch().
  [[nodiscard]] std::span<double> amounts() const { return carried_.span(); }
  void upload(int buffer);
  /// Starts copying the amounts after the present work of the stream; fetched() completes with the copy.
  void start_fetch(Stream& stream, int buffer) const;
  [[nodiscard]] const Event& fetched() const { return fetched_; }
  /// Returns the integral of rho phi of each scalar over the owned cells. Waits for the work of the stream so far.
  [[nodiscard]] std::vector<double> integrals(Stream& stream, int buffer) const;

 private:
  template <class Visit>
  void each_array(const TeamVector<double>& matrices, Visit&& visit);
  [[nodiscard]] int count() const { return inflow_values_.count(); }
  [[nodiscard]] DeviceScalarView view(const std::int32_t* fallback);
  template <class State>
  void set_values(Stream& stream, const Stage& stage, const State* conserved);
  void set_boundary_flows(Stream& stream, const Conserved* boundary_fluxes);
  void subtract_stationary(Stream& stream);
  void set_inflow(Stream& stream, double time);
  // For the cells first <= c < last:
  void set_boundary_rows(Stream& stream, std::int32_t first, std::int32_t last);
  void slopes(Stream& stream, const std::int32_t* fallback, std::int32_t first, std::int32_t last);
  void update(Stream& stream, const Stage& stage, std::int32_t first, std::int32_t last);

  const Scheme& scheme_;
  const SchemeParameters& parameters_;
  BoundaryScalars inflow_values_;
  DeviceVector<std::int32_t> cell_face_offset_, cell_face_rows_;
  DeviceVector<mesh::LocalFaceId> cell_faces_;
  DeviceVector<std::int32_t> stencil_offset_, stencil_rows_;  ///< empty if stencils are the rows on the other sides of the faces
  DeviceVector<std::int32_t> left_row_;
  DeviceVector<Vec3> centroids_, face_centroids_, face_normals_;
  DeviceVector<double> face_areas_, inverse_volumes_, matrices_;
  DeviceVector<double> outflows_, stationary_;  ///< stationary_: outflows_ of a stationary state; empty: nothing is subtracted
  DeviceVector<std::int32_t> boundary_entry_, boundary_left_, boundary_brings_;  ///< one per boundary face
  DeviceVector<std::int32_t> extrapolation_offset_, extrapolation_row_;          ///< Discretization::boundary_extrapolation
  DeviceVector<double> extrapolation_weight_, boundary_areas_, inflow_;
  DeviceVector<double> amounts_[2];
  ArrayPair<double, Dynamic> values_;  ///< count, with boundary rows
  ArrayPair<double, Dynamic> slopes_;  ///< count x dim; 0 in first order
  DeviceVector<double> local_dt_;      ///< s, at the start of the step
  mutable PinnedBuffer<double> carried_;
  mutable Event fetched_;
};

}  // namespace weft::flow::detail
