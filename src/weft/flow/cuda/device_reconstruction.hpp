#pragma once
/// Primitive values, gradients and states on faces in the memory of the current GPU.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/flow/cuda/array_list.hpp"
#include "weft/flow/cuda/device_boundary.hpp"
#include "weft/flow/cuda/device_tiles.hpp"
#include "weft/flow/cuda/step_data.hpp"
#include "weft/flow/cuda/tile_launch.hpp"
#include "weft/flow/scheme/stepper.hpp"

namespace weft::flow::detail {

/// Primitive values of all rows, and what is computed of them: ghosts, boundary ghost cells, gradients, and the states on the
/// sides of faces from which the flux kernel starts. That kernel reads no values, and overwrites those of the owned cells.
/// @tparam Real  double or float.
template <class Real>
class DeviceReconstruction {
 public:
  /// @param parameters  the present ones at each call. All outlive this object.
  DeviceReconstruction(const Scheme& scheme, const SchemeParameters& parameters, const DeviceTiles<Real>& tiles,
                       DeviceBoundary& boundary);
  /// Returns the bytes that allocate() takes.
  [[nodiscard]] std::size_t bytes(const Tiles& on_host);
  /// Returns a bound of the bytes that the exchanges of a plan take.
  [[nodiscard]] std::size_t exchange_bytes(const Tiles& on_host);
  /// Called before the functions below. @throws DeviceError where there is not enough memory.
  void allocate(const Tiles& on_host);
  /// Adds its data to a graph. @param has_border  some rank has border tiles; StepData::border is used by tasks of these only.
  void add_data(task::Graph& graph, StepData& data, bool has_border);
  /// Records tasks that compute boundary ghost cells, gradients, and states on the owned cells' sides of faces.
  /// @param keep_gradients  of all cells; otherwise only those that other ranks or boundary faces need.
  void record_states(task::Graph& graph, const StepData& data, bool keep_gradients);
  /// Records a task that computes the states on ghosts' sides of faces.
  void record_ghost_states(task::Graph& graph, const StepData& data);

  /// Sets the cells of the first-order fallback; empty: none.
  void set_fallback(Stream& stream, std::span<const std::int32_t> flags);
  [[nodiscard]] const std::int32_t* fallback() const { return fallback_is_set_ ? fallback_.data() : nullptr; }

  [[nodiscard]] Real* values() { return on_device(values_); }
  [[nodiscard]] const Real* gradients() const { return on_device(gradients_); }
  [[nodiscard]] const Real* states() const { return states_.data(); }
  [[nodiscard]] const Real* side_sensors() const { return side_sensors_.data(); }

  // Results of tasks that keep gradients. These wait for the present work of the stream.
  [[nodiscard]] Primitive cell_state(Stream& stream, mesh::LocalCellId cell, Vec3 x) const;
  [[nodiscard]] std::vector<Primitive> face_states(Stream& stream, mesh::FaceRange faces) const;
  [[nodiscard]] std::vector<CellGradient> cell_gradients(Stream& stream) const;

 private:
  template <class Visit>
  void each_array(const Tiles& on_host, Visit&& visit);
  void gradients_of(Stream& stream, const TileRange& range, bool keep);
  void set_boundary_ghosts(Stream& stream, std::int32_t first, std::int32_t last);

  const Scheme& scheme_;
  const SchemeParameters& parameters_;
  const DeviceTiles<Real>& tiles_;
  DeviceBoundary& boundary_;
  LimiterChoice limiter_;
  ArrayPair<Real, kVars> values_;       ///< with boundary rows
  ArrayPair<Real, Dynamic> gradients_;  ///< dim x kVars; 0 in first order
  ArrayPair<Real> sensors_;             ///< ShockSensor of owned and ghost cells; without rows where the flux takes none
  DeviceVector<Real> states_;           ///< see kStateColumns
  DeviceVector<Real> side_sensors_;     ///< at sensor_slot(); empty: none
  DeviceVector<std::int32_t> fallback_;
  bool fallback_is_set_ = false;
};

}  // namespace weft::flow::detail
