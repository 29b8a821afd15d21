#pragma once
/// Primitive values, gradients and states on faces in the memory of the current GPU.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/flow/cuda/array_list.hpp"
#include "weft/flow/cuda/device_boundary.hpp"
#include "weft/flow/cuda/device_tiles.hpp"
#include "weft/flow/cuda/step_control.hpp"
#include "weft/flow/cuda/tile_launch.hpp"
#include "weft/flow/scheme/stepper.hpp"

namespace weft::flow::detail {

/// Two buffers of primitive values of all rows, and what is computed of one of them: ghosts, boundary ghost cells, gradients, and
/// the states on the sides of faces from which the flux kernel starts.
/// @tparam Real  double or float.
template <class Real>
class DeviceReconstruction {
 public:
  /// @param parameters  the present ones at each call. All outlive this object.
  DeviceReconstruction(const Scheme& scheme, const SchemeParameters& parameters, const DeviceTiles<Real>& tiles,
                       DeviceBoundary& boundary);
  /// Returns the bytes that allocate() takes.
  [[nodiscard]] std::size_t bytes(const Tiles& on_host);
  /// Called before the functions below. @throws DeviceError where there is not enough memory.
  void allocate(const Tiles& on_host);
  /// Sets up the exchanges of ghosts. @collective  @throws as ArrayTransformer::pull.
  void connect();
  /// Ends the exchanges, see Solver::close(). @collective
  void close();
  /// Returns the name of the transport of ghosts; empty where no rank has any.
  [[nodiscard]] std::string transport() const;
  /// Returns whether the exchanges can be part of a graph.
  [[nodiscard]] bool captured() const;

  /// Sets the cells of the first-order fallback; empty: none.
  void set_fallback(Stream& stream, std::span<const std::int32_t> flags);
  [[nodiscard]] const std::int32_t* fallback() const { return fallback_is_set_ ? fallback_.data() : nullptr; }

  struct Pending {
    Exchange* ghosts;  ///< exchange of the ghosts' gradients; null: none
    Event inner;       ///< inner tiles are complete
  };
  /// Computes ghosts, boundary ghost cells, gradients, and states on the owned cells' sides of faces. On return, the work of
  /// border tiles precedes later work of both streams, that of inner tiles only that of `stream`.
  /// @param keep_gradients  of all cells; otherwise only those that other ranks or boundary faces need.
  [[nodiscard]] Pending evaluate(Stream& stream, Stream& border_stream, int buffer, double time, bool keep_gradients);
  /// Completes Pending::ghosts and computes the states on ghosts' sides of faces.
  void add_ghost_states(Stream& border_stream, int buffer, Exchange* ghosts);

  [[nodiscard]] Real* values(int buffer) { return on_device(values_[buffer]); }
  [[nodiscard]] const Real* gradients() const { return on_device(gradients_); }
  [[nodiscard]] const Real* states() const { return states_.data(); }
  [[nodiscard]] const Real* side_sensors() const { return side_sensors_.data(); }

  // Results of evaluate(..., true). These wait for the present work of the stream.
  [[nodiscard]] Primitive cell_state(Stream& stream, int buffer, mesh::LocalCellId cell, Vec3 x) const;
  [[nodiscard]] std::vector<Primitive> face_states(Stream& stream, int buffer, mesh::FaceRange faces) const;
  [[nodiscard]] std::vector<CellGradient> cell_gradients(Stream& stream) const;

 private:
  template <class Visit>
  void each_array(const Tiles& on_host, Visit&& visit);
  [[nodiscard]] GradientArgs<Real> gradient_args(int buffer);
  void set_boundary_ghosts(Stream& stream, int buffer, std::int32_t first, std::int32_t last);

  const Scheme& scheme_;
  const SchemeParameters& parameters_;
  const DeviceTiles<Real>& tiles_;
  DeviceBoundary& boundary_;
  LimiterChoice limiter_;
  ArrayPair<Real, kVars> values_[2];    ///< with boundary rows
  ArrayPair<Real, Dynamic> gradients_;  ///< dim x kVars; 0 in first order
  ArrayPair<Real> sensors_;             ///< ShockSensor of owned and ghost cells; without rows where the flux takes none
  DeviceVector<Real> states_;           ///< see kStateColumns
  DeviceVector<Real> side_sensors_;     ///< at sensor_slot(); empty: none
  DeviceVector<std::int32_t> fallback_;
  bool fallback_is_set_ = false;
  std::optional<Exchange> pull_values_[2], pull_gradients_;  ///< none where no rank has ghosts
};

}  // namespace weft::flow::detail
