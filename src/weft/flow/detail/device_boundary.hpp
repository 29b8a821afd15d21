#pragma once
/// The boundary conditions of a rank in the memory of the current GPU.
#include <cstdint>
#include <vector>

#include "weft/device/buffers.hpp"
#include "weft/flow/detail/device_array.hpp"
#include "weft/flow/detail/tile_launch.hpp"
#include "weft/flow/residual.hpp"

namespace weft::flow::detail {

class DeviceBoundary {
 public:
  /// @param residual  names the zones and their conditions. Outlives this object. Prescribed states that do not change with time
  ///   are asked for here, and not again.
  explicit DeviceBoundary(const Residual& residual);

  [[nodiscard]] BoundaryArgs args() const;
  /// Whether a zone has prescribed states that change with time, for which the host is asked in each stage. Equal on every rank.
  [[nodiscard]] bool varies() const { return varies_; }
  /// Evaluates those at `time` and sends them. Waits for the work of the stream before.
  void prescribe(Stream& stream, double time);

  /// Room for a flux through each face; fetch() brings what is there to the host, where flux() reads it.
  [[nodiscard]] Conserved* fluxes() const { return fluxes_.data(); }
  void fetch(Stream& stream) { fluxes_.get(0, fluxes_on_host_, after(stream)); }
  [[nodiscard]] Conserved flux(std::int32_t face) const { return fluxes_on_host_[static_cast<std::size_t>(face - first_)]; }

 private:
  void ask(bool of_time, double time);

  const Residual& residual_;
  std::int32_t first_;  ///< face of the mesh
  bool varies_ = false;
  DeviceArray<ZoneArgs> zones_;
  DeviceArray<std::int32_t> zone_, left_;
  DeviceArray<Vec3> normal_, arm_;
  DeviceArray<Primitive> prescribed_;
  PinnedBuffer<Primitive> prescribed_on_host_;
  DeviceArray<Conserved> fluxes_;
  std::vector<Conserved> fluxes_on_host_;
};

}  // namespace weft::flow::detail
