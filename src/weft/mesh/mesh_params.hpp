#pragma once
/// MeshParams and FvParams: the owners of what a MeshView and an FvView point to, on the host or on a device.
#include <cstddef>
#include <cstdint>

#include "weft/array/index_space.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/mesh/mesh.hpp"
#include "weft/mesh/mesh_view.hpp"

namespace weft::mesh {

/// Returns the index space of arrays with a row for each owned cell, each ghost cell and each boundary face, in this order. Row
/// mesh.cells() + i is that of boundary face i, counted from the first (MeshView::boundary_row). No communication.
[[nodiscard]] IndexSpace index_space_with_boundary(const Mesh& mesh);

/// The topology of a Mesh in the memory of a backend. With Backend::host the view points into the Mesh itself; with any other
/// backend the object holds copies on the device.
///
///     const FvParams params(mesh, Backend::cuda);
///     const FvView fv = params.view();  // to be passed to kernels by value
///
/// @pre the Mesh exists and does not change as long as the object.
class MeshParams {
 public:
  /// Copies the topology to the device and waits for the copies. No communication.
  /// @throws DeviceError or std::bad_alloc where there is no device or its memory is exhausted.
  /// @cost on a device 8 B per face and 64 B per hexahedron.
  explicit MeshParams(const Mesh& mesh, Backend backend = Backend::host);

  /// Returns the view, which is valid as long as the object and its mesh, also after the object has been moved.
  [[nodiscard]] const MeshView& view() const { return view_; }
  [[nodiscard]] Backend backend() const { return backend_; }

 private:
  Backend backend_;
  DeviceVector<LocalCellId> left_cell_, right_cell_, cell_cell_;
  DeviceVector<std::int64_t> cell_face_offset_, cell_cell_offset_;
  DeviceVector<LocalFaceId> cell_face_;
  DeviceVector<ZoneView> zones_;
  MeshView view_;
};

/// The topology and the geometry of a Mesh in the memory of a backend; see MeshParams.
class FvParams {
 public:
  /// @throws as MeshParams.  @cost on a device, beyond MeshParams, 32 B per cell and 56 B per face.
  explicit FvParams(const Mesh& mesh, Backend backend = Backend::host);

  /// Returns the view, which is valid as long as the object and its mesh, also after the object has been moved.
  [[nodiscard]] const FvView& view() const { return view_; }
  [[nodiscard]] Backend backend() const { return topology_.backend(); }

 private:
  MeshParams topology_;
  DeviceVector<double> cell_volume_, face_area_;
  DeviceVector<Vec3> cell_centroid_, face_normal_, face_centre_;
  FvView view_;
};

}  // namespace weft::mesh
