#pragma once
/// Sources in the owned cells of a rank, in the memory of the current GPU.
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "weft/device/buffers.hpp"
#include "weft/flow/cuda/array_list.hpp"
#include "weft/flow/cuda/device_arguments.hpp"
#include "weft/flow/physics/source.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow::detail {

/// @tparam Real  precision of the values.
template <class Real>
class DeviceSource {
 public:
  /// Creates a source. Both arguments outlive it.
  /// @param subtracts  set_stationary() will be called.
  DeviceSource(const mesh::Mesh& mesh, const SourceTerm& source, bool subtracts)
      : mesh_(mesh), source_(source), volume_source_{source.acceleration, mesh.axisymmetric}, subtracts_(subtracts) {}
  /// Returns the bytes that allocate() takes.
  [[nodiscard]] std::size_t bytes();
  /// Called before the functions below. @throws DeviceError where there is not enough memory.
  void allocate();

  /// Returns whether evaluate() computes anything. Equal on every rank.
  [[nodiscard]] bool any() const { return source_.function || volume_source_.any() || subtracts_; }
  /// Returns whether the host takes part in a stage, because there is a user function, which it evaluates or enqueues.
  [[nodiscard]] bool needs_host() const { return static_cast<bool>(source_.function); }
  /// Sets the rates that evaluate() subtracts: d(conserved)/dt of whole owned cells, owned x kVars. Called before the first
  /// evaluate().
  void set_stationary(std::span<const double> rates);
  /// Computes rates() for these values of the owned cells, as HostSource::add(). Waits for the earlier work of the stream if the
  /// host evaluates a user function.
  void evaluate(Stream& stream, double time, const Real* values, const double* inverse_volume);
  /// Returns d(conserved)/dt of whole owned cells, owned x kVars; null without a source.
  [[nodiscard]] const double* rates() const { return rates_.data(); }

 private:
  template <class Visit>
  void each_array(Visit&& visit);

  const mesh::Mesh& mesh_;
  const SourceTerm& source_;
  /// Returns whether the host evaluates a user function.
  [[nodiscard]] bool on_host() const { return source_.function && !source_.function.on_device(); }
  void evaluate_on_host(Stream& stream, double time, const Real* values);

  const VolumeSource volume_source_;
  const bool subtracts_;
  DeviceVector<double> rates_, stationary_;  ///< stationary_: subtracted rates; empty if on_host()
  DeviceVector<Vec3> centroid_;              ///< centroids of owned cells; empty if on_host()
  std::shared_ptr<DeviceTables> tables_;     ///< arguments of a function that is evaluated on the GPU
  std::vector<double> stationary_on_host_;   ///< rates that are subtracted; empty unless on_host()
  PinnedBuffer<Real> values_on_host_;
  PinnedBuffer<double> rates_on_host_;
};

}  // namespace weft::flow::detail
