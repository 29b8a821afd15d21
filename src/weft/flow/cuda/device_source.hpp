#pragma once
/// Sources in the owned cells of a rank, in the memory of the current GPU.
#include <cstddef>
#include <span>
#include <vector>

#include "weft/device/buffers.hpp"
#include "weft/flow/cuda/array_list.hpp"
#include "weft/flow/physics/source.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow::detail {

/// @tparam Real  of the values.
template <class Real>
class DeviceSource {
 public:
  /// Both outlive this object.
  /// @param subtracts  whether there will be set_stationary().
  DeviceSource(const mesh::Mesh& mesh, const SourceTerm& source, bool subtracts)
      : mesh_(mesh), source_(source), volume_source_{source.acceleration, mesh.axisymmetric}, subtracts_(subtracts) {}
  /// Bytes that allocate() takes.
  [[nodiscard]] std::size_t bytes();
  /// Before anything else. @throws DeviceError where there is not enough memory.
  void allocate();

  /// Returns whether the host takes part in a stage, because there is a function.
  [[nodiscard]] bool needs_host() const { return static_cast<bool>(source_.function); }
  /// Sets what evaluate() subtracts: d(conserved)/dt of whole owned cells, owned x kVars. Before the first evaluate().
  void set_stationary(std::span<const double> rates);
  /// Makes rates() those at these values of the owned cells, as HostSource::add(). Where the host takes part, waits for the
  /// work of the stream before.
  void evaluate(Stream& stream, double time, const Real* values, const double* inverse_volume);
  /// d(conserved)/dt of whole owned cells, owned x kVars; null without a source.
  [[nodiscard]] const double* rates() const { return rates_.data(); }

 private:
  template <class Visit>
  void each_array(Visit&& visit);

  const mesh::Mesh& mesh_;
  const SourceTerm& source_;
  [[nodiscard]] bool any() const { return source_.function || volume_source_.any() || subtracts_; }

  const VolumeSource volume_source_;
  const bool subtracts_;
  DeviceVector<double> rates_, stationary_;  ///< stationary_: what is subtracted; empty with a function
  DeviceVector<Vec3> centroid_;              ///< centroids of owned cells; empty with a function
  std::vector<double> stationary_on_host_;   ///< rates that are subtracted; empty without a function
  PinnedBuffer<Real> values_on_host_;
  PinnedBuffer<double> rates_on_host_;
};

}  // namespace weft::flow::detail
