#pragma once
/// The boundary conditions of a rank in the memory of the current GPU.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "weft/base/id_vector.hpp"
#include "weft/device/buffers.hpp"
#include "weft/flow/cuda/array_list.hpp"
#include "weft/flow/cuda/device_arguments.hpp"
#include "weft/flow/cuda/tile_launch.hpp"
#include "weft/flow/physics/face_force.hpp"
#include "weft/flow/scheme/scheme.hpp"

namespace weft::flow::detail {

class DeviceBoundary {
 public:
  /// @param scheme  outlives this object.
  explicit DeviceBoundary(const Scheme& scheme);
  /// Returns the bytes that allocate() takes.
  [[nodiscard]] std::size_t bytes();
  /// Called before the functions below. Evaluates the prescribed states that do not depend on time, once.
  /// @throws DeviceError where there is not enough memory.
  void allocate();

  [[nodiscard]] BoundaryArgs args() const;
  /// Returns whether a zone has prescribed states that depend on time: the host evaluates or enqueues them in each stage. Equal
  /// on all ranks.
  [[nodiscard]] bool varies() const { return varies_; }
  /// Evaluates the time-dependent prescribed states at `time`. Where the host evaluates some of them, waits for the earlier work
  /// of the stream and copies them to the GPU.
  void prescribe(Stream& stream, double time);
  /// Sets the circulation of the vortex that disturbs a far field, and copies the exterior states of its zone again. Waits for
  /// the earlier work of the stream; steps that were captured as graphs read the new states.
  void set_circulation(Stream& stream, mesh::BoundaryZoneId zone, double circulation);

  /// Returns the memory for a flux through each face.
  [[nodiscard]] Conserved* fluxes() const { return fluxes_.data(); }
  /// Marks the fluxes as computed by the present work of the stream.
  void computed(Stream& stream);
  /// Returns the flux through a face. The first call after computed() copies all to the host.
  [[nodiscard]] Conserved flux(mesh::LocalFaceId face) const;
  /// Returns the sum of force_on_face() with moments about `centre`. Waits for the present work of the stream. @pre computed()
  [[nodiscard]] ForceAndMoment force_on(Stream& stream, mesh::FaceRange faces, double pressure, Vec3 centre) const;

 private:
  template <class Visit>
  void each_array(Visit&& visit);
  /// Evaluates the exterior states of the faces of a zone at `time` into outside_on_host_.
  void find_outside(mesh::BoundaryZoneId zone, double time);

  const Scheme& scheme_;
  IdVector<mesh::BoundaryZoneId, BoundaryParams> params_;
  std::int32_t first_;  ///< first boundary face of the mesh
  bool varies_ = false, varies_on_host_ = false;
  DeviceVector<ZoneArgs> zones_;
  DeviceVector<std::int32_t> zone_, left_, order_;
  std::int32_t inner_faces_ = 0;                                         ///< number of boundary faces of inner cells
  DeviceVector<std::int32_t> extrapolation_offset_, extrapolation_row_;  ///< Discretization::boundary_extrapolation
  DeviceVector<double> extrapolation_weight_, extrapolation_normal_weight_;
  DeviceVector<PressureBound> pressure_bound_;
  DeviceVector<Vec3> normal_, to_face_, centroid_;
  DeviceVector<double> area_;
  DeviceVector<Primitive> outside_;
  /// The arguments of time-dependent states that are evaluated on the GPU; null for other zones.
  IdVector<mesh::BoundaryZoneId, std::shared_ptr<DeviceTables>> tables_;
  PinnedBuffer<Primitive> outside_on_host_;
  DeviceVector<Conserved> fluxes_;
  Event computed_;
  mutable std::vector<Conserved> fluxes_on_host_;
  mutable bool on_host_ = false;  ///< the host copy of the fluxes is valid
};

}  // namespace weft::flow::detail
