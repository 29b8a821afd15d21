#include "weft/mesh/mesh_params.hpp"

#include <span>
#include <type_traits>
#include <vector>

namespace weft::mesh {
namespace {

static_assert(std::is_trivially_copyable_v<ZoneView> && std::is_trivially_copyable_v<MeshView> &&
              std::is_trivially_copyable_v<FvView>);

/// Returns the address of the values on the backend: on the host their own, otherwise that of the copy made in `copy`.
template <class T>
const T* on_backend(Backend backend, std::span<const T> values, DeviceVector<T>& copy) {
  if (backend == Backend::host) return values.data();
  copy = DeviceVector<T>(backend, values);
  return copy.data();
}
template <class I, class T>
const T* on_backend(Backend backend, const IdVector<I, T>& values, DeviceVector<T>& copy) {
  return on_backend(backend, std::span<const T>(values), copy);
}

}  // namespace

IndexSpace index_space_with_boundary(const Mesh& mesh) {
  return {mesh.plan, mesh.faces() - mesh.inner_faces.size() - mesh.interface_faces.size()};
}

MeshParams::MeshParams(const Mesh& mesh, Backend backend) : backend_(backend) {
  std::vector<ZoneView> zones;
  for (const BoundaryZone& zone : mesh.boundary) {
    zones.push_back({.first_face = zone.faces.first().value(), .faces = zone.faces.size()});
  }
  // The mesh has no list of this form, so the host needs a copy, too.
  zones_ = DeviceVector<ZoneView>(backend, zones);
  view_ = {.dim = mesh.dim,
           .inner_cells = mesh.inner_cells,
           .owned_cells = mesh.owned_cells,
           .ghost_cells = mesh.ghost_cells,
           .inner_faces = mesh.inner_faces.size(),
           .interface_faces = mesh.interface_faces.size(),
           .all_faces = mesh.faces(),
           .zones = mesh.boundary.count(),
           .left_cell = on_backend(backend, mesh.face_left, left_cell_),
           .right_cell = on_backend(backend, mesh.face_right, right_cell_),
           .cell_face_offset = on_backend(backend, mesh.cell_faces.offsets(), cell_face_offset_),
           .cell_cell_offset = on_backend(backend, mesh.cell_cells.offsets(), cell_cell_offset_),
           .cell_face = on_backend(backend, mesh.cell_faces.entries(), cell_face_),
           .cell_cell = on_backend(backend, mesh.cell_cells.entries(), cell_cell_),
           .zone_view = zones_.data()};
}

FvParams::FvParams(const Mesh& mesh, Backend backend) : topology_(mesh, backend) {
  view_ = {topology_.view(),
           on_backend(backend, mesh.cell_volume, cell_volume_),
           on_backend(backend, mesh.cell_centroid, cell_centroid_),
           on_backend(backend, mesh.face_area, face_area_),
           on_backend(backend, mesh.face_normal, face_normal_),
           on_backend(backend, mesh.face_centroid, face_centre_)};
}

}  // namespace weft::mesh
