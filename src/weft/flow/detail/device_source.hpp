#pragma once
/// What acts inside the owned cells of a rank, in the memory of the current GPU.
#include <cstddef>

#include "weft/device/buffers.hpp"
#include "weft/flow/detail/device_array.hpp"
#include "weft/flow/source.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow::detail {

/// @tparam Real  of the values.
template <class Real>
class DeviceSource {
 public:
  /// Both outlive this object.
  DeviceSource(const mesh::Mesh& mesh, const SourceTerm& source)
      : mesh_(mesh), source_(source), volume_source_{source.acceleration, mesh.axisymmetric} {}
  /// Bytes that allocate() takes.
  [[nodiscard]] std::size_t bytes();
  /// Before anything else. @throws DeviceError where there is no room.
  void allocate();

  /// Whether the host takes part in a stage, because there is a function.
  [[nodiscard]] bool asks_host() const { return static_cast<bool>(source_.function); }
  /// Makes rates() those at these values of the owned cells, as Solver::add_sources. Where the host takes part, waits for the
  /// work of the stream before.
  void evaluate(Stream& stream, double time, const Real* values, const double* inverse_volume);
  /// d(conserved)/dt of whole owned cells, owned x kVars; null without a source.
  [[nodiscard]] const double* rates() const { return rates_.data(); }

 private:
  template <class Visit>
  void each_array(Visit&& visit);

  const mesh::Mesh& mesh_;
  const SourceTerm& source_;
  const VolumeSource volume_source_;
  DeviceArray<double> rates_;
  DeviceArray<Vec3> centroid_;  ///< of owned cells; empty without a volume source
  PinnedBuffer<Real> values_on_host_;
  PinnedBuffer<double> rates_on_host_;
};

}  // namespace weft::flow::detail
